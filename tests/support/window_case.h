// SPDX-License-Identifier: Apache-2.0
// Small problems lowered window by window, beside the exact search.
#ifndef MEMPLAN_TESTS_WINDOW_CASE_H
#define MEMPLAN_TESTS_WINDOW_CASE_H

#include "model/memplan.h"

#include <stdint.h>

// Fails the test if there is an error.
memplan_solution window_solve(const memplan_problem *problem, const char *place, int32_t threads);

typedef struct window_tally {
  int32_t tried, lower, optimal;
  int32_t above; // of those tried, with an optimum above the load
} window_tally;

// Problems number `first` to first + count - 1. Asserts that peaks never rise, that no bound passes the optimum, and
// that what is left is a valid plan.
window_tally window_compare(uint64_t first, uint64_t count);

#endif
