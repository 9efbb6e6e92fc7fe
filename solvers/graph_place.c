// SPDX-License-Identifier: Apache-2.0
// A candidate is lowered, placed by the methods asked for, and measured; the first one of the least peaks stays the
// incumbent, so that equal plans do not depend on how many came later.
#include "solvers/graph_place.h"

#include "solvers/graph_bound.h"
#include "solvers/graph_capacity.h"
#include "solvers/graph_incumbent.h"
#include "solvers/graph_pools.h"
#include "solvers/place_optimal.h"
#include "solvers/pool_search.h"

#include <string.h>

// The exact search on one candidate, from what the heuristics have found; no placement of it lies below its load.
static memplan_status place_exactly(memplan_graph_search *state, const memplan_candidate *entry,
                                    const memplan_instance *instance, const memplan_place_news *news,
                                    memplan_arena *arena, memplan_place_result *found, memplan_error *error) {
  const memplan_solve_options *solve = state->solve;
  memplan_optimal_task task = {.instance = instance,
                               .limits = &solve->limits,
                               .goal = memplan_graph_goal(state),
                               .capacity = -1,
                               .bound = instance->n_pools == 1 ? entry->peak : 0,
                               .objective = state->objective,
                               .without = solve->without,
                               .news = news};
  memplan_optimal_result result;
  MEMPLAN_TRY(memplan_place_improve(&task, arena, found, &result, error));
  state->nodes += result.nodes;
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  return memplan_graph_conclude_pools(state, instance, &result, error);
}

// Has the incumbent this order and choice, so that its placement is one of this candidate too? Pools have objectives of
// their own.
static bool is_incumbent(const memplan_graph_search *state, const memplan_candidate *entry) {
  const memplan_candidate *best = state->best.candidate;
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
  memplan_place_news news = {.order = entry->method, .bound = state->bound, .peak = state->best.peak};
  bool exact = memplan_is_exact(state->solve->place);
  memplan_solve_options quick = *state->solve;
  quick.place = exact ? NULL : quick.place;
  if (memplan_graph_asks_pools(state)) {
    MEMPLAN_TRY(memplan_graph_place_within(state, instance, &news, scratch, found, error));
    if (found->method != NULL || found->declined || state->best.candidate != NULL) {
      return MEMPLAN_OK;
    }
    exact = false; // the question is answered, or open; any plan will do to look at
  }
  MEMPLAN_TRY(memplan_pool_search(instance, &quick, &news, scratch, found, error));
  if (!exact) {
    return MEMPLAN_OK;
  }
  if (is_incumbent(state, entry) && (found->method == NULL || found->peak > state->best.peak)) {
    found->method = state->best.method;
    found->placement = state->best.placement;
    found->peak = state->best.peak;
  }
  return place_exactly(state, entry, instance, &news, scratch, found, error);
}

static memplan_status place_lowered(memplan_graph_search *state, const memplan_candidate *entry,
                                    memplan_instance *instance, memplan_arena *scratch, memplan_error *error) {
  memplan_place_result found = {.stop = MEMPLAN_STOP_DONE};
  state->n_lowered++;
  MEMPLAN_TRY(run_methods(state, entry, instance, scratch, &found, error));
  state->nodes += found.nodes;
  state->stop = found.stop != MEMPLAN_STOP_DONE ? found.stop : state->stop;
  if (found.declined) {
    state->obstacles.declined = found;
  }
  if (found.unplaced != NULL && state->obstacles.unplaced == NULL) {
    state->obstacles.unplaced = memplan_arena_text(state->arena, found.unplaced, strlen(found.unplaced));
  }
  return memplan_graph_take_better(state, entry, instance, &found, error);
}

static void note_refusal(memplan_graph_search *state, const memplan_candidate *entry, const memplan_error *refusal) {
  const memplan_candidate *before = state->obstacles.refused;
  bool plainer = before != NULL && entry->n_choices == 0 && before->n_choices > 0;
  bool earlier = before != NULL && (entry->n_choices == 0) == (before->n_choices == 0) && entry->index < before->index;
  if (before == NULL || plainer || earlier) {
    state->obstacles.refused = entry;
    state->obstacles.refusal = *refusal;
  }
}

memplan_status memplan_graph_lower(memplan_graph_search *state, const memplan_candidate *entry,
                                   memplan_graph_placer *placer, memplan_error *error) {
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_arena scratch = {0};
  memplan_error refusal = {.message = ""};
  memplan_status status = memplan_ordering_lower(state->ordering, entry->order, entry->choice, entry->n_choices,
                                                 &instance, NULL, NULL, &refusal);
  if (status == MEMPLAN_OK) {
    status = placer(state, entry, &instance, &scratch, error);
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

memplan_status memplan_graph_place(memplan_graph_search *state, const memplan_candidate *entry, memplan_error *error) {
  return memplan_graph_lower(state, entry, place_lowered, error);
}
