// SPDX-License-Identifier: Apache-2.0
// Free-space fragmentation of a plan: F = 1 - largest free block / total free, at the time at which it is largest.
#ifndef MEMPLAN_EVAL_FRAGMENTATION_H
#define MEMPLAN_EVAL_FRAGMENTATION_H

#include "eval/numbers.h"
#include "eval/plan_map.h"

typedef struct memplan_fragmentation {
  memplan_ratio value; // F; 0 where nothing is free
  int64_t time;        // first time at which it is met, -1 if F is 0 throughout
  int32_t pool;
} memplan_fragmentation;

// Free are the bytes below a pool's peak that no buffer occupies and that are not reserved. O(n log n) in the
// rectangles.
memplan_status memplan_fragmentation_find(const memplan_plan_map *map, memplan_fragmentation *worst,
                                          memplan_error *error);

#endif
