// SPDX-License-Identifier: Apache-2.0
// What a certificate speaks of, rebuilt from the instance alone: allowed offsets and forbidden distances of the buffers
// that it names. Shares no code with the solvers.
//
// Numbers are in units of a number of bytes that the certificate states. That is sound if the unit divides every size,
// distance and window, the first offset of every allowed range, and every alignment (or the other way round): then the
// lowest placement with the same above/below decisions as any given one, which is no higher, has offsets that are
// multiples of the unit.
#ifndef MEMPLAN_EVAL_CHECK_MODEL_H
#define MEMPLAN_EVAL_CHECK_MODEL_H

#include "model/instance.h"

// Offsets first, first + step, …, last.
typedef struct memplan_check_range {
  int64_t first, last;
} memplan_check_range;

typedef struct memplan_check_item {
  int32_t block;
  int64_t size, step;
  const memplan_check_range *ranges; // ascending
  int32_t n_ranges;
} memplan_check_item;

// off(b) - off(a) may not lie strictly between low and high; a < b.
typedef struct memplan_check_pair {
  int32_t a, b;
  int64_t low, high;
} memplan_check_pair;

typedef struct memplan_check_model {
  int32_t n_items, n_pairs;
  int64_t unit;
  memplan_check_item *items;
  memplan_check_pair *pairs; // by (a, b, low)
  int32_t *first_pair;       // by a, and one more
  int32_t *first_touch;      // by item, and one more: its pairs, in touches
  int32_t *touches;
} memplan_check_model;

// The model of the blocks (without repetition) of a resolved instance, all of which lie in the pool, for offsets that
// let them end at or below `top` bytes. MEMPLAN_INPUT if the unit does not divide what it must. O(n^2 + parts of
// overlapping pairs).
memplan_status memplan_check_model_build(const memplan_instance *instance, int32_t pool, const int32_t *blocks,
                                         int32_t n_blocks, int64_t unit, int64_t top, memplan_arena *arena,
                                         memplan_check_model *model, memplan_error *error);

// Smallest allowed offset >= value, INT64_MAX if there is none; largest <= value, -1.
int64_t memplan_check_item_up(const memplan_check_item *item, int64_t value);
int64_t memplan_check_item_down(const memplan_check_item *item, int64_t value);

// May [off(i) + i_low, off(i) + i_high) and the window of j never share a unit? i may be j. O(log pairs).
bool memplan_check_windows_apart(const memplan_check_model *model, int32_t i, int64_t i_low, int64_t i_high, int32_t j,
                                 int64_t j_low, int64_t j_high);

// May the two be exchanged in every solution?
bool memplan_check_twins(const memplan_check_model *model, int32_t a, int32_t b);

// May every solution of height h <= top (units) be turned upside down?
bool memplan_check_turnable(const memplan_check_model *model, int64_t top);

#endif
