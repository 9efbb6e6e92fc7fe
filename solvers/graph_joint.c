// SPDX-License-Identifier: Apache-2.0
// The default gives the joint portfolio and the exact order search turns, each with twice the share of the work of the
// one before: while a better order may be all that is missing, neither waits long for the other.
#include "solvers/graph_joint.h"

#include "solvers/graph_bound.h"
#include "solvers/graph_incumbent.h"
#include "solvers/graph_join_pools.h"
#include "solvers/graph_orders.h"
#include "solvers/graph_place.h"
#include "solvers/graph_stages.h"
#include "solvers/joint_exhaust.h"
#include "solvers/joint_portfolio.h"
#include "solvers/joint_whole.h"
#include "solvers/techniques.h"

enum {
  first_share = 20,     // of all work; each turn has twice the share of the one before
  share_behind = 8,     // while the order is what is missing most, the portfolio has this part of a turn
  refute_part = 4,      // of all work may say why there is no plan
  first_slice = 1 << 20 // of the search for any plan
};

static memplan_status allocate_joint(const memplan_ordering *ordering, memplan_arena *arena,
                                     memplan_method_result *result, memplan_error *error) {
  int64_t n_blocks = ordering->graph->n_storages + (int64_t)ordering->n_ops + ordering->n_residents;
  *result = (memplan_method_result){.failed_block = -1};
  result->order = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  result->choice = MEMPLAN_NEW(arena, int32_t, ordering->n_pairs);
  result->offset = MEMPLAN_NEW(arena, int64_t, n_blocks);
  result->pool = MEMPLAN_NEW(arena, int32_t, n_blocks);
  bool good = result->order != NULL && result->choice != NULL && result->offset != NULL && result->pool != NULL;
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static memplan_stage stage_of(const memplan_method *method) {
  return method == &memplan_joint_engine_method    ? MEMPLAN_STAGE_ENGINE
         : method == &memplan_joint_nogoods_method ? MEMPLAN_STAGE_NOGOODS
                                                   : MEMPLAN_STAGE_PROGRAM;
}

static memplan_status find_method(const memplan_graph_search *state, const memplan_method **method,
                                  memplan_error *error) {
  const memplan_task task = {
      .ordering = state->plain, .params = &state->solve->params, .without = state->solve->without};
  memplan_error reason = {.message = ""};
  if (memplan_select_methods(MEMPLAN_METHOD_JOINT, state->solve->joint, method, 1, error) == 0) {
    return MEMPLAN_INPUT;
  }
  return (*method)->accepts(&task, &reason)
             ? MEMPLAN_OK
             : memplan_fail(error, MEMPLAN_UNSUPPORTED, "method '%s' declines this problem: %s", (*method)->name,
                            reason.message);
}

memplan_status memplan_graph_check_joint(const memplan_graph_search *state, memplan_error *error) {
  const memplan_method *method;
  return state->solve->joint != NULL ? find_method(state, &method, error) : MEMPLAN_OK;
}

memplan_status memplan_graph_improve(memplan_graph_search *state, memplan_error *error) {
  const memplan_method *method;
  MEMPLAN_TRY(find_method(state, &method, error));
  bool anew = (state->solve->without & MEMPLAN_TECHNIQUE_ILP_KNOWN) != 0; // as if nothing were known, for measurements
  memplan_task task = {.ordering = state->plain,
                       .params = &state->solve->params,
                       .below = state->best.candidate != NULL && !anew ? state->best.peak : 0,
                       .bound = anew ? 0 : state->bound,
                       .without = state->solve->without};
  bool pools = state->graph->n_pools > 1 && method == &memplan_joint_engine_method;
  if (memplan_graph_goal_met(state) && !anew) {
    return MEMPLAN_OK;
  }
  if (pools) {
    MEMPLAN_TRY(memplan_graph_join_pools(state, error));
    memplan_graph_lap(state, MEMPLAN_STAGE_ENGINE);
    return MEMPLAN_OK;
  }
  memplan_method_result result;
  MEMPLAN_TRY(allocate_joint(state->ordering, state->arena, &result, error));
  MEMPLAN_TRY(method->run(&task, &state->solve->limits, &result, error));
  memplan_graph_lap(state, stage_of(method));
  state->nodes += result.nodes;
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  state->floating_bound = result.floating_bound;
  memplan_graph_raise_bound(state, result.bound);
  if (result.outcome != MEMPLAN_FEASIBLE && result.outcome != MEMPLAN_OPTIMAL) {
    return MEMPLAN_OK;
  }
  const memplan_graph_plan plan = {.method = method,
                                   .order = result.order,
                                   .choice = result.choice,
                                   .n_choices = result.n_choices,
                                   .placement = {.offset = result.offset, .pool = result.pool}};
  return memplan_graph_take_plan(state, &plan, error);
}

// ---- any plan

// Until one is found, or proven not to be, or that much work is done.
static memplan_status find_any(const memplan_limits *limits, int64_t work, memplan_joint_whole *whole,
                               memplan_joint_whole_news *news, memplan_stop *stop, memplan_error *error) {
  int64_t spent = 0;
  *stop = MEMPLAN_STOP_DONE;
  while (!news->improved && !news->closed && !news->full && spent < work) {
    *stop = memplan_limits_reached(limits);
    if (*stop != MEMPLAN_STOP_DONE) {
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(memplan_joint_whole_run(whole, 0, INT64_MAX, 0, first_slice, limits, news, error));
    spent += news->ticks > 0 ? news->ticks : 1;
  }
  bool answered = news->improved || news->closed;
  *stop = answered ? MEMPLAN_STOP_DONE : news->full ? MEMPLAN_STOP_MEMORY : MEMPLAN_STOP_WORK;
  return MEMPLAN_OK;
}

static memplan_status take_any(memplan_graph_search *state, const memplan_joint_whole *whole, memplan_error *error) {
  memplan_joint_plan plan;
  MEMPLAN_TRY(memplan_joint_whole_read(whole, state->arena, &plan, error));
  const memplan_graph_plan found = {.method = &memplan_joint_engine_method,
                                    .order = plan.order,
                                    .choice = plan.choice,
                                    .n_choices = plan.n_choices,
                                    .placement = plan.placement};
  MEMPLAN_TRY(memplan_graph_take_plan(state, &found, error));
  return memplan_graph_place(state, state->best.candidate, error); // by the methods asked for, from the same order
}

memplan_status memplan_graph_find_any(memplan_graph_search *state, bool *none, memplan_error *error) {
  memplan_joint_whole *whole;
  memplan_joint_whole_news news = {.closed = false};
  *none = false;
  MEMPLAN_TRY(memplan_joint_whole_new(state->plain, NULL, 0, INT64_MAX, &state->solve->limits, state->solve->without,
                                      &whole, error));
  if (whole == NULL) {
    return MEMPLAN_OK;
  }
  const memplan_limits *limits = &state->solve->limits;
  memplan_stop stop;
  memplan_status status = find_any(limits, memplan_limits_work(limits), whole, &news, &stop, error);
  state->nodes += news.conflicts;
  state->stop = stop != MEMPLAN_STOP_DONE ? stop : state->stop;
  if (status == MEMPLAN_OK && news.improved) {
    status = take_any(state, whole, error);
  }
  *none = status == MEMPLAN_OK && news.closed && !news.improved;
  memplan_joint_whole_free(whole);
  return status;
}

memplan_status memplan_graph_refute_any(memplan_graph_search *state, const memplan_ordering *ordering, bool *none,
                                        memplan_error *error) {
  memplan_joint_whole *whole;
  memplan_joint_whole_news news = {.closed = false};
  const memplan_limits *limits = &state->solve->limits;
  *none = false;
  MEMPLAN_TRY(memplan_joint_whole_new(ordering, NULL, 0, INT64_MAX, limits, state->solve->without, &whole, error));
  if (whole == NULL) {
    return MEMPLAN_OK;
  }
  memplan_stop stop;
  memplan_status status = find_any(limits, memplan_limits_work(limits) / refute_part, whole, &news, &stop, error);
  state->nodes += news.conflicts;
  *none = status == MEMPLAN_OK && news.closed && !news.improved;
  memplan_joint_whole_free(whole);
  return status;
}

// ---- the default

bool memplan_graph_wants_joint(const memplan_graph_search *state) {
  const memplan_solve_options *solve = state->solve;
  return solve->order == NULL && solve->place == NULL && solve->joint == NULL && !solve->fixed_order &&
         state->graph->n_pools <= 1 && !state->ordering->one_order;
}

// Is the order further from the bound than the plan is from its order? Then no placement brings much.
static bool lacks_order(const memplan_graph_search *state) {
  const memplan_candidate *best = memplan_candidates_best(&state->candidates);
  return memplan_graph_wants_order(state) && best->order_peak - state->bound > state->best.peak - best->order_peak;
}

static memplan_status take_turns(memplan_graph_search *state, memplan_joint_portfolio *portfolio,
                                 memplan_error *error) {
  int64_t all = memplan_limits_work(&state->solve->limits);
  int64_t spent = state->order_search.ticks, share = all / first_share;
  while (!memplan_graph_goal_met(state) && memplan_limits_reached(&state->solve->limits) == MEMPLAN_STOP_DONE) {
    int64_t ticks = 0, left = all - spent;
    if (left <= 0) {
      state->stop = MEMPLAN_STOP_WORK;
      return MEMPLAN_OK;
    }
    int64_t own = lacks_order(state) ? share / share_behind : share;
    MEMPLAN_TRY(memplan_joint_portfolio_run(portfolio, own < left ? own : left, &ticks, error));
    spent += ticks;
    left = all - spent;
    share = 2 * share;
    if (memplan_graph_goal_met(state)) {
      break;
    }
    if (memplan_graph_wants_order(state) && left > 0) {
      int64_t before = state->order_search.ticks;
      MEMPLAN_TRY(memplan_graph_search_order(state, share < left ? share : left, error));
      memplan_graph_lap(state, MEMPLAN_STAGE_ORDERS);
      spent += state->order_search.ticks - before;
    } else if (ticks == 0) {
      state->stop = MEMPLAN_STOP_WORK; // nothing is left to be tried
      return MEMPLAN_OK;
    }
  }
  memplan_stop stop = memplan_limits_reached(&state->solve->limits);
  state->stop = memplan_graph_goal_met(state) ? MEMPLAN_STOP_DONE : stop;
  return MEMPLAN_OK;
}

memplan_status memplan_graph_join(memplan_graph_search *state, memplan_error *error) {
  memplan_joint_portfolio *portfolio = memplan_joint_portfolio_new(state);
  memplan_status status = portfolio != NULL ? take_turns(state, portfolio, error) : memplan_fail_nomem(error);
  memplan_joint_portfolio_free(portfolio);
  return status;
}
