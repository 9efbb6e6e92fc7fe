// SPDX-License-Identifier: Apache-2.0
#include "tests/support/order_case.h"

#include "solvers/order_search.h"
#include "tests/support/order_optimum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

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

static const memplan_order_rules settings[] = {
    {.lazy = true, .intervals = true, .commits = true},    {.lazy = false, .intervals = true, .commits = true},
    {.lazy = true, .intervals = false, .commits = true},   {.lazy = true, .intervals = false, .commits = false},
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
    int64_t loose = optimum + 1 + (int64_t)(index % 7);
    expect(&run, search_optimum(&run, 0, loose, INT64_MAX, &n_lazy), loose, "from above");
  }
  counts->graphs++;
  counts->groups += ordering->graph->n_groups > 0;
  counts->pairs += ordering->n_pairs > 0;
  counts->lazy += any_lazy;
  counts->first += ordering->first_step > 0;
}

static bool lower(memplan_problem *problem, memplan_ordering *ordering) {
  if (build_try(problem, NULL) != MEMPLAN_OK) {
    return false;
  }
  assert_int_equal(memplan_ordering_init(ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  return true;
}

order_counts order_check_graphs(uint64_t seed, int32_t count) {
  order_counts counts = {0};
  for (int32_t k = 0; k < count; k++) {
    random_state random = random_start(seed, (uint64_t)k);
    random_graph_options wishes = {.max_ops = 9, .max_bytes = k % 3 == 0 ? 3 : 12};
    memplan_problem problem;
    memplan_ordering ordering;
    random_graph(&random, &wishes, &problem);
    if (lower(&problem, &ordering)) {
      check_ordering(&ordering, (uint64_t)k, &counts);
      memplan_ordering_free(&ordering);
    }
    memplan_problem_free(&problem);
  }
  return counts;
}

order_counts order_check_dags(uint64_t seed, int32_t count, int32_t low, int32_t high) {
  order_counts counts = {0};
  for (int32_t k = 0; k < count; k++) {
    random_state random = random_start(seed + 1, (uint64_t)k);
    memplan_problem problem;
    memplan_ordering ordering;
    order_random_dag(&random, low + random_below(&random, high - low + 1), k % 3 == 0 ? 3 : 20, &problem);
    assert_true(lower(&problem, &ordering));
    check_ordering(&ordering, (uint64_t)k, &counts);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  return counts;
}

void order_compare_rules(uint64_t seed, int32_t count, int32_t low, int32_t high) {
  for (int32_t k = 0; k < count; k++) {
    random_state random = random_start(seed + 2, (uint64_t)k);
    memplan_problem problem;
    memplan_ordering ordering;
    order_random_dag(&random, low + random_below(&random, high - low + 1), 20, &problem);
    assert_true(lower(&problem, &ordering));
    trial plain = {.ordering = &ordering, .index = (uint64_t)k, .rules = settings[n_settings - 1]};
    int32_t n_lazy;
    int64_t optimum = search_optimum(&plain, 0, 0, INT64_MAX, &n_lazy);
    for (int32_t s = 0; s < 2; s++) {
      trial full = {.ordering = &ordering, .index = (uint64_t)k, .reversed = s == 1, .rules = settings[0]};
      expect(&full, search_optimum(&full, 0, 0, INT64_MAX, &n_lazy), optimum, "larger graph");
    }
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
}
