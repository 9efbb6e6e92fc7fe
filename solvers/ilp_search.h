// SPDX-License-Identifier: Apache-2.0
// From an integer program to its best solution: probing, and the solver on growing windows of the objective.
#ifndef MEMPLAN_SOLVERS_ILP_SEARCH_H
#define MEMPLAN_SOLVERS_ILP_SEARCH_H

#include "solvers/ilp_solver.h"

// As memplan_ilp_solve, for a program whose cost is that of one integer column with bounds (`run->objective`).
// `run->guide` is set here. The bound may have been proven by probing, in integers, but is not told apart. Work counts
// the terms looked at in propagation too.
memplan_status memplan_ilp_search(const memplan_ilp_run *run, memplan_ilp_answer *answer, memplan_error *error);

#endif
