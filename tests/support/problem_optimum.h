// SPDX-License-Identifier: Apache-2.0
// Dynamic programming over all sets of operators of a flat order problem, straight from the definitions of
// solvers/order_problem.h. Never benchmark.
#ifndef MEMPLAN_TESTS_PROBLEM_OPTIMUM_H
#define MEMPLAN_TESTS_PROBLEM_OPTIMUM_H

#include "solvers/order_problem.h"

enum { PROBLEM_OPTIMUM_OPS = 12 }; // at most, in all of them

int64_t problem_live(const memplan_order_problem *problem, uint32_t set);
int64_t problem_load(const memplan_order_problem *problem, uint32_t set, int32_t op);

// Can the operator, which is not in the set, run after it: predecessors and groups?
bool problem_may_run(const memplan_order_problem *problem, uint32_t set, int32_t op);

// By set, malloc'd: the least peak of orders from the empty set to it; of orders that go on from it to the end.
// INT64_MAX: there is none; 0 where nothing has to run.
int64_t *problem_ways_to(const memplan_order_problem *problem);
int64_t *problem_ways_from(const memplan_order_problem *problem);

#endif
