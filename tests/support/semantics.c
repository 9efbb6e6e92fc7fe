// SPDX-License-Identifier: Apache-2.0
#include "tests/support/semantics.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/semantics_plan.h"

typedef struct trial {
  memplan_problem problem;
  random_state random;
  semantics_counts *counts;
  char *message;
  size_t size;
  oracle_precedence precedence;
  int64_t workspace[ORACLE_OPS];
  memplan_ordering ordering;
  bool pooled;
} trial;

static bool differ(trial *state, const char *format, ...) MEMPLAN_PRINTF(2, 3);

static bool differ(trial *state, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(state->message, state->size, format, arguments);
  va_end(arguments);
  return false;
}

// ---- precedence

static bool closure_is_equal(trial *state) {
  const memplan_graph *graph = &state->problem.graph;
  oracle_precedence library;
  memset(&library, 0, sizeof library);
  for (int32_t op = 0; op < graph->n_ops; op++) {
    for (int32_t k = graph->pred_first[op]; k < graph->pred_first[op + 1]; k++) {
      library.before[graph->pred[k]][op] = true;
    }
  }
  for (int32_t k = 0; k < graph->n_ops; k++) {
    for (int32_t a = 0; a < graph->n_ops; a++) {
      for (int32_t b = 0; b < graph->n_ops; b++) {
        library.before[a][b] |= library.before[a][k] && library.before[k][b];
      }
    }
  }
  for (int32_t a = 0; a < graph->n_ops; a++) {
    for (int32_t b = 0; b < graph->n_ops; b++) {
      if (library.before[a][b] != state->precedence.before[a][b]) {
        return differ(state, "'%s' before '%s': library %d, oracle %d", graph->ops[a].id, graph->ops[b].id,
                      library.before[a][b], state->precedence.before[a][b]);
      }
    }
  }
  return true;
}

// Random permutations: mostly illegal.
static bool checks_permutations(trial *state) {
  const memplan_graph *graph = &state->problem.graph;
  for (int32_t round = 0; round < 4; round++) {
    int32_t order[ORACLE_OPS];
    for (int32_t t = 0; t < graph->n_ops; t++) {
      order[t] = t;
    }
    for (int32_t swaps = 1 + random_below(&state->random, 3); swaps > 0; swaps--) {
      int32_t a = random_below(&state->random, graph->n_ops);
      int32_t b = random_below(&state->random, graph->n_ops);
      int32_t kept = order[a];
      order[a] = order[b];
      order[b] = kept;
    }
    bool legal = oracle_order_is_legal(graph, &state->precedence, order);
    state->counts->illegal_orders += legal ? 0 : 1;
    if ((memplan_ordering_check(&state->ordering, order, NULL) == MEMPLAN_OK) != legal) {
      return differ(state, "memplan_ordering_check on a permutation that is %s", legal ? "legal" : "illegal");
    }
    memplan_plan plan;
    build_plan(&state->problem, &plan, "");
    for (int32_t t = 0; t < graph->n_ops; t++) {
      plan.order[plan.n_order++] = graph->ops[order[t]].id;
    }
    memplan_report report;
    memplan_report_init(&report);
    bool found = false;
    if (memplan_verify(&state->problem, &plan, &report, NULL) == MEMPLAN_OK) {
      for (int32_t k = 0; k < report.n_violations; k++) {
        found |= report.violations[k].kind == MEMPLAN_VIOLATION_ORDER;
      }
    }
    memplan_report_free(&report);
    memplan_plan_free(&plan);
    if (found == legal) {
      return differ(state, "verify finds %s order violation in an order that is %s", found ? "an" : "no",
                    legal ? "legal" : "illegal");
    }
  }
  return true;
}

// ---- one order

typedef struct order_trial {
  trial *state;
  const int32_t *order;
  oracle_items items;
  oracle_choice chosen; // one of the legal ones, at random
  int64_t n_choices;
} order_trial;

static void pick_choice(void *context, const oracle_choice *choice) {
  order_trial *current = context;
  current->n_choices++;
  if (random_below(&current->state->random, (int32_t)current->n_choices) == 0) {
    current->chosen = *choice;
  }
}

