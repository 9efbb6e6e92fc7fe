// SPDX-License-Identifier: Apache-2.0
// Placement methods fill the pools in the order of preference of each buffer. So a pool becomes small if it is
// preferred last, and the largest peak if the methods are told smaller capacities, found by bisection above what is
// proven. Both are the same instance but for one array, so that its placements are placements of the original.
#include "solvers/pool_search.h"

#include "solvers/bound_pools.h"
#include "solvers/objective.h"
#include "solvers/place_rescue.h"

#include <string.h>

enum { most_rounds = 8, most_preferences = 8 };

typedef struct pool_search {
  const memplan_instance *instance;
  const memplan_solve_options *solve;
  memplan_objective objective;
  memplan_arena *arena;
  memplan_place_result *best;
  int64_t *peaks, *best_peaks;
} pool_search;

// Places a variant; *fits tells whether it found room for everything.
static memplan_status try_variant(pool_search *search, const memplan_instance *variant, const memplan_place_news *news,
                                  bool *fits, memplan_error *error) {
  memplan_place_result found = {.stop = MEMPLAN_STOP_DONE};
  memplan_solve_options quiet = *search->solve; // progress speaks of plans by their peak alone
  quiet.limits.progress = NULL;
  MEMPLAN_TRY(memplan_place_best(variant, &quiet, news, search->arena, &found, error));
  int64_t nodes = search->best->nodes + found.nodes;
  memplan_stop stop = search->best->stop != MEMPLAN_STOP_DONE ? search->best->stop : found.stop;
  *fits = found.method != NULL;
  if (*fits) {
    int32_t n_pools = search->instance->n_pools;
    memplan_pool_peaks(search->instance, found.placement.offset, found.placement.pool, search->peaks);
    if (search->best->method == NULL ||
        memplan_pool_peaks_better(&search->objective, search->peaks, search->best_peaks, n_pools)) {
      *search->best = found;
      memcpy(search->best_peaks, search->peaks, (size_t)n_pools * sizeof *search->peaks);
    }
  }
  search->best->nodes = nodes;
  search->best->stop = stop;
  return MEMPLAN_OK;
}

// The pool becomes the last preference of every block that admits another one.
static memplan_status try_last(pool_search *search, int32_t pool, const memplan_place_news *news,
                               memplan_error *error) {
  const memplan_instance *instance = search->instance;
  memplan_instance variant = *instance;
  int64_t count = 0;
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    int64_t end = (int64_t)instance->blocks[index].first_pool + instance->blocks[index].n_pools;
    count = end > count ? end : count;
  }
  variant.block_pools = MEMPLAN_NEW(search->arena, int32_t, count);
  if (variant.block_pools == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    const int32_t *given = instance->block_pools + block->first_pool;
    int32_t *list = variant.block_pools + block->first_pool, kept = 0;
    for (int32_t k = 0; k < block->n_pools; k++) {
      if (given[k] != pool) {
        list[kept++] = given[k];
      }
    }
    if (kept < block->n_pools) {
      list[kept] = pool;
    }
  }
  bool fits;
  return try_variant(search, &variant, news, &fits, error);
}

static memplan_status try_capacities(pool_search *search, const memplan_place_news *news, memplan_error *error) {
  const memplan_instance *instance = search->instance;
  memplan_pool_table table;
  const memplan_pool_set *because;
  MEMPLAN_TRY(memplan_pool_table_of_instance(instance, NULL, search->arena, &table, error));
  memplan_pool *pools = MEMPLAN_NEW(search->arena, memplan_pool, instance->n_pools);
  if (pools == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t low = memplan_pool_table_largest(&table, &because);
  for (int32_t round = 0; round < most_rounds && search->best->stop == MEMPLAN_STOP_DONE; round++) {
    int64_t high = memplan_objective_value(&search->objective, search->best_peaks, instance->n_pools);
    if (search->best->method == NULL || low >= high) {
      break;
    }
    int64_t capacity = low + (high - low) / 2; // below `high`: nothing that is found there is in vain
    memplan_instance variant = *instance;
    for (int32_t pool = 0; pool < instance->n_pools; pool++) {
      pools[pool] = instance->pools[pool];
      if (pools[pool].capacity < 0 || pools[pool].capacity > capacity) {
        pools[pool].capacity = capacity;
      }
    }
    variant.pools = pools;
    bool fits;
    MEMPLAN_TRY(try_variant(search, &variant, news, &fits, error));
    low = fits ? low : capacity + 1;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_pool_search(const memplan_instance *instance, const memplan_solve_options *solve,
                                   const memplan_place_news *news, memplan_arena *arena, memplan_place_result *result,
                                   memplan_error *error) {
  MEMPLAN_TRY(memplan_place_best(instance, solve, news, arena, result, error));
  MEMPLAN_TRY(memplan_place_rescue(instance, solve, news, arena, result, error));
  if (instance->n_pools <= 1 || solve->minimize == MEMPLAN_MINIMIZE_PEAK || result->declined) {
    return MEMPLAN_OK;
  }
  pool_search search = {.instance = instance, .solve = solve, .arena = arena, .best = result};
  MEMPLAN_TRY(memplan_objective_find(solve, instance->pools, instance->n_pools, &search.objective, error));
  search.peaks = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
  search.best_peaks = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
  if (search.peaks == NULL || search.best_peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  if (result->method != NULL) {
    memplan_pool_peaks(instance, result->placement.offset, result->placement.pool, search.best_peaks);
  }
  for (int32_t pool = 0; pool < instance->n_pools && pool < most_preferences; pool++) {
    bool wanted = solve->minimize != MEMPLAN_MINIMIZE_POOL || pool == search.objective.pool;
    if (wanted && search.best->stop == MEMPLAN_STOP_DONE) {
      MEMPLAN_TRY(try_last(&search, pool, news, error));
    }
  }
  return solve->minimize == MEMPLAN_MINIMIZE_MAX ? try_capacities(&search, news, error) : MEMPLAN_OK;
}
