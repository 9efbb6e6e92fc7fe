// SPDX-License-Identifier: Apache-2.0
// Questions about sets of blocks of one instance, and the deletion that makes a set minimal. Internal to
// explain_capacity.
#ifndef MEMPLAN_SOLVERS_EXPLAIN_CORE_H
#define MEMPLAN_SOLVERS_EXPLAIN_CORE_H

#include "solvers/explain_capacity.h"

// Pools that share one question: a single one with the blocks that only it admits, or all of them with all blocks.
typedef struct memplan_room {
  int32_t pool;     // -1: all
  int64_t capacity; // -1: none
  int64_t bytes;    // of it that are not reserved
} memplan_room;

typedef struct memplan_core {
  const memplan_capacity_task *task;
  memplan_arena *arena;
  memplan_arena scratch;
  const int64_t *limits; // by pool, -1: none
  memplan_room room;
  int64_t *change; // n_times + 1, zero between calls
} memplan_core;

// Largest load of the blocks; its first rank goes to *rank (-1: no load). O(parts of the blocks + times).
int64_t memplan_core_load(memplan_core *core, const int32_t *blocks, int32_t n_blocks, int32_t *rank);

// The least capacity with `bytes` bytes of room in `pool`, given what is reserved in it.
int64_t memplan_core_height(const memplan_instance *instance, int32_t pool, int64_t bytes, memplan_arena *scratch);

// Where a stack of the blocks, one on the other, ends in the pool of the room; -1 if pins, reserved ranges or several
// pools leave that open.
int64_t memplan_core_stack(const memplan_core *core, const int32_t *blocks, int32_t n_blocks);

// The highest end of a pinned block, 0 without one.
int64_t memplan_core_pinned(const memplan_core *core, const int32_t *blocks, int32_t n_blocks);

// Do the blocks alone fit into `capacity` bytes of the room's pool (of several pools: into their capacities)? By loads
// and stacks, then by the task's search.
memplan_status memplan_core_decide(memplan_core *core, const int32_t *blocks, int32_t n_blocks, int64_t capacity,
                                   int64_t ticks, memplan_fit *fit, memplan_error *error);

// Deletes blocks from a set that does not fit, halves first, then one by one; *unproven: how many of those left are
// there only because a search gave up.
memplan_status memplan_core_shrink(memplan_core *core, int32_t *blocks, int32_t *n_blocks, int32_t *unproven,
                                   memplan_error *error);

// The least capacity of the blocks, which do not fit into the room's pool, by bisection; *exact: false if a search gave
// up or there are several pools, and *needs is a lower bound then.
memplan_status memplan_core_measure(memplan_core *core, const int32_t *blocks, int32_t n_blocks, int64_t *needs,
                                    bool *exact, memplan_error *error);

#endif