static oracle_choice translate(const memplan_ordering *ordering, const int32_t *choice, int32_t n_choices) {
  oracle_choice result = {.count = 0};
  for (int32_t k = 0; k < n_choices && result.count < ORACLE_PAIRS; k++) {
    const memplan_pair *pair = &ordering->pairs[choice[k]];
    result.pairs[result.count++] = (oracle_pair){pair->op, pair->output, pair->input};
  }
  return result;
}

// The pairs of a choice by their numbers in the ordering, in step order; pairs that share no byte have none.
static int32_t number_pairs(const memplan_ordering *ordering, const int32_t *order, const oracle_choice *choice,
                            int32_t *numbers) {
  int32_t count = 0;
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    for (int32_t p = ordering->pair_first[order[t]]; p < ordering->pair_first[order[t] + 1]; p++) {
      for (int32_t k = 0; k < choice->count; k++) {
        if (choice->pairs[k].output == ordering->pairs[p].output &&
            choice->pairs[k].input == ordering->pairs[p].input &&
            (count == 0 || ordering->pairs[numbers[count - 1]].output != ordering->pairs[p].output)) {
          numbers[count++] = p;
        }
      }
    }
  }
  return count;
}

static bool profile_is_right(order_trial *current) {
  trial *state = current->state;
  const memplan_graph *graph = &state->problem.graph;
  memplan_arena arena = {0};
  memplan_profile profile;
  memplan_error error = {.message = ""};
  bool right = true;
  if (memplan_ordering_profile(&state->ordering, current->order, &arena, &profile, &error) != MEMPLAN_OK) {
    right = differ(state, "profile: %s", error.message);
  } else {
    int64_t peak = oracle_order_peak(graph, &state->problem.options, &current->items, current->order);
    oracle_choice choice = translate(&state->ordering, profile.choice, profile.n_choices);
    if (profile.peak != peak) {
      right = differ(state, "order peak: library %" PRId64 ", oracle %" PRId64, profile.peak, peak);
    } else if (!oracle_choice_is_legal(graph, &state->problem.options, &current->items, current->order, &choice)) {
      right = differ(state, "the profile's choice is illegal");
    } else if (oracle_load(graph, &current->items, current->order, &choice) != peak) {
      right = differ(state, "the profile's choice has the load %" PRId64 ", not %" PRId64,
                     oracle_load(graph, &current->items, current->order, &choice), peak);
    } else if (random_chance(&state->random, 50)) {
      current->chosen = choice;
    }
  }
  memplan_arena_free(&arena);
  return right;
}

// Lowers order and choice; the instance must hold the oracle's items, and the same load.
static bool lowering_is_right(order_trial *current) {
  trial *state = current->state;
  int32_t numbers[ORACLE_PAIRS];
  int32_t count = number_pairs(&state->ordering, current->order, &current->chosen, numbers);
  memplan_error error = {.message = ""};
  memplan_instance instance;
  memplan_instance_init(&instance);
  bool right = true;
  memplan_load load;
  if (memplan_ordering_filter(&state->ordering, numbers, &count, &error) != MEMPLAN_OK) {
    right = differ(state, "filter: %s", error.message);
  }
  oracle_choice kept = translate(&state->ordering, numbers, count);
  if (right && memplan_ordering_lower(&state->ordering, current->order, numbers, count, &instance, NULL, NULL,
                                      &error) != MEMPLAN_OK) {
    right = differ(state, "lower: %s", error.message);
  }
  if (right && instance.n_buffers != current->items.count) {
    right = differ(state, "lowering places %d buffers, oracle %d", instance.n_buffers, current->items.count);
  }
  for (int32_t i = 0; right && i < instance.n_buffers; i++) {
    const oracle_item *item = &current->items.items[i];
    if (strcmp(instance.buffers[i].id, item->id) != 0 || instance.buffers[i].bytes != item->bytes) {
      right = differ(state, "buffer %d is '%s', oracle '%s'", i, instance.buffers[i].id, item->id);
    }
  }
  if (right && memplan_instance_load(&instance, false, &load, &error) != MEMPLAN_OK) {
    right = differ(state, "load: %s", error.message);
  }
  int64_t expected = right ? oracle_load(&state->problem.graph, &current->items, current->order, &kept) : 0;
  if (right && load.bytes != expected) {
    right = differ(state, "load of the lowered instance: %" PRId64 ", oracle %" PRId64, load.bytes, expected);
  }
  if (right && oracle_instance_load(&instance) != expected) {
    right = differ(state, "the lowered instance's bytes are not the choice's load %" PRId64, expected);
  }
  memplan_instance_free(&instance);
  current->chosen = right ? kept : current->chosen;
  return right;
}

