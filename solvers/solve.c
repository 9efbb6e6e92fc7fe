// SPDX-License-Identifier: Apache-2.0
// The public entry: solves a problem and lets no plan out that verify does not accept.
#include "model/base/clock.h"
#include "model/base/quote.h"
#include "model/memplan.h"
#include "model/problem_json.h"
#include "solvers/bound_pools.h"
#include "solvers/bound_cut.h"
#include "solvers/bounds.h"
#include "solvers/objective.h"
#include "solvers/order_optimal.h"
#include "solvers/prepare.h"
#include "solvers/warm_start.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// NULL stays NULL.
static bool keep_ids(memplan_plan *plan, const char *const **ids, int32_t n) {
  const char **kept = *ids != NULL ? MEMPLAN_NEW(&plan->arena, const char *, n) : NULL;
  bool good = *ids == NULL || kept != NULL;
  for (int32_t k = 0; kept != NULL && good && k < n; k++) {
    kept[k] = memplan_arena_text(&plan->arena, (*ids)[k], strlen((*ids)[k]));
    good = kept[k] != NULL;
  }
  *ids = kept;
  return good;
}

// A plan stands alone: its witness goes into its own arena.
static bool keep_witness(memplan_plan *plan) {
  memplan_bound *bound = &plan->bound;
  bool good = true;
  if (bound->op != NULL) {
    bound->op = memplan_arena_text(&plan->arena, bound->op, strlen(bound->op));
    good = bound->op != NULL;
  }
  return good && keep_ids(plan, &bound->buffers, bound->n_buffers) && keep_ids(plan, &bound->ops, bound->n_ops);
}

// Marks a plan and those of its bodies with what they were made by and for.
static memplan_status stamp_plan(const memplan_problem *problem, memplan_outcome outcome, memplan_plan *plan,
                                 memplan_error *error) {
  char tool[64];
  (void)snprintf(tool, sizeof tool, "memplan %s", memplan_version());
  plan->tool = memplan_arena_text(&plan->arena, tool, strlen(tool));
  plan->fingerprint = memplan_arena_text(&plan->arena, problem->fingerprint, strlen(problem->fingerprint));
  plan->problem = memplan_problem_options_json(problem);
  plan->outcome = outcome;
  if (!keep_witness(plan) || plan->tool == NULL || plan->fingerprint == NULL || plan->problem == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t body = 0; body < plan->n_bodies; body++) {
    memplan_plan *inner = plan->bodies[body].plan;
    memplan_outcome found = inner->peak == inner->lower_bound ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
    MEMPLAN_TRY(stamp_plan(problem, found, inner, error));
  }
  return MEMPLAN_OK;
}

static memplan_status verify_plan(const memplan_problem *problem, const memplan_plan *plan, memplan_error *error) {
  // The capacity asked about is a wish, not a condition: a plan above it is still a plan.
  memplan_problem unlimited = *problem;
  unlimited.options.capacity = -1;
  memplan_report report;
  memplan_report_init(&report);
  memplan_status status = memplan_verify(&unlimited, plan, &report, error);
  if (status == MEMPLAN_OK && !report.valid) {
    status = memplan_fail(error, MEMPLAN_INTERNAL, "the plan found is not valid (please report this): %s",
                          report.violations[0].text);
  }
  memplan_report_free(&report);
  return status;
}

