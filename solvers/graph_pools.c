// SPDX-License-Identifier: Apache-2.0
// Loads of orders say nothing about the peaks of several pools, so every candidate is placed, first by heuristics. What
// the buffers of a candidate have to need of the pools leaves out those that hold nothing better than the incumbent;
// the others are searched. The end of a search proves something of the graph only where there is no other order and no
// other choice.
#include "solvers/graph_pools.h"

#include "solvers/bounds.h"
#include "solvers/graph_bound.h"
#include "solvers/graph_capacity.h"
#include "solvers/graph_incumbent.h"
#include "solvers/graph_place.h"
#include "solvers/infeasible.h"
#include "solvers/pool_search.h"

bool memplan_graph_is_one_problem(const memplan_graph_search *state) {
  bool one_order = state->fixed != NULL || state->ordering->n_ops <= 1 || memplan_bound_has_one_order(state->ordering);
  return state->is_least && state->ordering->n_pairs == 0 && one_order;
}

memplan_status memplan_graph_conclude_pools(memplan_graph_search *state, const memplan_instance *instance,
                                            const memplan_optimal_result *result, memplan_error *error) {
  bool ended = result->outcome == MEMPLAN_OPTIMAL || result->outcome == MEMPLAN_INFEASIBLE;
  if (instance->n_pools <= 1 || !ended || !memplan_graph_is_one_problem(state)) {
    return MEMPLAN_OK;
  }
  state->settled = result->outcome == MEMPLAN_OPTIMAL;
  return state->settled
             ? MEMPLAN_OK
             : memplan_infeasible_core(instance, state->solve, NULL, state->arena, &state->solution->infeasible, error);
}

static bool wants_pools(const memplan_graph_search *state) {
  const memplan_solve_options *solve = state->solve;
  bool open = solve->order == NULL || state->fixed != NULL;
  return state->graph->n_pools > 1 && open && solve->place == NULL && solve->joint == NULL &&
         !memplan_graph_asks_pools(state);
}

// What is there to begin with: the incumbent's own placement, or that of the heuristics.
static memplan_status find_first(const memplan_graph_search *state, const memplan_candidate *entry,
                                 const memplan_instance *instance, const memplan_place_news *news,
                                 memplan_arena *scratch, memplan_place_result *found, memplan_error *error) {
  if (entry != state->best.candidate) {
    return memplan_pool_search(instance, state->solve, news, scratch, found, error);
  }
  *found = (memplan_place_result){.method = state->best.method,
                                  .placement = state->best.placement,
                                  .peak = state->best.peak,
                                  .stop = MEMPLAN_STOP_DONE};
  return MEMPLAN_OK;
}

static memplan_status place_lowered(memplan_graph_search *state, const memplan_candidate *entry,
                                    memplan_instance *instance, memplan_arena *scratch, memplan_error *error) {
  if (state->best.candidate != NULL) {
    memplan_pool_table table;
    MEMPLAN_TRY(memplan_pool_table_of_instance(instance, NULL, scratch, &table, error));
    if (memplan_pool_table_proves(&table, &state->objective, state->best.pool_peaks)) {
      state->settled = state->settled || memplan_graph_is_one_problem(state);
      return MEMPLAN_OK;
    }
  }
  const memplan_place_news news = {.order = entry->method, .bound = state->bound, .peak = state->best.peak};
  memplan_limits share = state->solve->limits;
  share.work = memplan_limits_work(&share) / state->candidates.count;
  memplan_optimal_task task = {.instance = instance,
                               .limits = &share,
                               .capacity = -1,
                               .objective = state->objective,
                               .without = state->solve->without,
                               .news = &news};
  memplan_place_result found;
  memplan_optimal_result result;
  MEMPLAN_TRY(find_first(state, entry, instance, &news, scratch, &found, error));
  MEMPLAN_TRY(memplan_place_improve(&task, scratch, &found, &result, error));
  state->nodes += result.nodes;
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  MEMPLAN_TRY(memplan_graph_conclude_pools(state, instance, &result, error));
  return memplan_graph_take_better(state, entry, instance, &found, error);
}

memplan_status memplan_graph_settle_candidate(memplan_graph_search *state, const memplan_candidate *entry,
                                              memplan_error *error) {
  return wants_pools(state) ? memplan_graph_lower(state, entry, place_lowered, error) : MEMPLAN_OK;
}

memplan_status memplan_graph_settle_pools(memplan_graph_search *state, memplan_error *error) {
  const memplan_candidate *first = state->best.candidate;
  if (!wants_pools(state)) {
    return MEMPLAN_OK;
  }
  for (int32_t k = -1; k < state->candidates.count; k++) {
    memplan_stop stop = memplan_limits_reached(&state->solve->limits);
    const memplan_candidate *entry = k < 0 ? first : state->candidates.entries[k];
    if (entry == NULL || (k >= 0 && entry == first)) {
      continue;
    }
    if (memplan_graph_goal_met(state) || state->solution->infeasible != NULL) {
      return MEMPLAN_OK;
    }
    if (stop != MEMPLAN_STOP_DONE) {
      state->stop = stop;
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(memplan_graph_settle_candidate(state, entry, error));
  }
  return MEMPLAN_OK;
}
