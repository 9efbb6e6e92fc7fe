// SPDX-License-Identifier: Apache-2.0
#include "solvers/place.h"

#include "heuristics/portfolio.h"
#include "solvers/objective.h"

#include <stdio.h>
#include <string.h>

enum { most_methods = 64 };

int32_t memplan_select_methods(memplan_method_kind kind, const char *name, const memplan_method **methods,
                               int32_t capacity, memplan_error *error) {
  int32_t count = 0;
  char known[512] = "";
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind != kind) {
      continue;
    }
    if ((name == NULL || strcmp((*entry)->name, name) == 0) && count < capacity) {
      methods[count++] = *entry;
    }
    size_t used = strlen(known);
    (void)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", (*entry)->name);
  }
  const memplan_method *method;
  for (int32_t k = 0; count == 0 && name != NULL && (method = memplan_method_at(k)) != NULL; k++) {
    if (method->kind == kind && strcmp(method->name, name) == 0) {
      methods[count++] = method;
    }
  }
  if (count == 0) {
    (void)memplan_fail(error, MEMPLAN_INPUT, "no %s method is called '%s'; there are: %s",
                       kind == MEMPLAN_METHOD_ORDER ? "order" : "placement", name != NULL ? name : "", known);
  }
  return count;
}

memplan_status memplan_fail_declined(const char *place, const memplan_place_result *result, memplan_error *error) {
  return memplan_fail(error, MEMPLAN_UNSUPPORTED, "placement method '%s' declines this problem: %s", place,
                      result->reason);
}

// With one pool the smallest peak, of equals the first. -1: nothing fits; -2: memory is out.
static int32_t best_task(const memplan_instance *instance, const memplan_objective *objective,
                         const memplan_portfolio_task *tasks, int32_t count, memplan_arena *arena) {
  if (instance->n_pools == 1) {
    return memplan_portfolio_best(tasks, count);
  }
  int64_t *peaks = MEMPLAN_NEW(arena, int64_t, instance->n_pools),
          *least = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
  if (peaks == NULL || least == NULL) {
    return -2;
  }
  int32_t best = -1;
  for (int32_t k = 0; k < count; k++) {
    if (!tasks[k].ran || tasks[k].peak == INT64_MAX) {
      continue;
    }
    memplan_pool_peaks(instance, tasks[k].result.offset, tasks[k].result.pool, peaks);
    if (best < 0 || memplan_pool_peaks_better(objective, peaks, least, instance->n_pools)) {
      int64_t *spare = least;
      least = peaks;
      peaks = spare;
      best = k;
    }
  }
  return best;
}

void memplan_place_source(const memplan_place_news *news, const memplan_method *method, char *source) {
  const char *order = news->order != NULL ? news->order : "";
  (void)snprintf(source, MEMPLAN_SOURCE_SIZE, "%s%s%s", order, order[0] != '\0' ? "+" : "", method->name);
}

// Each improvement in the order of the registry, which does not depend on the threads.
static void report_news(const memplan_portfolio_task *tasks, int32_t count, const memplan_limits *limits,
                        const memplan_place_news *news) {
  int64_t peak = news->peak;
  for (int32_t k = 0; k < count && limits->progress != NULL; k++) {
    if (tasks[k].ran && tasks[k].peak < peak) {
      char source[MEMPLAN_SOURCE_SIZE];
      peak = tasks[k].peak;
      memplan_place_source(news, tasks[k].method, source);
      limits->progress(limits->context, &(memplan_progress){source, peak, news->bound, 0, 0});
    }
  }
}

// A buffer of the first block that a method could not place.
static const char *find_unplaced(const memplan_instance *instance, const memplan_portfolio_task *tasks, int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    if (tasks[k].ran && tasks[k].result.failed_block >= 0) {
      return instance->buffers[instance->members[instance->blocks[tasks[k].result.failed_block].first_member].buffer]
          .id;
    }
  }
  return NULL;
}

memplan_status memplan_place_best(const memplan_instance *instance, const memplan_solve_options *solve,
                                  const memplan_place_news *news, memplan_arena *arena, memplan_place_result *result,
                                  memplan_error *error) {
  const memplan_method *methods[most_methods];
  memplan_portfolio_task tasks[most_methods] = {0};
  memplan_objective objective = {.minimize = MEMPLAN_MINIMIZE_PEAK};
  if (instance->n_pools > 1) {
    MEMPLAN_TRY(memplan_objective_find(solve, instance->pools, instance->n_pools, &objective, error));
  }
  int32_t count = memplan_select_methods(MEMPLAN_METHOD_PLACE, solve->place, methods, most_methods, error);
  if (count == 0) {
    return MEMPLAN_INPUT;
  }
  for (int32_t k = 0; k < count; k++) {
    tasks[k].method = methods[k];
    tasks[k].task = (memplan_task){.instance = instance, .params = &solve->params};
  }
  *result = (memplan_place_result){.stop = MEMPLAN_STOP_DONE, .peak = INT64_MAX};
  MEMPLAN_TRY(memplan_portfolio_run(tasks, count, &solve->limits, arena, &result->stop, error));
  for (int32_t k = 0; k < count; k++) {
    result->nodes += tasks[k].ran ? tasks[k].result.nodes : 0;
    result->floating_bound = tasks[k].result.floating_bound > result->floating_bound ? tasks[k].result.floating_bound
                                                                                     : result->floating_bound;
  }
  if (solve->place != NULL && !tasks[0].ran && tasks[0].result.stop == MEMPLAN_STOP_DONE) {
    result->declined = true;
    (void)snprintf(result->reason, sizeof result->reason, "%.255s", tasks[0].error.message);
    return MEMPLAN_OK;
  }
  report_news(tasks, count, &solve->limits, news);
  int32_t best = best_task(instance, &objective, tasks, count, arena);
  if (best == -2) {
    return memplan_fail_nomem(error);
  }
  if (best < 0) {
    result->unplaced = find_unplaced(instance, tasks, count);
  } else {
    result->method = tasks[best].method;
    result->peak = tasks[best].peak;
    result->placement = (memplan_placement){.offset = tasks[best].result.offset,
                                            .pool = tasks[best].result.pool,
                                            .slot = tasks[best].result.slot,
                                            .n_slots = tasks[best].result.n_slots};
  }
  return MEMPLAN_OK;
}
