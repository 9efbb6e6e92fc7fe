// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_case.h"

#include "solvers/joint_probe.h"
#include "solvers/joint_repair.h"
#include "solvers/joint_window.h"
#include "solvers/joint_windows.h"
#include "tests/support/oracle.h"
#include "tests/support/shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

memplan_joint_settings joint_settings(random_state *random) {
  memplan_joint_settings settings = memplan_joint_settings_default();
  if (random_chance(random, 50)) {
    return settings;
  }
  settings.seed = random_next(random);
  settings.driver = (memplan_joint_driver)random_below(random, 4);
  settings.load = random_chance(random, 60);
  settings.overload = random_chance(random, 60);
  settings.edges = random_chance(random, 60);
  settings.symmetry = random_chance(random, 70);
  settings.minimise = random_chance(random, 70);
  settings.bound_branching = random_chance(random, 70);
  settings.proof = random_chance(random, 30);
  return settings;
}

// ---- plans

static int64_t offset_of(const memplan_instance *instance, const memplan_joint_plan *plan, int32_t buffer) {
  return buffer < 0 ? 0 : plan->placement.offset[instance->block_of[buffer]] + instance->delta_of[buffer];
}

void joint_check_plan(const memplan_problem *problem, const memplan_ordering *ordering,
                      const memplan_joint_plan *plan) {
  const memplan_graph *graph = &problem->graph;
  memplan_error error = {0};
  memplan_instance instance;
  memplan_instance_init(&instance);
  int32_t storage_buffer[ORACLE_TENSORS], op_buffer[ORACLE_OPS];
  assert_true(graph->n_storages <= ORACLE_TENSORS && graph->n_ops <= ORACLE_OPS);
  assert_int_equal(memplan_ordering_check(ordering, plan->order, &error), MEMPLAN_OK);
  assert_int_equal(memplan_ordering_lower(ordering, plan->order, plan->choice, plan->n_choices, &instance,
                                          storage_buffer, op_buffer, &error),
                   MEMPLAN_OK);
  assert_int_equal(instance.n_blocks, plan->n_blocks);
  assert_int_equal(memplan_instance_peak(&instance, plan->placement.offset), plan->peak);
  int64_t workspace[ORACLE_OPS];
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace[op] = graph->ops[op].workspace;
  }
  oracle_items items;
  oracle_find_items(graph, &problem->options, workspace, plan->order, &items);
  oracle_choice choice = {.count = plan->n_choices};
  for (int32_t k = 0; k < plan->n_choices; k++) {
    const memplan_pair *pair = &ordering->pairs[plan->choice[k]];
    choice.pairs[k] = (oracle_pair){pair->op, pair->output, pair->input};
  }
  assert_true(oracle_choice_is_legal(graph, &problem->options, &items, plan->order, &choice));
  oracle_place places[ORACLE_ITEMS];
  memset(places, 0, sizeof places);
  for (int32_t k = 0; k < items.count; k++) {
    int32_t buffer = items.items[k].op >= 0 ? op_buffer[items.items[k].op] : -1;
    for (int32_t storage = 0; storage < graph->n_storages && items.items[k].op < 0; storage++) {
      buffer = graph->storages[storage].root == items.items[k].tensor ? storage_buffer[storage] : buffer;
    }
    places[k].offset = offset_of(&instance, plan, buffer);
  }
  assert_true(oracle_placement_is_valid(graph, &problem->options, &items, plan->order, &choice, places));
  memplan_instance_free(&instance);
}

static void hint(memplan_joint_search *search, const memplan_ordering *ordering,
                 const memplan_joint_settings *settings) {
  if (settings->seed % 3 == 1) {
    memplan_error error = {0};
    int32_t order[ORACLE_OPS];
    for (int32_t op = 0; op < ordering->n_ops; op++) {
      order[op] = op;
    }
    const memplan_joint_plan plan = {.order = order};
    assert_int_equal(memplan_joint_search_start(search, &plan, &error), MEMPLAN_OK);
  }
}

