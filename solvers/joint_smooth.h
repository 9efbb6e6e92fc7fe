// SPDX-License-Identifier: Apache-2.0
// Orders within a peak that are easier to place: a local search that lowers the loads of all steps, not the largest one
// alone.
#ifndef MEMPLAN_SOLVERS_JOINT_SMOOTH_H
#define MEMPLAN_SOLVERS_JOINT_SMOOTH_H

#include "model/method.h"

// What is summed over the steps; x: load of the step as a share of the limit.
typedef enum memplan_smooth_cost {
  MEMPLAN_SMOOTH_FOURTH = 0, // x^4
  MEMPLAN_SMOOTH_EXCESS,     // (x - 0.7)^2 where that is positive
  MEMPLAN_SMOOTH_SUM,        // x
  MEMPLAN_SMOOTH_NONE,       // nothing: any order within the limit is as good as any other
  MEMPLAN_SMOOTH_COSTS
} memplan_smooth_cost;

typedef struct memplan_smooth_task {
  const memplan_ordering *ordering;
  const memplan_limits *limits; // started: time and interrupts end it, between moves
  int64_t limit;                // no step's load, with its best in-place choice, passes it
  memplan_smooth_cost cost;
  uint64_t seed;
  int64_t moves; // to be tried, at most
  int64_t ticks; // of work, at most: about one look at a cell each
} memplan_smooth_task;

// Moves single operators to other legal places (a quarter of them as early as possible, a quarter as late, the others
// anywhere between), as long as the limit is kept and the cost does not rise. Operators of groups stay where they are.
// `order` must be valid, with a peak within the limit, and stays so. *ticks: work done. A function of the task and the
// order alone, unless time is over.
memplan_status memplan_joint_smooth(const memplan_smooth_task *task, int32_t *order, int64_t *ticks,
                                    memplan_error *error);

#endif
