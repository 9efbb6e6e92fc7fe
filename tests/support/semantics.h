// SPDX-License-Identifier: Apache-2.0
// One random problem against the oracle: the library's own view of the model (resolve, ordering, profile, lowering,
// load, verification, solve) must be the literal one.
#ifndef MEMPLAN_TESTS_SEMANTICS_H
#define MEMPLAN_TESTS_SEMANTICS_H

#include "tests/support/random_problem.h"

// What was covered, so that a test can demand that its generator still reaches everything.
typedef struct semantics_counts {
  int64_t accepted, rejected; // problems
  int64_t orders, illegal_orders;
  int64_t choices;        // that hold a pair
  int64_t valid, invalid; // placements
  int64_t optima, gaps;   // joint optima found; of these above the least order peak
} semantics_counts;

// Each returns false with what differs in `message` (seed and index are the caller's to print).
bool semantics_check_graph(uint64_t seed, uint64_t index, semantics_counts *counts, char *message, size_t size);
bool semantics_check_pooled_graph(uint64_t seed, uint64_t index, semantics_counts *counts, char *message, size_t size);
bool semantics_check_instance(uint64_t seed, uint64_t index, semantics_counts *counts, char *message, size_t size);

typedef bool (*semantics_check)(uint64_t seed, uint64_t index, semantics_counts *counts, char *message, size_t size);

// Checks problems 0 ... count-1; the test fails with the seed and the index of the first that differs.
semantics_counts semantics_run(semantics_check check, uint64_t seed, uint64_t count);

#endif
