// SPDX-License-Identifier: Apache-2.0
#include "solvers/graph_search.h"

#include "solvers/place_optimal.h"
#include "solvers/pool_search.h"

#include <string.h>

// Is a placement better than the incumbent? With several pools by the objective.
static bool is_better(memplan_graph_search *state, const memplan_instance *instance, const memplan_place_result *found,
                      int64_t *peaks) {
  if (state->best == NULL || state->graph->n_pools <= 1) {
    return state->best == NULL || found->peak < state->peak;
  }
  if (memplan_graph_asks_pools(state)) {
    int64_t capacity = state->options->capacity;
    if ((found->peak <= capacity) != (state->peak <= capacity)) {
      return found->peak <= capacity;
    }
  }
  memplan_pool_peaks(instance, found->placement.offset, found->placement.pool, peaks);
  return memplan_pool_peaks_better(&state->objective, peaks, state->pool_peaks, instance->n_pools);
}

memplan_status memplan_graph_set_incumbent(memplan_graph_search *state, const memplan_candidate *entry,
                                           memplan_instance *instance, const memplan_place_result *found,
                                           memplan_error *error) {
  memplan_instance_free(&state->instance);
  state->instance = *instance;
  memplan_instance_init(instance);
  state->best = entry;
  state->place_method = found->method;
  state->floating_bound = found->floating_bound > 0 ? found->floating_bound : state->floating_bound;
  state->peak = found->peak;
  state->placement = found->placement;
  memplan_pool_peaks(&state->instance, found->placement.offset, found->placement.pool, state->pool_peaks);
  return memplan_placement_copy(&state->placement, state->instance.n_blocks, state->arena, error);
}

static memplan_status lower_and_take(memplan_graph_search *state, memplan_candidate *entry,
                                     const memplan_method *method, const memplan_placement *placement,
                                     memplan_instance *instance, memplan_error *error) {
  const int32_t *order = entry->order, *choice = entry->choice;
  int32_t n_choices = entry->n_choices;
  MEMPLAN_TRY(memplan_ordering_lower(state->ordering, order, choice, n_choices, instance, NULL, NULL, error));
  memplan_place_result found = {.method = method, .placement = *placement, .stop = MEMPLAN_STOP_DONE};
  found.peak = memplan_instance_peak(instance, placement->offset);
  if (state->best != NULL && found.peak >= state->peak) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_candidate_make(state->ordering, order, choice, n_choices, instance, method->name, state->arena,
                                     entry, error));
  return memplan_graph_set_incumbent(state, entry, instance, &found, error);
}

memplan_status memplan_graph_take_plan(memplan_graph_search *state, const memplan_method *method, const int32_t *order,
                                       const int32_t *choice, int32_t n_choices, const memplan_placement *placement,
                                       memplan_error *error) {
  memplan_candidate *entry = MEMPLAN_NEW(state->arena, memplan_candidate, 1);
  if (entry == NULL) {
    return memplan_fail_nomem(error);
  }
  *entry = (memplan_candidate){.order = order, .choice = choice, .n_choices = n_choices};
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = lower_and_take(state, entry, method, placement, &instance, error);
  memplan_instance_free(&instance);
  return status;
}

// The exact search on one candidate, from what the heuristics have found; no placement of it lies below its load.
static memplan_status place_exactly(memplan_graph_search *state, const memplan_candidate *entry,
                                    const memplan_instance *instance, const memplan_place_news *news,
                                    memplan_arena *arena, memplan_place_result *found, memplan_error *error) {
  const memplan_solve_options *solve = state->solve;
  memplan_optimal_task task = {.instance = instance,
                               .limits = &solve->limits,
                               .goal = memplan_goal(state->bound, state->options->capacity, solve->gap_millionths),
                               .capacity = -1,
                               .bound = instance->n_pools == 1 ? entry->peak : 0,
                               .objective = state->objective,
                               .without = (uint32_t)solve->without,
                               .news = news};
  memplan_optimal_result result;
  MEMPLAN_TRY(memplan_place_improve(&task, arena, found, &result, error));
  state->nodes += result.nodes;
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  return MEMPLAN_OK;
}

