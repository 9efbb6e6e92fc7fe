// SPDX-License-Identifier: Apache-2.0
// A store of nogoods. A nogood is a set of literals (item, least) and says: these items cannot all be packed at or
// below the capacity with each offset >= its least. It speaks of no placed item, order or seed, so it is valid for ever
// at the capacity it was learned at and at every smaller one.
//
// It *holds* against bounds if all its items are unplaced and each bound is >= the literal's least.
#ifndef MEMPLAN_SOLVERS_PLACE_NOGOOD_H
#define MEMPLAN_SOLVERS_PLACE_NOGOOD_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_literal {
  int32_t item, least;
} memplan_literal;

typedef struct memplan_nogoods memplan_nogoods;

// Room for `capacity` nogoods of at most `longest` literals; the least recently used one makes room. NULL if memory is
// out. Deterministic.
memplan_nogoods *memplan_nogoods_new(int32_t n_items, int32_t capacity, int32_t longest, memplan_arena *arena);

void memplan_nogoods_clear(memplan_nogoods *store);

// `bound`: by item, -1 for placed items. Nothing is stored if the nogood is longer than `longest`; false if it holds
// against the bounds (not stored either).
bool memplan_nogoods_add(memplan_nogoods *store, const memplan_literal *literals, int32_t n_literals,
                         const int32_t *bound);

// A nogood that holds against the bounds, -1 if there is none; it becomes the most recently used. `items`: the unplaced
// ones; only literals of these count. Bounds of nogoods that were looked at may fall (backtracking) and rise between
// calls. In practice O(items) and the nogoods whose watched literal has become true.
int32_t memplan_nogoods_find(memplan_nogoods *store, const int32_t *items, int32_t n_items, const int32_t *bound);

// The literals of a nogood; valid until the next add.
const memplan_literal *memplan_nogoods_get(const memplan_nogoods *store, int32_t nogood, int32_t *n_literals);

// How many were added since the store was cleared.
int64_t memplan_nogoods_added(const memplan_nogoods *store);

// The most recently used nogood, and the next less recently used one; -1 at the end.
int32_t memplan_nogoods_first(const memplan_nogoods *store);
int32_t memplan_nogoods_next(const memplan_nogoods *store, int32_t nogood);

#endif
