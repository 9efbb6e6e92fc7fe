// SPDX-License-Identifier: Apache-2.0
// The heuristics give the first orders, the exact search goes on from the best of them. Where pins exclude orders in
// more than one way, both work a second time on orders of one way, on which no pinned buffers meet: what they bring is
// as good as any order, but says nothing about the others.
#include "solvers/graph_orders.h"

#include "heuristics/portfolio.h"
#include "solvers/graph_bound.h"
#include "solvers/graph_joint.h"
#include "solvers/prepare.h"

#include <string.h>

enum {
  most_methods = 64,
  order_share = 20, // of all work, unless the best order is asked for
  memory_part = 4,  // beside the joint portfolio
  pools_time = 4    // of all time, with several pools
};

// Goes on with the order search, from an order (or NULL) and a bound that are known by now.
static memplan_status run_order_search(memplan_graph_search *state, const int32_t *start, int64_t bound, int64_t work,
                                       memplan_error *error) {
  size_t n_ops = (size_t)state->ordering->n_ops;
  if (state->order_search.portfolio == NULL) {
    // The joint portfolio keeps what it holds between the turns, as this one does.
    memplan_limits limits =
        memplan_limits_part(&state->solve->limits, memplan_graph_wants_joint(state) ? memory_part : 1);
    if (state->graph->n_pools > 1 && state->solve->order == NULL) { // the load of all pools is not what is asked for
      limits = memplan_limits_slice(&limits, limits.work, pools_time);
    }
    memplan_order_optimal_task task = {.ordering = state->ordering,
                                       .limits = &limits,
                                       .start = start,
                                       .bound = bound,
                                       .gap_millionths = state->solve->gap_millionths,
                                       .without = state->solve->without};
    MEMPLAN_TRY(memplan_order_portfolio_new(&task, &state->order_search.portfolio, error));
  }
  memplan_order_optimal_result result;
  MEMPLAN_TRY(memplan_order_portfolio_run(state->order_search.portfolio, start, bound, work, &result, error));
  state->nodes += result.states - state->order_search.states;
  state->order_search.states = result.states;
  state->order_search.ticks = result.ticks;
  state->order_search.open = result.stop == MEMPLAN_STOP_WORK;
  state->cut = state->cut || (state->graph->n_pools > 1 && result.stop == MEMPLAN_STOP_TIME);
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  memplan_graph_raise_order_bound(state, result.bound);
  int32_t *order = MEMPLAN_NEW(state->arena, int32_t, state->ordering->n_ops);
  if (order == NULL) {
    return memplan_fail_nomem(error);
  }
  if (n_ops > 0) {
    memcpy(order, result.order, n_ops * sizeof *order);
  }
  return memplan_candidates_add(&state->candidates, order, memplan_order_optimal_method.name, error);
}

bool memplan_graph_wants_order(const memplan_graph_search *state) {
  const memplan_candidate *best = memplan_candidates_best(&state->candidates);
  return state->order_search.open && best != NULL && best->order_peak > state->bound;
}

memplan_status memplan_graph_search_order(memplan_graph_search *state, int64_t work, memplan_error *error) {
  const memplan_candidate *best = memplan_candidates_best(&state->candidates);
  int64_t bound = state->is_least ? state->solution->order_lower_bound : 0;
  return run_order_search(state, best != NULL ? best->order : NULL, bound, work, error);
}

// The best of all orders, from the best one of `tasks`; in its share of the work, unless it is asked for by name.
static memplan_status search_order(memplan_graph_search *state, const memplan_portfolio_task *tasks, int32_t count,
                                   memplan_error *error) {
  const memplan_solve_options *solve = state->solve;
  int32_t best = memplan_portfolio_best(tasks, count);
  bool wanted = memplan_order_is_exact(solve->order);
  int64_t bound = state->is_least ? state->solution->order_lower_bound : 0;
  const int32_t *start = best >= 0 ? tasks[best].result.order : NULL;
  int64_t peak = best >= 0 ? tasks[best].peak : INT64_MAX;
  if (state->start != NULL && state->start->order_peak < peak) {
    start = state->start->order;
    peak = state->start->order_peak;
  }
  bool narrowed = state->ordering->pred != state->graph->pred; // and the given order is none of these
  if ((!wanted && (state->ordering->n_ops == 0 || peak <= bound)) || (narrowed && start == NULL)) {
    return MEMPLAN_OK;
  }
  int64_t all = memplan_limits_work(&solve->limits);
  return run_order_search(state, start, bound, wanted ? solve->limits.work : all / order_share, error);
}

