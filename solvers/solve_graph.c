// SPDX-License-Identifier: Apache-2.0
// A graph by the best of all orders x in-place choices x placements.
//
// Candidates are pairs of an order and an in-place choice, sorted by order peak. Each is lowered and placed by all
// placement methods in parallel; the next one is tried only while it could still beat the incumbent (its order peak is
// a bound for its placements). Everything that decides is independent of the number of threads.
#include "heuristics/portfolio.h"
#include "solvers/assemble.h"
#include "solvers/bound_pools.h"
#include "solvers/bound_cut.h"
#include "solvers/bounds.h"
#include "solvers/infeasible.h"
#include "solvers/objective.h"
#include "solvers/order_optimal.h"
#include "solvers/place.h"
#include "solvers/place_optimal.h"
#include "solvers/pool_search.h"
#include "solvers/prepare.h"

#include <stdlib.h>
#include <string.h>

enum {
  most_orders = 64,
  order_share = 20 // of all work, unless the best order is asked for
};

typedef struct candidate {
  int32_t index; // position in registry order and variant, the last word in every tie
  const int32_t *order;
  const int32_t *choice; // pairs
  int32_t n_choices;
  int64_t order_peak;  // of the order, with its best choice
  int64_t peak;        // largest load under this choice: no placement of it can be smaller
  const int64_t *load; // under this choice, by step
  const char *method;
} candidate;

typedef struct search {
  const memplan_graph *graph;
  const memplan_problem_options *options;
  const memplan_solve_options *solve;
  const memplan_ordering *ordering;
  bool is_least;        // bounds of `ordering` hold for the problem: its bodies are planned optimally
  memplan_arena *arena; // of the solution
  memplan_solution *solution;
  candidate candidates[3 * most_orders];
  int32_t n_candidates;
  int64_t bound; // of the arena: what ends the search when met
  memplan_stop stop;
  int64_t nodes;
  memplan_place_result declined; // the last refusal of the method asked for
  const char *unplaced;          // a buffer that found no place
  int32_t n_lowered;             // candidates that became a placement problem
  const candidate *refused;      // one that contradicts itself, without choices rather than with, or NULL
  memplan_error refusal;         // why
  // incumbent
  const candidate *best;
  const memplan_method *place_method;
  memplan_instance instance;
  memplan_placement placement;
  int64_t peak;
  int64_t floating_bound; // of a method that has one, 0: none
  int64_t *pool_peaks;    // of several pools
  memplan_pool_table table;
  memplan_objective objective;
} search;

