// SPDX-License-Identifier: Apache-2.0
// The states of a beam: arrays of states one behind the other.
#ifndef MEMPLAN_SOLVERS_PLACE_BEAM_STATES_H
#define MEMPLAN_SOLVERS_PLACE_BEAM_STATES_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// Of one state.
typedef struct memplan_beam_sizes {
  int32_t n_sections, n_items;
  int32_t section_words, item_words; // of 64 bits
} memplan_beam_sizes;

typedef struct memplan_beam_states {
  int32_t *level, *slack; // by section: of the skyline, and the room it may still lose
  int32_t *least;         // by item
  uint16_t *sorted;       // unplaced items
  uint64_t *placed;       // bits by item
  uint64_t *closed;       // bits by section: nothing was placed since it was closed
  int64_t *lost, *worth;  // weighted sums
  uint64_t *key;          // of the set of items
  int32_t *last;          // step
} memplan_beam_states;

// Room for `width` states in `arena`, not set. False if memory is out.
bool memplan_beam_states_make(memplan_beam_states *states, int32_t width, const memplan_beam_sizes *sizes,
                              memplan_arena *arena);

// The first n states of `from`.
void memplan_beam_states_copy(memplan_beam_states *to, const memplan_beam_states *from, int32_t n,
                              const memplan_beam_sizes *sizes);

int64_t memplan_beam_states_bytes(const memplan_beam_sizes *sizes); // of one state

#endif
