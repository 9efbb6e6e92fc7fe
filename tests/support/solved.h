// SPDX-License-Identifier: Apache-2.0
// A problem with its solution, for tests of worked examples. Everything asserts (cmocka), so never within a parallel
// region.
#ifndef MEMPLAN_TESTS_SOLVED_H
#define MEMPLAN_TESTS_SOLVED_H

#include "tests/support/build_problem.h"

typedef struct solved {
  memplan_problem *problem;
  memplan_solution solution;
} solved;

// Solves a finished problem; `order` and `place` name methods, NULL: all.
solved solved_by(memplan_problem *problem, const char *order, const char *place);

// Frees the solution and the problem.
void solved_release(solved *result);

const memplan_placed *solved_entry(const solved *result, const char *id);
int64_t solved_offset(const solved *result, const char *id);

// Finishes the problem; its peak on the given order with the best in-place choice, which must equal the order peak.
int64_t solved_given_peak(memplan_problem *problem);

// Finishes the problem, which must be refused as input by a message that holds both texts; frees it.
void solved_refused(memplan_problem *problem, const char *first, const char *second);

#endif
