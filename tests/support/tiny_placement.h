// SPDX-License-Identifier: Apache-2.0
// Seeded tiny placement problems in the form of the exact engines, and their optimum by trying all offsets: never
// benchmark.
#ifndef MEMPLAN_TESTS_TINY_PLACEMENT_H
#define MEMPLAN_TESTS_TINY_PLACEMENT_H

#include "solvers/place_problem.h"
#include "tests/support/random_problem.h"

typedef enum tiny_kind {
  TINY_PLAIN = 0, // sizes and one lifetime each
  TINY_TIGHT,     // every time filled up to the load: the optimum is often above it
  TINY_ALIGNED,   // tight, with alignments
  TINY_MIXED,     // pins, reserved ranges, several lifetimes, windows from the bottom, separations, alignments
  TINY_POOLS,     // two pools
  TINY_KINDS
} tiny_kind;

typedef struct tiny_placement {
  memplan_problem problem; // of the model
  int64_t limits[2];       // of its pools
  memplan_arena arena;
  memplan_place_problem place;
} tiny_placement;

// False: the random problem contradicts itself, or does not have the bottom property where `bottom` asks for it;
// nothing is to be freed then.
bool tiny_make(random_state *random, tiny_kind kind, int32_t max_buffers, bool bottom, tiny_placement *tiny);
void tiny_free(tiny_placement *tiny);

// The form of the engines, of a problem with one pool or two.
void tiny_place(const memplan_problem *problem, const int64_t *limits, memplan_arena *arena,
                memplan_place_problem *place);

// Can these items be packed alone, each at an allowed offset >= its least, ending at or below the height? `offset` (by
// item, or NULL) receives the packing.
bool tiny_packs(const memplan_place_problem *place, const int32_t *items, const int64_t *least, int32_t n_items,
                int64_t height, int64_t *offset);

// Least height of all items, -1 if there is none up to `limit`.
int64_t tiny_optimum(const memplan_place_problem *place, int64_t limit);

// Largest sum of heights of a section.
int64_t tiny_load(const memplan_place_problem *place);

// The problem as text, for messages.
void tiny_print(const memplan_place_problem *place);

#endif
