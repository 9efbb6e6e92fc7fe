// SPDX-License-Identifier: Apache-2.0
// The joint optimum by orders and nogoods: equal to enumeration, nogoods that hold, commits that change nothing, and
// graphs whose gap no window shows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/joint_windows.h"
#include "tests/support/generated.h"
#include "tests/support/joint_example.h"
#include "tests/support/nogood_case.h"

#include <stdio.h>
#include <stdlib.h>

static void equals_enumeration(void **state) {
  (void)state;
  nogood_counts counts = nogood_compare(500000, 500700);
  assert_true(counts.graphs.compared > 700 && counts.graphs.gaps > 30 && counts.searched > 30);
  assert_true(counts.refuted > 30 && counts.linked > 3 && counts.certain > 30);
  assert_true(counts.unplanned > 50 && counts.uncommitted > 50);
}

static void worked_examples_are_proven(void **state) {
  (void)state;
  for (int32_t k = 0; k < JOINT_EXAMPLES; k++) {
    memplan_problem problem;
    memplan_error error = {.message = ""};
    memplan_ordering ordering;
    int32_t n_nogoods;
    joint_example_build(&joint_examples[k], &problem);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
    assert_int_equal(nogood_optimum(&ordering, 0, true, &n_nogoods), joint_examples[k].optimum);
    assert_int_equal(nogood_optimum(&ordering, 0, false, &n_nogoods), joint_examples[k].optimum);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
}

static void commits_change_nothing(void **state) {
  (void)state;
  int32_t n_nogoods, n_gaps = 0, n_compared = 0, total = 0;
  for (uint64_t seed = 0; seed < 120; seed++) {
    memplan_problem problem;
    memplan_ordering ordering;
    memplan_error error = {.message = ""};
    generated("gap", seed, 12 + (int32_t)(seed % 9), 60, &problem);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
    int64_t with = nogood_optimum(&ordering, 0, true, &n_nogoods);
    total += n_nogoods;
    int64_t without = nogood_optimum(&ordering, 0, false, &n_nogoods);
    memplan_joint_settings settings = memplan_joint_settings_default();
    memplan_joint_graph graph;
    memplan_arena arena = {0};
    memplan_joint_search *search;
    assert_int_equal(memplan_joint_graph_init(&graph, &ordering, true, &arena, &error), MEMPLAN_OK);
    assert_int_equal(memplan_joint_search_new(&graph, 0, with + 20, &settings, &search, &error), MEMPLAN_OK);
    while (memplan_joint_search_run(search, 1 << 20) != MEMPLAN_JOINT_CLOSED) {
    }
    assert_int_equal(with, without);
    assert_int_equal(with, memplan_joint_search_lower(search));
    n_gaps += n_nogoods > 0;
    n_compared++;
    memplan_joint_search_free(search);
    memplan_arena_free(&arena);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  print_message("%d graphs, %d with nogoods, %d nogoods\n", n_compared, n_gaps, total);
  assert_true(n_compared >= 100 && n_gaps > 20);
}

// What ended for want of memory at one capacity goes on at another one, and only there.
static void other_bounds_let_it_go_on(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_ordering ordering;
  memplan_error error = {.message = ""};
  memplan_arena arena = {0};
  memplan_joint_graph whole;
  memplan_joint_exhaust *exhaust;
  memplan_limits limits = memplan_limits_default();
  limits = memplan_limits_start(&limits);
  nogood_make_swap(4, 10, &problem);
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
  int32_t n_nogoods;
  int64_t optimum = nogood_optimum(&ordering, 0, true, &n_nogoods), lower = optimum - 3;
  assert_int_equal(memplan_joint_graph_outline(&whole, &ordering, &arena, &error), MEMPLAN_OK);
  const memplan_joint_exhaust_task task = {
      .whole = &whole, .lower = lower, .upper = INT64_MAX, .memory = 1, .commits = true, .limits = &limits};
  assert_int_equal(memplan_joint_exhaust_new(&task, &exhaust, &error), MEMPLAN_OK);
  memplan_joint_exhaust_news news;
  for (; lower < optimum; lower++) {
    assert_true(memplan_joint_exhaust_can_run(exhaust, lower, INT64_MAX));
    assert_int_equal(memplan_joint_exhaust_run(exhaust, lower, INT64_MAX, 0, INT64_MAX, &news, &error), MEMPLAN_OK);
    assert_true(news.ended && !news.closed && news.lower == lower && news.states > 0);
    assert_false(memplan_joint_exhaust_can_run(exhaust, lower, INT64_MAX));
    assert_int_equal(memplan_joint_exhaust_run(exhaust, lower, INT64_MAX, 0, INT64_MAX, &news, &error), MEMPLAN_OK);
    assert_true(news.ended && news.states == 0);
  }
  assert_false(memplan_joint_exhaust_can_run(exhaust, lower, lower));
  memplan_joint_exhaust_free(exhaust);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

// ---- gaps that no window shows

// What windows prove of some plan, as far as they get.
static int64_t window_bound(const memplan_ordering *ordering, const memplan_joint_plan *plan, int64_t lower) {
  memplan_error error = {.message = ""};
  memplan_joint_windows *windows;
  memplan_joint_windows_news news = {.lower = lower};
  memplan_limits limits = memplan_limits_default();
  assert_int_equal(memplan_joint_windows_new(ordering, MEMPLAN_WINDOW_NARROWEST, &windows, &error), MEMPLAN_OK);
  assert_non_null(windows);
  assert_int_equal(memplan_joint_windows_set_plan(windows, plan, &error), MEMPLAN_OK);
  while (!memplan_joint_windows_is_exhausted(windows) && news.lower < plan->peak) {
    assert_int_equal(memplan_joint_windows_run(windows, news.lower, INT64_C(100000000), &limits, &news, &error),
                     MEMPLAN_OK);
  }
  memplan_joint_windows_free(windows);
  return news.lower;
}

static void gaps_beyond_windows_are_proven(void **state) {
  (void)state;
  for (int64_t bytes = 10; bytes <= 16; bytes += 6) {
    memplan_problem problem;
    char *first = NULL;
    nogood_make_swap(210, bytes, &problem);
    for (int32_t threads = 1; threads <= 3; threads += 2) {
      memplan_solution solution;
      memplan_solution_init(&solution);
      memplan_solve_options options = memplan_solve_options_default();
      options.limits.threads = threads;
      assert_int_equal(memplan_solve(&problem, &options, &solution, NULL), MEMPLAN_OK);
      char *text = memplan_plan_text(&solution.plan);
      assert_non_null(text);
      print_message("%lld bytes: order %lld, arena %lld in [%lld, ]\n", (long long)bytes,
                    (long long)solution.order_lower_bound, (long long)solution.plan.peak,
                    (long long)solution.plan.lower_bound);
      assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
      assert_true(solution.plan.peak > solution.order_lower_bound);
      if (first == NULL) {
        memplan_ordering ordering;
        assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
        memplan_joint_plan plan = {.order = solution.order,
                                   .placement = {.offset = solution.offset, .pool = solution.pool},
                                   .n_blocks = solution.instance.n_blocks,
                                   .peak = solution.plan.peak};
        assert_true(window_bound(&ordering, &plan, solution.order_lower_bound) < solution.plan.peak);
        memplan_ordering_free(&ordering);
        first = text;
      } else {
        assert_string_equal(text, first);
        free(text);
      }
      memplan_solution_free(&solution);
    }
    free(first);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_bounds_let_it_go_on),      cmocka_unit_test(equals_enumeration),
      cmocka_unit_test(worked_examples_are_proven),     cmocka_unit_test(commits_change_nothing),
      cmocka_unit_test(gaps_beyond_windows_are_proven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