// Precedences of the capacity that is tried next; each probing but the last may be cut short.
static void probe_next(memplan_joint_probe *probe, memplan_joint_search *search) {
  const memplan_limits limits = memplan_limits_default();
  memplan_error error = {0};
  int64_t capacity = memplan_joint_search_capacity(search), ticks;
  bool refuted;
  if (capacity >= 0) {
    assert_int_equal(memplan_joint_probe_run(probe, search, capacity, 300, &limits, &ticks, &refuted, &error),
                     MEMPLAN_OK);
    if (refuted) {
      memplan_joint_search_set_lower(search, capacity + 1);
    }
  }
}

static int64_t run(const memplan_problem *problem, const memplan_ordering *ordering, const memplan_joint_graph *graph,
                   const memplan_joint_settings *settings, int64_t lower, int64_t upper, int32_t *n_choices) {
  memplan_error error = {0};
  memplan_joint_search *search;
  assert_int_equal(memplan_joint_search_new(graph, lower, upper, settings, &search, &error), MEMPLAN_OK);
  hint(search, ordering, settings);
  memplan_joint_probe *probe = NULL;
  if (upper % 2 == 0 && !settings->proof) {
    assert_int_equal(memplan_joint_probe_new(ordering, NULL, &probe, &error), MEMPLAN_OK);
  }
  int64_t low = memplan_joint_search_lower(search), high = upper, best = -1;
  for (int round = 0;; round++) {
    assert_true(round < 400000); // without rules that count loads, large sizes take that long
    if (probe != NULL) {
      probe_next(probe, search);
    }
    memplan_joint_result result = memplan_joint_search_run(search, 500);
    assert_true(result != MEMPLAN_JOINT_NOMEM);
    assert_true(memplan_joint_search_lower(search) >= low && memplan_joint_search_upper(search) <= high);
    low = memplan_joint_search_lower(search);
    if (result == MEMPLAN_JOINT_IMPROVED) {
      assert_true(memplan_joint_search_has_plan(search) && memplan_joint_search_upper(search) < high);
      memplan_arena arena = {0};
      memplan_joint_plan plan;
      assert_int_equal(memplan_joint_search_read(search, &arena, &plan, &error), MEMPLAN_OK);
      best = plan.peak;
      *n_choices = plan.n_choices;
      assert_int_equal(best, memplan_joint_search_upper(search));
      joint_check_plan(problem, ordering, &plan);
      memplan_joint_plan again = plan;
      assert_int_equal(memplan_joint_search_start(search, &again, &error), MEMPLAN_OK);
      memplan_arena_free(&arena);
    }
    high = memplan_joint_search_upper(search);
    if (result == MEMPLAN_JOINT_CLOSED) {
      assert_int_equal(low, high);
      break;
    }
  }
  memplan_joint_probe_free(probe);
  memplan_joint_search_free(search);
  return best;
}

int64_t joint_optimum(const memplan_problem *problem, const memplan_joint_settings *settings, int64_t lower,
                      int64_t upper, int32_t *n_choices) {
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph graph;
  char reason[256];
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
  assert_true(memplan_joint_search_accepts(&ordering, reason));
  assert_int_equal(memplan_joint_graph_init(&graph, &ordering, true, &arena, &error), MEMPLAN_OK);
  int64_t optimum = run(problem, &ordering, &graph, settings, lower, upper, n_choices);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  return optimum;
}

// ---- comparisons

// A legal order, by drawing from what is ready; groups stay together.
static void draw_order(const memplan_ordering *ordering, random_state *random, int32_t *order) {
  memplan_error error = {0};
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    order[op] = op;
  }
  for (int32_t k = 0; k < 3 * ordering->n_ops; k++) {
    int32_t step = random_below(random, ordering->n_ops), other = random_below(random, ordering->n_ops);
    int32_t moved = order[step];
    order[step] = order[other];
    order[other] = moved;
    if (memplan_ordering_check(ordering, order, &error) != MEMPLAN_OK) {
      order[other] = order[step];
      order[step] = moved;
    }
  }
}

