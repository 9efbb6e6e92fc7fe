// SPDX-License-Identifier: Apache-2.0
// Limits bound searches. The one placement that turns an order into a plan is no search: it costs less than reading the
// file, so that it is made even if the time is over or the user has interrupted. Only methods without reuse finish in
// no time at all, and a plan by them hides what the order is worth.
#include "solvers/place_rescue.h"

#include "heuristics/heuristic.h"
#include "heuristics/skyline_search.h"
#include "solvers/objective.h"

#include <string.h>

enum {
  few_blocks = 16384, // so many take a method of quadratic worst case a fraction of a second
  some_blocks = 65536,
  rankings_of_some = 6
};

static bool is_cheap(const memplan_method *method) {
  return method == &memplan_place_slot_greedy || method == &memplan_place_first_fit_size ||
         method == &memplan_place_first_fit_duration || method == &memplan_place_first_fit_area ||
         method == &memplan_place_first_fit_start || method == &memplan_place_best_fit ||
         method == &memplan_place_skyline;
}

static bool reuses_little(const memplan_method *method) {
  return method == NULL || method == &memplan_place_naive || method == &memplan_place_slot_greedy;
}

static const memplan_method *find_named(const char *name) {
  const memplan_method *found = NULL;
  for (const memplan_method *const *entry = memplan_heuristics(); name != NULL && *entry != NULL; entry++) {
    bool same = (*entry)->kind == MEMPLAN_METHOD_PLACE && strcmp((*entry)->name, name) == 0;
    found = same ? *entry : found;
  }
  return found;
}

// NULL: nothing cheap suits the instance.
static const memplan_method *choose(const memplan_instance *instance, const memplan_solve_options *solve) {
  const memplan_method *named = find_named(solve->place);
  if (named != NULL && is_cheap(named) && instance->n_blocks <= few_blocks) {
    return named;
  }
  if (memplan_skyline_search_accepts(instance, NULL)) {
    return &memplan_place_skyline_search;
  }
  return instance->n_blocks <= few_blocks ? &memplan_place_first_fit_size : NULL;
}

static memplan_status place(const memplan_instance *instance, const memplan_solve_options *solve,
                            const memplan_method *method, memplan_method_result *found, memplan_error *error) {
  memplan_limits free_limits = memplan_limits_default();
  free_limits.seed = solve->limits.seed;
  free_limits.threads = 1;
  if (method == &memplan_place_skyline_search) {
    int64_t n = instance->n_blocks;
    memplan_skyline_wishes wishes = {.work = n <= some_blocks ? rankings_of_some * n : 0, .goal = -1};
    return memplan_skyline_search(instance, &wishes, &free_limits, found, NULL, error);
  }
  memplan_task task = {.instance = instance, .params = &solve->params};
  return method->accepts == NULL || method->accepts(&task, NULL) ? method->run(&task, &free_limits, found, error)
                                                                 : MEMPLAN_OK;
}

// Of several pools by the objective.
static memplan_status compare(const memplan_instance *instance, const memplan_solve_options *solve,
                              const memplan_method_result *found, int64_t peak, memplan_arena *arena,
                              const memplan_place_result *before, bool *better, memplan_error *error) {
  *better = before->method == NULL || peak < before->peak;
  if (before->method == NULL || instance->n_pools <= 1) {
    return MEMPLAN_OK;
  }
  memplan_objective objective;
  MEMPLAN_TRY(memplan_objective_find(solve, instance->pools, instance->n_pools, &objective, error));
  int64_t *now = MEMPLAN_NEW(arena, int64_t, instance->n_pools), *then = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
  if (now == NULL || then == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_pool_peaks(instance, found->offset, found->pool, now);
  memplan_pool_peaks(instance, before->placement.offset, before->placement.pool, then);
  *better = memplan_pool_peaks_better(&objective, now, then, instance->n_pools);
  return MEMPLAN_OK;
}

memplan_status memplan_place_rescue(const memplan_instance *instance, const memplan_solve_options *solve,
                                    const memplan_place_news *news, memplan_arena *arena, memplan_place_result *result,
                                    memplan_error *error) {
  bool over = result->stop == MEMPLAN_STOP_TIME || result->stop == MEMPLAN_STOP_INTERRUPTED;
  bool asked = solve->place != NULL && result->method != NULL; // the method named has finished
  const memplan_method *method =
      over && !asked && !result->declined && reuses_little(result->method) ? choose(instance, solve) : NULL;
  if (method == NULL) {
    return MEMPLAN_OK;
  }
  int32_t n = instance->n_blocks;
  memplan_method_result found = {.offset = MEMPLAN_NEW(arena, int64_t, n),
                                 .pool = MEMPLAN_NEW(arena, int32_t, n),
                                 .slot = MEMPLAN_NEW(arena, int32_t, n),
                                 .failed_block = -1};
  if (found.offset == NULL || found.pool == NULL || found.slot == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < n; block++) {
    found.slot[block] = -1;
  }
  MEMPLAN_TRY(place(instance, solve, method, &found, error));
  if (found.outcome != MEMPLAN_FEASIBLE && found.outcome != MEMPLAN_OPTIMAL) {
    return MEMPLAN_OK;
  }
  int64_t peak = memplan_instance_peak(instance, found.offset);
  bool better = false;
  MEMPLAN_TRY(compare(instance, solve, &found, peak, arena, result, &better, error));
  if (!better) {
    return MEMPLAN_OK;
  }
  result->method = method;
  result->peak = peak;
  result->unplaced = NULL;
  result->placement =
      (memplan_placement){.offset = found.offset, .pool = found.pool, .slot = found.slot, .n_slots = found.n_slots};
  if (solve->limits.progress != NULL && peak < news->peak) {
    char source[MEMPLAN_SOURCE_SIZE];
    memplan_place_source(news, method, source);
    solve->limits.progress(solve->limits.context, &(memplan_progress){source, peak, news->bound, 0, 0});
  }
  return MEMPLAN_OK;
}
