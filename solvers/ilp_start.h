// SPDX-License-Identifier: Apache-2.0
// What quick heuristics make of a problem, for an integer program to begin from.
#ifndef MEMPLAN_SOLVERS_ILP_START_H
#define MEMPLAN_SOLVERS_ILP_START_H

#include "heuristics/portfolio.h"
#include "solvers/assemble.h"

// Runs all heuristics of the kind that end by themselves. *best is a task of `arena`, NULL: none has found anything.
memplan_status memplan_ilp_start(memplan_method_kind kind, const memplan_task *task, const memplan_limits *limits,
                                 memplan_arena *arena, const memplan_portfolio_task **best, memplan_error *error);

// About the work of that on `n` blocks or operators, in ticks: each heuristic looks at each, and at most at each pair.
int64_t memplan_ilp_start_work(memplan_method_kind kind, int32_t n);

#endif