// Least height of a plan of the window, or `upper`.
static int64_t window_optimum(const memplan_joint_graph *whole, const int32_t *ops, int32_t n, int64_t upper,
                              const memplan_joint_settings *settings) {
  memplan_arena arena = {0};
  memplan_error error = {0};
  memplan_joint_graph window;
  memplan_joint_search *search;
  assert_int_equal(memplan_joint_window_init(&window, whole, ops, n, &arena, &error), MEMPLAN_OK);
  assert_int_equal(memplan_joint_search_new(&window, 0, upper, settings, &search, &error), MEMPLAN_OK);
  for (int round = 0; memplan_joint_search_run(search, 500) != MEMPLAN_JOINT_CLOSED; round++) {
    assert_true(round < 20000);
  }
  int64_t optimum = memplan_joint_search_lower(search);
  assert_int_equal(optimum, memplan_joint_search_upper(search));
  memplan_joint_search_free(search);
  memplan_arena_free(&arena);
  return optimum;
}

static void compare_windows(const memplan_problem *problem, uint64_t seed, random_state *random, int64_t expected,
                            joint_counts *counts) {
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph whole;
  memplan_joint_settings settings = joint_settings(random);
  int32_t order[ORACLE_OPS], ops[ORACLE_OPS];
  bool unread = false;
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
  assert_int_equal(memplan_joint_graph_outline(&whole, &ordering, &arena, &error), MEMPLAN_OK);
  for (int32_t item = 0; item < whole.n_items; item++) {
    unread = unread || whole.items[item].unread;
  }
  draw_order(&ordering, random, order);
  for (int32_t round = 0; round < 4; round++) {
    int32_t n = 0, share = round == 0 ? 100 : random_below(random, 100);
    for (int32_t step = 0; step < ordering.n_ops; step++) {
      if (random_chance(random, share)) {
        ops[n++] = order[step];
      }
    }
    int64_t optimum = window_optimum(&whole, ops, n, expected + 1 + random_below(random, 20), &settings);
    if (optimum > expected || (n == ordering.n_ops && !unread && optimum != expected)) {
      fail_msg("seed %" PRIu64 ": window of %d of %d operators: %" PRId64 ", whole %" PRId64, seed, n, ordering.n_ops,
               optimum, expected);
    }
    counts->tight += n < ordering.n_ops && optimum == expected;
  }
  counts->compared++;
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
}

// The first plan below `upper` that the engine happens upon. False: there is none.
static bool find_plan(const memplan_ordering *ordering, int64_t upper, uint64_t seed, memplan_arena *arena,
                      memplan_joint_plan *plan) {
  memplan_error error = {0};
  memplan_joint_graph graph;
  memplan_joint_search *search;
  memplan_joint_settings settings = memplan_joint_settings_default();
  settings.driver = MEMPLAN_JOINT_DOWN;
  settings.seed = seed;
  assert_int_equal(memplan_joint_graph_init(&graph, ordering, true, arena, &error), MEMPLAN_OK);
  assert_int_equal(memplan_joint_search_new(&graph, 0, upper, &settings, &search, &error), MEMPLAN_OK);
  bool found = memplan_joint_search_run(search, INT64_MAX) == MEMPLAN_JOINT_IMPROVED;
  if (found) {
    assert_int_equal(memplan_joint_search_read(search, arena, plan, &error), MEMPLAN_OK);
  }
  memplan_joint_search_free(search);
  return found;
}

