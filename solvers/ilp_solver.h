// SPDX-License-Identifier: Apache-2.0
// Runs an integer program. GLPK does it where the build has it; without it the program is refused.
//
// What comes back is a claim in floating point: callers rebuild every plan from the discrete decisions in integers, and
// call bounds by their name.
#ifndef MEMPLAN_SOLVERS_ILP_SOLVER_H
#define MEMPLAN_SOLVERS_ILP_SOLVER_H

#include "model/method.h"
#include "solvers/ilp_model.h"
#include "solvers/ilp_probe.h"

bool memplan_ilp_available(void);

// "GLPK 5.0", or why there is none: for lists and messages. A string constant.
const char *memplan_ilp_solver_name(void);

typedef struct memplan_ilp_run {
  const memplan_ilp *model;
  const memplan_limits *limits; // started
  int64_t memory;               // most memory of the solver in bytes, 0: no limit
  // Called with the rounded values of the columns for each solution that the solver finds. Returns the exact objective
  // of the plan that they lead to, MEMPLAN_ILP_NONE for none.
  int64_t (*found)(void *context, const int64_t *value);
  // Called with the values of each relaxation that is no solution: makes a plan of them by rounding, adds the
  // work to *work, and returns the plan's exact objective, MEMPLAN_ILP_NONE for none. NULL: no rounding.
  int64_t (*round)(void *context, const double *value, int64_t *work);
  // Called likewise at the root: adds rows that the relaxation violates to `cuts`, a model with these columns; each
  // must hold for all plans. Returns the work. NULL: no cuts.
  int64_t (*cut)(void *context, const double *value, memplan_ilp *cuts);
  void *context;
  int64_t goal;      // an objective that is good enough
  int32_t objective; // the one column that costs, by 1; used with `guide`, `round` and `cut` only
  // The bounds of its propagator take the place of the model's, and it propagates and looks ahead in the tree; it is as
  // before at the end. NULL: the model's bounds, and the solver alone.
  memplan_ilp_prober *guide;
  uint64_t without; // MEMPLAN_TECHNIQUE_ILP_… switched off
} memplan_ilp_run;

typedef struct memplan_ilp_answer {
  // OPTIMAL: the search is exhausted, and nothing is better than the best of its solutions; INFEASIBLE: exhausted
  // without a solution; FEASIBLE, UNKNOWN: stopped before.
  memplan_outcome outcome;
  memplan_stop stop;
  int64_t bound; // the solver's bound of the objective, rounded up; floating-point
  int64_t best;  // smallest objective that `found` and `round` have returned, MEMPLAN_ILP_NONE without one
  int64_t nodes, iterations;
  int64_t lazy_rows, cuts, rounded; // rows and cuts added, plans by rounding that were better than all before
  int64_t work;                     // as limits count it
} memplan_ilp_answer;

// MEMPLAN_UNSUPPORTED without a solver; MEMPLAN_INTERNAL if it gives up (its message is in the error). The memory limit
// ends the search like the others. Work is counted in simplex iterations times rows, and in terms that the guide looks
// at, in what `round` and `cut` tell. Deterministic but for time limits.
// GLPK's environment of the calling thread is freed at the end.
memplan_status memplan_ilp_solve(const memplan_ilp_run *run, memplan_ilp_answer *answer, memplan_error *error);

#endif
