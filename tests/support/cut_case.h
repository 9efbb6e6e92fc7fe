// SPDX-License-Identifier: Apache-2.0
// Checks of cut bounds and probing by brute force over all ideals, that several test programs share. They assert.
#ifndef MEMPLAN_TESTS_CUT_CASE_H
#define MEMPLAN_TESTS_CUT_CASE_H

#include <stdint.h>

typedef struct cut_counts {
  int64_t graphs, pairs, losses; // graphs; those with pairs, with operators where a pair hangs on other readers
  int64_t exact;                 // operators whose bound has to be what they need at least
  int64_t tight;                 // graphs whose cut bound is the optimum
  int64_t refuted, edges;        // graphs where probing refutes the optimum less 1; edges found at the optimum
} cut_counts;

// `count` random graphs of at most 7 operators with all features of the model, and as many plain ones of at most 9.
cut_counts cut_check_graphs(uint64_t seed, int32_t count);

#endif