// Bounds from windows of some plan, from any bound on that holds.
static void compare_bounds(const memplan_problem *problem, uint64_t seed, random_state *random, int64_t expected,
                           joint_counts *counts) {
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_plan plan;
  memplan_joint_windows *windows;
  memplan_limits limits = memplan_limits_default();
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
  assert_true(find_plan(&ordering, 2 * expected + 1, random_next(random), &arena, &plan));
  int32_t narrowest = random_chance(random, 50) ? 2 : random_chance(random, 50) ? 4 : 6;
  assert_int_equal(memplan_joint_windows_new(&ordering, narrowest, &windows, &error), MEMPLAN_OK);
  assert_true((windows == NULL) == (ordering.n_ops <= narrowest));
  int64_t start = expected - random_below(random, (int32_t)(expected / 2 + 1)), lower = start;
  if (windows != NULL) {
    assert_int_equal(memplan_joint_windows_set_plan(windows, &plan, &error), MEMPLAN_OK);
    for (int round = 0; !memplan_joint_windows_is_exhausted(windows) && lower < plan.peak; round++) {
      memplan_joint_windows_news news;
      assert_true(round < 20000);
      assert_int_equal(memplan_joint_windows_run(windows, lower, 700, &limits, &news, &error), MEMPLAN_OK);
      assert_true(news.lower >= lower);
      lower = news.lower;
    }
    counts->raised += lower > start;
    counts->tight += lower > start && lower == expected;
  }
  if (lower > expected) {
    fail_msg("seed %" PRIu64 ": windows raise %" PRId64 " to %" PRId64 ", optimum %" PRId64, seed, start, lower,
             expected);
  }
  counts->compared++;
  memplan_joint_windows_free(windows);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
}

static void compare_repair(const memplan_problem *problem, uint64_t seed, random_state *random, int64_t expected,
                           joint_counts *counts) {
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph whole;
  memplan_joint_plan plan;
  memplan_limits limits = memplan_limits_default();
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
  assert_int_equal(memplan_joint_graph_outline(&whole, &ordering, &arena, &error), MEMPLAN_OK);
  assert_true(find_plan(&ordering, 4 * expected + 1, random_next(random), &arena, &plan));
  bool all_ops = random_chance(random, 30);
  int32_t widest = all_ops ? ordering.n_ops : 1 + random_below(random, 4);
  int32_t narrowest = all_ops ? ordering.n_ops : 1 + random_below(random, widest);
  memplan_joint_repair *repair = memplan_joint_repair_new(&whole, narrowest, widest);
  assert_non_null(repair);
  assert_int_equal(memplan_joint_repair_set_plan(repair, &plan, &error), MEMPLAN_OK);
  int64_t peak = plan.peak, goal = random_chance(random, 50) ? expected : 0;
  for (int round = 0; !memplan_joint_repair_is_exhausted(repair) && peak > goal; round++) {
    memplan_joint_repair_news news;
    assert_true(round < 20000);
    assert_int_equal(memplan_joint_repair_run(repair, goal, 700, &limits, &news, &error), MEMPLAN_OK);
    assert_true(news.improved == (memplan_joint_repair_peak(repair) < peak));
    assert_int_equal(memplan_joint_repair_read(repair, &arena, &plan, &error), MEMPLAN_OK);
    joint_check_plan(problem, &ordering, &plan);
    peak = memplan_joint_repair_peak(repair);
    assert_int_equal(plan.peak, peak);
    counts->repaired += news.improved;
  }
  if (peak < expected || (all_ops && peak > expected)) {
    fail_msg("seed %" PRIu64 ": repaired to %" PRId64 ", optimum %" PRId64, seed, peak, expected);
  }
  counts->tight += !all_ops && peak == expected;
  counts->compared++;
  memplan_joint_repair_free(repair);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
}

// What is asked of one graph.
typedef struct joint_question {
  uint64_t seed;
  int64_t limit; // only optima below it are asked for
  random_state random;
  joint_counts counts;
} joint_question;

