// SPDX-License-Identifier: Apache-2.0
// Presolve rule: an item that excludes all others wholly goes to the bottom.
//
// In any placement of the items at or above a base, take such an item i of size s at offset o. All others lie wholly
// above o + s or wholly below o. Lift those below by s and put i at the base: nothing overlaps (what was below ends
// below o + s, distances among the lifted stay), and nothing ends higher than before. So the least peak is s plus that
// of the others above the base + s, and a placement of those is one of all.
//
// Conditions: i may lie at the base; every other item may lie at any multiple of its alignment (from a first offset
// below the alignment) up to the roof, so that no pin, reserved range or pool's end is in the way; and s is a multiple
// of their alignments, so that lifting and counting from the new base keep them. What exclusions the others have among
// each other (windows, several lifetimes, separations) does not matter.
#ifndef MEMPLAN_SOLVERS_PLACE_BOTTOM_H
#define MEMPLAN_SOLVERS_PLACE_BOTTOM_H

#include "solvers/place_problem.h"

// Index in `items` of the first that may go to the bottom, -1: none. `group`: by item, all in `items` have the same
// number and no others. `base` in units. O(n + exclusions of the items).
int32_t memplan_place_bottom_find(const memplan_place_problem *problem, const int32_t *items, int32_t n_items,
                                  const int32_t *group, int64_t base);

// Carries a placement over: `item` to the base, those of `items` that lie below it up by its size. `offset`: bytes, by
// block; `base` in units.
void memplan_place_bottom_lift(const memplan_place_problem *problem, const int32_t *items, int32_t n_items,
                               int32_t item, int64_t base, int64_t *offset);

#endif
