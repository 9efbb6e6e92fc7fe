// SPDX-License-Identifier: Apache-2.0
// Bounds of every order come first, from flows and from what any placement needs; what searches prove later raises
// them. The largest one ends the search when a plan meets it.
#include "solvers/graph_bound.h"

#include "solvers/bound_cut.h"
#include "solvers/bounds.h"
#include "solvers/graph_capacity.h"
#include "solvers/infeasible.h"
#include "solvers/place_optimal.h"

memplan_status memplan_graph_find_bound(memplan_graph_search *state, const memplan_ordering *least,
                                        memplan_error *error) {
  memplan_solution *solution = state->solution;
  memplan_bound_list list = {.count = 0};
  MEMPLAN_TRY(memplan_bound_order(least, &list, error));
  if (state->fixed == NULL) {
    MEMPLAN_TRY(memplan_bound_cut(least, &state->solve->limits, state->arena, &list, NULL, error));
  }
  memplan_bound best = memplan_bound_list_best(&list);
  solution->order_lower_bound = memplan_bound_list_of_load(&list);
  if (state->fixed != NULL) {
    memplan_profile profile;
    MEMPLAN_TRY(memplan_ordering_profile(least, state->fixed, state->arena, &profile, error));
    if (profile.bound > best.bytes) {
      best = (memplan_bound){.kind = MEMPLAN_BOUND_LOAD, .bytes = profile.bound, .step = profile.step};
    }
  }
  if (state->fixed == NULL) {
    int64_t rounded;
    MEMPLAN_TRY(memplan_bound_rounded(least, best.bytes, &state->solve->limits, &rounded, error));
    if (rounded > best.bytes) {
      best = (memplan_bound){.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = rounded, .step = -1};
    }
  }
  solution->infeasible = memplan_infeasible_graph(state->graph, &best, state->arena);
  if (state->graph->n_pools > 1) {
    memplan_bound_list pools = {.count = 0};
    const memplan_graph *graph = state->graph;
    MEMPLAN_TRY(memplan_objective_find(state->solve, graph->pools, graph->n_pools, &state->objective, error));
    MEMPLAN_TRY(memplan_pool_table_of_graph(least, NULL, state->arena, &state->table, error));
    memplan_pool_table_list(&state->table, true, &pools);
    best = pools.entries[0];
    if (solution->infeasible == NULL) {
      solution->infeasible = memplan_pool_table_refutes(&state->table, state->arena);
    }
    if (solution->infeasible == NULL && memplan_graph_asks_pools(state)) {
      MEMPLAN_TRY(memplan_graph_refute_pools(state, least, error));
    }
  }
  state->bound = best.bytes;
  solution->plan.bound = best;
  solution->plan.lower_bound = best.bytes;
  return MEMPLAN_OK;
}

void memplan_graph_raise_order_bound(memplan_graph_search *state, int64_t bytes) {
  memplan_solution *solution = state->solution;
  if (state->pins != NULL && state->pins->narrows) { // said of the orders that pins admit, as every plan's is
    memplan_graph_raise_bound(state, bytes);
    return;
  }
  if (!state->is_least || bytes <= solution->order_lower_bound) {
    return;
  }
  solution->order_lower_bound = bytes;
  memplan_graph_raise_bound(state, bytes);
}

void memplan_graph_raise_bound(memplan_graph_search *state, int64_t bytes) {
  memplan_solution *solution = state->solution;
  if (state->is_least && state->graph->n_pools <= 1 && bytes > state->bound) {
    memplan_bound bound = {.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = bytes, .step = -1};
    state->bound = bytes;
    solution->plan.bound = bound;
    solution->plan.lower_bound = bytes;
    solution->infeasible = memplan_infeasible_graph(state->graph, &bound, state->arena);
  }
}

void memplan_graph_raise_largest(memplan_graph_search *state, int64_t bytes) {
  if (state->is_least && state->graph->n_pools > 1 && bytes > state->bound) {
    state->bound = bytes;
    state->solution->plan.bound =
        (memplan_bound){.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = bytes, .step = -1};
    state->solution->plan.lower_bound = bytes;
  }
}

memplan_status memplan_graph_raise_window_bound(memplan_graph_search *state, int64_t bytes, const int32_t *ops,
                                                int32_t n_ops, memplan_error *error) {
  int64_t before = state->bound;
  memplan_graph_raise_bound(state, bytes);
  if (state->bound == before || ops == NULL) {
    return MEMPLAN_OK;
  }
  const char **ids = MEMPLAN_NEW(&state->solution->plan.arena, const char *, n_ops); // of a body it goes with its plan
  if (ids == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < n_ops; k++) {
    ids[k] = state->graph->ops[ops[k]].id;
  }
  state->solution->plan.bound.ops = ids;
  state->solution->plan.bound.n_ops = n_ops;
  return MEMPLAN_OK;
}

int64_t memplan_graph_goal(const memplan_graph_search *state) {
  return memplan_goal(state->bound, state->options->capacity, state->solve->gap_millionths);
}

// With several pools the largest peak alone says something only where that one is made small, and nothing of ties.
bool memplan_graph_goal_met(const memplan_graph_search *state) {
  if (state->best.candidate == NULL || state->graph->n_pools <= 1) {
    return state->best.candidate != NULL && state->best.peak <= memplan_graph_goal(state);
  }
  if (memplan_graph_asks_pools(state)) {
    return state->best.peak <= state->options->capacity;
  }
  bool near = state->solve->gap_millionths > 0 && state->objective.minimize == MEMPLAN_MINIMIZE_MAX &&
              state->best.peak <= memplan_graph_goal(state);
  return near || state->settled || state->best.proven;
}
