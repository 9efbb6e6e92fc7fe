// SPDX-License-Identifier: Apache-2.0
// A box of peaks [low, high] whose upper corner admits nothing is empty; one that admits something with peaks p is
// split: anything else in it has, for some pool, a peak below p's there, and at least p's for the pools before it.
// Boxes whose low corner is no better than the best peaks hold nothing better.
#include "solvers/pool_boxes.h"

#include "model/base/grow.h"
#include "model/base/number.h"

#include <string.h>

static bool push_box(memplan_pool_boxes *stack, const int64_t *low, const int64_t *high) {
  memplan_pool_box *boxes = memplan_grow_in(stack->arena, stack->boxes, stack->n, &stack->capacity, sizeof *boxes);
  int64_t *numbers = MEMPLAN_NEW(stack->arena, int64_t, 2 * stack->n_pools);
  if (boxes == NULL || numbers == NULL) {
    return false;
  }
  stack->boxes = boxes;
  memcpy(numbers, low, (size_t)stack->n_pools * sizeof *low);
  memcpy(numbers + stack->n_pools, high, (size_t)stack->n_pools * sizeof *high);
  boxes[stack->n++] = (memplan_pool_box){numbers, numbers + stack->n_pools};
  return true;
}

static int64_t sum_of(const int64_t *numbers, int32_t n) {
  int64_t sum = 0;
  for (int32_t k = 0; k < n; k++) {
    sum = memplan_add_saturated(sum, numbers[k]);
  }
  return sum;
}

// Splits a box at the peaks of something inside it.
static bool split_box(memplan_pool_boxes *stack, const int64_t *low, const int64_t *high, const int64_t *peaks) {
  int32_t n = stack->n_pools;
  int64_t *from = MEMPLAN_NEW(stack->arena, int64_t, n), *to = MEMPLAN_NEW(stack->arena, int64_t, n);
  bool ok = from != NULL && to != NULL;
  for (int32_t pool = 0; pool < n && ok; pool++) {
    memcpy(from, low, (size_t)n * sizeof *from);
    memcpy(to, high, (size_t)n * sizeof *to);
    for (int32_t before = 0; before < pool; before++) {
      from[before] = peaks[before] > low[before] ? peaks[before] : low[before];
    }
    to[pool] = peaks[pool] - 1;
    if (to[pool] >= from[pool]) {
      ok = push_box(stack, from, to);
    }
  }
  return ok;
}

bool memplan_pool_boxes_start(memplan_pool_boxes *boxes, const int64_t *ceiling, const int64_t *peaks, int32_t n_pools,
                              memplan_arena *arena) {
  *boxes = (memplan_pool_boxes){
      .objective = {MEMPLAN_MINIMIZE_TOTAL, -1}, .n_pools = n_pools, .arena = arena, .capacity = 0};
  int64_t *nothing = MEMPLAN_NEW(arena, int64_t, n_pools);
  boxes->least = MEMPLAN_NEW(arena, int64_t, n_pools);
  if (nothing == NULL || boxes->least == NULL) {
    return false;
  }
  memcpy(boxes->least, peaks, (size_t)n_pools * sizeof *peaks);
  return split_box(boxes, nothing, ceiling, peaks);
}

bool memplan_pool_boxes_next(memplan_pool_boxes *boxes, int64_t *limits) {
  int32_t n = boxes->n_pools;
  while (boxes->n > 0) {
    memplan_pool_box next = boxes->boxes[--boxes->n];
    if (!memplan_pool_peaks_better(&boxes->objective, next.low, boxes->least, n)) {
      continue;
    }
    int64_t room = sum_of(boxes->least, n) - sum_of(next.low, n);
    for (int32_t pool = 0; pool < n; pool++) { // no peak can pass its low corner by more than what the sum leaves
      int64_t most = next.low[pool] + room;
      limits[pool] = next.high[pool] < most ? next.high[pool] : most;
    }
    boxes->asked = next;
    return true;
  }
  return false;
}

bool memplan_pool_boxes_take(memplan_pool_boxes *boxes, const int64_t *peaks, bool *better) {
  *better = memplan_pool_peaks_better(&boxes->objective, peaks, boxes->least, boxes->n_pools);
  if (*better) {
    memcpy(boxes->least, peaks, (size_t)boxes->n_pools * sizeof *peaks);
  }
  return split_box(boxes, boxes->asked.low, boxes->asked.high, peaks);
}
