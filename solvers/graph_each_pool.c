// SPDX-License-Identifier: Apache-2.0
// A peak that meets what the pool alone needs, under limits that the pools before it in the objective have met, is the
// least there is under those limits: then the next pool may be asked. If a pool alone has a plan with less, its order
// is a new candidate, and where nothing lies elsewhere the plan is one of the graph.
#include "solvers/graph_each_pool.h"

#include "model/graph_pool.h"
#include "model/planned_order.h"
#include "solvers/graph_bound.h"
#include "solvers/graph_capacity.h"
#include "solvers/graph_incumbent.h"
#include "solvers/graph_place.h"
#include "solvers/graph_pools.h"
#include "solvers/graph_stages.h"
#include "solvers/graph_start.h"
#include "solvers/pool_capacity.h"
#include "solvers/prepare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { time_part = 2 }; // of the time that is left is for the pools that are left; the rest searches all together

// ---- plans of a pool alone

static memplan_status take_resolved(memplan_graph_search *state, const memplan_solution *alone,
                                    const memplan_planned_order *planned, memplan_error *error) {
  memplan_graph_plan found = {.order_method = alone->order_method,
                              .order = planned->order,
                              .choice = planned->choice,
                              .n_choices = planned->n_choices};
  bool known = memplan_select_methods(MEMPLAN_METHOD_PLACE, alone->place_method, &found.method, 1, NULL) > 0 ||
               memplan_select_methods(MEMPLAN_METHOD_JOINT, alone->place_method, &found.method, 1, NULL) > 0;
  if (!known) {
    return memplan_fail(error, MEMPLAN_INTERNAL, "no method is named '%s' (please report this)", alone->place_method);
  }
  MEMPLAN_TRY(memplan_graph_find_placement(state, &alone->plan, planned, &found.placement, error));
  return memplan_graph_take_plan(state, &found, error);
}

// What the graph or a pool alone may contradict is left; the rest are faults.
static memplan_status leave_refused(memplan_status status, const memplan_error *refusal, memplan_error *error) {
  bool refused = status == MEMPLAN_INPUT || status == MEMPLAN_UNSUPPORTED;
  return status == MEMPLAN_OK || refused ? MEMPLAN_OK : memplan_fail(error, status, "%s", refusal->message);
}

// The plan as it is, where it is one of the graph.
static memplan_status take_whole(memplan_graph_search *state, const memplan_solution *alone, memplan_error *error) {
  memplan_planned_order planned;
  memplan_error refusal = {.message = ""};
  memplan_status status = memplan_plan_resolve_order(state->ordering, &alone->plan, &planned, state->arena, &refusal);
  if (status == MEMPLAN_OK) {
    status = take_resolved(state, alone, &planned, &refusal);
  }
  return leave_refused(status, &refusal, error);
}

