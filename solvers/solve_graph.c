// SPDX-License-Identifier: Apache-2.0
// A graph by the best of all orders x in-place choices x placements.
//
// Candidates are pairs of an order and an in-place choice, sorted by order peak. Each is lowered and placed by all
// placement methods in parallel; the next one is tried only while it could still beat the incumbent (its order peak is
// a bound for its placements). Everything that decides is independent of the number of threads.
#include <stdlib.h>
#include <string.h>

#include "heuristics/portfolio.h"
#include "model/base/clock.h"
#include "model/base/number.h"
#include "solvers/assemble.h"
#include "solvers/bounds.h"
#include "solvers/place.h"
#include "solvers/prepare.h"

enum { most_orders = 64 };

typedef struct candidate {
  int32_t index; // position in registry order and variant, the last word in every tie
  const int32_t *order;
  const int32_t *choice; // pairs
  int32_t n_choices;
  int64_t order_peak;
  const int64_t *load;
  const char *method;
} candidate;

typedef struct search {
  const memplan_graph *graph;
  const memplan_problem_options *options;
  const memplan_solve_options *solve;
  const memplan_ordering *ordering;
  memplan_arena *arena; // of the solution
  candidate candidates[3 * most_orders];
  int32_t n_candidates;
  int64_t bound; // of the arena: what ends the search when met
  int64_t start_ms;
  memplan_stop stop;
  int64_t nodes;
  memplan_place_result declined; // the last refusal of the method asked for
  // incumbent
  const candidate *best;
  const memplan_method *place_method;
  memplan_instance instance;
  memplan_placement placement;
  int64_t peak;
} search;

static bool same_order(const int32_t *a, const int32_t *b, int32_t n) {
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// In-place costs freedom in placing (off(q) = off(p)), so two more choices: only the pairs without which a step would
// pass the order peak, and none at all.
static memplan_status add_other_choices(search *state, const candidate *full, memplan_error *error) {
  const memplan_ordering *ordering = state->ordering;
  int32_t *step = MEMPLAN_NEW(state->arena, int32_t, ordering->n_ops);
  int64_t *saving = MEMPLAN_NEW(state->arena, int64_t, ordering->n_ops);
  int32_t *choice = MEMPLAN_NEW(state->arena, int32_t, full->n_choices);
  if (step == NULL || saving == NULL || choice == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    step[full->order[t]] = t;
  }
  for (int32_t k = 0; k < full->n_choices; k++) {
    saving[ordering->pairs[full->choice[k]].op] += ordering->pairs[full->choice[k]].saving;
  }
  candidate lean = *full, none = *full;
  lean.index = full->index + 1;
  lean.choice = choice;
  lean.n_choices = 0;
  none.index = full->index + 2;
  none.n_choices = 0;
  for (int32_t k = 0; k < full->n_choices; k++) {
    int32_t op = ordering->pairs[full->choice[k]].op;
    int64_t load = full->load[step[op]] + saving[op];
    none.order_peak = load > none.order_peak ? load : none.order_peak;
    if (load > full->order_peak) {
      choice[lean.n_choices++] = full->choice[k];
    }
  }
  if (lean.n_choices < full->n_choices) {
    state->candidates[state->n_candidates++] = lean;
  }
  if (lean.n_choices > 0) {
    state->candidates[state->n_candidates++] = none;
  }
  return MEMPLAN_OK;
}

static memplan_status add_candidate(search *state, const memplan_method *method, const int32_t *order, int32_t index,
                                    memplan_error *error) {
  for (int32_t k = 0; k < state->n_candidates; k++) {
    if (same_order(order, state->candidates[k].order, state->ordering->n_ops)) {
      return MEMPLAN_OK;
    }
  }
  memplan_profile profile;
  MEMPLAN_TRY(memplan_ordering_profile(state->ordering, order, state->arena, &profile, error));
  MEMPLAN_TRY(memplan_ordering_filter(state->ordering, profile.choice, &profile.n_choices, error));
  candidate full = {.index = 3 * index,
                    .order = order,
                    .choice = profile.choice,
                    .n_choices = profile.n_choices,
                    .order_peak = profile.peak,
                    .load = profile.load,
                    .method = method->name};
  state->candidates[state->n_candidates++] = full;
  return add_other_choices(state, &full, error);
}

static int compare_candidates(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->order_peak != y->order_peak) {
    return (x->order_peak > y->order_peak) - (x->order_peak < y->order_peak);
  }
  return (x->index > y->index) - (x->index < y->index);
}