static void compare(const memplan_problem *problem, int64_t expected, int64_t order_optimum, joint_question *question) {
  uint64_t seed = question->seed;
  random_state *random = &question->random;
  joint_counts *counts = &question->counts;
  counts->gaps += expected > order_optimum;
  if (counts->bounds) {
    compare_bounds(problem, seed, random, expected, counts);
    return;
  }
  if (counts->repairs) {
    compare_repair(problem, seed, random, expected, counts);
    return;
  }
  if (counts->windows) {
    compare_windows(problem, seed, random, expected, counts);
    return;
  }
  if (counts->look != NULL) {
    counts->look(counts->context, problem, seed, expected);
    counts->compared++;
    return;
  }
  memplan_joint_settings settings = joint_settings(random);
  int64_t lower = random_chance(random, 50) ? 0 : order_optimum, upper = expected + 1 + random_below(random, 30);
  int32_t n_choices = 0;
  int64_t optimum = joint_optimum(problem, &settings, lower, upper, &n_choices);
  if (optimum != expected) {
    fail_msg("seed %" PRIu64 ": %" PRId64 " instead of %" PRId64, seed, optimum, expected);
  }
  counts->choices += n_choices > 0;
  if (random_chance(random, 25)) {
    assert_int_equal(joint_optimum(problem, &settings, 0, expected, &n_choices), -1);
  }
  counts->compared++;
}

static void check_random(const memplan_problem *problem, void *context) {
  enum { most_items = 7 }; // more take too long to enumerate
  joint_question *question = context;
  const memplan_graph *graph = &problem->graph;
  oracle_precedence precedence;
  int64_t optimum, order_optimum;
  assert_true(oracle_graph_is_legal(graph, &precedence));
  if (oracle_small_optimum(graph, &problem->options, &precedence, most_items, question->limit, &optimum,
                           &order_optimum) &&
      optimum >= 0) {
    compare(problem, optimum, order_optimum, question);
  }
}

// Checks a graph that is legal, and gives it back.
static void ask(memplan_problem *problem, shrink_check check, uint64_t seed, int64_t limit, const random_state *random,
                joint_counts *counts) {
  joint_question question = {seed, limit, *random, *counts};
  oracle_precedence precedence;
  if (oracle_graph_is_legal(&problem->graph, &precedence) && build_try(problem, NULL) == MEMPLAN_OK) {
    shrink_checked(problem, check, &question, sizeof question, "joint search, seed %" PRIu64, seed);
    *counts = question.counts;
  }
  memplan_problem_free(problem);
}

void joint_compare_random(uint64_t seed, joint_counts *counts) {
  random_state random = random_start(191, seed);
  random_graph_options wishes = {
      .max_ops = seed % 2 == 0 ? 5 : 6, .max_bytes = 4, .illegal_percent = 0, .pins = random_chance(&random, 30)};
  memplan_problem problem;
  random_graph(&random, &wishes, &problem);
  problem.options.align = random_chance(&random, 20) ? 2 : 1;
  ask(&problem, check_random, seed, 40, &random, counts);
}

// ---- gadgets

// Least placements of one order and choice: differences are decided one by one, the first that the least offsets so
// far violate, either way.
typedef struct decided {
  int32_t low, high;
  int64_t distance;
} decided;

typedef struct placing {
  const memplan_place_problem *place;
  decided arcs[ORACLE_ITEMS * ORACLE_ITEMS];
  int64_t best; // least height so far, units
} placing;

// Least offsets under the first n decisions. False: there are none below the best.
static bool settle(const placing *state, int32_t n, int64_t *offset) {
  const memplan_place_problem *place = state->place;
  for (int32_t item = 0; item < place->n_items; item++) {
    offset[item] = memplan_offset_set_up(&place->offsets[item], 0);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t k = 0; k < n; k++) {
      const decided *arc = &state->arcs[k];
      if (offset[arc->high] < offset[arc->low] + arc->distance) {
        offset[arc->high] = memplan_offset_set_up(&place->offsets[arc->high], offset[arc->low] + arc->distance);
        changed = true;
      }
      if (offset[arc->high] == INT64_MAX) { // no place so high
        return false;
      }
    }
    for (int32_t item = 0; item < place->n_items; item++) {
      if (offset[item] > state->best - 1 - place->size[item]) {
        return false;
      }
    }
  }
  return true;
}

