// SPDX-License-Identifier: Apache-2.0
// A graph by the best of all orders x in-place choices x placements.
//
// Candidates are pairs of an order and an in-place choice, sorted by order peak. Each is lowered and placed by all
// placement methods in parallel; the next one is tried only while it could still beat the incumbent (its order peak is
// a bound for its placements). Everything that decides is independent of the number of threads.
#include "solvers/graph_bound.h"
#include "solvers/graph_join_pools.h"
#include "solvers/graph_joint.h"
#include "solvers/graph_orders.h"
#include "solvers/graph_stages.h"
#include "solvers/graph_place.h"
#include "solvers/graph_pools.h"
#include "solvers/graph_refusal.h"
#include "solvers/graph_start.h"
#include "solvers/graph_store.h"
#include "solvers/prepare.h"

#include <string.h>

// No later candidate, all of them with no smaller load, can beat the incumbent. Loads say nothing about the peaks of
// several pools.
static bool is_settled(const memplan_graph_search *state, const memplan_candidate *next) {
  return state->best.candidate != NULL && state->graph->n_pools <= 1 && next->peak >= state->best.peak;
}

static bool out_of_limits(memplan_graph_search *state) {
  memplan_stop stop = memplan_limits_reached(&state->solve->limits);
  state->stop = stop != MEMPLAN_STOP_DONE ? stop : state->stop;
  return stop != MEMPLAN_STOP_DONE;
}

// What pins say of the orders.
static memplan_status find_pins(memplan_graph_search *state, memplan_error *error) {
  memplan_pin_orders *pins = MEMPLAN_NEW(state->arena, memplan_pin_orders, 1);
  if (pins == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_pin_orders_find(state->ordering, &state->solve->limits, state->arena, pins, error));
  state->pins = pins;
  if (pins->narrows && !pins->none) {
    state->ordering = &pins->forced;
    state->candidates.ordering = state->ordering;
  }
  return MEMPLAN_OK;
}

static memplan_status run_search(memplan_graph_search *state, memplan_error *error) {
  bool joins = memplan_graph_wants_joint(state);
  MEMPLAN_TRY(memplan_graph_take_start(state, error));
  if (memplan_graph_goal_met(state)) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_graph_find_candidates(state, error));
  memplan_graph_lap(state, MEMPLAN_STAGE_ORDERS);
  for (int32_t k = 0;
       k < state->candidates.count && !memplan_graph_goal_met(state) && state->solution->infeasible == NULL; k++) {
    if ((joins && state->best.candidate != NULL && state->n_lowered > 0) ||
        is_settled(state, state->candidates.entries[k]) || (state->best.candidate != NULL && out_of_limits(state))) {
      break;
    }
    MEMPLAN_TRY(memplan_graph_place(state, state->candidates.entries[k], error));
  }
  if (state->n_lowered > 0 && state->solution->infeasible == NULL) {
    MEMPLAN_TRY(memplan_graph_wants_join_pools(state) ? memplan_graph_search_pools(state, error)
                                                      : memplan_graph_settle_pools(state, error));
  }
  memplan_graph_lap(state, MEMPLAN_STAGE_PLACEMENT);
  bool refused = state->best.candidate == NULL && state->n_lowered == 0 && state->obstacles.refused != NULL;
  if (refused && state->solve->joint == NULL) {
    MEMPLAN_TRY(memplan_graph_settle_refusal(state, error));
    memplan_graph_lap(state, MEMPLAN_STAGE_ENGINE);
  }
  if (joins && state->best.candidate != NULL && state->solution->infeasible == NULL) {
    MEMPLAN_TRY(memplan_graph_join(state, error));
  }
  if (state->solve->joint != NULL) {
    MEMPLAN_TRY(memplan_graph_improve(state, error));
  }
  if (refused && state->best.candidate == NULL && state->solve->joint != NULL) {
    MEMPLAN_TRY(memplan_graph_settle_refusal(state, error));
  }
  if (state->best.candidate == NULL && state->obstacles.declined.declined) {
    return memplan_fail_declined(state->solve->place, &state->obstacles.declined, error);
  }
  return MEMPLAN_OK;
}

