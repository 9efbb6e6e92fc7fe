// SPDX-License-Identifier: Apache-2.0
#include "tests/support/order_case.h"

#include "solvers/order_beam.h"
#include "solvers/order_optimal.h"
#include "solvers/order_settle.h"
#include "solvers/order_window.h"
#include "tests/support/brute_force.h"
#include "tests/support/order_optimum.h"
#include "tests/support/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct trial {
  const memplan_ordering *ordering;
  uint64_t index;
  bool reversed;
  memplan_order_rules rules;
} trial;

static void check_order(const trial *run, const int32_t *found, int64_t peak) {
  const memplan_ordering *ordering = run->ordering;
  int32_t *order = malloc(((size_t)ordering->n_ops + 1) * sizeof *order);
  assert_non_null(order);
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    order[t] = found[run->reversed ? ordering->n_ops - 1 - t : t];
  }
  memplan_error error = {.message = ""};
  if (memplan_ordering_check(ordering, order, &error) != MEMPLAN_OK) {
    fail_msg("graph %" PRIu64 ": %s", run->index, error.message);
  }
  memplan_arena arena = {0};
  memplan_profile profile;
  assert_int_equal(memplan_ordering_profile(ordering, order, &arena, &profile, NULL), MEMPLAN_OK);
  if (profile.peak > peak) {
    fail_msg("graph %" PRIu64 ": order of peak %" PRId64 " where %" PRId64 " was promised", run->index, profile.peak,
             peak);
  }
  memplan_arena_free(&arena);
  free(order);
}