static int64_t safe_limit(const trial *state, const oracle_items *items) {
  int64_t limit = 1;
  for (int32_t i = 0; i < items->count; i++) {
    limit += items->items[i].bytes + 12;
  }
  return limit < ORACLE_ARENA ? limit + state->problem.options.align : ORACLE_ARENA;
}

static bool verdict_is_right(order_trial *current, const oracle_place *places) {
  trial *state = current->state;
  const memplan_graph *graph = &state->problem.graph;
  bool valid = oracle_placement_is_valid(graph, &state->problem.options, &current->items, current->order,
                                         &current->chosen, places);
  memplan_plan plan;
  semantics_make_plan(&state->problem, &current->items, current->order, &current->chosen, places, &plan);
  char text[512];
  bool verified = semantics_verifies(&state->problem, &plan, text, sizeof text);
  memplan_plan_free(&plan);
  state->counts->valid += valid ? 1 : 0;
  state->counts->invalid += valid ? 0 : 1;
  if (verified != valid) {
    return differ(state, "a placement is %s, but verify says: %s", valid ? "valid" : "invalid", text);
  }
  return true;
}

static bool verdicts_are_right(order_trial *current) {
  trial *state = current->state;
  const memplan_graph *graph = &state->problem.graph;
  int32_t n_pools = graph->n_pools > 1 ? graph->n_pools : 1;
  oracle_place places[ORACLE_ITEMS];
  memset(places, 0, sizeof places);
  int64_t bytes[ORACLE_ITEMS] = {0};
  int64_t peak = -1;
  if (current->items.count <= 7) {
    peak = oracle_placement_optimum(graph, &state->problem.options, &current->items, current->order, &current->chosen,
                                    safe_limit(state, &current->items), places);
  }
  int64_t next = 0;
  for (int32_t i = 0; i < current->items.count; i++) {
    bytes[i] = current->items.items[i].bytes;
    if (peak < 0 && bytes[i] > 0) {
      places[i] = (oracle_place){next, random_below(&state->random, n_pools)};
      next += bytes[i];
    }
  }
  bool right = verdict_is_right(current, places);
  for (int32_t round = 0; round < 4 && right; round++) {
    oracle_place moved[ORACLE_ITEMS];
    memcpy(moved, places, sizeof moved);
    semantics_disturb(&state->random, current->items.count, n_pools, bytes, moved);
    right = verdict_is_right(current, moved);
  }
  return right;
}

// A choice that the oracle calls illegal must be rejected whatever the placement.
static bool illegal_pairs_are_found(order_trial *current) {
  trial *state = current->state;
  const memplan_graph *graph = &state->problem.graph;
  oracle_place places[ORACLE_ITEMS];
  memset(places, 0, sizeof places);
  for (int32_t op = 0; op < graph->n_ops; op++) {
    for (int32_t k = 0; k < graph->ops[op].n_inplace; k++) {
      oracle_choice choice = {.count = 1,
                              .pairs = {{op, graph->ops[op].inplace[k].output, graph->ops[op].inplace[k].input}}};
      bool legal = oracle_choice_is_legal(graph, &state->problem.options, &current->items, current->order, &choice);
      memplan_plan plan;
      semantics_make_plan(&state->problem, &current->items, current->order, &choice, places, &plan);
      memplan_report report;
      memplan_report_init(&report);
      bool found = false;
      if (memplan_verify(&state->problem, &plan, &report, NULL) == MEMPLAN_OK) {
        for (int32_t v = 0; v < report.n_violations; v++) {
          found |= report.violations[v].kind == MEMPLAN_VIOLATION_INPLACE && report.violations[v].low < 0;
        }
      }
      memplan_report_free(&report);
      memplan_plan_free(&plan);
      if (found == legal) {
        return differ(state, "pair ['%s', '%s'] at '%s' is %s, but verify %s it",
                      graph->tensors[choice.pairs[0].output].id, graph->tensors[choice.pairs[0].input].id,
                      graph->ops[op].id, legal ? "legal" : "illegal", found ? "rejects" : "accepts");
      }
    }
  }
  return true;
}