static memplan_status find_candidates(search *state, memplan_error *error) {
  const memplan_method *methods[most_orders];
  memplan_portfolio_task tasks[most_orders] = {0};
  int32_t count = memplan_select_methods(MEMPLAN_METHOD_ORDER, state->solve->order, methods, most_orders, error);
  if (count == 0) {
    return MEMPLAN_INPUT;
  }
  for (int32_t k = 0; k < count; k++) {
    tasks[k].method = methods[k];
    tasks[k].task = (memplan_task){.ordering = state->ordering, .params = &state->solve->params};
  }
  MEMPLAN_TRY(memplan_portfolio_run(tasks, count, &state->solve->limits, state->arena, &state->stop, error));
  for (int32_t k = 0; k < count; k++) {
    if (tasks[k].ran) {
      state->nodes += tasks[k].result.nodes;
      MEMPLAN_TRY(memplan_ordering_check(state->ordering, tasks[k].result.order, error));
      MEMPLAN_TRY(add_candidate(state, methods[k], tasks[k].result.order, k, error));
    }
  }
  qsort(state->candidates, (size_t)state->n_candidates, sizeof *state->candidates, compare_candidates);
  return MEMPLAN_OK;
}

static memplan_status place_candidate(search *state, const candidate *entry, memplan_error *error) {
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_place_result found = {.stop = MEMPLAN_STOP_DONE};
  memplan_arena scratch = {0};
  memplan_status status = memplan_ordering_lower(state->ordering, entry->order, entry->choice, entry->n_choices,
                                                 &instance, NULL, NULL, error);
  if (status == MEMPLAN_OK) {
    status = memplan_place_best(&instance, state->solve, &scratch, &found, error);
  }
  if (status == MEMPLAN_OK) {
    state->nodes += found.nodes;
    if (found.declined) {
      state->declined = found;
    }
    state->stop = found.stop != MEMPLAN_STOP_DONE ? found.stop : state->stop;
  }
  if (status == MEMPLAN_OK && found.method != NULL && (state->best == NULL || found.peak < state->peak)) {
    memplan_instance_free(&state->instance);
    state->instance = instance;
    memplan_instance_init(&instance);
    state->best = entry;
    state->place_method = found.method;
    state->peak = found.peak;
    state->placement = found.placement;
    status = memplan_placement_copy(&state->placement, state->instance.n_blocks, state->arena, error);
    const memplan_limits *limits = &state->solve->limits;
    if (limits->progress != NULL) {
      limits->progress(limits->context, found.method->name, found.peak, state->bound);
    }
  }
  memplan_instance_free(&instance);
  memplan_arena_free(&scratch);
  return status;
}

static bool goal_met(const search *state) {
  if (state->best == NULL) {
    return false;
  }
  int64_t allowed = state->bound;
  if (state->solve->gap_millionths > 0) {
    // (peak - bound) / peak <= gap, in integers
    memplan_int128 scaled = (memplan_int128)(state->peak - state->bound) * 1000000;
    if (scaled <= (memplan_int128)state->peak * state->solve->gap_millionths) {
      return true;
    }
  }
  if (state->options->capacity >= allowed) {
    allowed = state->options->capacity;
  }
  return state->peak <= allowed;
}

static bool out_of_limits(search *state) {
  const memplan_limits *limits = &state->solve->limits;
  if (limits->cancel != NULL && *limits->cancel != 0) {
    state->stop = MEMPLAN_STOP_INTERRUPTED;
    return true;
  }
  if (limits->time_ms >= 0 && memplan_clock_ms() - state->start_ms >= limits->time_ms) {
    state->stop = MEMPLAN_STOP_TIME;
    return true;
  }
  return false;
}

static memplan_status run_search(search *state, memplan_error *error) {
  MEMPLAN_TRY(find_candidates(state, error));
  for (int32_t k = 0; k < state->n_candidates && !goal_met(state); k++) {
    if (state->best != NULL && (state->candidates[k].order_peak >= state->peak || out_of_limits(state))) {
      break;
    }
    MEMPLAN_TRY(place_candidate(state, &state->candidates[k], error));
  }
  if (state->best == NULL && state->declined.declined) {
    return memplan_fail_declined(state->solve->place, &state->declined, error);
  }
  return MEMPLAN_OK;
}

// Is the order part of the problem?
static bool order_is_fixed(const memplan_solve_options *solve) {
  return solve->order != NULL && strcmp(solve->order, "given") == 0;
}

