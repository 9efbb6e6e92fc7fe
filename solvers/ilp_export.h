// SPDX-License-Identifier: Apache-2.0
// The integer program of a problem for other solvers, and the plan that their solution means.
//
// The program is that of a method: ilp-place (of a graph: on the order, and with the in-place choice, of the plan that
// is found first, by default on the given order), ilp-order, ilp-order-steps, ilp-joint, ilp-joint-steps; NULL:
// ilp-joint for graphs, ilp-place for lifetimes. Its peak is asked to be no larger than that of the plan that quick
// methods find, so that it always has a solution. Same problem, options and method: same program.
#ifndef MEMPLAN_SOLVERS_ILP_EXPORT_H
#define MEMPLAN_SOLVERS_ILP_EXPORT_H

#include "model/memplan.h"

#include <stddef.h>

typedef enum memplan_ilp_syntax { MEMPLAN_ILP_LP = 0, MEMPLAN_ILP_MPS } memplan_ilp_syntax;

// Malloc'd text of about `most_bytes` at most. MEMPLAN_UNSUPPORTED: the program cannot be made of this problem (several
// pools), or is larger, which the message tells; or there is no first plan.
memplan_status memplan_ilp_export(const memplan_problem *problem, const memplan_solve_options *solve,
                                  const char *method, memplan_ilp_syntax syntax, int64_t most_bytes, char **text,
                                  size_t *length, memplan_error *error);

// A solution file of that program to a plan, verified. Only the discrete decisions of the file are taken: offsets are
// recomputed in integers. MEMPLAN_INPUT if the file is no solution or its decisions contradict each other. `solution`
// must be initialised and empty.
memplan_status memplan_ilp_import(const memplan_problem *problem, const memplan_solve_options *solve,
                                  const char *method, const char *text, size_t length, memplan_solution *solution,
                                  memplan_error *error);

#endif
