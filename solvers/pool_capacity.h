// SPDX-License-Identifier: Apache-2.0
// Several pools and one capacity that is asked about: whether a plan keeps the peak of each pool within it.
#ifndef MEMPLAN_SOLVERS_POOL_CAPACITY_H
#define MEMPLAN_SOLVERS_POOL_CAPACITY_H

#include "model/memplan.h"

// The capacity of a pool that is also to stay within `capacity`.
int64_t memplan_pool_capacity_within(const memplan_pool *pool, int64_t capacity);

// The instance with no pool above the capacity: its placements are placements of the original, with which it shares all
// but the pools, of `arena`.
memplan_status memplan_pool_capacity_limit(const memplan_instance *instance, int64_t capacity, memplan_arena *arena,
                                           memplan_instance *limited, memplan_error *error);

// "no plan keeps each pool within N bytes: WHY", in the arena. NULL: memory is out.
const char *memplan_pool_capacity_text(int64_t capacity, const char *why, memplan_arena *arena);

#endif