// Recursion depth: pairs of items.
static void decide_rest(placing *state, int32_t n) {
  const memplan_place_problem *place = state->place;
  int64_t offset[ORACLE_ITEMS], height = 0;
  if (!settle(state, n, offset)) {
    return;
  }
  for (int32_t a = 0; a < place->n_items; a++) {
    height = offset[a] + place->size[a] > height ? offset[a] + place->size[a] : height;
    for (int32_t k = place->first_exclusion[a]; k < place->first_exclusion[a + 1]; k++) {
      const memplan_exclusion *exclusion = &place->exclusions[k];
      int32_t b = exclusion->other;
      if (offset[b] < offset[a] + exclusion->up && offset[a] < offset[b] + exclusion->down) {
        assert_true(n < ORACLE_ITEMS * ORACLE_ITEMS);
        state->arcs[n] = (decided){a, b, exclusion->up};
        decide_rest(state, n + 1);
        state->arcs[n] = (decided){b, a, exclusion->down};
        decide_rest(state, n + 1);
        return;
      }
    }
  }
  state->best = height;
}

typedef struct enumeration {
  const memplan_problem *problem;
  const memplan_ordering *ordering;
  const int64_t *workspace;
  const oracle_items *items;
  const int32_t *order;
  int64_t best, order_optimum;
  int32_t left; // orders that may still be tried
} enumeration;

static int32_t pair_index(const memplan_ordering *ordering, const oracle_pair *pair) {
  for (int32_t k = 0; k < ordering->n_pairs; k++) {
    const memplan_pair *other = &ordering->pairs[k];
    if (other->op == pair->op && other->output == pair->output && other->input == pair->input) {
      return k;
    }
  }
  return -1;
}

static void place_choice(enumeration *search, const oracle_choice *choice) {
  const memplan_ordering *ordering = search->ordering;
  int32_t pairs[ORACLE_PAIRS], n = 0;
  for (int32_t step = 0; step < ordering->n_ops; step++) { // in step order
    for (int32_t k = 0; k < choice->count; k++) {
      if (choice->pairs[k].op == search->order[step]) {
        pairs[n] = pair_index(ordering, &choice->pairs[k]);
        assert_true(pairs[n++] >= 0);
      }
    }
  }
  memplan_error error = {0};
  memplan_arena arena = {0};
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = memplan_ordering_lower(ordering, search->order, pairs, n, &instance, NULL, NULL, &error);
  if (status == MEMPLAN_INPUT) { // alignments or pins that contradict each other along a chain
    memplan_instance_free(&instance);
    return;
  }
  assert_int_equal(status, MEMPLAN_OK);
  int32_t blocks[ORACLE_ITEMS], n_blocks = 0;
  for (int32_t block = 0; block < instance.n_blocks; block++) {
    if (instance.blocks[block].bytes > 0) {
      blocks[n_blocks++] = block;
    }
  }
  memplan_place_problem place;
  int64_t limit = search->best - 1;
  assert_int_equal(memplan_place_problem_build(&instance, blocks, n_blocks, &limit, NULL, &arena, &place, &error),
                   MEMPLAN_OK);
  placing state = {.place = &place, .best = (search->best - 1) / place.unit + 1};
  int64_t before = state.best;
  bool room = true;
  for (int32_t item = 0; item < place.n_items; item++) {
    room = room && place.offsets[item].n_ranges > 0;
  }
  if (room) {
    decide_rest(&state, 0);
  }
  search->best = state.best < before ? state.best * place.unit : search->best;
  memplan_instance_free(&instance);
  memplan_arena_free(&arena);
}

static void try_choice(void *context, const oracle_choice *choice) {
  enumeration *search = context;
  int64_t load = oracle_load(&search->problem->graph, search->items, search->order, choice);
  search->order_optimum = load < search->order_optimum ? load : search->order_optimum;
  if (load < search->best) {
    place_choice(search, choice);
  }
}

static bool try_order(void *context, const int32_t *order) {
  enumeration *search = context;
  oracle_items items;
  oracle_find_items(&search->problem->graph, &search->problem->options, search->workspace, order, &items);
  search->items = &items;
  search->order = order;
  oracle_for_each_choice(&search->problem->graph, &search->problem->options, &items, order, try_choice, search);
  return --search->left > 0;
}