// With a capacity the question is whether it fits: a bound or a search can say no, and a plan above it says nothing.
static memplan_status answer_capacity(const memplan_problem *problem, memplan_solution *solution,
                                      memplan_error *error) {
  int64_t capacity = problem->options.capacity;
  if (capacity < 0 || memplan_solution_fits(problem, solution)) {
    return MEMPLAN_OK;
  }
  if (solution->infeasible != NULL) { // refuted by a search
    solution->outcome = MEMPLAN_INFEASIBLE;
    return MEMPLAN_OK;
  }
  if (solution->plan.lower_bound > capacity) {
    char text[512];
    const memplan_bound *bound = &solution->plan.bound;
    (void)snprintf(text, sizeof text, "the %s bound%s%s needs %" PRId64 " bytes, %" PRId64 " byte%s short",
                   memplan_bound_kind_name(bound->kind), bound->op != NULL ? " of operator " : "",
                   bound->op != NULL ? bound->op : "", solution->plan.lower_bound,
                   solution->plan.lower_bound - capacity, solution->plan.lower_bound - capacity == 1 ? "" : "s");
    solution->infeasible = memplan_arena_text(&solution->arena, text, strlen(text));
    solution->outcome = MEMPLAN_INFEASIBLE;
    return solution->infeasible != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  solution->outcome = MEMPLAN_UNKNOWN;
  return MEMPLAN_OK;
}

static memplan_status check_objective(const memplan_problem *problem, const memplan_solve_options *solve,
                                      memplan_error *error) {
  memplan_objective objective;
  const memplan_pool *pools = problem->has_graph ? problem->graph.pools : problem->instance.pools;
  int32_t n_pools = problem->has_graph               ? problem->graph.n_pools
                    : problem->instance.default_pool ? 0
                                                     : problem->instance.n_pools;
  return memplan_objective_find(solve, pools, n_pools, &objective, error);
}

memplan_status memplan_solve(const memplan_problem *problem, const memplan_solve_options *options,
                             memplan_solution *solution, memplan_error *error) {
  memplan_solve_options defaults = memplan_solve_options_default();
  memplan_solve_options started = options != NULL ? *options : defaults;
  started.limits = memplan_limits_start(&started.limits);
  MEMPLAN_TRY(check_objective(problem, &started, error));
  if (started.joint != NULL && (!problem->has_graph || started.fixed_order)) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "method '%s' finds order and placement together, but %s",
                        started.joint, problem->has_graph ? "the order is given" : "lifetimes have no order");
  }
  if (!problem->has_graph && started.listed != NULL && started.order != NULL) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "%s orders operators, but lifetimes have no order",
                        memplan_quote_path(started.listed->path).text);
  }
  MEMPLAN_TRY(memplan_start_check(problem, &started, error));
  if (problem->has_graph) {
    MEMPLAN_TRY(memplan_solve_graph(&problem->graph, &problem->options, &started, solution, error));
  } else {
    int64_t start = memplan_clock_us();
    MEMPLAN_TRY(memplan_solve_instance(&problem->instance, &started, problem->options.capacity, solution, error));
    solution->stage_us[MEMPLAN_STAGE_PLACEMENT] = memplan_clock_us() - start;
  }
  if (solution->has_plan) {
    MEMPLAN_TRY(stamp_plan(problem, solution->outcome, &solution->plan, error));
    MEMPLAN_TRY(verify_plan(problem, &solution->plan, error));
  }
  return answer_capacity(problem, solution, error);
}

static bool is_before(const memplan_bound *a, const memplan_bound *b) {
  return a->bytes != b->bytes ? a->bytes > b->bytes : a->kind < b->kind;
}

// The largest first, of equals by kind, of one kind as listed.
static void sort_bounds(memplan_bound *bounds, int32_t count) {
  for (int32_t k = 1; k < count; k++) {
    memplan_bound next = bounds[k];
    int32_t at = k;
    for (; at > 0 && is_before(&next, &bounds[at - 1]); at--) {
      bounds[at] = bounds[at - 1];
    }
    bounds[at] = next;
  }
}

