// SPDX-License-Identifier: Apache-2.0
// The exact search looks for ever lower packings within the limits of the pools: the first one, or the proof that there
// is none, is the answer.
#include "solvers/explain_fits.h"

#include "model/base/number.h"
#include "solvers/place_duel.h"

// Above all pins and reserved ranges of the pool the blocks fit side by side.
static int64_t ceiling_of(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int32_t pool) {
  const memplan_pool *entry = &instance->pools[pool];
  int64_t ceiling = 0;
  for (int32_t k = 0; k < entry->n_reserved; k++) {
    ceiling = entry->reserved[k].end > ceiling ? entry->reserved[k].end : ceiling;
  }
  for (int32_t k = 0; k < n_blocks; k++) {
    const memplan_block *block = &instance->blocks[blocks[k]];
    ceiling = block->pin >= 0 && block->pin + block->bytes > ceiling ? block->pin + block->bytes : ceiling;
  }
  for (int32_t k = 0; k < n_blocks; k++) {
    const memplan_block *block = &instance->blocks[blocks[k]];
    ceiling = memplan_add_saturated(ceiling, memplan_add_saturated(block->bytes, block->align - 1));
  }
  return ceiling;
}

// By pool; false if they pass what the axis of the search may hold.
static bool find_limits(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int64_t capacity,
                        int64_t *limits) {
  int64_t sum = 0;
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    int64_t own = instance->pools[pool].capacity;
    int64_t limit = own >= 0 && (capacity < 0 || own < capacity) ? own : capacity;
    limits[pool] = limit >= 0 ? limit : ceiling_of(instance, blocks, n_blocks, pool);
    sum = memplan_add_saturated(sum, limits[pool]);
  }
  return sum < MEMPLAN_SIZE_LIMIT;
}

// Epochs until there is an answer or the budget is spent.
static memplan_status search(memplan_duel *duel, int64_t ticks, const memplan_limits *limits, memplan_fit *fit,
                             memplan_error *error) {
  const memplan_duel_state *now = memplan_duel_look(duel);
  while (!now->finished && !now->found && now->ticks < ticks && memplan_limits_reached(limits) == MEMPLAN_STOP_DONE) {
    MEMPLAN_TRY(memplan_duel_step(duel, error));
  }
  *fit = now->found ? MEMPLAN_FIT_YES : now->finished ? MEMPLAN_FIT_NO : MEMPLAN_FIT_UNKNOWN;
  return MEMPLAN_OK;
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
    status = memplan_duel_new(instance, blocks, n_blocks, pools, NULL, false, limits, &duel, error);
  }
  if (status == MEMPLAN_OK && duel != NULL) {
    status = search(duel, ticks, limits, fit, error);
  }
  memplan_duel_free(duel);
  memplan_arena_free(&arena);
  return status;
}
