// SPDX-License-Identifier: Apache-2.0
// Placements of a ranking for everything that a packing knows: pins, reserved ranges, separations, alignments, windows.
#ifndef MEMPLAN_LOWEST_FIRST_H
#define MEMPLAN_LOWEST_FIRST_H

#include "heuristics/fill.h"
#include "model/base/status.h"
#include "model/instance.h"

typedef struct memplan_lowest_first {
  const memplan_instance *instance; // of one pool
  const int32_t *ranked;            // the blocks to place, the best first; the pinned ones
                                    // are not among them
  int32_t n;
  int64_t *offset; // by block, filled; pinned blocks: their pins
  int32_t *pool;   // by block, scratch
  int64_t peak;    // out: -1 if it was given up
  int32_t failed;  // out: a block for which the pool's capacity has no place, or -1
} memplan_lowest_first;

// Always the block that can lie lowest, of equals the best-ranked: what the valley skyline does where nothing lies in
// the way. A question to the packing for each block and each time that something has taken its place; it stops asking
// after `most_questions`, or in a hurry, and goes on as first-fit. MEMPLAN_NOMEM alone can go wrong.
memplan_status memplan_lowest_first_place(memplan_lowest_first *task, int64_t most_questions, memplan_fill *fill,
                                          memplan_error *error);

#endif