typedef struct gadget {
  const char *sizes, *edges; // "01 12": 0 is read by 1, 1 by 2; "013": by 1 and 3
} gadget;

static const gadget gadgets[] = {
    {"2211122", "01 123 234 345 45 56"},
    {"2211122", "01 13 24 35 45 56"},
    {"6632466", "01 123 24 35 45"},
    {"22111122", "01 12 234 13 345 456 56"},
    {"12211122", "12 234 34 05 35 45 456 56 67"},
    {"22111221", "01 123 234 345 45 567 67"},
    {"22122112", "01 123 234 345 456 56 67"},
};

typedef struct mutant {
  random_state *random;
  memplan_graph *graph;
  int32_t n;
  int64_t scale;
  int64_t sizes[ORACLE_OPS];
  bool reads[ORACLE_OPS][ORACLE_OPS]; // by reader and writer
  bool chain;                         // one order only
  bool larger;
  int32_t seldom; // features are as many times rarer: many of them close the gap
  int32_t n_pairs;
} mutant;

static void draw_mutant(mutant *made) {
  random_state *random = made->random;
  const gadget *from = &gadgets[random_below(random, (int32_t)(sizeof gadgets / sizeof *gadgets))];
  made->n = (int32_t)strlen(from->sizes);
  for (int32_t op = 0; op < made->n; op++) {
    made->sizes[op] = from->sizes[op] - '0';
  }
  for (const char *at = from->edges; *at != '\0';) {
    int32_t writer = *at++ - '0';
    for (; *at != '\0' && *at != ' '; at++) {
      made->reads[*at - '0'][writer] = true;
    }
    at += *at == ' ';
  }
  made->chain = random_chance(random, 30);
  int32_t n_changes = random_below(random, 3);
  for (int32_t k = 0; k < n_changes; k++) {
    int32_t op = random_below(random, made->n), other = random_below(random, made->n);
    if (random_chance(random, 50)) {
      made->sizes[op] += made->sizes[op] > 1 && random_chance(random, 50) ? -1 : 1;
    } else if (other < op) {
      made->reads[op][other] = !made->reads[op][other];
    }
  }
  int32_t n_sides = made->larger ? random_below(random, ORACLE_OPS + 1 - made->n) : random_chance(random, 30);
  for (int32_t k = 0; k < n_sides && made->n < ORACLE_OPS; k++) { // operators beside it
    made->sizes[made->n] = 1 + random_below(random, 2);
    int32_t writer = random_below(random, made->n);
    made->reads[made->n][writer] = random_chance(random, 60);
    made->n++;
  }
}

// An output may be a view of a larger buffer that the next operator completes: several writers.
static void make_tensor(mutant *made, int32_t op) {
  random_state *random = made->random;
  char id[16], whole[16];
  bool read = false;
  for (int32_t reader = op + 1; reader < made->n; reader++) {
    read = read || made->reads[reader][op];
  }
  unsigned roles = read ? 0 : MEMPLAN_ROLE_OUTPUT;
  int64_t bytes = made->sizes[op] * made->scale;
  (void)snprintf(id, sizeof id, "t%d", op);
  if (made->sizes[op] > 1 && random_chance(random, 8 / made->seldom)) {
    (void)snprintf(whole, sizeof whole, "w%d", op);
    int64_t part = made->scale * random_below(random, (int32_t)made->sizes[op]);
    build_tensor(made->graph, whole, bytes, roles);
    build_view(made->graph, id, bytes - part, whole, part);
  } else {
    build_tensor(made->graph, id, bytes, roles);
  }
  static const int64_t aligns[] = {1, 4, 64};
  static const int64_t small[] = {1, 2, 3};
  if (random_chance(random, 12 / made->seldom)) {
    memplan_tensor *tensor = &made->graph->tensors[made->graph->n_tensors - 1];
    tensor->align = made->scale > 1 ? aligns[random_below(random, 3)] : small[random_below(random, 3)];
  }
}