static bool order_is_right(trial *state, const int32_t *order) {
  const memplan_graph *graph = &state->problem.graph;
  order_trial current = {.state = state, .order = order};
  oracle_find_items(graph, &state->problem.options, state->workspace, order, &current.items);
  oracle_for_each_choice(graph, &state->problem.options, &current.items, order, pick_choice, &current);
  state->counts->orders++;
  bool right = profile_is_right(&current) && illegal_pairs_are_found(&current);
  // Pools, pins and capacities may contradict each other: then there is nothing to lower.
  right = right && (state->pooled || lowering_is_right(&current));
  state->counts->choices += current.chosen.count > 0 ? 1 : 0;
  return right && verdicts_are_right(&current);
}

typedef struct order_sample {
  trial *state;
  int32_t orders[2][ORACLE_OPS];
  int64_t seen;
} order_sample;

static bool sample_order(void *context, const int32_t *order) {
  order_sample *sample = context;
  int64_t slot = sample->seen < 2 ? sample->seen : random_below(&sample->state->random, (int32_t)sample->seen + 1);
  if (slot < 2) {
    memcpy(sample->orders[slot], order, sizeof sample->orders[slot]);
  }
  return ++sample->seen < 2000;
}

static bool orders_are_right(trial *state) {
  order_sample sample = {.state = state};
  (void)oracle_for_each_order(&state->problem.graph, &state->precedence, sample_order, &sample);
  for (int64_t k = 0; k < sample.seen && k < 2; k++) {
    if (!order_is_right(state, sample.orders[k])) {
      return false;
    }
  }
  return true;
}

// ---- solve

static bool bounds_are_right(trial *state, int64_t optimum) {
  memplan_bounds bounds = {.n_bounds = 0};
  memplan_error error = {.message = ""};
  bool right = memplan_find_bounds(&state->problem, NULL, &bounds, &error) == MEMPLAN_OK;
  if (!right) {
    (void)differ(state, "bounds: %s", error.message);
  }
  for (int32_t k = 0; right && k < bounds.n_bounds; k++) {
    if (bounds.bounds[k].bytes > optimum) {
      right = differ(state, "bound '%s' is %" PRId64 ", the optimum %" PRId64,
                     memplan_bound_kind_name(bounds.bounds[k].kind), bounds.bounds[k].bytes, optimum);
    }
  }
  memplan_bounds_free(&bounds);
  return right;
}

static bool solution_is_right(trial *state, const memplan_solution *solution, int64_t optimum, int64_t order_optimum) {
  const memplan_plan *plan = &solution->plan;
  char text[512];
  if (!solution->has_plan) {
    return differ(state, "solve finds no plan");
  }
  if (!semantics_verifies(&state->problem, plan, text, sizeof text)) {
    return differ(state, "the solution's plan: %s", text);
  }
  if (plan->peak < optimum || plan->lower_bound > optimum) {
    return differ(state, "solve: peak %" PRId64 ", bound %" PRId64 ", optimum %" PRId64, plan->peak, plan->lower_bound,
                  optimum);
  }
  if (solution->order_peak < order_optimum || solution->order_lower_bound > order_optimum) {
    return differ(state, "solve: order peak %" PRId64 ", bound %" PRId64 ", optimum %" PRId64, solution->order_peak,
                  solution->order_lower_bound, order_optimum);
  }
  if (solution->outcome == MEMPLAN_OPTIMAL && plan->peak != optimum) {
    return differ(state, "solve calls %" PRId64 " optimal, but %" PRId64 " is possible", plan->peak, optimum);
  }
  return true;
}

static bool solve_is_right(trial *state) {
  const memplan_graph *graph = &state->problem.graph;
  oracle_items items;
  int32_t given[ORACLE_OPS];
  for (int32_t op = 0; op < graph->n_ops; op++) {
    given[op] = op;
  }
  oracle_find_items(graph, &state->problem.options, state->workspace, given, &items);
  if (graph->n_ops > 5 || items.count > 6) {
    return true;
  }
  int64_t order_optimum;
  int64_t optimum = oracle_joint_optimum(graph, &state->problem.options, state->workspace, &state->precedence,
                                         safe_limit(state, &items), &order_optimum);
  if (optimum < 0) {
    return differ(state, "the oracle finds no plan");
  }
  state->counts->optima++;
  state->counts->gaps += optimum > order_optimum ? 1 : 0;
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1; // starting threads would cost more than these problems do
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_error error = {.message = ""};
  bool right = memplan_solve(&state->problem, &options, &solution, &error) == MEMPLAN_OK;
  right =
      right ? solution_is_right(state, &solution, optimum, order_optimum) : differ(state, "solve: %s", error.message);
  memplan_solution_free(&solution);
  return right && bounds_are_right(state, optimum);
}