// Its order, with the choices that candidates have.
static memplan_status take_order(memplan_graph_search *state, const memplan_solution *alone, memplan_error *error) {
  int32_t n = state->ordering->n_ops, before = state->candidates.count;
  int32_t *order = MEMPLAN_NEW(state->arena, int32_t, n);
  if (order == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(order, alone->order, (size_t)n * sizeof *order);
  MEMPLAN_TRY(memplan_candidates_add(&state->candidates, order, alone->order_method, error));
  for (int32_t k = before; k < state->candidates.count && !memplan_graph_goal_met(state); k++) {
    MEMPLAN_TRY(memplan_graph_place(state, state->candidates.entries[k], error));
    MEMPLAN_TRY(memplan_graph_settle_candidate(state, state->candidates.entries[k], error));
  }
  return MEMPLAN_OK;
}

// ---- one pool

static memplan_status solve_alone(const memplan_graph_search *state, const memplan_graph *alone,
                                  const memplan_limits *limits, memplan_solution *solution, memplan_error *error) {
  memplan_solve_options solve = *state->solve;
  memplan_problem_options options = *state->options;
  solve.limits = *limits;
  solve.minimize = MEMPLAN_MINIMIZE_PEAK;
  solve.minimize_pool = NULL;
  solve.start = NULL;
  solve.gap_millionths = 0;
  options.capacity = -1;
  return memplan_solve_graph(alone, &options, &solve, solution, error);
}

static memplan_status refute(memplan_graph_search *state, int32_t pool, int64_t bytes, int64_t limit,
                             memplan_error *error) {
  char text[512];
  (void)snprintf(text, sizeof text,
                 "pool '%.100s' holds %" PRId64 " bytes, but what cannot lie elsewhere needs %" PRId64
                 " there in every order, %" PRId64 " too many",
                 state->graph->pools[pool].id, limit, bytes, bytes - limit);
  state->solution->infeasible = memplan_graph_asks_pools(state)
                                    ? memplan_pool_capacity_text(state->options->capacity, text, state->arena)
                                    : memplan_arena_text(state->arena, text, strlen(text));
  return state->solution->infeasible != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// One pool, as the next one to be planned alone.
typedef struct pool_turn {
  int32_t pool;
  int32_t left; // pools to be planned yet, with this one
  const int64_t *limits;
  bool given; // the limits are those of the problem, not of peaks that were settled
  int64_t work;
} pool_turn;

static memplan_status use_alone(memplan_graph_search *state, const pool_turn *turn, const memplan_solution *alone,
                                int64_t *bound, memplan_error *error) {
  int32_t pool = turn->pool;
  int64_t limit = turn->limits[pool];
  *bound = state->is_least ? alone->plan.lower_bound : 0;
  state->nodes += alone->nodes;
  if (turn->given && limit >= 0 && *bound > limit) {
    return refute(state, pool, *bound, limit, error);
  }
  if (!alone->has_plan || (state->best.candidate != NULL && alone->plan.peak >= state->best.pool_peaks[pool])) {
    return MEMPLAN_OK;
  }
  return memplan_graph_is_of_pool(state->graph, pool, turn->limits) ? take_whole(state, alone, error)
                                                                    : take_order(state, alone, error);
}

static memplan_status plan_pool(memplan_graph_search *state, const pool_turn *turn, int64_t *bound,
                                memplan_error *error) {
  memplan_arena arena = {0};
  memplan_graph alone;
  memplan_solution solution;
  memplan_error refusal = {.message = ""};
  memplan_solution_init(&solution);
  const memplan_limits limits = memplan_limits_slice(&state->solve->limits, turn->work, time_part * turn->left);
  bool made = memplan_graph_of_pool_within(state->graph, turn->pool, turn->limits, &arena, &alone);
  memplan_status status =
      made ? solve_alone(state, &alone, &limits, &solution, &refusal) : memplan_fail_nomem(&refusal);
  *bound = 0;
  memplan_graph_add_stages(state, solution.stage_us);
  state->cut = state->cut || solution.stop == MEMPLAN_STOP_TIME;
  if (status == MEMPLAN_OK) {
    status = use_alone(state, turn, &solution, bound, error);
  } else {
    status = leave_refused(status, &refusal, error); // what the pool alone cannot be asked, stays open
  }
  memplan_solution_free(&solution);
  memplan_arena_free(&arena);
  return status;
}

// ---- all of them

static bool all_least(const memplan_graph_search *state, const int64_t *bounds) {
  bool met = state->best.candidate != NULL;
  for (int32_t pool = 0; pool < state->graph->n_pools && met; pool++) {
    met = state->best.pool_peaks[pool] <= bounds[pool];
  }
  return met;
}

static int32_t pool_in_turn(const memplan_objective *objective, int32_t n_pools, int32_t turn) {
  if (objective->minimize != MEMPLAN_MINIMIZE_POOL) {
    return n_pools - 1 - turn;
  }
  int32_t pool = n_pools - turn;
  return turn == 0 ? objective->pool : pool > objective->pool ? pool : pool - 1;
}

memplan_status memplan_graph_plan_pools(memplan_graph_search *state, int64_t work, int64_t *bounds,
                                        memplan_error *error) {
  const memplan_graph *graph = state->graph;
  memplan_minimize minimize = state->objective.minimize;
  bool in_turn = minimize == MEMPLAN_MINIMIZE_PEAK || minimize == MEMPLAN_MINIMIZE_POOL;
  bool asks = memplan_graph_asks_pools(state), met = true, given = true;
  int64_t *limits = MEMPLAN_NEW(state->arena, int64_t, graph->n_pools);
  if (limits == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t pool = 0; pool < graph->n_pools; pool++) {
    limits[pool] = asks ? memplan_pool_capacity_within(&graph->pools[pool], state->options->capacity)
                        : graph->pools[pool].capacity;
  }
  for (int32_t turn = 0; turn < graph->n_pools && graph->n_bodies == 0; turn++) {
    int32_t pool = pool_in_turn(&state->objective, graph->n_pools, turn);
    const pool_turn now = {pool, graph->n_pools - turn, limits, given, work / graph->n_pools};
    int64_t bound;
    if (memplan_graph_goal_met(state) || state->solution->infeasible != NULL ||
        memplan_limits_reached(&state->solve->limits) != MEMPLAN_STOP_DONE) {
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(plan_pool(state, &now, &bound, error));
    if (given) {
      bounds[pool] = bound > bounds[pool] ? bound : bounds[pool];
      memplan_graph_raise_largest(state, bound);
    }
    bool least = state->best.candidate != NULL && state->best.pool_peaks[pool] <= bound;
    met = met && least;
    if (in_turn && met && !asks) {
      limits[pool] = state->best.pool_peaks[pool];
      given = false;
    }
  }
  // No peak can be smaller, or none by the objective: later incumbents have the same peaks of pools that were settled.
  bool least = all_least(state, bounds) || (in_turn && met && graph->n_bodies == 0);
  state->settled = state->settled || (least && state->is_least && !asks);
  return MEMPLAN_OK;
}
