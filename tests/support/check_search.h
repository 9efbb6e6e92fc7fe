// SPDX-License-Identifier: Apache-2.0
// The search at a capacity against trying all offsets, on seeded tiny problems.
#ifndef MEMPLAN_TESTS_CHECK_SEARCH_H
#define MEMPLAN_TESTS_CHECK_SEARCH_H

#include "tests/support/tiny_placement.h"

typedef struct search_tally {
  int32_t problems;    // that do not contradict themselves
  int32_t above;       // problems whose optimum is above the load
  int32_t nogoods;     // re-proved
  int32_t differences; // printed
} search_tally;

// Problems 0 … count-1 of a kind and seed: at heights around the optimum, falling and rising, with random orders, store
// sizes, node limits, with all rules and with a random subset. `proofs`: each learned nogood too.
void check_search(tiny_kind kind, int32_t count, uint64_t seed, bool proofs, search_tally *counts);

#endif
