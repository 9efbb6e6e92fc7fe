// SPDX-License-Identifier: Apache-2.0
// Integer programs as text for other solvers, and their solutions back.
#ifndef MEMPLAN_SOLVERS_ILP_WRITE_H
#define MEMPLAN_SOLVERS_ILP_WRITE_H

#include "solvers/ilp_model.h"

#include <stddef.h>

// CPLEX's LP format, or MPS with free columns; malloc'd. Lazy rows are written like all others. What the labels in
// names stand for is told in comments at the top.
memplan_status memplan_ilp_lp_text(const memplan_ilp *model, char **text, size_t *length, memplan_error *error);
memplan_status memplan_ilp_mps_text(const memplan_ilp *model, char **text, size_t *length, memplan_error *error);

// Reads what a solver says of a solution: each line in which the name of a column is followed by a number gives that
// column its value, rounded; the first one counts; columns that are not named are 0. So files of HiGHS, SCIP, CBC,
// Gurobi and GLPK (glpsol --output, --write) are read, and plain lists. MEMPLAN_INPUT with the line: a number is
// missing or too large; or no column is named at all.
memplan_status memplan_ilp_solution_read(const memplan_ilp *model, const char *text, size_t length, int64_t *value,
                                         memplan_error *error);

#endif
