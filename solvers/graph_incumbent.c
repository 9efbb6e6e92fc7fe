// SPDX-License-Identifier: Apache-2.0
#include "solvers/graph_incumbent.h"

#include "solvers/graph_capacity.h"

#include <stdlib.h>

memplan_status memplan_graph_set_incumbent(memplan_graph_search *state, const memplan_candidate *entry,
                                           memplan_instance *instance, const memplan_place_result *found,
                                           memplan_error *error) {
  memplan_instance_free(&state->best.instance);
  state->best.instance = *instance;
  memplan_instance_init(instance);
  state->best.candidate = entry;
  state->best.method = found->method;
  state->floating_bound = found->floating_bound > 0 ? found->floating_bound : state->floating_bound;
  state->best.peak = found->peak;
  state->best.placement = found->placement;
  memplan_pool_peaks(&state->best.instance, found->placement.offset, found->placement.pool, state->best.pool_peaks);
  state->best.proven =
      state->graph->n_pools > 1 && memplan_pool_table_proves(&state->table, &state->objective, state->best.pool_peaks);
  return memplan_placement_copy(&state->best.placement, state->best.instance.n_blocks, state->arena, error);
}

// `peaks`: room for those of the pools.
static bool is_better(const memplan_graph_search *state, const memplan_instance *instance,
                      const memplan_place_result *found, int64_t *peaks) {
  if (state->best.candidate == NULL || state->graph->n_pools <= 1) {
    return state->best.candidate == NULL || found->peak < state->best.peak;
  }
  if (memplan_graph_asks_pools(state)) {
    int64_t capacity = state->options->capacity;
    if ((found->peak <= capacity) != (state->best.peak <= capacity)) {
      return found->peak <= capacity;
    }
  }
  memplan_pool_peaks(instance, found->placement.offset, found->placement.pool, peaks);
  return memplan_pool_peaks_better(&state->objective, peaks, state->best.pool_peaks, instance->n_pools);
}

static memplan_status compare(const memplan_graph_search *state, const memplan_instance *instance,
                              const memplan_place_result *found, bool *better, memplan_error *error) {
  int64_t *peaks = calloc((size_t)instance->n_pools + 1, sizeof *peaks);
  if (peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  *better = is_better(state, instance, found, peaks);
  free(peaks);
  return MEMPLAN_OK;
}

memplan_status memplan_graph_take_better(memplan_graph_search *state, const memplan_candidate *entry,
                                         memplan_instance *instance, const memplan_place_result *found,
                                         memplan_error *error) {
  bool better = false;
  if (found->method == NULL) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(compare(state, instance, found, &better, error));
  return better ? memplan_graph_set_incumbent(state, entry, instance, found, error) : MEMPLAN_OK;
}

static memplan_status lower_and_take(memplan_graph_search *state, const memplan_graph_plan *plan,
                                     memplan_candidate *entry, memplan_instance *instance, memplan_error *error) {
  bool better = false;
  MEMPLAN_TRY(
      memplan_ordering_lower(state->ordering, plan->order, plan->choice, plan->n_choices, instance, NULL, NULL, error));
  memplan_place_result found = {.method = plan->method, .placement = plan->placement, .stop = MEMPLAN_STOP_DONE};
  found.peak = memplan_instance_peak(instance, plan->placement.offset);
  MEMPLAN_TRY(compare(state, instance, &found, &better, error));
  if (!better) {
    return MEMPLAN_OK;
  }
  const char *name = plan->order_method != NULL ? plan->order_method : plan->method->name;
  MEMPLAN_TRY(memplan_candidate_make(state->ordering, plan->order, plan->choice, plan->n_choices, instance, name,
                                     state->arena, entry, error));
  return memplan_graph_set_incumbent(state, entry, instance, &found, error);
}

memplan_status memplan_graph_take_plan(memplan_graph_search *state, const memplan_graph_plan *plan,
                                       memplan_error *error) {
  memplan_candidate *entry = MEMPLAN_NEW(state->arena, memplan_candidate, 1);
  if (entry == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = lower_and_take(state, plan, entry, &instance, error);
  memplan_instance_free(&instance);
  return status;
}
