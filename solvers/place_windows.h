// SPDX-License-Identifier: Apache-2.0
// Improves the placement of a component that is too large for the exact engines, window by window: around the highest
// block a stretch of time is placed anew with all that crosses its ends pinned (place_window.h), first by sampling
// rankings, then by the exact engines where it is small enough; the next window there is wider.
#ifndef MEMPLAN_SOLVERS_PLACE_WINDOWS_H
#define MEMPLAN_SOLVERS_PLACE_WINDOWS_H

#include "model/instance.h"
#include "model/method.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_windows memplan_windows;

enum { MEMPLAN_NARROWEST_WINDOW = 64 }; // blocks

// Of the blocks (ascending, with bytes) of a one-pool instance. The arrays, `offset` (by block: a valid placement) and
// the started limits are kept by reference. `narrowest`: blocks of the first window around a block. MEMPLAN_NOMEM.
memplan_status memplan_windows_new(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                   int32_t narrowest, int64_t *offset, uint64_t without, const memplan_limits *limits,
                                   memplan_windows **windows, memplan_error *error);
void memplan_windows_free(memplan_windows *windows); // may be NULL

typedef struct memplan_windows_state {
  int64_t peak;        // of the blocks, as `offset` has them
  int64_t bound;       // no placement of them is lower, whatever the other blocks do
  const int32_t *core; // blocks that need it by themselves, ascending; NULL: nothing has been proven
  int32_t n_core;
  int64_t ticks; // of work so far, in those of the exact engines
  int64_t nodes;
  bool finished; // windows have been tried up to all there is, and nothing more is to be expected
} memplan_windows_state;

const memplan_windows_state *memplan_windows_look(const memplan_windows *windows);

// One window. Peaks that are no larger than `goal` are good enough. Changes `offset` where that makes the window lower,
// and keeps it valid always. The same for any number of threads, limits of time apart.
memplan_status memplan_windows_step(memplan_windows *windows, int64_t goal, memplan_error *error);

#endif