static bool same_order(const int32_t *a, const int32_t *b, int32_t n) {
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// Adds the order of `full` with those of its pairs that `keep` marks.
static memplan_status add_choice(search *state, const candidate *full, const bool *keep, const int32_t *step,
                                 memplan_error *error) {
  const memplan_ordering *ordering = state->ordering;
  candidate variant = *full;
  int32_t *choice = MEMPLAN_NEW(state->arena, int32_t, full->n_choices);
  int64_t *load = MEMPLAN_NEW(state->arena, int64_t, ordering->n_ops);
  if (choice == NULL || load == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(load, full->load, (size_t)ordering->n_ops * sizeof *load);
  variant.index = state->candidates[state->n_candidates - 1].index + 1;
  variant.choice = choice;
  variant.load = load;
  variant.n_choices = 0;
  for (int32_t k = 0; k < full->n_choices; k++) {
    const memplan_pair *pair = &ordering->pairs[full->choice[k]];
    if (keep[k]) {
      choice[variant.n_choices++] = full->choice[k];
    } else {
      load[step[pair->op]] += pair->saving;
      variant.peak = load[step[pair->op]] > variant.peak ? load[step[pair->op]] : variant.peak;
    }
  }
  state->candidates[state->n_candidates++] = variant;
  return MEMPLAN_OK;
}

// In-place costs freedom in placing (off(q) = off(p)), so two more choices: only the pairs of steps that would pass the
// order peak without them, and none at all.
static memplan_status add_other_choices(search *state, const candidate *full, memplan_error *error) {
  const memplan_ordering *ordering = state->ordering;
  int32_t *step = MEMPLAN_NEW(state->arena, int32_t, ordering->n_ops);
  int64_t *saving = MEMPLAN_NEW(state->arena, int64_t, ordering->n_ops);
  bool *keep = MEMPLAN_NEW(state->arena, bool, full->n_choices);
  if (step == NULL || saving == NULL || keep == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    step[full->order[t]] = t;
  }
  for (int32_t k = 0; k < full->n_choices; k++) {
    saving[ordering->pairs[full->choice[k]].op] += ordering->pairs[full->choice[k]].saving;
  }
  int32_t kept = 0;
  for (int32_t k = 0; k < full->n_choices; k++) {
    int32_t op = ordering->pairs[full->choice[k]].op;
    keep[k] = full->load[step[op]] + saving[op] > full->order_peak;
    kept += keep[k];
  }
  if (kept > 0 && kept < full->n_choices) {
    MEMPLAN_TRY(add_choice(state, full, keep, step, error));
  }
  if (full->n_choices > 0) {
    memset(keep, 0, (size_t)full->n_choices * sizeof *keep);
    MEMPLAN_TRY(add_choice(state, full, keep, step, error));
  }
  return MEMPLAN_OK;
}

// Loads without the pairs that the filter has dropped from the profile's choice (`kept` is what it has left of `all`).
static memplan_status restore_loads(search *state, const int32_t *order, const int32_t *all, int32_t n_all,
                                    candidate *kept, int64_t *load, memplan_error *error) {
  const memplan_ordering *ordering = state->ordering;
  memplan_arena scratch = {0};
  int32_t *step = MEMPLAN_NEW(&scratch, int32_t, ordering->n_ops);
  if (step == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    step[order[t]] = t;
  }
  for (int32_t k = 0, next = 0; k < n_all; k++) {
    if (next < kept->n_choices && kept->choice[next] == all[k]) {
      next++;
      continue;
    }
    int64_t *at = &load[step[ordering->pairs[all[k]].op]];
    *at += ordering->pairs[all[k]].saving;
    kept->peak = *at > kept->peak ? *at : kept->peak;
  }
  memplan_arena_free(&scratch);
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
  int32_t n_all = profile.n_choices, *all = MEMPLAN_NEW(state->arena, int32_t, n_all);
  if (all == NULL) {
    return memplan_fail_nomem(error);
  }
  if (n_all > 0) {
    memcpy(all, profile.choice, (size_t)n_all * sizeof *all);
  }
  MEMPLAN_TRY(memplan_ordering_filter(state->ordering, profile.choice, &profile.n_choices, error));
  candidate full = {.index = 3 * index,
                    .order = order,
                    .choice = profile.choice,
                    .n_choices = profile.n_choices,
                    .order_peak = profile.peak,
                    .peak = profile.peak,
                    .load = profile.load,
                    .method = method->name};
  if (profile.n_choices < n_all) {
    MEMPLAN_TRY(restore_loads(state, order, all, n_all, &full, profile.load, error));
  }
  state->candidates[state->n_candidates++] = full;
  return add_other_choices(state, &full, error);
}

static int compare_candidates(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->peak != y->peak) {
    return (x->peak > y->peak) - (x->peak < y->peak);
  }
  return (x->index > y->index) - (x->index < y->index);
}

// What an exhausted search of orders has proven holds for every placement in one pool.
static void raise_order_bound(search *state, int64_t bytes) {
  memplan_solution *solution = state->solution;
  if (!state->is_least || bytes <= solution->order_lower_bound) {
    return;
  }
  solution->order_lower_bound = bytes;
  if (state->graph->n_pools <= 1 && bytes > state->bound) {
    memplan_bound bound = {.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = bytes, .step = -1};
    state->bound = bytes;
    solution->plan.bound = bound;
    solution->plan.lower_bound = bytes;
    solution->infeasible = memplan_infeasible_graph(state->graph, &bound, state->arena);
  }
}

// The best of all orders, from the best one of `tasks`; in its share of the work, unless it is asked for by name.
static memplan_status search_order(search *state, const memplan_portfolio_task *tasks, int32_t count,
                                   memplan_error *error) {
  const memplan_solve_options *solve = state->solve;
  int32_t best = memplan_portfolio_best(tasks, count);
  bool wanted = memplan_order_is_exact(solve->order);
  int64_t bound = state->is_least ? state->solution->order_lower_bound : 0;
  if (!wanted && (state->ordering->n_ops == 0 || (best >= 0 && tasks[best].peak <= bound))) {
    return MEMPLAN_OK;
  }
  memplan_limits limits = solve->limits;
  int64_t all = limits.work >= 0 ? limits.work : MEMPLAN_WORK_DEFAULT;
  limits.work = wanted ? limits.work : all / order_share;
  memplan_order_optimal_task task = {.ordering = state->ordering,
                                     .limits = &limits,
                                     .start = best >= 0 ? tasks[best].result.order : NULL,
                                     .bound = bound,
                                     .gap_millionths = solve->gap_millionths};
  memplan_order_optimal_result result;
  MEMPLAN_TRY(memplan_order_optimal(&task, state->arena, &result, error));
  state->nodes += result.states;
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  raise_order_bound(state, result.bound);
  return add_candidate(state, &memplan_order_optimal_method, result.order, count, error);
}

static memplan_status find_candidates(search *state, memplan_error *error) {
  const memplan_method *methods[most_orders];
  memplan_portfolio_task tasks[most_orders] = {0};
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
  bool exact = memplan_order_is_exact(name);
  int32_t count = memplan_select_methods(MEMPLAN_METHOD_ORDER, exact ? NULL : name, methods, most_orders, error);
  if (count == 0) {
    return MEMPLAN_INPUT;
  }
  for (int32_t k = 0; k < count; k++) {
    tasks[k].method = methods[k];
    tasks[k].task = (memplan_task){.ordering = state->ordering, .params = &state->solve->params};
  }
  memplan_stop stop;
  MEMPLAN_TRY(memplan_portfolio_run(tasks, count, &state->solve->limits, state->arena, &stop, error));
  state->stop = stop != MEMPLAN_STOP_DONE ? stop : state->stop;
  if (name != NULL && !exact && !tasks[0].ran && tasks[0].result.stop == MEMPLAN_STOP_DONE) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "order method '%s' declines this problem: %s", name,
                        tasks[0].error.message);
  }
  for (int32_t k = 0; k < count && !exact; k++) {
    if (tasks[k].ran) {
      state->nodes += tasks[k].result.nodes;
      state->floating_bound = tasks[k].result.floating_bound;
      MEMPLAN_TRY(memplan_ordering_check(state->ordering, tasks[k].result.order, error));
      MEMPLAN_TRY(add_candidate(state, methods[k], tasks[k].result.order, k, error));
    }
  }
  if (exact || name == NULL) {
    MEMPLAN_TRY(search_order(state, tasks, count, error));
  }
  qsort(state->candidates, (size_t)state->n_candidates, sizeof *state->candidates, compare_candidates);
  return MEMPLAN_OK;
}

