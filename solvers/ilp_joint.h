// SPDX-License-Identifier: Apache-2.0
// The least order peak, and the least arena over orders, in-place choices and offsets, by integer programs.
#ifndef MEMPLAN_SOLVERS_ILP_JOINT_H
#define MEMPLAN_SOLVERS_ILP_JOINT_H

#include "model/method.h"
#include "solvers/assemble.h"
#include "solvers/ilp_order.h"
#include "solvers/place_problem.h"

typedef enum memplan_ilp_form { MEMPLAN_ILP_PRECEDENCE = 0, MEMPLAN_ILP_STEPS } memplan_ilp_form;

typedef struct memplan_ilp_plan {
  bool found;
  const int32_t *order;  // by step
  const int32_t *choice; // pairs of the ordering, in step order
  int32_t n_choices;
  // joint: by block of the instance that memplan_ordering_lower makes of order and choice
  memplan_placement placement;
  int32_t n_blocks;
  int64_t peak;           // bytes, exact: of the order, or of the placement
  int64_t floating_bound; // bytes: nothing is smaller, as the solver claims in floating point
  bool exhausted;         // the program was solved to its end
  memplan_stop stop;
  int64_t nodes;
  int64_t lazy_rows, cuts, rounded; // as memplan_ilp_answer counts them
} memplan_ilp_plan;

typedef struct memplan_ilp_task {
  const memplan_ordering *ordering;
  memplan_ilp_form form;
  const memplan_limits *limits;  // started
  int64_t below;                 // only peaks below this one are of use, bytes; -1: any
  int64_t bound;                 // known before, if only in floating point, bytes
  int64_t proven;                // for reports of progress: a bound in integers, 0: none
  uint64_t without;              // MEMPLAN_TECHNIQUE_ILP_… switched off
  const memplan_ilp_plan *first; // joint: the order and choice of this one are placed first; NULL: none
} memplan_ilp_task;

// `found` is false if there is nothing below task->below, or it was not found within the limits. MEMPLAN_UNSUPPORTED:
// no solver, several pools (joint), too many operators, too large. Results belong to `arena`.
memplan_status memplan_ilp_order_find(const memplan_ilp_task *task, memplan_arena *arena, memplan_ilp_plan *plan,
                                      memplan_error *error);
memplan_status memplan_ilp_joint_find(const memplan_ilp_task *task, memplan_arena *arena, memplan_ilp_plan *plan,
                                      memplan_error *error);

// From values of a joint program's columns to offsets: settles them on the instance of its order and choice. *peak is
// MEMPLAN_ILP_NONE if they lead to no placement. Offsets by block, in an array of n_blocks of `arena`.
memplan_status memplan_ilp_joint_place(const memplan_ilp_order *program, const int64_t *value,
                                       const memplan_instance *instance, const int32_t *storage_buffer,
                                       const int32_t *op_buffer, memplan_arena *arena, int64_t **offset, int64_t *peak,
                                       memplan_error *error);

#endif
