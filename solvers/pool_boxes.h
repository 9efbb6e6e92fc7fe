// SPDX-License-Identifier: Apache-2.0
// The least sum of the peaks of several pools, of equal sums the least peaks from the last pool to the first, by
// questions whether anything stays within limits by pool.
#ifndef MEMPLAN_SOLVERS_POOL_BOXES_H
#define MEMPLAN_SOLVERS_POOL_BOXES_H

#include "model/base/arena.h"
#include "solvers/objective.h"

// The peaks of the pools lie between these, both included.
typedef struct memplan_pool_box {
  int64_t *low, *high; // by pool
} memplan_pool_box;

typedef struct memplan_pool_boxes {
  memplan_objective objective; // MEMPLAN_MINIMIZE_TOTAL
  int32_t n_pools, n;
  memplan_pool_box *boxes;
  int64_t capacity;
  int64_t *least; // the best peaks so far
  memplan_pool_box asked;
  memplan_arena *arena;
} memplan_pool_boxes;

// Begins with peaks that something has; nothing may pass the ceiling. Memory from `arena`. False: memory is out.
bool memplan_pool_boxes_start(memplan_pool_boxes *boxes, const int64_t *ceiling, const int64_t *peaks, int32_t n_pools,
                              memplan_arena *arena);

// The limits of the next question. False: there is nothing better than the best so far.
bool memplan_pool_boxes_next(memplan_pool_boxes *boxes, int64_t *limits);

// The question is answered by something with these peaks; *better: than the best so far. Where nothing stays within the
// limits, there is nothing to call.
// False: memory is out.
bool memplan_pool_boxes_take(memplan_pool_boxes *boxes, const int64_t *peaks, bool *better);

#endif