// The optimum by the search, from a threshold; -1: not below the ceiling.
static int64_t search_optimum(const trial *run, int64_t bound, int64_t threshold, int64_t ceiling, int32_t *n_lazy) {
  memplan_arena arena = {0};
  memplan_order_problem problem;
  memplan_order_tables tables;
  memplan_order_search *search;
  assert_int_equal(memplan_order_problem_init(&problem, run->ordering, run->reversed, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_tables_init(&tables, &problem, &run->rules, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_search_new(&tables, &run->rules, bound, threshold, ceiling, &search, NULL),
                   MEMPLAN_OK);
  *n_lazy = tables.n_lazy;
  memplan_order_search_look look;
  do {
    assert_int_equal(memplan_order_search_run(search, 1000, NULL), MEMPLAN_OK);
    memplan_order_search_state(search, &look);
  } while (look.outcome == MEMPLAN_ORDER_RUNNING);
  int64_t result = -1;
  if (look.outcome == MEMPLAN_ORDER_FOUND) {
    check_order(run, look.order, look.threshold);
    result = look.threshold;
  } else {
    assert_true(look.bound == ceiling);
  }
  memplan_order_search_free(search);
  memplan_arena_free(&arena);
  return result;
}

// A beam that dies out without leaving anything behind has told the truth, and what it finds is below the ceiling.
static void check_beam(const trial *run, int64_t optimum, int64_t ceiling, int32_t width) {
  memplan_arena arena = {0};
  memplan_order_problem problem;
  memplan_order_tables tables;
  memplan_order_beam *beam;
  memplan_order_beam_options options = {.width = width, .noise = run->index % 2 == 0 ? 3 : 0, .ceiling = ceiling};
  assert_int_equal(memplan_order_problem_init(&problem, run->ordering, run->reversed, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_tables_init(&tables, &problem, &run->rules, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_beam_new(&tables, &run->rules, &options, &beam, NULL), MEMPLAN_OK);
  memplan_order_beam_look look;
  do {
    assert_int_equal(memplan_order_beam_run(beam, 100, NULL), MEMPLAN_OK);
    memplan_order_beam_state(beam, &look);
  } while (look.outcome == MEMPLAN_ORDER_RUNNING);
  if (look.outcome == MEMPLAN_ORDER_FOUND) {
    check_order(run, look.order, ceiling - 1);
  } else {
    assert_true(!look.complete || optimum >= ceiling);
  }
  assert_true(look.outcome == MEMPLAN_ORDER_FOUND || width < 1000 || optimum >= ceiling);
  memplan_order_beam_free(beam);
  memplan_arena_free(&arena);
}

static void check_greedy(const trial *run, bool by_load) {
  memplan_arena arena = {0};
  memplan_order_problem problem;
  memplan_order_tables tables;
  int64_t ticks;
  int32_t *order = MEMPLAN_NEW(&arena, int32_t, run->ordering->n_ops);
  assert_non_null(order);
  assert_int_equal(memplan_order_problem_init(&problem, run->ordering, run->reversed, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_tables_init(&tables, &problem, &run->rules, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_greedy(&tables, by_load, order, &ticks, NULL), MEMPLAN_OK);
  check_order(run, order, INT64_MAX);
  memplan_arena_free(&arena);
}

static const memplan_order_rules settings[] = {
    {.lazy = true, .intervals = true, .commits = true, .passes = true},
    {.lazy = false, .intervals = true, .commits = true},
    {.lazy = true, .intervals = false, .commits = true, .passes = true},
    {.lazy = true, .intervals = false, .commits = false, .passes = true},
    {.lazy = false, .intervals = false, .commits = false},
};

enum { n_settings = (int)(sizeof settings / sizeof *settings) };

static void expect(const trial *run, int64_t got, int64_t optimum, const char *what) {
  if (got != optimum) {
    fail_msg("graph %" PRIu64 ", %s, rules %d%d%d, %s: %" PRId64 ", optimum %" PRId64, run->index,
             run->reversed ? "reversed" : "forwards", run->rules.lazy, run->rules.intervals, run->rules.commits, what,
             got, optimum);
  }
}

static void check_ordering(const memplan_ordering *ordering, uint64_t index, order_counts *counts) {
  int64_t optimum = order_optimum(ordering);
  bool any_lazy = false;
  for (int32_t k = 0; k < 2 * n_settings; k++) {
    trial run = {.ordering = ordering, .index = index, .reversed = k % 2 != 0, .rules = settings[k / 2]};
    int32_t n_lazy;
    expect(&run, search_optimum(&run, 0, 0, INT64_MAX, &n_lazy), optimum, "from 0");
    any_lazy |= n_lazy > 0;
    // A threshold that is the optimum is met, one below never is; a ceiling at the optimum leaves nothing.
    expect(&run, search_optimum(&run, 0, optimum, INT64_MAX, &n_lazy), optimum, "from the optimum");
    if (optimum > 0) {
      expect(&run, search_optimum(&run, 0, optimum - 1, INT64_MAX, &n_lazy), optimum, "from below");
      expect(&run, search_optimum(&run, 0, 0, optimum, &n_lazy), -1, "up to the optimum");
    }
    if (optimum > 0) {
      check_beam(&run, optimum, optimum, k % 4 == 0 ? 1000 : 2);
    }
    check_beam(&run, optimum, optimum + 1, k % 4 == 0 ? 1000 : 2);
    check_greedy(&run, k % 4 < 2);
    int64_t loose = optimum + 1 + (int64_t)(index % 7);
    expect(&run, search_optimum(&run, 0, loose, INT64_MAX, &n_lazy), loose, "from above");
  }
  counts->graphs++;
  counts->groups += ordering->graph->n_groups > 0;
  counts->pairs += ordering->n_pairs > 0;
  counts->lazy += any_lazy;
  counts->first += ordering->first_step > 0;
}

static memplan_order_optimal_result optimise(const memplan_ordering *ordering, int64_t work, int64_t memory,
                                             int64_t slice, int32_t threads, memplan_arena *arena) {
  memplan_limits limits = memplan_limits_default();
  limits.work = work;
  limits.threads = threads;
  limits.memory = memory;
  memplan_order_optimal_task task = {.ordering = ordering, .limits = &limits, .slice = slice};
  memplan_order_optimal_result result;
  assert_int_equal(memplan_order_optimal(&task, arena, &result, NULL), MEMPLAN_OK);
  trial run = {.ordering = ordering};
  check_order(&run, result.order, result.peak);
  return result;
}

static int64_t order_peak(const memplan_ordering *ordering, const int32_t *order, int64_t *load) {
  memplan_arena arena = {0};
  memplan_profile profile;
  assert_int_equal(memplan_ordering_check(ordering, order, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_ordering_profile(ordering, order, &arena, &profile, NULL), MEMPLAN_OK);
  memcpy(load, profile.load, (size_t)ordering->n_ops * sizeof *load);
  int64_t peak = profile.peak;
  memplan_arena_free(&arena);
  return peak;
}

// The threshold search on a window promises exactly what the whole order then bears there; other steps bear what they
// did.
static void check_window(const memplan_ordering *ordering, const memplan_order_problem *problem, int32_t from,
                         int32_t to, const int32_t *order, const int64_t *load) {
  int32_t n = ordering->n_ops;
  if ((from > 0 && problem->group[order[from]] >= 0 &&
       problem->group[order[from]] == problem->group[order[from - 1]]) ||
      (to < n && problem->group[order[to]] >= 0 && problem->group[order[to]] == problem->group[order[to - 1]])) {
    return;
  }
  memplan_arena arena = {0};
  memplan_order_rules rules = memplan_order_rules_default();
  memplan_order_problem window, turned;
  memplan_order_tables tables;
  int32_t *ops = MEMPLAN_NEW(&arena, int32_t, n), *changed = MEMPLAN_NEW(&arena, int32_t, n);
  int64_t *after = MEMPLAN_NEW(&arena, int64_t, n), peaks[2];
  assert_true(ops != NULL && changed != NULL && after != NULL);
  assert_int_equal(memplan_order_window_problem(problem, order, from, to, &arena, &window, ops, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_order_problem_turn(&window, &arena, &turned, NULL), MEMPLAN_OK);
  for (int32_t side = 0; side < 2; side++) {
    const memplan_order_problem *problem_of_side = side == 0 ? &window : &turned;
    assert_int_equal(memplan_order_tables_init(&tables, problem_of_side, &rules, &arena, NULL), MEMPLAN_OK);
    memplan_order_search *search;
    memplan_order_search_look look;
    assert_int_equal(memplan_order_search_new(&tables, &rules, 0, 0, INT64_MAX, &search, NULL), MEMPLAN_OK);
    do {
      assert_int_equal(memplan_order_search_run(search, 1000, NULL), MEMPLAN_OK);
      memplan_order_search_state(search, &look);
    } while (look.outcome == MEMPLAN_ORDER_RUNNING);
    memcpy(changed, order, (size_t)n * sizeof *changed);
    for (int32_t t = 0; t < to - from; t++) {
      changed[from + t] = ops[look.order[side == 0 ? t : to - from - 1 - t]];
    }
    (void)order_peak(ordering, changed, after);
    int64_t before = 0;
    peaks[side] = 0;
    for (int32_t t = 0; t < n; t++) {
      bool inside = t >= from && t < to;
      assert_true(inside || after[t] == load[t]);
      peaks[side] = inside && after[t] > peaks[side] ? after[t] : peaks[side];
      before = inside && load[t] > before ? load[t] : before;
    }
    assert_true(peaks[side] == look.threshold && peaks[side] <= before);
    memplan_order_search_free(search);
  }
  assert_true(peaks[0] == peaks[1]);
  memplan_arena_free(&arena);
}

// Orders made better stay valid, are what is promised, and never get below the optimum.
static void check_betterments(const memplan_ordering *ordering, uint64_t index, int64_t optimum) {
  memplan_arena arena = {0};
  memplan_order_rules rules = memplan_order_rules_default();
  memplan_order_problem problems[2];
  memplan_order_tables tables[2];
  int32_t n = ordering->n_ops;
  int32_t *order = MEMPLAN_NEW(&arena, int32_t, n), *turned = MEMPLAN_NEW(&arena, int32_t, n);
  int64_t *load = MEMPLAN_NEW(&arena, int64_t, n);
  assert_true(order != NULL && turned != NULL && load != NULL);
  for (int32_t side = 0; side < 2; side++) {
    assert_int_equal(memplan_order_problem_init(&problems[side], ordering, side == 1, &arena, NULL), MEMPLAN_OK);
    assert_int_equal(memplan_order_tables_init(&tables[side], &problems[side], &rules, &arena, NULL), MEMPLAN_OK);
  }
  for (int32_t t = 0; t < n; t++) {
    order[t] = t;
  }
  int64_t peak = order_peak(ordering, order, load), ticks;
  for (int32_t from = (int32_t)(index % 3); from < n; from += 2) {
    check_window(ordering, &problems[0], from, from + 1 + (int32_t)(index % (uint64_t)(n - from)), order, load);
  }
  for (int32_t side = 0; side < 2; side++) {
    for (int32_t t = 0; t < n; t++) {
      turned[t] = order[side == 0 ? t : n - 1 - t];
    }
    assert_int_equal(memplan_order_settle(&tables[side], &rules, peak, turned, &ticks, NULL), MEMPLAN_OK);
    for (int32_t t = 0; t < n; t++) {
      order[t] = turned[side == 0 ? t : n - 1 - t];
    }
    int64_t settled = order_peak(ordering, order, load);
    assert_true(settled <= peak && settled >= optimum);
    peak = settled;
  }
  memplan_order_window *window = memplan_order_window_new(tables, &rules);
  assert_non_null(window);
  for (int32_t run = 0; run < 3; run++) {
    assert_int_equal(memplan_order_window_run(window, order, optimum, run < 2 ? 1000 : 1000000, NULL), MEMPLAN_OK);
    memplan_order_window_look look;
    memplan_order_window_state(window, &look);
    int64_t now = order_peak(ordering, order, load);
    assert_true(now == look.peak && now <= peak && now >= optimum);
    peak = now;
  }
  // A window that holds the whole graph finds the optimum.
  assert_true(peak == optimum);
  memplan_order_window_free(window);
  memplan_arena_free(&arena);
}

// In turns that are too short for an answer: what is known never gets worse, and the last one has the answer. An order
// and a bound found elsewhere are taken over.
static void check_turns(const memplan_ordering *ordering, uint64_t index, int64_t optimum, const int32_t *best) {
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  memplan_order_optimal_task task = {.ordering = ordering, .limits = &limits, .slice = 10};
  memplan_order_portfolio *turns;
  assert_int_equal(memplan_order_portfolio_new(&task, &turns, NULL), MEMPLAN_OK);
  memplan_order_optimal_result before = {.peak = INT64_MAX}, now;
  trial run = {.ordering = ordering};
  for (int32_t turn = 0;; turn++) {
    bool told = index % 4 == 1 && turn == 2;
    int64_t work = 1 + (int64_t)(index % 50) * turn;
    assert_int_equal(memplan_order_portfolio_run(turns, told ? best : NULL, told ? optimum : 0, work, &now, NULL),
                     MEMPLAN_OK);
    check_order(&run, now.order, now.peak);
    assert_true(now.bound <= optimum && now.bound >= before.bound && now.peak >= optimum && now.peak <= before.peak);
    assert_true(now.ticks >= before.ticks && now.states >= before.states);
    assert_true(!told || now.outcome == MEMPLAN_OPTIMAL);
    if (now.stop == MEMPLAN_STOP_DONE) {
      break;
    }
    assert_true(now.stop == MEMPLAN_STOP_WORK && now.ticks > before.ticks);
    before = now;
  }
  assert_true(now.outcome == MEMPLAN_OPTIMAL && now.peak == optimum);
  memplan_order_portfolio_free(turns);
}

static void check_portfolio(const memplan_ordering *ordering, uint64_t index) {
  int64_t optimum = order_optimum(ordering);
  memplan_arena arena = {0};
  memplan_order_optimal_result whole = optimise(ordering, -1, 0, (int64_t)(index % 4) * 20, 1, &arena);
  if (whole.outcome != MEMPLAN_OPTIMAL || whole.peak != optimum || whole.bound != optimum) {
    fail_msg("graph %" PRIu64 ": peak %" PRId64 ", bound %" PRId64 ", optimum %" PRId64, index, whole.peak, whole.bound,
             optimum);
  }
  if (ordering->n_ops > 0) {
    check_betterments(ordering, index, optimum);
  }
  check_turns(ordering, index, optimum, whole.order);
  // Whatever ends it, what it says holds.
  for (int64_t work = (int64_t)(index % 5); work < 2000; work += 1 + 2 * work) {
    memplan_order_optimal_result part = optimise(ordering, work, work % 2 == 0 ? 0 : 1, 10, 1, &arena);
    assert_true(part.bound <= optimum && part.peak >= optimum);
    assert_true(part.outcome == MEMPLAN_OPTIMAL || part.stop != MEMPLAN_STOP_DONE);
  }
  memplan_arena_free(&arena);
}

void order_compare_threads(const memplan_ordering *ordering, int64_t work, int64_t slice) {
  static const int32_t threads[] = {2, 3, 8};
  memplan_arena arena = {0};
  memplan_order_optimal_result one = optimise(ordering, work, 0, slice, 1, &arena);
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
    memplan_order_optimal_result more = optimise(ordering, work, 0, slice, threads[k], &arena);
    assert_true(one.peak == more.peak && one.bound == more.bound && one.outcome == more.outcome);
    assert_true(one.stop == more.stop && one.states == more.states && one.ticks == more.ticks);
    assert_memory_equal(one.order, more.order, (size_t)ordering->n_ops * sizeof *one.order);
  }
  memplan_arena_free(&arena);
}

typedef struct order_question {
  uint64_t index;
  order_counts counts;
} order_question;

static void count_features(const memplan_graph *graph, order_counts *counts) {
  bool workspace = false, after = false, writers = false, view = false;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    workspace = workspace || graph->ops[op].workspace > 0;
    after = after || graph->ops[op].n_after > 0;
  }
  for (int32_t k = 0; k < graph->n_storages; k++) {
    int32_t n_writers = 0;
    for (int32_t touch = 0; touch < graph->storages[k].n_touches; touch++) {
      n_writers += graph->touches[graph->storages[k].first_touch + touch].writes;
    }
    writers = writers || n_writers > 1;
  }
  for (int32_t k = 0; k < graph->n_tensors; k++) {
    view = view || graph->tensors[k].view_of >= 0;
  }
  counts->workspaces += workspace;
  counts->afters += after;
  counts->writers += writers;
  counts->views += view;
}

// All orders, by the model's own rules: what the exact search and the table over sets read is the library's.
static void walk_all_orders(const memplan_problem *problem, order_question *question, int64_t optimum) {
  enum { most_ops = 9 };
  oracle_precedence precedence;
  if (problem->graph.n_ops > most_ops || problem->graph.n_ops == 0) {
    return;
  }
  assert_true(oracle_graph_is_legal(&problem->graph, &precedence));
  int64_t least = brute_order_optimum(&problem->graph, &problem->options, &precedence);
  if (least != optimum) {
    fail_msg("graph %" PRIu64 ": %" PRId64 " by all orders, %" PRId64 " by sets", question->index, least, optimum);
  }
  question->counts.walked++;
}

static void check_problem(const memplan_problem *problem, void *context) {
  order_question *question = context;
  memplan_ordering ordering;
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  check_ordering(&ordering, question->index, &question->counts);
  check_portfolio(&ordering, question->index);
  walk_all_orders(problem, question, order_optimum(&ordering));
  count_features(&problem->graph, &question->counts);
  memplan_ordering_free(&ordering);
}

order_counts order_check_graphs(uint64_t seed, int32_t first, int32_t count) {
  order_question question = {.index = (uint64_t)first};
  for (; question.index < (uint64_t)first + (uint64_t)count; question.index++) {
    random_state random = random_start(seed, question.index);
    random_graph_options wishes = {.max_ops = 9, .max_bytes = question.index % 3 == 0 ? 3 : 12};
    memplan_problem problem;
    random_graph(&random, &wishes, &problem);
    if (build_try(&problem, NULL) == MEMPLAN_OK) {
      shrink_checked(&problem, check_problem, &question, sizeof question,
                     "order_check_graphs, seed %" PRIu64 ", %" PRIu64, seed, question.index);
    }
    memplan_problem_free(&problem);
  }
  return question.counts;
}

order_counts order_check_dags(uint64_t seed, int32_t count, int32_t low, int32_t high) {
  order_question question = {.index = 0};
  for (; question.index < (uint64_t)count; question.index++) {
    random_state random = random_start(seed + 1, question.index);
    memplan_problem problem;
    order_random_dag(&random, low + random_below(&random, high - low + 1), question.index % 3 == 0 ? 3 : 20, &problem);
    build_finish(&problem);
    shrink_checked(&problem, check_problem, &question, sizeof question, "order_check_dags, seed %" PRIu64 ", %" PRIu64,
                   seed, question.index);
    memplan_problem_free(&problem);
  }
  return question.counts;
}

static void check_rules(const memplan_problem *problem, void *context) {
  uint64_t index = *(const uint64_t *)context;
  memplan_ordering ordering;
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  trial plain = {.ordering = &ordering, .index = index, .rules = settings[n_settings - 1]};
  int32_t n_lazy;
  int64_t optimum = search_optimum(&plain, 0, 0, INT64_MAX, &n_lazy);
  for (int32_t s = 0; s < 2; s++) {
    trial full = {.ordering = &ordering, .index = index, .reversed = s == 1, .rules = settings[0]};
    expect(&full, search_optimum(&full, 0, 0, INT64_MAX, &n_lazy), optimum, "larger graph");
  }
  memplan_arena arena = {0};
  assert_true(optimise(&ordering, -1, 0, 10, 1, &arena).bound == optimum);
  memplan_arena_free(&arena);
  if (index % 5 == 0) {
    order_compare_threads(&ordering, 1000 + 1000 * (int64_t)index, 20);
  }
  memplan_ordering_free(&ordering);
}

void order_compare_rules(uint64_t seed, int32_t count, int32_t low, int32_t high) {
  for (uint64_t index = 0; index < (uint64_t)count; index++) {
    random_state random = random_start(seed + 2, index);
    memplan_problem problem;
    order_random_dag(&random, low + random_below(&random, high - low + 1), 20, &problem);
    build_finish(&problem);
    shrink_checked(&problem, check_rules, &index, sizeof index, "order_compare_rules, seed %" PRIu64 ", %" PRIu64, seed,
                   index);
    memplan_problem_free(&problem);
  }
}