static memplan_status keep_workspace(const memplan_prepared *prepared, int32_t n_ops, memplan_bounds *bounds,
                                     memplan_error *error) {
  int64_t *workspace = MEMPLAN_NEW(&bounds->arena, int64_t, n_ops);
  if (workspace == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(workspace, prepared->least_workspace, (size_t)n_ops * sizeof *workspace);
  bounds->workspace = workspace;
  return MEMPLAN_OK;
}

// What the exact order search proves within the limits; only if the best order is asked for.
static memplan_status search_bound(const memplan_ordering *least, const memplan_solve_options *solve,
                                   memplan_bound_list *list, memplan_error *error) {
  if (!memplan_order_is_exact(solve->order) || least->one_order) {
    return MEMPLAN_OK;
  }
  memplan_arena arena = {0};
  memplan_limits limits = memplan_limits_start(&solve->limits);
  memplan_order_optimal_task task = {.ordering = least,
                                     .limits = &limits,
                                     .bound = memplan_bound_list_of_load(list),
                                     .gap_millionths = solve->gap_millionths,
                                     .without = solve->without};
  memplan_order_optimal_result result;
  memplan_status status = memplan_order_optimal(&task, &arena, &result, error);
  if (status == MEMPLAN_OK && result.bound > task.bound) {
    memplan_bound_list_add(
        list, (memplan_bound){.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = result.bound, .step = -1});
  }
  memplan_arena_free(&arena);
  return status;
}

// The load of the order that is part of the problem.
static memplan_status bound_fixed(const memplan_ordering *least, const memplan_solve_options *solve,
                                  memplan_arena *arena, memplan_bound_list *list, memplan_error *error) {
  const int32_t *order = NULL;
  memplan_profile profile;
  MEMPLAN_TRY(memplan_fixed_order(least, solve, arena, &order, error));
  MEMPLAN_TRY(memplan_ordering_profile(least, order, arena, &profile, error));
  memplan_bound_list_add(list,
                         (memplan_bound){.kind = MEMPLAN_BOUND_LOAD, .bytes = profile.bound, .step = profile.step});
  return MEMPLAN_OK;
}

static memplan_status collect_bounds(const memplan_problem *problem, const memplan_solve_options *solve,
                                     memplan_bound_list *list, memplan_bounds *bounds, memplan_error *error) {
  if (problem->has_instance && problem->instance.n_pools > 1) {
    memplan_pool_table table;
    MEMPLAN_TRY(memplan_pool_table_of_instance(&problem->instance, NULL, &bounds->arena, &table, error));
    memplan_pool_table_list(&table, false, list);
    return MEMPLAN_OK;
  }
  if (problem->has_instance) {
    return memplan_bound_placement(&problem->instance, &solve->limits, &bounds->arena, list, error);
  }
  memplan_prepared prepared;
  memplan_status status = memplan_prepare(&problem->graph, &problem->options, solve, &prepared, error);
  if (status == MEMPLAN_OK && problem->graph.n_pools > 1) {
    memplan_pool_table table;
    status = memplan_pool_table_of_graph(memplan_prepared_least(&prepared), NULL, &bounds->arena, &table, error);
    if (status == MEMPLAN_OK) {
      memplan_pool_table_list(&table, true, list);
    }
  } else if (status == MEMPLAN_OK) {
    status = memplan_bound_order(memplan_prepared_least(&prepared), list, error);
    bool fixed = memplan_order_is_fixed(solve);
    if (status == MEMPLAN_OK && fixed) {
      status = bound_fixed(memplan_prepared_least(&prepared), solve, &bounds->arena, list, error);
    } else if (status == MEMPLAN_OK) {
      memplan_cut cut;
      status = memplan_bound_cut(memplan_prepared_least(&prepared), &solve->limits, &bounds->arena, list, &cut, error);
      bounds->before = cut.ideal;
    }
    if (status == MEMPLAN_OK && !fixed) {
      status = search_bound(memplan_prepared_least(&prepared), solve, list, error);
    }
  }
  if (status == MEMPLAN_OK) {
    status = keep_workspace(&prepared, problem->graph.n_ops, bounds, error);
  }
  memplan_prepared_free(&prepared);
  return status;
}

memplan_status memplan_find_bounds(const memplan_problem *problem, const memplan_solve_options *options,
                                   memplan_bounds *bounds, memplan_error *error) {
  memplan_solve_options defaults = memplan_solve_options_default();
  memplan_bound_list list = {.count = 0};
  memset(bounds, 0, sizeof *bounds);
  MEMPLAN_TRY(collect_bounds(problem, options != NULL ? options : &defaults, &list, bounds, error));
  bounds->bounds = MEMPLAN_NEW(&bounds->arena, memplan_bound, list.count);
  if (bounds->bounds == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(bounds->bounds, list.entries, (size_t)list.count * sizeof *list.entries);
  bounds->n_bounds = list.count;
  sort_bounds(bounds->bounds, bounds->n_bounds);
  return MEMPLAN_OK;
}
