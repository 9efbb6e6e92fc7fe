// SPDX-License-Identifier: Apache-2.0
// A placement over several pools, less all that may lie elsewhere and all that lies in other pools, is a placement of
// what has to lie in one. So that one's lower bounds hold for the pool's peak in every placement.
#include "solvers/pool_claim.h"

#include "solvers/place_optimal.h"

// Has the block to lie in the pool?
static bool lies_in(const memplan_instance *instance, const memplan_block *block, int32_t pool) {
  return block->n_pools == 1 && instance->block_pools[block->first_pool] == pool;
}

bool memplan_pool_claim_exists(const memplan_instance *instance) {
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    const memplan_block *entry = &instance->blocks[block];
    for (int32_t k = entry->first_part; entry->n_pools == 1 && k < entry->first_part + entry->n_parts; k++) {
      if (instance->parts[k].high > instance->parts[k].low) {
        return true;
      }
    }
  }
  return false;
}

static memplan_status find_load(const memplan_instance *instance, int32_t pool, memplan_load *load,
                                memplan_error *error) {
  memplan_arena arena = {0};
  int64_t *change = MEMPLAN_NEW(&arena, int64_t, instance->n_times + 1), bytes = 0;
  if (change == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    const memplan_block *entry = &instance->blocks[block];
    bool only = lies_in(instance, entry, pool);
    for (int32_t k = entry->first_part; only && k < entry->first_part + entry->n_parts; k++) {
      const memplan_part *part = &instance->parts[k];
      change[part->start] += part->high - part->low;
      change[part->end] -= part->high - part->low;
    }
  }
  *load = (memplan_load){0, 0};
  for (int32_t time = 0; time < instance->n_times; time++) {
    bytes += change[time];
    *load = bytes > load->bytes ? (memplan_load){bytes, instance->times[time]} : *load;
  }
  memplan_arena_free(&arena);
  return MEMPLAN_OK;
}

// The other blocks stay, so that indices do, but take no bytes.
static memplan_status leave_alone(const memplan_instance *instance, int32_t pool, memplan_arena *arena,
                                  memplan_instance *alone, memplan_error *error) {
  *alone = *instance;
  alone->blocks = MEMPLAN_NEW(arena, memplan_block, instance->n_blocks);
  alone->block_pools = MEMPLAN_NEW(arena, int32_t, 1);
  if (alone->blocks == NULL || alone->block_pools == NULL) {
    return memplan_fail_nomem(error);
  }
  alone->pools = &instance->pools[pool];
  alone->n_pools = 1;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    memplan_block *entry = &alone->blocks[block];
    *entry = instance->blocks[block];
    if (!lies_in(instance, entry, pool)) {
      entry->bytes = 0;
      entry->n_parts = entry->n_apart = 0;
      entry->pin = -1;
    }
    entry->first_pool = 0;
    entry->n_pools = 1;
  }
  return MEMPLAN_OK;
}

// A bound above `capacity` (-1: none) is good enough.
static memplan_status search_bound(const memplan_instance *instance, int32_t pool, int64_t load, int64_t capacity,
                                   const memplan_limits *limits, int64_t *bound, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_instance alone;
  memplan_limits own = *limits;
  own.progress = NULL;
  own.work = memplan_limits_work(&own) / instance->n_pools;
  memplan_optimal_task task = {.instance = &alone, .limits = &own, .capacity = capacity, .bound = load};
  memplan_optimal_result result;
  memplan_status status = leave_alone(instance, pool, &arena, &alone, error);
  if (status == MEMPLAN_OK) {
    status = memplan_place_optimal(&task, &arena, &result, error);
  }
  if (status == MEMPLAN_OK) {
    *bound = result.bound;
  }
  memplan_arena_free(&arena);
  return status;
}

memplan_status memplan_pool_claim_of(const memplan_instance *instance, int32_t pool, int64_t peak,
                                     const memplan_limits *limits, memplan_arena *arena, memplan_pool_claim *claim,
                                     memplan_error *error) {
  *claim = (memplan_pool_claim){.pool = pool};
  MEMPLAN_TRY(find_load(instance, pool, &claim->load, error));
  claim->bytes = claim->load.bytes;
  if (claim->bytes > 0 && claim->bytes < peak) {
    MEMPLAN_TRY(search_bound(instance, pool, claim->load.bytes, -1, limits, &claim->bytes, error));
  }
  return claim->bytes > claim->load.bytes ? leave_alone(instance, pool, arena, &claim->alone, error) : MEMPLAN_OK;
}

memplan_status memplan_pool_claim_refute(const memplan_instance *instance, const int64_t *most,
                                         const memplan_limits *limits, memplan_arena *arena, memplan_pool_claim *claim,
                                         memplan_error *error) {
  *claim = (memplan_pool_claim){.pool = -1};
  for (int32_t round = 0; round < 2 && claim->pool < 0; round++) { // loads cost little, searches much
    for (int32_t pool = 0; pool < instance->n_pools && claim->pool < 0; pool++) {
      memplan_load load;
      MEMPLAN_TRY(find_load(instance, pool, &load, error));
      int64_t bound = load.bytes;
      if (most[pool] < 0 || load.bytes == 0) {
        continue;
      }
      if (round == 1) {
        MEMPLAN_TRY(search_bound(instance, pool, load.bytes, most[pool], limits, &bound, error));
      }
      if (bound > most[pool]) {
        *claim = (memplan_pool_claim){.pool = pool, .bytes = bound, .load = load};
      }
    }
  }
  return claim->pool < 0 ? MEMPLAN_OK : leave_alone(instance, claim->pool, arena, &claim->alone, error);
}
