// SPDX-License-Identifier: Apache-2.0
// Presolve: makes a component smaller before it is searched, and puts back what was taken away.
//
// A component is dissolved into *rests*, which are searched alone, each above a base up to which the arena is full.
// With a bound L that no placement of the whole problem stays below, and P the largest of base + peak over the rests:
// the component can be placed below max(P, L), and cannot be placed below P. So a proof for a rest is one for the
// component, and memplan_place_restore ends with a peak of at most max(P, L).
//
// Presolve is for the search of one pool. A certificate is found without it, so that its steps speak of the problem as
// it is.
#ifndef MEMPLAN_SOLVERS_PLACE_REDUCE_H
#define MEMPLAN_SOLVERS_PLACE_REDUCE_H

#include "model/instance.h"
#include "solvers/place_problem.h"

enum {
  MEMPLAN_REDUCE_SPLIT = 1,      // into parts that no exclusion ties to each other (place_reduce)
  MEMPLAN_REDUCE_BOTTOM = 2,     // what excludes everything goes to the bottom (place_bottom)
  MEMPLAN_REDUCE_PIGEONHOLE = 4, // what always finds room is left out (place_pigeonhole)
  MEMPLAN_REDUCE_ALL = 7,
  MEMPLAN_REDUCE_BYTES = 8 // no rule: the problem is counted in bytes, as what searches the rests does then
};

typedef struct memplan_place_rest {
  const int32_t *blocks; // ascending
  int32_t n_blocks;
  int64_t base; // bytes
} memplan_place_rest;

typedef struct memplan_place_reduction {
  memplan_place_problem problem; // of the whole component
  const memplan_place_rest *rests;
  int32_t n_rests;
  int32_t n_bottom;     // items that went to the bottom
  const int32_t *holes; // items left out, in order
  int32_t n_holes;
  int64_t bound; // bytes: no placement of the component has a smaller peak
} memplan_place_reduction;

// Reduces a component: blocks (ascending, each with bytes > 0, tied to no others) of an instance with one pool.
// `limit`: no placement above it counts. `bound`: bytes that no placement of the whole problem stays below. `rules`:
// sum of MEMPLAN_REDUCE_*. `offset` (by block of the instance): if `placed`, a valid placement of the blocks, whose
// blocks trade places here without a larger peak; of items that went to the bottom the offset is set in any case.
// `run` (started; NULL: none): reached, it leaves reduction->problem unfinished, and nothing has been done. Memory
// belongs to `arena`. Takes as long as the problem's building, and O(n^2 + exclusions * rounds).
memplan_status memplan_place_reduce(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                    int64_t limit, int64_t bound, int32_t rules, bool placed, int64_t *offset,
                                    const memplan_limits *run, memplan_arena *arena, memplan_place_reduction *reduction,
                                    memplan_error *error);

// Puts back the items left out, beside what has offsets now; the rests' own must be multiples of the problem's unit. In
// reverse order, each at its lowest free offset. False if memory is out. O(n_holes * exclusions of one).
bool memplan_place_restore(const memplan_place_reduction *reduction, int64_t *offset);

#endif
