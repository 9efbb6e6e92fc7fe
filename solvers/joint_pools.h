// SPDX-License-Identifier: Apache-2.0
// The best plan of a graph with several pools over all orders, in-place choices, pools and offsets: the objective as a
// sequence of searches for a smaller peak of one pool under limits for the others.
#ifndef MEMPLAN_SOLVERS_JOINT_POOLS_H
#define MEMPLAN_SOLVERS_JOINT_POOLS_H

#include "solvers/joint_plan.h"
#include "solvers/objective.h"

typedef struct memplan_joint_pools_task {
  const memplan_ordering *ordering;
  memplan_objective objective;
  int64_t capacity; // that no pool's peak may pass, and any plan within it will do; -1: none is asked about
  // The incumbent, order NULL: none. Where a capacity is asked about it passes it, and is where the search begins, but
  // nothing to be beaten: any plan within the capacity is better.
  const int32_t *order, *choice;
  int32_t n_choices;
  const int64_t *peaks;
  const int64_t *bounds;        // by pool: no plan has a smaller peak; NULL: nothing is known
  const memplan_limits *limits; // started
  int64_t work;                 // ticks
  uint64_t without;             // solvers/techniques.h
} memplan_joint_pools_task;

typedef struct memplan_joint_pools_result {
  bool settled; // nothing is better than the plan, or else than the incumbent; of a capacity: the plan is within it
  bool none;    // proven: there is no plan
  bool has_plan;
  memplan_joint_plan plan; // better than the incumbent
  int64_t *peaks;          // of the better one of the two, if there is any; of a capacity: of the plan
  int64_t largest;         // proven: no plan has a smaller largest peak (0: nothing)
  int64_t ticks, conflicts;
  memplan_stop stop;
} memplan_joint_pools_result;

// Does it take the problem? Else `reason` (of 256 bytes) says what is too large.
bool memplan_joint_pools_accepts(const memplan_ordering *ordering, char *reason);

// Memory of the result from `arena`. Neither settled nor none: the work did not do, or it turned out too large. The
// same for equal tasks, unless time is over.
memplan_status memplan_joint_pools_run(const memplan_joint_pools_task *task, memplan_arena *arena,
                                       memplan_joint_pools_result *result, memplan_error *error);

#endif
