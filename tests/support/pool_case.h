// SPDX-License-Identifier: Apache-2.0
// Tiny instances with several pools, by trying everything. Asserts (cmocka).
#ifndef MEMPLAN_TESTS_POOL_CASE_H
#define MEMPLAN_TESTS_POOL_CASE_H

#include "solvers/objective.h"
#include "tests/support/random_problem.h"

enum { POOL_POOLS = 3, POOL_BUFFERS = 4, POOL_OBJECTIVES = 4 };

// One of each kind; the last one asks for pool 0, "p".
extern const memplan_objective pool_objectives[POOL_OBJECTIVES];

// Two or three pools, capacities, reserved ranges, pools that a buffer admits; three buffers of at most 4 bytes, or
// four of at most 2. Not resolved yet.
void pool_draw(random_state *random, int32_t n_buffers, memplan_instance *instance);

typedef struct pool_trial {
  const memplan_instance *instance;          // resolved
  int64_t least[POOL_POOLS], largest, total; // of all plans
  int64_t best[POOL_OBJECTIVES][POOL_POOLS]; // peaks
  bool any;                                  // is there a plan?
  int64_t offset[POOL_BUFFERS], most;        // while it runs
  int32_t pool[POOL_BUFFERS];
} pool_trial;

void pool_try_all(pool_trial *trial);

// Placement by this method for what is asked for; fails the test if there is an error.
void pool_solve(const memplan_problem *problem, const char *place, memplan_minimize minimize, const char *pool,
                memplan_solution *solution);

typedef struct pool_counts {
  int64_t compared, infeasible;
  int64_t ties; // the first number alone does not tell the best
} pool_counts;

// The plan for each objective is the best by all its tie-breaks, and said to be optimal, or there is none.
void pool_compare(uint64_t index, int32_t n_buffers, pool_counts *counts);

#endif
