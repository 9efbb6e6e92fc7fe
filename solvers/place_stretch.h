// SPDX-License-Identifier: Apache-2.0
// Stretches of time of a placement problem, and which of its blocks are live in them.
#ifndef MEMPLAN_SOLVERS_PLACE_STRETCH_H
#define MEMPLAN_SOLVERS_PLACE_STRETCH_H

#include "model/instance.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_timeline {
  const memplan_instance *instance;
  const int32_t *blocks; // ascending, each with bytes and parts
  int32_t n_blocks;
  const int64_t *load;   // by time rank, of all blocks
  const int32_t *latest; // by place in `blocks`: the latest end of the blocks up to there
} memplan_timeline;

typedef struct memplan_stretch {
  int32_t start, end;  // time ranks
  int32_t first, last; // places in `blocks`: all that is live in the stretch is in [first, last), and more
} memplan_stretch;

// False if memory (of `arena`) is out. O(blocks + times).
bool memplan_timeline_make(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                           memplan_arena *arena, memplan_timeline *timeline);

// The fullest of the time ranks [start, end), the first of equals.
int32_t memplan_timeline_fullest(const memplan_timeline *timeline, int32_t start, int32_t end);

// Around a time rank, about as wide as it has to be for so many blocks to be live in it; its ends lie where little is
// live. O(blocks near it) times the logarithm of its width.
memplan_stretch memplan_stretch_around(const memplan_timeline *timeline, int32_t centre, int32_t n_wanted);

// Does the hull of the block at that place meet the stretch?
bool memplan_stretch_meets(const memplan_timeline *timeline, const memplan_stretch *stretch, int32_t place);

#endif
