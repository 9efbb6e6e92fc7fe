// SPDX-License-Identifier: Apache-2.0
// The placement problem as the exact engines see it: items with sets of allowed offsets, pairs that exclude each other,
// and sections (sets of items that all exclude each other). Whatever the model knows (alignments, pins, reserved
// ranges, pools, windows, several lifetimes, separations) is in one of the three, so that an engine needs no case for
// it.
//
// Numbers are in units, as a rule the greatest common divisor of all sizes, distances and first offsets. Division by it
// loses nothing: the least solution of a set of differences is a sum of those numbers. Several pools lie one behind the
// other on one axis: pool p begins at pool_start[p], and offsets within [pool_start[p], pool_start[p + 1]) mean that
// pool.
#ifndef MEMPLAN_SOLVERS_PLACE_PROBLEM_H
#define MEMPLAN_SOLVERS_PLACE_PROBLEM_H

#include "model/instance.h"
#include "model/method.h"

#include <stdbool.h>
#include <stdint.h>

// Allowed offsets first, first + step, …, last; first <= last, last - first is a multiple of the step.
typedef struct memplan_offset_range {
  int64_t first, last;
} memplan_offset_range;

// Ranges by offset, disjoint, of one step (the item's alignment).
typedef struct memplan_offset_set {
  const memplan_offset_range *ranges;
  int32_t n_ranges; // 0: the item has no place at all
  int64_t step;
} memplan_offset_set;

// The smallest allowed offset >= value, INT64_MAX if there is none. O(log ranges).
int64_t memplan_offset_set_up(const memplan_offset_set *set, int64_t value);
// The largest allowed offset <= value, -1 if there is none. O(log ranges).
int64_t memplan_offset_set_down(const memplan_offset_set *set, int64_t value);
// The smallest bound that asks for the same as `offset >= value`: one more than the largest allowed offset below.
int64_t memplan_offset_set_weaken(const memplan_offset_set *set, int64_t value);

// off(other) >= off(item) + up, or off(item) >= off(other) + down. Several for one pair where windows leave room
// between: then each of them holds.
typedef struct memplan_exclusion {
  int32_t other;
  int64_t up, down;
} memplan_exclusion;

// In its section the item occupies [offset + low, offset + high); no two members of a section share a byte.
typedef struct memplan_section_member {
  int32_t item;
  int64_t low, high;
} memplan_section_member;

typedef struct memplan_place_problem {
  int32_t n_items;
  int64_t unit;                        // bytes
  const int64_t *size;                 // by item: it ends at offset + size, > 0
  const memplan_offset_set *offsets;   // by item
  const int32_t *first_exclusion;      // by item, and one more
  const memplan_exclusion *exclusions; // from both sides, sorted by (other, up)
  int32_t n_sections;
  const int32_t *first_member;           // by section, and one more
  const memplan_section_member *members; // sorted by item
  const int32_t *time; // by section: a time rank of the instance at which it lies, -1: it comes from rules alone
  const int32_t *first_section; // by item, and one more
  const int32_t *sections;      // of each item, ascending, without repetition
  // Every item reaches down to its offset whenever it occupies anything, and at most one exclusion per pair: a packing
  // can be pushed down item by item in order of offsets, so that an optimum is found among lowest-first placements
  // (PLACEMENT's lex-minimal normal form). Otherwise only pairwise decisions are complete.
  bool bottom;
  bool unfinished;           // the limits of the run ended the building: nothing else here holds
  const int32_t *block;      // by item: block of the instance
  const int64_t *pool_start; // n_pools + 1 entries
  int32_t n_pools;
  int64_t axis; // bytes: sum of the limits, which pool_start[n_pools] is rounded down from
} memplan_place_problem;

// What the building may leave out, to measure what it is worth: neither changes which packings there are.
enum {
  MEMPLAN_FORM_UNITS = 1,   // numbers are divided by their greatest common divisor; without it the unit is a byte
  MEMPLAN_FORM_CLIQUES = 2, // sections of time are maximal; without it each time has its own
  MEMPLAN_FORM_ALL = 3
};

// The problem of some blocks (ascending, each with bytes > 0) of a resolved instance. `limits`: by pool, the number of
// bytes that its peak may not pass (no more than the pool's capacity; > 0 sums must stay below 2^62). Rules and
// overlaps with other blocks are ignored. `run` (started; NULL: none): reached, it ends the building, and the problem
// is unfinished. Memory belongs to `arena`. O(n^2 + parts of all pairs whose hulls overlap + pairs of parts that meet +
// members of sections).
memplan_status memplan_place_problem_build(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                           const int64_t *limits, const memplan_limits *run, memplan_arena *arena,
                                           memplan_place_problem *problem, memplan_error *error);

// The same in a form of one's choice, a sum of MEMPLAN_FORM_*.
memplan_status memplan_place_problem_build_as(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                              const int64_t *limits, int32_t form, const memplan_limits *run,
                                              memplan_arena *arena, memplan_place_problem *problem,
                                              memplan_error *error);

// Is `offset` (by item, units) a solution in which every item ends at or below `height`? O(exclusions).
bool memplan_place_problem_holds(const memplan_place_problem *problem, const int64_t *offset, int64_t height);

#endif
