// SPDX-License-Identifier: Apache-2.0
// Windows of joint problems: no window's optimum lies above that of the whole, by enumeration; bounds from windows of
// plans, on graphs that the joint engine does not take too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/generated.h"
#include "tests/support/joint_case.h"

#include <stdio.h>
#include <stdlib.h>

static void windows_are_relaxations(void **state) {
  (void)state;
  joint_counts counts = {.windows = true};
  joint_compare_all(joint_compare_random, 100000, 100700, &counts);
  joint_compare_all(joint_compare_gadget, 100000, 100700, &counts);
  joint_report(&counts);
  assert_true(counts.compared > 700 && counts.gaps > 30 && counts.tight > 300);
}

static void bounds_hold(void **state) {
  (void)state;
  joint_counts counts = {.bounds = true};
  joint_compare_all(joint_compare_random, 300000, 300700, &counts);
  joint_compare_all(joint_compare_gadget, 300000, 301200, &counts);
  joint_report(&counts);
  assert_true(counts.compared > 700 && counts.gaps > 30 && counts.raised > 300 && counts.tight > 200);
}

static void repaired_plans_hold(void **state) {
  (void)state;
  joint_counts counts = {.repairs = true};
  joint_compare_all(joint_compare_random, 200000, 200700, &counts);
  joint_compare_all(joint_compare_gadget, 200000, 200700, &counts);
  joint_report(&counts);
  assert_true(counts.compared > 700 && counts.gaps > 30 && counts.repaired > 400 && counts.tight > 200);
}

// Of more operators than the joint engine takes. One has its plan at an order peak above the least.
static void large_gaps_are_proven(void **state) {
  (void)state;
  static const struct {
    int32_t n;
    uint64_t seed;
    int64_t order_optimum, optimum;
  } cases[] = {{450, 2, 101, 122}, {450, 8, 101, 121}, {450, 9, 100, 122}, {800, 2, 100, 122}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    memplan_problem problem;
    generated("gap", cases[k].seed, cases[k].n, 90, &problem);
    char *first = NULL;
    for (int32_t threads = 1; threads <= 3; threads += 2) {
      memplan_solution solution;
      memplan_solution_init(&solution);
      memplan_solve_options options = memplan_solve_options_default();
      options.limits.threads = threads;
      assert_int_equal(memplan_solve(&problem, &options, &solution, NULL), MEMPLAN_OK);
      assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
      assert_int_equal(solution.plan.peak, cases[k].optimum);
      assert_int_equal(solution.order_lower_bound, cases[k].order_optimum);
      char *text = memplan_plan_text(&solution.plan);
      assert_non_null(text);
      if (first != NULL) {
        assert_string_equal(text, first);
        free(text);
      } else {
        first = text;
      }
      memplan_solution_free(&solution);
    }
    free(first);
    memplan_problem_free(&problem);
  }
}

// What the family is for, whether its gadgets are few or many.
static void most_of_the_family_has_a_gap(void **state) {
  (void)state;
  static const int32_t sizes[] = {40, 100, 200};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int32_t n_gaps = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
      memplan_problem problem;
      memplan_solution solution;
      memplan_solution_init(&solution);
      generated("gap", seed, sizes[k], 0, &problem);
      assert_int_equal(memplan_solve(&problem, NULL, &solution, NULL), MEMPLAN_OK);
      assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
      n_gaps += solution.order_lower_bound < solution.plan.peak;
      memplan_solution_free(&solution);
      memplan_problem_free(&problem);
    }
    assert_true(n_gaps >= 5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows_are_relaxations),      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(repaired_plans_hold),          cmocka_unit_test(large_gaps_are_proven),
      cmocka_unit_test(most_of_the_family_has_a_gap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
