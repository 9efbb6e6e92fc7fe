// SPDX-License-Identifier: Apache-2.0
// An order under construction: which operators may run next, what each of them does to the load, and which of them
// have to be asked again after a step. Knows groups: once one is started only its members may run, and it may be
// started only when every predecessor outside it has run.
#ifndef MEMPLAN_SCHEDULE_H
#define MEMPLAN_SCHEDULE_H

#include "model/base/arena.h"
#include "model/base/status.h"
#include "model/ordering.h"

#include <stdbool.h>
#include <stdint.h>

// What running an operator now does, in bytes. load during it = live + born + workspace - saving (+ ordering.first_step
// at step 0); live afterwards = live + born - freed - spent.
typedef struct memplan_gain {
  int64_t born;  // cells that begin with it
  int64_t freed; // cells live before it that end with it
  int64_t spent; // cells that begin and end with it
  int64_t workspace;
  int64_t saving; // of the best in-place choice available now
} memplan_gain;

// Created by memplan_schedule_init; the arrays belong to its arena.
typedef struct memplan_schedule {
  const memplan_ordering *ordering;
  int32_t *order;     // the operators run so far; the caller's array of n_ops
  int32_t n_steps;    // how many
  int64_t live;       // base and the cells live between the last step and the next
  int64_t peak;       // largest load of the steps so far, 0 before the first
  int32_t open_group; // group that is started and not finished, or -1
  // After init and after each run:
  int32_t *ready;   // operators that may run (if no group is open, or they belong to it) and could not before
  int32_t *changed; // operators not run yet whose gain may have changed; may repeat, and hold some that are not ready
  int32_t n_ready, n_changed;
  // private
  bool *done, *born;
  int32_t *missing_preds;              // by operator: predecessors not run
  int32_t *missing_deaths;             // by cell: operators of its death set not run
  int64_t *death_sum;                  // by cell: sum of their indices, so that the last one is known without a search
  int32_t *group_missing;              // by group: edges from operators outside that are not run
  int32_t *group_left;                 // by group: members not run
  int32_t *op_birth_first, *op_births; // cells by operator of their birth set
  bool *available;                     // scratch of the in-place matching
  int32_t *chosen;
} memplan_schedule;

// O(size of the ordering). `order` has room for n_ops operators.
memplan_status memplan_schedule_init(memplan_schedule *schedule, const memplan_ordering *ordering, int32_t *order,
                                     memplan_arena *arena, memplan_error *error);

// What running `op` now would do. O(cells and pairs of the operator), and a matching if several pairs are available.
memplan_gain memplan_schedule_gain(const memplan_schedule *schedule, int32_t op);

// Load during `op` if it ran now.
int64_t memplan_schedule_load(const memplan_schedule *schedule, const memplan_gain *gain);

// Runs `op`, which must be ready. O(its cells and successors), amortised over the order.
void memplan_schedule_run(memplan_schedule *schedule, int32_t op);

#endif
