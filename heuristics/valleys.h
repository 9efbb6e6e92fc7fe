// SPDX-License-Identifier: Apache-2.0
// The valley skyline for plain blocks: one part each, from the offset up; no pins, reserved ranges or separations.
// Places what skyline.h places in a fraction of the time, so that thousands of rankings can be tried.
#ifndef MEMPLAN_VALLEYS_H
#define MEMPLAN_VALLEYS_H

#include "heuristics/fill.h"
#include "heuristics/sections.h"
#include "heuristics/span_tree.h"

#include <stdbool.h>
#include <stdint.h>

// The problem: made once, then const and shared.
typedef struct memplan_terrain {
  const memplan_instance *instance;
  memplan_sections sections;
  int64_t floor;           // lowest offset that suits the alignment all blocks share
  int64_t *size, *bytes;   // by item; bytes: rounded up to that alignment
  int64_t *align, *offset; // by item: its offset is `offset` modulo `align`;
                           // NULL if the rounding sees to it
  int32_t centre;          // the section with the largest load
  int32_t n_critical;      // sections whose load is close to the largest
  int32_t *critical;       // those, ascending
  int64_t *demand;         // by critical section: what its items need at least above
                           // the floor
  int32_t *first_critical; // by section, and one more
} memplan_terrain;

// Are all blocks with lifetime and bytes plain, in one pool?
bool memplan_terrain_accepts(const memplan_instance *instance);

// For the blocks `todo` (canonical order, with lifetime and bytes) of an instance that is accepted. False if memory is
// out. Memory and time linear but for sorting.
bool memplan_terrain_make(const memplan_instance *instance, const int32_t *todo, int32_t n_todo,
                          memplan_terrain *terrain, memplan_arena *arena);

// Scratch memory of one thread for one terrain.
typedef struct memplan_valleys memplan_valleys;
memplan_valleys *memplan_valleys_new(const memplan_terrain *terrain, memplan_span_layout layout, memplan_arena *arena);

// Places all items; order[r] is the item of rank r, the best first. Fills offset (by item) and returns the peak, or -1
// if it was given up. Allocates nothing. A function of the order alone, whichever way time runs. O(n log n) in
// practice: a query of the search tree may look at more than O(log n) nodes.
int64_t memplan_valleys_place(memplan_valleys *valleys, const int32_t *order, memplan_fill *fill, int64_t *offset);

#endif
