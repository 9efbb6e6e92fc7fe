// SPDX-License-Identifier: Apache-2.0
#include "solvers/objective.h"

#include "model/base/number.h"
#include "model/base/quote.h"

#include <stdio.h>
#include <string.h>

memplan_status memplan_objective_find(const memplan_solve_options *solve, const memplan_pool *pools, int32_t n_pools,
                                      memplan_objective *objective, memplan_error *error) {
  *objective = (memplan_objective){.minimize = solve->minimize, .pool = -1};
  if (solve->minimize != MEMPLAN_MINIMIZE_POOL) {
    return MEMPLAN_OK;
  }
  char known[512] = "";
  for (int32_t pool = 0; pool < n_pools; pool++) {
    if (strcmp(pools[pool].id, solve->minimize_pool) == 0) {
      objective->pool = pool;
      return MEMPLAN_OK;
    }
    size_t used = strlen(known);
    (void)snprintf(known + used, sizeof known - used, "%s'%.60s'", used > 0 ? ", " : "", pools[pool].id);
  }
  return memplan_fail(error, MEMPLAN_INPUT, "--minimize %s: the problem has no such pool; %s%s",
                      memplan_quote(solve->minimize_pool).text, known[0] != '\0' ? "it has " : "it states no pools",
                      known);
}

bool memplan_objective_is_reuse(const memplan_solve_options *solve, const memplan_instance *instance) {
  return instance->prefer_low_reuse && instance->n_reuse > 0 && solve->minimize == MEMPLAN_MINIMIZE_PEAK &&
         !solve->own_objective;
}

void memplan_pool_peaks(const memplan_instance *instance, const int64_t *offset, const int32_t *pool, int64_t *peaks) {
  for (int32_t index = 0; index < instance->n_pools; index++) {
    peaks[index] = 0;
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].bytes > 0) {
      int64_t end = offset[block] + instance->blocks[block].bytes;
      peaks[pool[block]] = end > peaks[pool[block]] ? end : peaks[pool[block]];
    }
  }
}

int64_t memplan_objective_value(const memplan_objective *objective, const int64_t *peaks, int32_t n_pools) {
  int64_t value = 0;
  if (objective->minimize == MEMPLAN_MINIMIZE_POOL) {
    return peaks[objective->pool];
  }
  for (int32_t pool = 0; pool < n_pools && objective->minimize != MEMPLAN_MINIMIZE_PEAK; pool++) {
    value = objective->minimize == MEMPLAN_MINIMIZE_TOTAL ? memplan_add_saturated(value, peaks[pool])
            : peaks[pool] > value                         ? peaks[pool]
                                                          : value;
  }
  return value;
}

bool memplan_pool_peaks_better(const memplan_objective *objective, const int64_t *peaks, const int64_t *best,
                               int32_t n_pools) {
  int64_t value = memplan_objective_value(objective, peaks, n_pools);
  int64_t least = memplan_objective_value(objective, best, n_pools);
  if (value != least) {
    return value < least;
  }
  for (int32_t pool = n_pools - 1; pool >= 0; pool--) {
    if (peaks[pool] != best[pool]) {
      return peaks[pool] < best[pool];
    }
  }
  return false;
}