// The bounds of the arena and of the order peak. On the given order, its own order peak is the bound.
static memplan_status find_bound(search *state, memplan_solution *solution, memplan_error *error) {
  memplan_bound_list list = {.count = 0};
  MEMPLAN_TRY(memplan_bound_order(state->ordering, &list, error));
  memplan_bound best = memplan_bound_list_best(&list);
  solution->order_lower_bound = 0;
  for (int32_t k = 0; k < list.count; k++) {
    if (list.entries[k].kind != MEMPLAN_BOUND_ALIGNED_OPERATOR && list.entries[k].bytes > solution->order_lower_bound) {
      solution->order_lower_bound = list.entries[k].bytes;
    }
  }
  if (order_is_fixed(state->solve)) {
    int32_t *order = MEMPLAN_NEW(state->arena, int32_t, state->graph->n_ops);
    memplan_profile profile;
    if (order == NULL) {
      return memplan_fail_nomem(error);
    }
    for (int32_t op = 0; op < state->graph->n_ops; op++) {
      order[op] = op;
    }
    MEMPLAN_TRY(memplan_ordering_profile(state->ordering, order, state->arena, &profile, error));
    if (profile.peak > best.bytes) {
      best = (memplan_bound){.kind = MEMPLAN_BOUND_LOAD, .bytes = profile.peak, .step = profile.step};
    }
  }
  if (state->graph->n_pools > 1) {
    best = (memplan_bound){.kind = MEMPLAN_BOUND_NONE, .step = -1};
  }
  state->bound = best.bytes;
  solution->plan.bound = best;
  solution->plan.lower_bound = best.bytes;
  return MEMPLAN_OK;
}

// The witness of an operator bound is a step of the plan's order.
static void locate_witness(const search *state, memplan_bound *bound) {
  if (bound->op == NULL || state->best == NULL) {
    return;
  }
  for (int32_t t = 0; t < state->graph->n_ops; t++) {
    if (strcmp(state->graph->ops[state->best->order[t]].id, bound->op) == 0) {
      bound->step = t;
      return;
    }
  }
}

static memplan_status store_plan(search *state, memplan_solution *solution, memplan_error *error) {
  const candidate *best = state->best;
  memplan_plan *plan = &solution->plan;
  MEMPLAN_TRY(memplan_assemble_offsets(&state->instance, &state->placement, plan, error));
  MEMPLAN_TRY(memplan_assemble_order(state->ordering, best->order, best->choice, best->n_choices, plan, error));
  locate_witness(state, &plan->bound);
  solution->has_plan = true;
  solution->order = best->order;
  solution->load = best->load;
  solution->order_peak = best->order_peak;
  solution->order_method = best->method;
  solution->place_method = state->place_method->name;
  solution->instance = state->instance;
  memplan_instance_init(&state->instance);
  solution->has_instance = true;
  solution->offset = state->placement.offset;
  solution->pool = state->placement.pool;
  solution->outcome = plan->peak == plan->lower_bound ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  solution->order_outcome = solution->order_peak == solution->order_lower_bound ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  return MEMPLAN_OK;
}

// Body plans move from the prepared bodies into the plan.
static memplan_status store_bodies(const memplan_graph *graph, memplan_prepared *prepared, memplan_plan *plan,
                                   memplan_error *error) {
  plan->bodies = MEMPLAN_NEW(&plan->arena, memplan_body_plan, prepared->n_bodies);
  if (plan->bodies == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t body = 0; body < prepared->n_bodies; body++) {
    const char *op = graph->ops[graph->bodies[body].op].id, *name = graph->bodies[body].name;
    memplan_body_plan *entry = &plan->bodies[plan->n_bodies];
    entry->op = memplan_arena_text(&plan->arena, op, strlen(op));
    entry->body = memplan_arena_text(&plan->arena, name, strlen(name));
    entry->plan = malloc(sizeof *entry->plan);
    if (entry->op == NULL || entry->body == NULL || entry->plan == NULL) {
      free(entry->plan);
      return memplan_fail_nomem(error);
    }
    *entry->plan = prepared->bodies[body]->plan;
    memplan_plan_init(&prepared->bodies[body]->plan);
    plan->n_bodies++;
  }
  return MEMPLAN_OK;
}

static memplan_status solve_prepared(const memplan_graph *graph, const memplan_problem_options *options,
                                     const memplan_solve_options *solve, memplan_prepared *prepared,
                                     memplan_solution *solution, memplan_error *error) {
  search state = {.graph = graph,
                  .options = options,
                  .solve = solve,
                  .ordering = &prepared->ordering,
                  .arena = &solution->arena,
                  .start_ms = memplan_clock_ms(),
                  .peak = INT64_MAX};
  memplan_instance_init(&state.instance);
  solution->naive_bytes = prepared->ordering.naive_bytes;
  solution->naive_saturated = prepared->ordering.naive_saturated;
  solution->weight_bytes = prepared->ordering.weight_bytes;
  solution->external_bytes = prepared->ordering.external_bytes;
  memplan_status status = find_bound(&state, solution, error);
  if (status == MEMPLAN_OK) {
    status = run_search(&state, error);
  }
  if (status == MEMPLAN_OK && state.best != NULL) {
    status = store_plan(&state, solution, error);
  }
  memplan_instance_free(&state.instance);
  solution->stop = state.stop;
  solution->nodes = state.nodes;
  return status == MEMPLAN_OK ? store_bodies(graph, prepared, &solution->plan, error) : status;
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