// Has the incumbent this order and choice, so that its placement is one of this candidate too? Pools have objectives of
// their own.
static bool is_incumbent(const memplan_graph_search *state, const memplan_candidate *entry) {
  const memplan_candidate *best = state->best;
  size_t n = (size_t)state->ordering->n_ops;
  return best != NULL && state->graph->n_pools <= 1 && n > 0 && best->n_choices == entry->n_choices &&
         memcmp(best->order, entry->order, n * sizeof *entry->order) == 0 &&
         (entry->n_choices == 0 ||
          memcmp(best->choice, entry->choice, (size_t)entry->n_choices * sizeof *entry->choice) == 0);
}

// By the methods asked for, of several pools first within the capacity that is asked about.
static memplan_status run_methods(memplan_graph_search *state, const memplan_candidate *entry,
                                  const memplan_instance *instance, memplan_arena *scratch, memplan_place_result *found,
                                  memplan_error *error) {
  memplan_place_news news = {.order = entry->method, .bound = state->bound, .peak = state->peak};
  bool exact = memplan_is_exact(state->solve->place);
  memplan_solve_options quick = *state->solve;
  quick.place = exact ? NULL : quick.place;
  if (memplan_graph_asks_pools(state)) {
    MEMPLAN_TRY(memplan_graph_place_within(state, instance, &news, scratch, found, error));
    if (found->method != NULL || found->declined || state->best != NULL) {
      return MEMPLAN_OK;
    }
    exact = false; // the question is answered, or open; any plan will do to look at
  }
  MEMPLAN_TRY(memplan_pool_search(instance, &quick, &news, scratch, found, error));
  if (!exact) {
    return MEMPLAN_OK;
  }
  if (is_incumbent(state, entry) && (found->method == NULL || found->peak > state->peak)) {
    found->method = state->place_method;
    found->placement = state->placement;
    found->peak = state->peak;
  }
  return place_exactly(state, entry, instance, &news, scratch, found, error);
}

static memplan_status place_lowered(memplan_graph_search *state, const memplan_candidate *entry,
                                    memplan_instance *instance, memplan_arena *scratch, memplan_error *error) {
  memplan_place_result found = {.stop = MEMPLAN_STOP_DONE};
  int64_t *peaks = MEMPLAN_NEW(scratch, int64_t, instance->n_pools);
  if (peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(run_methods(state, entry, instance, scratch, &found, error));
  state->nodes += found.nodes;
  state->stop = found.stop != MEMPLAN_STOP_DONE ? found.stop : state->stop;
  if (found.declined) {
    state->declined = found;
  }
  if (found.unplaced != NULL && state->unplaced == NULL) {
    state->unplaced = memplan_arena_text(state->arena, found.unplaced, strlen(found.unplaced));
  }
  if (found.method == NULL || !is_better(state, instance, &found, peaks)) {
    return MEMPLAN_OK;
  }
  return memplan_graph_set_incumbent(state, entry, instance, &found, error);
}

static void note_refusal(memplan_graph_search *state, const memplan_candidate *entry, const memplan_error *refusal) {
  const memplan_candidate *before = state->refused;
  bool plainer = before != NULL && entry->n_choices == 0 && before->n_choices > 0;
  bool earlier = before != NULL && (entry->n_choices == 0) == (before->n_choices == 0) && entry->index < before->index;
  if (before == NULL || plainer || earlier) {
    state->refused = entry;
    state->refusal = *refusal;
  }
}

memplan_status memplan_graph_place(memplan_graph_search *state, const memplan_candidate *entry, memplan_error *error) {
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_arena scratch = {0};
  memplan_error refusal = {.message = ""};
  memplan_status status = memplan_ordering_lower(state->ordering, entry->order, entry->choice, entry->n_choices,
                                                 &instance, NULL, NULL, &refusal);
  if (status == MEMPLAN_OK) {
    state->n_lowered++;
    status = place_lowered(state, entry, &instance, &scratch, error);
  } else if (status == MEMPLAN_INPUT) {
    note_refusal(state, entry, &refusal);
    status = MEMPLAN_OK;
  } else if (error != NULL) {
    *error = refusal;
  }
  memplan_instance_free(&instance);
  memplan_arena_free(&scratch);
  return status;
}
