// SPDX-License-Identifier: Apache-2.0
// The exact search looks for ever lower packings within the limits of the pools: the first one, or the proof that there
// is none, is the answer.
#include "solvers/explain_fits.h"

#include "model/base/number.h"
#include "solvers/place_ceiling.h"
#include "solvers/place_duel.h"

// By pool; false if they pass what the axis of the search may hold.
static bool find_limits(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int64_t capacity,
                        int64_t *limits) {
  int64_t sum = 0;
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    int64_t own = instance->pools[pool].capacity;
    int64_t limit = own >= 0 && (capacity < 0 || own < capacity) ? own : capacity;
    limits[pool] = limit >= 0 ? limit : memplan_place_ceiling(instance, blocks, n_blocks, pool);
    sum = memplan_add_saturated(sum, limits[pool]);
  }
  return sum < MEMPLAN_SIZE_LIMIT;
}

memplan_status memplan_blocks_fit(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                  int64_t capacity, int64_t ticks, const memplan_limits *limits, memplan_fit *fit,
                                  memplan_error *error) {
  memplan_arena arena = {0};
  memplan_duel *duel = NULL;
  memplan_status status = MEMPLAN_OK;
  int64_t *pools = MEMPLAN_NEW(&arena, int64_t, instance->n_pools);
  *fit = n_blocks == 0 ? MEMPLAN_FIT_YES : MEMPLAN_FIT_UNKNOWN;
  if (pools == NULL) {
    status = memplan_fail_nomem(error);
  } else if (n_blocks > 0 && find_limits(instance, blocks, n_blocks, capacity, pools)) {
    status = memplan_duel_new(instance, blocks, n_blocks, pools, NULL, false, 0, limits, &duel, error);
  }
  if (status == MEMPLAN_OK && duel != NULL) {
    status = memplan_duel_decide(duel, ticks, limits, fit, error);
  }
  memplan_duel_free(duel);
  memplan_arena_free(&arena);
  return status;
}
