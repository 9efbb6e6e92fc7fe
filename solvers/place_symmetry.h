// SPDX-License-Identifier: Apache-2.0
// Decisions that symmetry makes for free.
#ifndef MEMPLAN_SOLVERS_PLACE_SYMMETRY_H
#define MEMPLAN_SOLVERS_PLACE_SYMMETRY_H

#include "solvers/place_problem.h"

// Does exchanging the two items map solutions to solutions? They exclude each other, equally from both sides, and have
// equal sizes, allowed offsets, and exclusions against each third item. An equivalence. O(exclusions of the two).
bool memplan_place_are_twins(const memplan_place_problem *problem, int32_t a, int32_t b);

// fixed[k]: 1 if b may be taken to lie above a, -1 if below, 0 if open, for the k-th exclusion (a, b), a < b, of the
// problem; n_exclusions / 2 entries. There is a solution below `upper` with these decisions if there is one at all, of
// the same height or less.
//
//   twins    items that may be exchanged may be sorted by index.
//   mirror   if every item may lie anywhere below the roof and every exclusion is `wholly above or wholly below`, then
//            a solution of height h turned upside down (offset -> h - offset - size) is one. So one pair of items that
//            have no twins (sorting twins does not move them) may be decided: the one with the largest product of
//            areas.
//
// False if memory is out. O(n^2 + exclusions * twins).
bool memplan_place_symmetry(const memplan_place_problem *problem, int64_t upper, int8_t *fixed);

#endif
