// SPDX-License-Identifier: Apache-2.0
// Time of a placement problem cut down to sections: the maximal sets of blocks that are live together. Of all times
// only those count at which something begins before something ends; every other set is a subset of one of these.
#ifndef MEMPLAN_SECTIONS_H
#define MEMPLAN_SECTIONS_H

#include "model/instance.h"

#include <stdbool.h>
#include <stdint.h>

// Blocks as items, sorted by (first section, end section, canonical index of the block). Items of equal sections share
// a span.
typedef struct memplan_sections {
  int32_t n, n_sections, n_spans;
  int32_t *block;      // by item
  int32_t *span;       // by item
  int32_t *span_item;  // by span, and one more: its first item
  int32_t *span_first; // by span
  int32_t *span_end;   // by span: one past its last section
  int32_t *first_span; // by section, and one more: the first span that begins there or later
  int64_t *load;       // by section: bytes of its items' blocks
  int64_t *tightest;   // by span: the largest load of its sections
} memplan_sections;

// Of the blocks `todo`, which all have parts and come in canonical order. A block counts from its first part to its
// last. False if memory is out. O(n + times), and O(sections log sections) for `tightest`.
bool memplan_sections_make(const memplan_instance *instance, const int32_t *todo, int32_t n_todo,
                           memplan_sections *sections, memplan_arena *arena);

#endif