static memplan_status solve_prepared(const memplan_graph *graph, const memplan_problem_options *options,
                                     const memplan_solve_options *solve, memplan_prepared *prepared,
                                     memplan_solution *solution, memplan_error *error) {
  memplan_graph_search state = {.graph = graph,
                                .options = options,
                                .solve = solve,
                                .plain = &prepared->ordering,
                                .ordering = &prepared->ordering,
                                .is_least = !prepared->has_least,
                                .arena = &solution->arena,
                                .candidates = {.ordering = &prepared->ordering, .arena = &solution->arena},
                                .solution = solution,
                                .best = {.peak = INT64_MAX}};
  memplan_instance_init(&state.best.instance);
  state.best.pool_peaks = MEMPLAN_NEW(state.arena, int64_t, graph->n_pools + 1);
  if (state.best.pool_peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  state.stop = prepared->stop;
  memplan_graph_start_laps(&state);
  solution->naive_bytes = prepared->ordering.naive_bytes;
  solution->naive_saturated = prepared->ordering.naive_saturated;
  solution->weight_bytes = prepared->ordering.weight_bytes;
  solution->external_bytes = prepared->ordering.external_bytes;
  memplan_status status = memplan_graph_check_joint(&state, error);
  if (status != MEMPLAN_OK) {
    memplan_instance_free(&state.best.instance);
    return status;
  }
  if (memplan_order_is_fixed(solve)) {
    status = memplan_fixed_order(state.ordering, solve, state.arena, &state.fixed, error);
  } else if (solve->listed == NULL) {
    status = find_pins(&state, error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_graph_find_bound(&state, memplan_prepared_least(prepared), error);
    memplan_graph_lap(&state, MEMPLAN_STAGE_BOUNDS);
  }
  if (status == MEMPLAN_OK && solution->infeasible != NULL) {
    solution->outcome = MEMPLAN_INFEASIBLE;
  } else if (status == MEMPLAN_OK) {
    status = run_search(&state, error);
    solution->unplaced = state.best.candidate == NULL ? state.obstacles.unplaced : NULL;
    if (status == MEMPLAN_OK && state.best.candidate == NULL && state.n_lowered == 0 &&
        state.obstacles.refused != NULL && solution->infeasible == NULL) {
      solution->refused = memplan_arena_text(&solution->arena, state.obstacles.refusal.message,
                                             strlen(state.obstacles.refusal.message));
    }
    solution->outcome = solution->infeasible != NULL ? MEMPLAN_INFEASIBLE : solution->outcome;
  }
  if (status == MEMPLAN_OK && state.best.candidate != NULL) {
    status = memplan_graph_store_plan(&state, error);
  }
  memplan_instance_free(&state.best.instance);
  memplan_order_portfolio_free(state.order_search.portfolio);
  solution->stop = state.cut && state.stop != MEMPLAN_STOP_INTERRUPTED ? MEMPLAN_STOP_TIME : state.stop;
  solution->nodes = state.nodes;
  solution->floating_bound = state.floating_bound;
  return status == MEMPLAN_OK ? memplan_graph_store_bodies(graph, prepared, &solution->plan, error) : status;
}

memplan_status memplan_solve_graph(const memplan_graph *graph, const memplan_problem_options *options,
                                   const memplan_solve_options *solve, memplan_solution *solution,
                                   memplan_error *error) {
  memplan_prepared prepared;
  memplan_status status = memplan_prepare(graph, options, solve, &prepared, error);
  if (status == MEMPLAN_OK) {
    status = solve_prepared(graph, options, solve, &prepared, solution, error);
  }
  memplan_prepared_free(&prepared);
  return status;
}
