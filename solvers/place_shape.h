// SPDX-License-Identifier: Apache-2.0
// A placement problem laid out for the search at a capacity: items numbered by the first section they lie in, their
// heights as runs of sections, and a square of pair distances. Immutable once built, shared by all workers.
#ifndef MEMPLAN_SOLVERS_PLACE_SHAPE_H
#define MEMPLAN_SOLVERS_PLACE_SHAPE_H

#include "solvers/place_problem.h"

enum {
  MEMPLAN_SHAPE_ITEMS = 1024,   // more are declined: the search keeps n^2 numbers
  MEMPLAN_SHAPE_SECTIONS = 4096 // sections that matter
};

// No offset and no sum of heights of a section passes this number of units.
#define MEMPLAN_SHAPE_LIMIT (INT32_C(1) << 29)

// The item has this height in the sections [first, end).
typedef struct memplan_shape_run {
  int32_t first, end;
  int32_t height;
} memplan_shape_run;

typedef struct memplan_shape_member {
  int32_t item;
  int32_t height;
} memplan_shape_member;

typedef struct memplan_place_shape {
  const memplan_place_problem *problem;
  int32_t n_items, n_sections;
  const int32_t *item; // of the problem, by item of the shape
  const int32_t *size;
  const int32_t *first, *end; // hull of the item's sections, first ascending
  const int32_t *first_run;   // by item, and one more
  const memplan_shape_run *runs;
  const int32_t *up;    // [item * n_items + other]: how far other has to lie above item, 0 if they may overlap
  const int32_t *reach; // by item: the largest of its row of `up`
  const int32_t *first_neighbour, *neighbours; // by item, and one more: others that it excludes, ascending
  const int32_t *twin;                         // by item: the last one before it that is its twin, -1: none
  const int32_t *least;                        // by item: its smallest allowed offset
  const unsigned char *rounded;                // by item: not every offset from 0 up to its largest is allowed
  const int32_t *first_member;                 // by section, and one more
  const memplan_shape_member *members;         // by section, ascending
  // Heights of a section are rounded up to the common grid of its members' offsets; the topmost one needs no rounding,
  // so that the sum of heights may pass the capacity by this much.
  const int32_t *slack;
} memplan_place_shape;

// MEMPLAN_UNSUPPORTED (with the reason) for problems without the bottom property, with more items or sections than the
// limits above, or with larger numbers. `problem` must outlive the shape. O(n^2 + exclusions + members).
memplan_status memplan_place_shape_build(const memplan_place_problem *problem, memplan_arena *arena,
                                         memplan_place_shape *shape, memplan_error *error);

// The smallest allowed offset >= value (MEMPLAN_SHAPE_LIMIT if there is none), and the smallest bound that asks for the
// same as `offset >= value`.
int32_t memplan_place_shape_up(const memplan_place_shape *shape, int32_t item, int32_t value);
int32_t memplan_place_shape_weaken(const memplan_place_shape *shape, int32_t item, int32_t value);

// The largest offset at which the item ends at or below the capacity, -1 if there is none.
int32_t memplan_place_shape_latest(const memplan_place_shape *shape, int32_t item, int32_t capacity);

#endif
