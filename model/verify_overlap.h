// SPDX-License-Identifier: Apache-2.0
// Finds buffers that use the same bytes at the same time.
#ifndef MEMPLAN_VERIFY_OVERLAP_H
#define MEMPLAN_VERIFY_OVERLAP_H

#include "model/verify_report.h"

// Bytes [low, high) of a pool that an item uses during [start, end). Rectangles of one item never meet each other.
typedef struct memplan_rectangle {
  int64_t start, end, low, high;
  int32_t pool, item;
} memplan_rectangle;

// One pair of items that overlap: the first time at which they do, and the bytes that they share then.
typedef struct memplan_overlap {
  int32_t first, second; // items, first < second
  int64_t time, low, high;
} memplan_overlap;

// The overlapping pairs by time, at most `limit` of them: then the search ends, which bounds its time by
// O((rectangles + pairs x rectangles of a pair) log rectangles). *overlaps comes from `arena`. Empty rectangles are
// skipped.
memplan_status memplan_rectangles_overlap(const memplan_rectangle *rectangles, int32_t n_rectangles, int32_t limit,
                                          memplan_arena *arena, memplan_overlap **overlaps, int32_t *n_overlaps,
                                          memplan_error *error);

#endif
