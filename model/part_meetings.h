// SPDX-License-Identifier: Apache-2.0
// The parts of two blocks that are live at the same time, pair by pair.
#ifndef MEMPLAN_PART_MEETINGS_H
#define MEMPLAN_PART_MEETINGS_H

#include "model/instance.h"

#include <stdbool.h>
#include <stdint.h>

// A walk that is under way; its fields are its own.
typedef struct memplan_part_meetings {
  const memplan_part *parts;
  int32_t next[2], end[2]; // by block: parts that have not started yet
  int32_t *open[2];        // by block: parts that have started and not all ended
  int32_t n_open[2];
  int32_t started, side; // the part whose partners are being told, -1: none, and the block that it belongs to
  int32_t at, kept;      // in the other block's open parts
} memplan_part_meetings;

// `room`: a->n_parts + b->n_parts numbers, which belong to the walk until it ends. The parts of a block of an instance
// are sorted by start, and none is empty.
void memplan_part_meetings_begin(memplan_part_meetings *walk, const memplan_part *parts, const memplan_block *a,
                                 const memplan_block *b, int32_t *room);

// The next pair that meets: indices of a part of `a` and of one of `b`, each pair once, by the time at which they meet
// first. False after the last. The whole walk takes O(parts of the two + pairs that meet).
bool memplan_part_meetings_next(memplan_part_meetings *walk, int32_t *of_a, int32_t *of_b);

#endif