// Is a placement better than the incumbent? With several pools by the objective.
static bool is_better(search *state, const memplan_instance *instance, const memplan_place_result *found,
                      int64_t *peaks) {
  if (state->best == NULL || state->graph->n_pools <= 1) {
    return state->best == NULL || found->peak < state->peak;
  }
  memplan_pool_peaks(instance, found->placement.offset, found->placement.pool, peaks);
  return memplan_pool_peaks_better(&state->objective, peaks, state->pool_peaks, instance->n_pools);
}

// The instance goes over to the search.
static memplan_status set_incumbent(search *state, const candidate *entry, memplan_instance *instance,
                                    const memplan_place_result *found, memplan_error *error) {
  memplan_instance_free(&state->instance);
  state->instance = *instance;
  memplan_instance_init(instance);
  state->best = entry;
  state->place_method = found->method;
  state->floating_bound = found->floating_bound > 0 ? found->floating_bound : state->floating_bound;
  state->peak = found->peak;
  state->placement = found->placement;
  memplan_pool_peaks(&state->instance, found->placement.offset, found->placement.pool, state->pool_peaks);
  return memplan_placement_copy(&state->placement, state->instance.n_blocks, state->arena, error);
}

// The exact search on one candidate, from what the heuristics have found; no placement of it lies below its load.
static memplan_status place_exactly(search *state, const candidate *entry, const memplan_instance *instance,
                                    const memplan_place_news *news, memplan_arena *arena, memplan_place_result *found,
                                    memplan_error *error) {
  const memplan_solve_options *solve = state->solve;
  memplan_optimal_task task = {.instance = instance,
                               .limits = &solve->limits,
                               .goal = memplan_goal(state->bound, state->options->capacity, solve->gap_millionths),
                               .capacity = -1,
                               .bound = instance->n_pools == 1 ? entry->peak : 0,
                               .objective = state->objective,
                               .without = solve->without,
                               .news = news};
  memplan_optimal_result result;
  MEMPLAN_TRY(memplan_place_improve(&task, arena, found, &result, error));
  state->nodes += result.nodes;
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  return MEMPLAN_OK;
}

