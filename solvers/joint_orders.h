// SPDX-License-Identifier: Apache-2.0
// Threshold search for an order, with an in-place choice, that keeps within a threshold and violates no nogood of
// placements; or the proof that there is none.
//
// Depth-first over (operators that have run, nogoods that are broken). What the exact order search may commit is
// committed here too, as long as no nogood that could still be violated holds one of its operators (T4): a completion
// that keeps within the threshold and violates nothing still does so when the committed operators come first, since
// loads do not rise, births of the nogoods' items keep their order, their deaths come no later, and pairs of other
// operators stay as they are.
#ifndef MEMPLAN_SOLVERS_JOINT_ORDERS_H
#define MEMPLAN_SOLVERS_JOINT_ORDERS_H

#include "solvers/joint_log.h"
#include "solvers/joint_nogood.h"
#include "solvers/order_commit.h"

typedef struct memplan_joint_orders memplan_joint_orders;

typedef enum memplan_joint_orders_outcome {
  MEMPLAN_JOINT_ORDERS_RUNNING = 0,
  MEMPLAN_JOINT_ORDERS_FOUND,
  MEMPLAN_JOINT_ORDERS_EXHAUSTED, // there is none
  MEMPLAN_JOINT_ORDERS_FULL       // more memory than allowed, or more choices at one operator than it tries
} memplan_joint_orders_outcome;

typedef struct memplan_joint_orders_task {
  const memplan_joint_graph *whole;   // an outline
  const memplan_order_tables *tables; // of its ordering, forwards or turned, without lazy operators
  const memplan_joint_nogood *const *nogoods;
  int32_t n_nogoods;
  int64_t threshold;
  int64_t most_memory;    // bytes of the table of states, or of the log
  bool commits;           // off for tests
  memplan_joint_log *log; // what is closed is told, state by state, and only single operators are committed; or NULL
} memplan_joint_orders_task;

// What `task` points to has to stay. Freed by memplan_joint_orders_free (NULL: nothing happens).
memplan_status memplan_joint_orders_new(const memplan_joint_orders_task *task, memplan_joint_orders **orders,
                                        memplan_error *error);
void memplan_joint_orders_free(memplan_joint_orders *orders);

// Works for about `ticks` more.
memplan_status memplan_joint_orders_run(memplan_joint_orders *orders, int64_t ticks, memplan_error *error);

typedef struct memplan_joint_orders_look {
  memplan_joint_orders_outcome outcome;
  int64_t rejected; // EXHAUSTED: nothing changes for thresholds below it, INT64_MAX: for any
  int64_t states, ticks;
} memplan_joint_orders_look;

memplan_joint_orders_look memplan_joint_orders_state(const memplan_joint_orders *orders);

// Of a search that has found one: the order as it runs, and its choice, pairs of the ordering in step order: what was
// decided, and of the other pairs those that save most. Arrays of n_ops and n_pairs.
memplan_status memplan_joint_orders_read(memplan_joint_orders *orders, int32_t *order, int32_t *choice,
                                         int32_t *n_choices, memplan_error *error);

#endif
