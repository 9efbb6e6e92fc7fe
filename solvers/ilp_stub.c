// SPDX-License-Identifier: Apache-2.0
// Stands in for the solver of integer programs in builds without GLPK.
#include "solvers/ilp_solver.h"

bool memplan_ilp_available(void) { return false; }

const char *memplan_ilp_solver_name(void) { return "this build has no GLPK"; }

memplan_status memplan_ilp_solve(const memplan_ilp_run *run, memplan_ilp_answer *answer, memplan_error *error) {
  (void)run;
  *answer = (memplan_ilp_answer){.outcome = MEMPLAN_UNKNOWN, .best = MEMPLAN_ILP_NONE};
  return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                      "integer programs need GLPK, which this build has not: build with -DMEMPLAN_WITH_GLPK=ON, or "
                      "write the program with `memplan convert --to lp` for another solver");
}