// Runs the methods on the orders of `ordering`, which are orders of the graph, and adds those that they give. Methods
// that take the given order of all operators, or of a group's, know nothing of the precedences that pins imply.
static memplan_status run_methods(memplan_graph_search *state, const memplan_ordering *ordering,
                                  const memplan_method *const *methods, int32_t count, bool add,
                                  memplan_portfolio_task *tasks, memplan_error *error) {
  memplan_stop stop;
  for (int32_t k = 0; k < count; k++) {
    tasks[k] = (memplan_portfolio_task){.method = methods[k]};
    tasks[k].task = (memplan_task){.ordering = ordering, .params = &state->solve->params};
  }
  MEMPLAN_TRY(memplan_portfolio_run(tasks, count, &state->solve->limits, state->arena, &stop, error));
  state->stop = stop != MEMPLAN_STOP_DONE ? stop : state->stop;
  for (int32_t k = 0; k < count; k++) {
    if (tasks[k].ran) {
      memplan_error why = {.message = ""};
      memplan_status status = memplan_ordering_check(ordering, tasks[k].result.order, &why);
      if (status == MEMPLAN_INPUT && ordering->pred != ordering->graph->pred) {
        tasks[k].ran = false;
        continue;
      }
      if (status != MEMPLAN_OK) {
        return memplan_fail(error, status, "%s", why.message);
      }
    }
    if (tasks[k].ran && add) {
      state->nodes += tasks[k].result.nodes;
      state->floating_bound = tasks[k].result.floating_bound;
      MEMPLAN_TRY(memplan_candidates_add(&state->candidates, tasks[k].result.order, methods[k]->name, error));
    }
  }
  return MEMPLAN_OK;
}

// The same once more on orders on which no pinned buffers meet.
static memplan_status find_apart(memplan_graph_search *state, const memplan_method *const *methods, int32_t count,
                                 bool searched, memplan_error *error) {
  memplan_portfolio_task tasks[most_methods] = {0};
  const memplan_ordering *apart = &state->pins->decided;
  MEMPLAN_TRY(run_methods(state, apart, methods, count, !memplan_order_is_exact(state->solve->order), tasks, error));
  int32_t best = memplan_portfolio_best(tasks, count);
  if (!searched || best < 0) {
    return MEMPLAN_OK;
  }
  memplan_limits limits = state->solve->limits;
  limits.work = memplan_limits_work(&limits) / order_share;
  limits.progress = NULL; // its bound is that of some orders only
  memplan_order_optimal_task task = {.ordering = apart,
                                     .limits = &limits,
                                     .start = tasks[best].result.order,
                                     .bound = state->solution->order_lower_bound,
                                     .gap_millionths = state->solve->gap_millionths,
                                     .without = state->solve->without};
  memplan_order_optimal_result result;
  MEMPLAN_TRY(memplan_order_optimal(&task, state->arena, &result, error));
  state->nodes += result.states;
  return memplan_candidates_add(&state->candidates, result.order, memplan_order_optimal_method.name, error);
}

memplan_status memplan_graph_find_candidates(memplan_graph_search *state, memplan_error *error) {
  const memplan_method *methods[most_methods];
  memplan_portfolio_task tasks[most_methods] = {0};
  const char *name = state->solve->order;
  if (state->ordering->one_order && name == NULL) {
    name = "given";
  }
  if (state->ordering->one_order && strcmp(name, "given") != 0) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                        "order method '%s' declines this problem: all sizes together pass 2^62 bytes, so that loads of "
                        "other orders than the given one could not be added up; choose --order given",
                        name);
  }
  if (state->solve->listed != NULL && name != NULL && strcmp(name, MEMPLAN_ORDER_FILE) == 0) {
    const int32_t *order = NULL;
    MEMPLAN_TRY(memplan_fixed_order(state->ordering, state->solve, state->arena, &order, error));
    return memplan_candidates_add(&state->candidates, order, MEMPLAN_ORDER_FILE, error);
  }
  bool exact = memplan_order_is_exact(name);
  int32_t count = memplan_select_methods(MEMPLAN_METHOD_ORDER, exact ? NULL : name, methods, most_methods, error);
  if (count == 0) {
    return MEMPLAN_INPUT;
  }
  MEMPLAN_TRY(run_methods(state, state->ordering, methods, count, !exact, tasks, error));
  if (name != NULL && !exact && !tasks[0].ran && tasks[0].result.stop == MEMPLAN_STOP_DONE) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "order method '%s' declines this problem: %s", name,
                        tasks[0].error.message);
  }
  if (exact || name == NULL) {
    MEMPLAN_TRY(search_order(state, tasks, count, error));
    // A start is searched around as any candidate is, unless another order is asked for.
    if (state->start != NULL) {
      MEMPLAN_TRY(memplan_candidates_append(&state->candidates, state->start, error));
    }
  }
  if (state->pins != NULL && state->pins->branches) {
    MEMPLAN_TRY(find_apart(state, methods, count, exact || name == NULL, error));
  }
  memplan_candidates_sort(&state->candidates);
  return MEMPLAN_OK;
}
