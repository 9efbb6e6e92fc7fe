// SPDX-License-Identifier: Apache-2.0
// A stretch of time of a placed instance as an instance of its own: what lives inside it alone is free, what is live
// beyond its ends or tied to something elsewhere is pinned where it lies. Whatever places the window places the whole.
#ifndef MEMPLAN_SOLVERS_PLACE_WINDOW_H
#define MEMPLAN_SOLVERS_PLACE_WINDOW_H

#include "model/instance.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_place_window {
  memplan_instance instance; // resolved; names, pools and times are the whole's
  const int32_t *block;      // by block of the window: that of the whole, ascending
  int32_t n_free;
} memplan_place_window;

typedef struct memplan_window_scratch {
  int32_t *block_index;  // by block of the whole: -1 throughout, before and after
  int32_t *buffer_index; // by buffer of the whole
} memplan_window_scratch;

// Of the time ranks [start, end), start < end; `blocks` (ascending, n of them) are those of the one-pool instance that
// are live then or may be, each with bytes and parts; `offset` (by block of the whole) is a valid placement of them.
// All memory belongs to `arena`; false if it is out. Linear in the blocks given, their parts and rules.
bool memplan_place_window_make(const memplan_instance *whole, const int32_t *blocks, int32_t n, const int64_t *offset,
                               int32_t start, int32_t end, memplan_window_scratch *scratch, memplan_arena *arena,
                               memplan_place_window *window);

#endif
