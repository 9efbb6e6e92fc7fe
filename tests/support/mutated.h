// SPDX-License-Identifier: Apache-2.0
// A problem with a plan and its verification, for tests that change one thing. Everything asserts (cmocka), so never
// within a parallel region.
#ifndef MEMPLAN_TESTS_MUTATED_H
#define MEMPLAN_TESTS_MUTATED_H

#include "tests/support/build_problem.h"

typedef struct mutated {
  memplan_problem problem;
  memplan_plan plan;
  memplan_report report;
} mutated;

void mutated_release(mutated *f);

// Verifies the plan anew; what a report must always hold is asserted.
void mutated_verify(mutated *f);
void mutated_valid(mutated *f);

bool mutated_same_id(const char *a, const char *b);

// The report holds `count` violations, and number `index` is this one.
void mutated_violation(const mutated *f, int32_t count, int32_t index, memplan_violation_kind kind, const char *first,
                       const char *second, int64_t step, int64_t low, int64_t high);

// The only violation. The stated peak is made to fit first, so that only the change itself shows.
void mutated_rejected(mutated *f, memplan_violation_kind kind, const char *first, const char *second, int64_t step,
                      int64_t low, int64_t high);

// Does the report hold this violation?
bool mutated_has(const mutated *f, memplan_violation_kind kind, const char *first, const char *second, int64_t step,
                 int64_t low, int64_t high);

memplan_placed *mutated_entry(mutated *f, const char *id);
void mutated_drop(mutated *f, const char *id);

#endif
