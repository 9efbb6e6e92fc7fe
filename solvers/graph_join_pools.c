// SPDX-License-Identifier: Apache-2.0
// What the joint search finds becomes a candidate like any other. What it proves holds for the graph only where the
// workspaces of planned bodies cannot be smaller.
#include "solvers/graph_join_pools.h"

#include "solvers/graph_bound.h"
#include "solvers/graph_capacity.h"
#include "solvers/graph_each_pool.h"
#include "solvers/graph_incumbent.h"
#include "solvers/graph_pools.h"
#include "solvers/graph_stages.h"
#include "solvers/joint_pools.h"
#include "solvers/joint_whole.h"
#include "solvers/pool_capacity.h"

#include <string.h>

enum {
  first_part = 16, // of all work is the first share
  time_part = 8,   // of all time
  pools_part = 4,  // of all work is for the pools alone
  refute_part = 4  // of all work may say why there is no plan
};

bool memplan_graph_wants_join_pools(const memplan_graph_search *state) {
  const memplan_solve_options *solve = state->solve;
  return solve->order == NULL && solve->place == NULL && solve->joint == NULL && !solve->fixed_order &&
         state->graph->n_pools > 1 && !state->ordering->one_order;
}

static memplan_status refuse(memplan_graph_search *state, memplan_error *error) {
  static const char why[] = "a search of all orders, in-place choices, pools and offsets has ended without a plan";
  state->solution->infeasible = memplan_graph_asks_pools(state)
                                    ? memplan_pool_capacity_text(state->options->capacity, why, state->arena)
                                    : memplan_arena_text(state->arena, why, strlen(why));
  return state->solution->infeasible != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static memplan_status join(memplan_graph_search *state, const memplan_limits *limits, const int64_t *bounds,
                           memplan_error *error) {
  bool asks = memplan_graph_asks_pools(state);
  memplan_joint_pools_task task = {.ordering = state->plain,
                                   .objective = state->objective,
                                   .capacity = asks ? state->options->capacity : -1,
                                   .bounds = bounds,
                                   .limits = limits,
                                   .work = memplan_limits_work(limits),
                                   .without = state->solve->without};
  memplan_joint_pools_result result;
  if (state->best.candidate != NULL) {
    task.order = state->best.candidate->order;
    task.choice = state->best.candidate->choice;
    task.n_choices = state->best.candidate->n_choices;
    task.peaks = state->best.pool_peaks;
  }
  MEMPLAN_TRY(memplan_joint_pools_run(&task, state->arena, &result, error));
  state->nodes += result.conflicts;
  state->stop = result.stop;
  state->cut = state->cut || result.stop == MEMPLAN_STOP_TIME;
  if (result.has_plan) {
    const memplan_graph_plan plan = {.method = &memplan_joint_engine_method,
                                     .order = result.plan.order,
                                     .choice = result.plan.choice,
                                     .n_choices = result.plan.n_choices,
                                     .placement = result.plan.placement};
    MEMPLAN_TRY(memplan_graph_take_plan(state, &plan, error));
  }
  if (!state->is_least) {
    return MEMPLAN_OK;
  }
  memplan_graph_raise_largest(state, result.largest);
  state->settled = state->settled || (result.settled && !asks);
  return result.none ? refuse(state, error) : MEMPLAN_OK;
}

memplan_status memplan_graph_join_pools(memplan_graph_search *state, memplan_error *error) {
  char reason[256];
  return memplan_joint_pools_accepts(state->plain, reason) ? join(state, &state->solve->limits, NULL, error)
                                                           : MEMPLAN_OK;
}

memplan_status memplan_graph_refute_join_pools(memplan_graph_search *state, const memplan_ordering *ordering,
                                               bool *none, memplan_error *error) {
  const memplan_limits *limits = &state->solve->limits;
  memplan_joint_pools_task task = {.ordering = ordering,
                                   .objective = state->objective,
                                   .capacity = MEMPLAN_SIZE_LIMIT, // any plan will do
                                   .limits = limits,
                                   .work = memplan_limits_work(limits) / refute_part};
  memplan_joint_pools_result result;
  memplan_arena scratch = {0};
  memplan_status status = memplan_joint_pools_run(&task, &scratch, &result, error);
  if (status == MEMPLAN_OK) {
    state->nodes += result.conflicts;
    *none = result.none;
  }
  memplan_arena_free(&scratch);
  return status;
}

static bool is_over(const memplan_graph_search *state) {
  return memplan_graph_goal_met(state) || state->solution->infeasible != NULL ||
         memplan_limits_reached(&state->solve->limits) != MEMPLAN_STOP_DONE;
}

memplan_status memplan_graph_search_pools(memplan_graph_search *state, memplan_error *error) {
  const memplan_limits *limits = &state->solve->limits;
  int64_t all = memplan_limits_work(limits);
  int64_t *bounds = MEMPLAN_NEW(state->arena, int64_t, state->graph->n_pools); // of the pools alone: 0, none is known
  char reason[256];
  bool joins = memplan_joint_pools_accepts(state->plain, reason);
  if (bounds == NULL) {
    return memplan_fail_nomem(error);
  }
  if (joins && !is_over(state)) {
    const memplan_limits first = memplan_limits_slice(limits, all / first_part, time_part);
    MEMPLAN_TRY(join(state, &first, NULL, error));
    memplan_graph_lap(state, MEMPLAN_STAGE_ENGINE);
  }
  if (!is_over(state)) {
    MEMPLAN_TRY(memplan_graph_plan_pools(state, all / pools_part, bounds, error));
  }
  if (!is_over(state)) {
    MEMPLAN_TRY(memplan_graph_settle_pools(state, error));
    memplan_graph_lap(state, MEMPLAN_STAGE_PLACEMENT);
  }
  if (joins && !is_over(state)) {
    const memplan_limits rest = memplan_limits_slice(limits, all - all / first_part - all / pools_part, 1);
    MEMPLAN_TRY(join(state, &rest, bounds, error));
    memplan_graph_lap(state, MEMPLAN_STAGE_ENGINE);
  }
  memplan_stop stop = memplan_limits_reached(limits);
  if (memplan_graph_goal_met(state) || state->solution->infeasible != NULL) {
    state->stop = MEMPLAN_STOP_DONE;
  } else if (stop != MEMPLAN_STOP_DONE) {
    state->stop = stop;
  } else if (state->stop == MEMPLAN_STOP_DONE) {
    state->stop = MEMPLAN_STOP_WORK; // nothing is left to be tried
  }
  return MEMPLAN_OK;
}
