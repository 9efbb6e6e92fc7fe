// SPDX-License-Identifier: Apache-2.0
// `memplan_solve` with the exact placement on tiny instances, against plain enumeration.
#ifndef MEMPLAN_TESTS_OPTIMAL_CASE_H
#define MEMPLAN_TESTS_OPTIMAL_CASE_H

#include <stdint.h>

// Instances with these numbers, random ones and tight ones: asserts that the outcome is `optimal` and the peak that of
// the enumeration. How many there were, and how many of them with 7 to 9 buffers; of the tight ones, how many have an
// optimum above the load.
int64_t optimal_compare_random(uint64_t first, uint64_t last, int64_t *large);
int64_t optimal_compare_tight(uint64_t first, uint64_t last);

#endif
