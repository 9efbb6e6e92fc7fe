// SPDX-License-Identifier: Apache-2.0
// The beam search against trying all offsets, on seeded tiny problems.
#ifndef MEMPLAN_TESTS_BEAM_CASE_H
#define MEMPLAN_TESTS_BEAM_CASE_H

#include "tests/support/tiny_placement.h"

typedef struct beam_tally {
  int32_t problems; // that the search takes
  int32_t above;    // problems whose optimum is above the load
  int32_t narrow;   // packings of narrow beams
  int32_t raised;   // more of them with a ceiling above the load
  int32_t lowered;  // searches whose ceiling was lowered on the way
  int32_t back;     // searches that went back
  int32_t back_found;
  int32_t differences;
} beam_tally;

// Problems 0 … count-1 of a kind and seed, by random rules: a beam that leaves no state behind finds a packing at the
// optimum and above it, and dies below; a narrow one finds packings or dies; small budgets change nothing; one that
// goes back comes to the same end under the same rule, and to packings or ends under others.
void check_beams(tiny_kind kind, int32_t count, uint64_t seed, beam_tally *counts);

#endif
