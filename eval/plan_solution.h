// SPDX-License-Identifier: Apache-2.0
// A plan from a file seen as the solution that it was written from, so that it can be drawn and measured.
#ifndef MEMPLAN_EVAL_PLAN_SOLUTION_H
#define MEMPLAN_EVAL_PLAN_SOLUTION_H

#include "model/memplan.h"

// For a plan that memplan_verify found valid for the problem. The plan moves into the solution, which must be
// initialised and empty and is freed before the problem. What no plan holds stays empty: methods, nodes, the bounds of
// the order alone. MEMPLAN_INPUT: the plan does not name what it places. O(n log n) and a hash table.
memplan_status memplan_plan_solution(const memplan_problem *problem, memplan_plan *plan, memplan_solution *solution,
                                     memplan_error *error);

#endif
