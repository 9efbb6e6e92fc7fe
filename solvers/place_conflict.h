// SPDX-License-Identifier: Apache-2.0
// The nogood that explains a failure while it is built: for each item in it, the least bound that the failure needs.
#ifndef MEMPLAN_SOLVERS_PLACE_CONFLICT_H
#define MEMPLAN_SOLVERS_PLACE_CONFLICT_H

#include "solvers/place_nogood.h"
#include "solvers/place_shape.h"

typedef struct memplan_conflict {
  const memplan_place_shape *shape;
  int32_t *need;  // by item, -1: not in it
  int32_t *items; // in order of entry
  int32_t n_items;
} memplan_conflict;

// False if memory is out.
bool memplan_conflict_init(memplan_conflict *conflict, const memplan_place_shape *shape, memplan_arena *arena);

void memplan_conflict_clear(memplan_conflict *conflict);

// The item needs a bound of at least `least` (0 if negative); weakened to the smallest number that asks for the same.
void memplan_conflict_add(memplan_conflict *conflict, int32_t item, int32_t least);

// The unplaced items of a section whose bound lies above the level do not fit above it. `bound`: by item, -1 for
// placed ones.
void memplan_conflict_add_overflow(memplan_conflict *conflict, int32_t section, int32_t level, const int32_t *bound);

// Replaces the need of an item that had risen because it cannot be the first of a section (all members unplaced then
// with a bound above `threshold` cannot) by what this conclusion needs. `bound`: before the rise.
void memplan_conflict_replace_rise(memplan_conflict *conflict, int32_t item, int32_t section, int32_t threshold,
                                   const int32_t *bound);

#endif