static memplan_status place_lowered(search *state, const candidate *entry, memplan_instance *instance,
                                    memplan_arena *scratch, memplan_error *error) {
  memplan_place_result found = {.stop = MEMPLAN_STOP_DONE};
  int64_t *peaks = MEMPLAN_NEW(scratch, int64_t, instance->n_pools);
  if (peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_place_news news = {.order = entry->method, .bound = state->bound, .peak = state->peak};
  bool exact = memplan_is_exact(state->solve->place);
  memplan_solve_options quick = *state->solve;
  quick.place = exact ? NULL : quick.place;
  MEMPLAN_TRY(memplan_pool_search(instance, &quick, &news, scratch, &found, error));
  if (exact) {
    MEMPLAN_TRY(place_exactly(state, entry, instance, &news, scratch, &found, error));
  }
  state->nodes += found.nodes;
  state->stop = found.stop != MEMPLAN_STOP_DONE ? found.stop : state->stop;
  if (found.declined) {
    state->declined = found;
  }
  if (found.unplaced != NULL && state->unplaced == NULL) {
    state->unplaced = memplan_arena_text(state->arena, found.unplaced, strlen(found.unplaced));
  }
  if (found.method == NULL || !is_better(state, instance, &found, peaks)) {
    return MEMPLAN_OK;
  }
  return set_incumbent(state, entry, instance, &found, error);
}

static void note_refusal(search *state, const candidate *entry, const memplan_error *refusal) {
  const candidate *before = state->refused;
  bool plainer = before != NULL && entry->n_choices == 0 && before->n_choices > 0;
  bool earlier = before != NULL && (entry->n_choices == 0) == (before->n_choices == 0) && entry->index < before->index;
  if (before == NULL || plainer || earlier) {
    state->refused = entry;
    state->refusal = *refusal;
  }
}

// An order on which pins, reserved ranges, capacities or sizes contradict each other, or a choice whose colocations do
// with them, cannot be lowered and is left out: another one may be possible.
static memplan_status place_candidate(search *state, const candidate *entry, memplan_error *error) {
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_arena scratch = {0};
  memplan_error refusal = {.message = ""};
  memplan_status status = memplan_ordering_lower(state->ordering, entry->order, entry->choice, entry->n_choices,
                                                 &instance, NULL, NULL, &refusal);
  if (status == MEMPLAN_OK) {
    state->n_lowered++;
    status = place_lowered(state, entry, &instance, &scratch, error);
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

// With several pools the gap of the largest peak says something only where that one is made small.
static bool goal_met(const search *state) {
  return state->best != NULL &&
         state->peak <= memplan_goal(state->bound, state->options->capacity, state->solve->gap_millionths);
}

// No later candidate, all of them with no smaller load, can beat the incumbent. Loads say nothing about the peaks of
// several pools.
static bool is_settled(const search *state, const candidate *next) {
  return state->best != NULL && state->graph->n_pools <= 1 && next->peak >= state->peak;
}

static bool out_of_limits(search *state) {
  memplan_stop stop = memplan_limits_reached(&state->solve->limits);
  state->stop = stop != MEMPLAN_STOP_DONE ? stop : state->stop;
  return stop != MEMPLAN_STOP_DONE;
}

// ---- a joint method, which has to beat what the others have found

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

// The loads of the order under the choice that was made, which need not be the best one.
static memplan_status make_candidate(search *state, const memplan_method *method, const memplan_method_result *result,
                                     const memplan_instance *instance, candidate *entry, memplan_error *error) {
  memplan_profile profile;
  MEMPLAN_TRY(memplan_ordering_profile(state->ordering, result->order, state->arena, &profile, error));
  int64_t *loads = memplan_instance_profile(instance, state->arena), *load = profile.load;
  if (loads == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t peak = 0;
  for (int32_t t = 0, rank = 0; t < state->ordering->n_ops; t++) {
    while (rank + 1 < instance->n_times && instance->times[rank + 1] <= t) {
      rank++;
    }
    load[t] = instance->n_times > 0 && instance->times[rank] <= t && t < instance->times[rank + 1] ? loads[rank] : 0;
    peak = load[t] > peak ? load[t] : peak;
  }
  *entry = (candidate){.index = INT32_MAX,
                       .order = result->order,
                       .choice = result->choice,
                       .n_choices = result->n_choices,
                       .order_peak = profile.peak,
                       .peak = peak,
                       .load = load,
                       .method = method->name};
  return MEMPLAN_OK;
}

static memplan_status take_joint(search *state, const memplan_method *method, const memplan_method_result *result,
                                 memplan_error *error) {
  memplan_instance instance;
  memplan_instance_init(&instance);
  candidate *entry = MEMPLAN_NEW(state->arena, candidate, 1);
  memplan_place_result found = {
      .method = method, .placement = {.offset = result->offset, .pool = result->pool}, .stop = result->stop};
  memplan_status status = entry == NULL ? memplan_fail_nomem(error)
                                        : memplan_ordering_lower(state->ordering, result->order, result->choice,
                                                                 result->n_choices, &instance, NULL, NULL, error);
  if (status == MEMPLAN_OK) {
    status = make_candidate(state, method, result, &instance, entry, error);
  }
  if (status == MEMPLAN_OK) {
    found.peak = memplan_instance_peak(&instance, result->offset);
    if (state->best == NULL || found.peak < state->peak) {
      status = set_incumbent(state, entry, &instance, &found, error);
    }
  }
  memplan_instance_free(&instance);
  return status;
}

static memplan_status improve_jointly(search *state, memplan_error *error) {
  const memplan_method *method;
  if (memplan_select_methods(MEMPLAN_METHOD_JOINT, state->solve->joint, &method, 1, error) == 0) {
    return MEMPLAN_INPUT;
  }
  memplan_task task = {.ordering = state->ordering,
                       .params = &state->solve->params,
                       .below = state->best != NULL ? state->peak : 0,
                       .bound = state->bound};
  memplan_error reason = {.message = ""};
  if (!method->accepts(&task, &reason)) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "method '%s' declines this problem: %s", method->name,
                        reason.message);
  }
  if (goal_met(state)) {
    return MEMPLAN_OK;
  }
  memplan_method_result result;
  MEMPLAN_TRY(allocate_joint(state->ordering, state->arena, &result, error));
  MEMPLAN_TRY(method->run(&task, &state->solve->limits, &result, error));
  state->nodes += result.nodes;
  state->stop = result.stop != MEMPLAN_STOP_DONE ? result.stop : state->stop;
  state->floating_bound = result.floating_bound;
  return result.outcome == MEMPLAN_FEASIBLE || result.outcome == MEMPLAN_OPTIMAL
             ? take_joint(state, method, &result, error)
             : MEMPLAN_OK;
}

static memplan_status run_search(search *state, memplan_error *error) {
  MEMPLAN_TRY(find_candidates(state, error));
  for (int32_t k = 0; k < state->n_candidates && !goal_met(state) && state->solution->infeasible == NULL; k++) {
    if (is_settled(state, &state->candidates[k]) || (state->best != NULL && out_of_limits(state))) {
      break;
    }
    MEMPLAN_TRY(place_candidate(state, &state->candidates[k], error));
  }
  if (state->solve->joint != NULL) {
    MEMPLAN_TRY(improve_jointly(state, error));
  }
  if (state->n_lowered == 0 && state->refused != NULL) {
    return memplan_fail(error, MEMPLAN_INPUT, "no order tried admits a plan; in that of '%s', %s",
                        state->refused->method, state->refusal.message);
  }
  if (state->best == NULL && state->declined.declined) {
    return memplan_fail_declined(state->solve->place, &state->declined, error);
  }
  return MEMPLAN_OK;
}

// Is the order part of the problem?
static bool order_is_fixed(const memplan_solve_options *solve) {
  return solve->fixed_order && solve->order != NULL && strcmp(solve->order, "given") == 0;
}

// The bounds of the arena and of the order peak. On the given order, its own order peak is the bound.
static memplan_status find_bound(search *state, const memplan_ordering *least, memplan_solution *solution,
                                 memplan_error *error) {
  memplan_bound_list list = {.count = 0};
  MEMPLAN_TRY(memplan_bound_order(least, &list, error));
  if (!order_is_fixed(state->solve)) {
    MEMPLAN_TRY(memplan_bound_cut(least, &state->solve->limits, state->arena, &list, NULL, error));
  }
  memplan_bound best = memplan_bound_list_best(&list);
  solution->order_lower_bound = memplan_bound_list_of_load(&list);
  if (order_is_fixed(state->solve)) {
    int32_t *order = MEMPLAN_NEW(state->arena, int32_t, state->graph->n_ops);
    memplan_profile profile;
    if (order == NULL) {
      return memplan_fail_nomem(error);
    }
    for (int32_t op = 0; op < state->graph->n_ops; op++) {
      order[op] = op;
    }
    MEMPLAN_TRY(memplan_ordering_profile(least, order, state->arena, &profile, error));
    if (profile.bound > best.bytes) {
      best = (memplan_bound){.kind = MEMPLAN_BOUND_LOAD, .bytes = profile.bound, .step = profile.step};
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
  bool proven = plan->peak == plan->lower_bound;
  if (state->graph->n_pools > 1) {
    proven = memplan_pool_table_proves(&state->table, &state->objective, state->pool_peaks);
  }
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
  solution->outcome = proven ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
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
    entry->plan = MEMPLAN_NEW(&plan->arena, memplan_plan, 1);
    if (entry->op == NULL || entry->body == NULL || entry->plan == NULL) {
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
                  .is_least = !prepared->has_least,
                  .arena = &solution->arena,
                  .solution = solution,
                  .peak = INT64_MAX};
  memplan_instance_init(&state.instance);
  state.pool_peaks = MEMPLAN_NEW(state.arena, int64_t, graph->n_pools + 1);
  if (state.pool_peaks == NULL) {
    return memplan_fail_nomem(error);
  }
  state.stop = prepared->stop;
  solution->naive_bytes = prepared->ordering.naive_bytes;
  solution->naive_saturated = prepared->ordering.naive_saturated;
  solution->weight_bytes = prepared->ordering.weight_bytes;
  solution->external_bytes = prepared->ordering.external_bytes;
  memplan_status status = find_bound(&state, memplan_prepared_least(prepared), solution, error);
  if (status == MEMPLAN_OK && solution->infeasible != NULL) {
    solution->outcome = MEMPLAN_INFEASIBLE;
  } else if (status == MEMPLAN_OK) {
    status = run_search(&state, error);
    solution->unplaced = state.best == NULL ? state.unplaced : NULL;
    solution->outcome = solution->infeasible != NULL ? MEMPLAN_INFEASIBLE : solution->outcome;
  }
  if (status == MEMPLAN_OK && state.best != NULL) {
    status = store_plan(&state, solution, error);
  }
  memplan_instance_free(&state.instance);
  solution->stop = state.stop;
  solution->nodes = state.nodes;
  solution->floating_bound = state.floating_bound;
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