// With pools and pins there may be no plan; but what comes out must be right, or refused as input. Solve gives a plan
// that passes the problem's capacity too, if it finds none that fits; so the capacity is taken away.
static bool pooled_solve_is_right(trial *state) {
  state->problem.options.capacity = -1;
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1; // starting threads would cost more than these problems do
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_error error = {.message = ""};
  memplan_status status = memplan_solve(&state->problem, &options, &solution, &error);
  bool right = status == MEMPLAN_OK || status == MEMPLAN_INPUT ? true : differ(state, "solve: %s", error.message);
  char text[512];
  if (status == MEMPLAN_OK && solution.has_plan &&
      !semantics_verifies(&state->problem, &solution.plan, text, sizeof text)) {
    right = differ(state, "the solution's plan: %s", text);
  }
  memplan_solution_free(&solution);
  return right;
}

// ---- whole problems

static bool graph_is_right(trial *state) {
  memplan_graph *graph = &state->problem.graph;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    state->workspace[op] = graph->ops[op].workspace;
  }
  bool legal = oracle_graph_is_legal(graph, &state->precedence);
  memplan_error error = {.message = "accepted"};
  memplan_status status = build_try(&state->problem, &error);
  state->counts->accepted += legal ? 1 : 0;
  state->counts->rejected += legal ? 0 : 1;
  if (status != MEMPLAN_OK && status != MEMPLAN_INPUT) {
    return differ(state, "resolve: %s", error.message);
  }
  if ((status == MEMPLAN_OK) != legal) {
    return differ(state, "the oracle calls the graph %s, resolve: %s", legal ? "legal" : "illegal", error.message);
  }
  if (!legal) {
    return true;
  }
  status = memplan_ordering_init(&state->ordering, graph, &state->problem.options, NULL, &error);
  bool right = status == MEMPLAN_OK ? closure_is_equal(state) && checks_permutations(state) && orders_are_right(state)
                                    : differ(state, "ordering: %s", error.message);
  right = right && (state->pooled ? pooled_solve_is_right(state) : solve_is_right(state));
  memplan_ordering_free(&state->ordering);
  return right;
}

static bool check_graph(uint64_t seed, uint64_t index, bool pooled, semantics_counts *counts, char *message,
                        size_t size) {
  trial state = {
      .random = random_start(seed, index), .counts = counts, .message = message, .size = size, .pooled = pooled};
  random_graph_options wishes = {.max_ops = 7, .max_bytes = 4, .illegal_percent = 15, .pools = pooled, .pins = pooled};
  random_graph(&state.random, &wishes, &state.problem);
  if (pooled) {
    state.problem.options.capacity = random_chance(&state.random, 20) ? 6 + random_below(&state.random, 10) : -1;
    state.problem.options.align = random_chance(&state.random, 20) ? 2 : 1;
  }
  bool right = graph_is_right(&state);
  memplan_problem_free(&state.problem);
  return right;
}

bool semantics_check_graph(uint64_t seed, uint64_t index, semantics_counts *counts, char *message, size_t size) {
  return check_graph(seed, index, false, counts, message, size);
}

bool semantics_check_pooled_graph(uint64_t seed, uint64_t index, semantics_counts *counts, char *message, size_t size) {
  return check_graph(seed, index, true, counts, message, size);
}

semantics_counts semantics_run(semantics_check check, uint64_t seed, uint64_t count) {
  semantics_counts counts = {0};
  char message[1024] = "";
  for (uint64_t index = 0; index < count; index++) {
    if (!check(seed, index, &counts, message, sizeof message)) {
      fail_msg("seed %" PRIu64 ", index %" PRIu64 ": %s", seed, index, message);
    }
  }
  return counts;
}