static void make_op(mutant *made, int32_t op) {
  random_state *random = made->random;
  char in[64] = "", out[16], id[16], input[16];
  (void)snprintf(id, sizeof id, "o%d", op);
  (void)snprintf(out, sizeof out, "t%d", op);
  for (int32_t writer = 0; writer < op; writer++) {
    if (made->reads[op][writer]) {
      size_t used = strlen(in);
      (void)snprintf(in + used, sizeof in - used, "%st%d", used > 0 ? " " : "", writer);
    }
  }
  if (op > 0 && random_chance(random, 10 / made->seldom)) { // a second writer of another's tensor
    (void)snprintf(out + strlen(out), sizeof out - strlen(out), " t%d", random_below(random, op));
  }
  memplan_op *one = build_op(made->graph, id, in, out);
  if (random_chance(random, 12 / made->seldom)) {
    one->workspace = made->scale * (1 + random_below(random, 2));
  }
  (void)snprintf(out, sizeof out, "t%d", op);
  for (int32_t writer = 0; writer < op && made->n_pairs < 4; writer++) {
    if (made->reads[op][writer] && random_chance(random, 35 / made->seldom)) {
      (void)snprintf(input, sizeof input, "t%d", writer);
      build_inplace(made->graph, one, out, input);
      made->n_pairs++;
    }
  }
  if (op > 0 && (made->chain || random_chance(random, 25))) {
    (void)snprintf(id, sizeof id, "o%d", made->chain ? op - 1 : random_below(random, op));
    build_after(made->graph, one, id);
  }
}

static void check_gadget(const memplan_problem *problem, void *context) {
  joint_question *question = context;
  const memplan_graph *graph = &problem->graph;
  oracle_precedence precedence;
  int64_t workspace[ORACLE_OPS];
  memplan_ordering ordering;
  assert_true(oracle_graph_is_legal(graph, &precedence));
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace[op] = graph->ops[op].workspace;
  }
  assert_int_equal(memplan_ordering_init(&ordering, graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  enumeration search = {.problem = problem,
                        .ordering = &ordering,
                        .workspace = workspace,
                        .best = question->limit,
                        .order_optimum = INT64_MAX,
                        .left = question->counts.larger ? 3000 : 300};
  (void)oracle_for_each_order(graph, &precedence, try_order, &search);
  if (search.left > 0 && search.best < question->limit) {
    compare(problem, search.best, search.order_optimum, question);
  }
  memplan_ordering_free(&ordering);
}

void joint_compare_gadget(uint64_t seed, joint_counts *counts) {
  random_state random = random_start(192, seed);
  memplan_problem problem;
  build_graph(&problem);
  mutant made = {.random = &random, .graph = &problem.graph, .larger = counts->larger};
  made.scale = random_chance(&random, 30) ? 12 : 1;
  made.seldom = made.larger && random_chance(&random, 70) ? 5 : 1;
  draw_mutant(&made);
  for (int32_t op = 0; op < made.n; op++) {
    make_tensor(&made, op);
  }
  for (int32_t op = 0; op < made.n; op++) {
    make_op(&made, op);
  }
  if (random_chance(&random, 12)) {
    problem.graph.tensors[random_below(&random, problem.graph.n_tensors)].pin = made.scale * random_below(&random, 4);
  }
  ask(&problem, check_gadget, seed, made.scale * 40, &random, counts);
}

void joint_compare_all(void (*one)(uint64_t seed, joint_counts *counts), uint64_t first, uint64_t end,
                       joint_counts *counts) {
  for (uint64_t seed = first; seed < end; seed++) {
    one(seed, counts);
  }
}

void joint_report(const joint_counts *counts) {
  print_message("%" PRId64 " graphs, %" PRId64 " with a joint gap, %" PRId64 " with chosen pairs; %" PRId64
                " bounds raised, %" PRId64 " plans repaired, %" PRId64 " tight\n",
                counts->compared, counts->gaps, counts->choices, counts->raised, counts->repaired, counts->tight);
}
