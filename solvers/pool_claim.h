// SPDX-License-Identifier: Apache-2.0
// What can be proven of one of several pools, wherever the blocks that may lie in more than one pool are put: a bound
// of the placement problem of those that may lie in it alone.
#ifndef MEMPLAN_SOLVERS_POOL_CLAIM_H
#define MEMPLAN_SOLVERS_POOL_CLAIM_H

#include "model/memplan.h"

typedef struct memplan_pool_claim {
  int32_t pool;           // -1: none was found
  int64_t bytes;          // its peak cannot be smaller
  memplan_load load;      // of what has to lie in it, at its largest: <= bytes
  memplan_instance alone; // where bytes is more than the load: the one-pool problem of that; shares the arrays of the
                          // instance, and is not to be freed
} memplan_pool_claim;

// Whether something takes bytes and may lie in one pool alone.
bool memplan_pool_claim_exists(const memplan_instance *instance);

// What can be proven of a pool: by its load, and by a search where the plan, whose peak in the pool is given, needs
// more than that. The search has the pool's share of the work of `limits` (started). Memory belongs to `arena`.
// Deterministic, but for a limit of time.
memplan_status memplan_pool_claim_of(const memplan_instance *instance, int32_t pool, int64_t peak,
                                     const memplan_limits *limits, memplan_arena *arena, memplan_pool_claim *claim,
                                     memplan_error *error);

// A pool whose peak passes what is allowed it (by pool, negative: anything) in every placement: the first one by its
// load, or else by a search. The rest as above; claim->pool is -1 if there is none, or none was found.
memplan_status memplan_pool_claim_refute(const memplan_instance *instance, const int64_t *most,
                                         const memplan_limits *limits, memplan_arena *arena, memplan_pool_claim *claim,
                                         memplan_error *error);

#endif
