// SPDX-License-Identifier: Apache-2.0
#include "solvers/pool_capacity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t memplan_pool_capacity_within(const memplan_pool *pool, int64_t capacity) {
  return pool->capacity < 0 || pool->capacity > capacity ? capacity : pool->capacity;
}

memplan_status memplan_pool_capacity_limit(const memplan_instance *instance, int64_t capacity, memplan_arena *arena,
                                           memplan_instance *limited, memplan_error *error) {
  memplan_pool *pools = MEMPLAN_NEW(arena, memplan_pool, instance->n_pools);
  if (pools == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    pools[pool] = instance->pools[pool];
    pools[pool].capacity = memplan_pool_capacity_within(&instance->pools[pool], capacity);
  }
  *limited = *instance;
  limited->pools = pools;
  return MEMPLAN_OK;
}

const char *memplan_pool_capacity_text(int64_t capacity, const char *why, memplan_arena *arena) {
  char text[2048];
  (void)snprintf(text, sizeof text, "no plan keeps each pool within %" PRId64 " bytes: %s", capacity, why);
  return memplan_arena_text(arena, text, strlen(text));
}
