// SPDX-License-Identifier: Apache-2.0
// The blocks placed so far, indexed by time, and the lowest legal offset of one more. Knows all that can forbid an
// offset: parts of placed blocks at the same time, blocks to stay apart from, alignment over the pool's base,
// reserved ranges, the pool's capacity.
#ifndef MEMPLAN_PACKING_H
#define MEMPLAN_PACKING_H

#include "model/instance.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_packing memplan_packing;

// An empty packing. Offsets and pools of added blocks are kept in the caller's arrays (by block). NULL if memory is
// out. Memory grows by O(log n_times) for each part added, in `arena`.
memplan_packing *memplan_packing_new(const memplan_instance *instance, int64_t *offset, int32_t *pool,
                                     memplan_arena *arena);

// Places a block; the caller has made sure that the offset is legal. False if memory is out.
bool memplan_packing_add(memplan_packing *packing, int32_t block, int32_t pool, int64_t offset);

// Prepares questions about a block in a pool: valid until the next add. False if memory is out.
bool memplan_packing_ask(memplan_packing *packing, int32_t block, int32_t pool);

// The lowest legal offset >= from of the block asked for, -1 if there is none below the pool's capacity or the limit of
// sizes. Within one question `from` must not decrease. Expected O(log n_times) steps through sets of merged spans
// for each part, times the number of obstacles passed.
int64_t memplan_packing_lowest(memplan_packing *packing, int64_t from);

// How far the block asked for could move down and up from the offset last returned before it meets something:
// INT64_MAX for *above if nothing is above it but the end of the pool.
void memplan_packing_room(const memplan_packing *packing, int64_t offset, int64_t *below, int64_t *above);

#endif
