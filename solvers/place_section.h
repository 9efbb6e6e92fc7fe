// SPDX-License-Identifier: Apache-2.0
// Bounds from sections at a capacity C. The unplaced items U of a section lie above each other, each at or above its
// bound e: so the lowest of them lies at or below the threshold C - (sum of the heights of U), an item whose bound is
// above it is *late*, and the items above any level x must fit between x and C.
#ifndef MEMPLAN_SOLVERS_PLACE_SECTION_H
#define MEMPLAN_SOLVERS_PLACE_SECTION_H

#include "solvers/place_shape.h"

typedef struct memplan_sections {
  const memplan_place_shape *shape;
  int32_t *room;      // by section: capacity plus the section's slack
  int32_t *threshold; // by section: room less the heights of the unplaced
  int32_t *late;      // of the last check: sum of the heights of late items
  int32_t *second;    // of the last check: least top of an item that is not late
  int32_t *level;     // of the last check: items above it do not fit
  int32_t *next;
  int32_t from, to; // of the last check: all sections with late items lie within
  int32_t lowest;   // least threshold in [from, to)
} memplan_sections;

// False if memory is out. O(sections).
bool memplan_sections_init(memplan_sections *sections, const memplan_place_shape *shape, memplan_arena *arena);

// All items unplaced. O(members).
void memplan_sections_reset(memplan_sections *sections, int32_t capacity);

// Moves an item out of the unplaced, and back. O(its sections).
void memplan_sections_remove(memplan_sections *sections, int32_t item);
void memplan_sections_restore(memplan_sections *sections, int32_t item);

// Checks the sections [from, to) against the bounds `least` (by item) of the unplaced `items` (ascending). Returns a
// section that cannot be packed (its items above `level` are too many), or -1. O(members of the sections) vectorised,
// times the number of levels passed.
int32_t memplan_sections_check(memplan_sections *sections, const int32_t *items, int32_t n_items, const int32_t *least,
                               int32_t from, int32_t to);

// After a check: the bound that follows for an item because it cannot be the first in some section; 0 if there is none.
int32_t memplan_sections_rise(const memplan_sections *sections, int32_t item, int32_t least);

// The section that gives that bound.
int32_t memplan_sections_rise_reason(const memplan_sections *sections, int32_t item, int32_t least, int32_t rise);

// The least threshold of sections [from, to). O(sections) vectorised.
int32_t memplan_sections_lowest(const memplan_sections *sections, int32_t from, int32_t to);

#endif
