// SPDX-License-Identifier: Apache-2.0
// Searches with little memory: they end, or go on with less, keep what they have found, and say so.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/joint_whole.h"
#include "tests/support/generated.h"

#include <string.h>

static memplan_solve_options with_memory(int64_t memory, int32_t threads) {
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.memory = memory;
  options.limits.threads = threads;
  options.limits.work = 60000000;
  return options;
}

// As little as the command takes: a plan all the same, of the same peak for any number of threads.
static void plans_stay(void **state) {
  (void)state;
  static const char *const families[] = {"tight", "gap"};
  for (size_t family = 0; family < 2; family++) {
    for (uint64_t seed = 1; seed <= 3; seed++) {
      memplan_problem problem;
      int64_t peak = -1;
      generated(families[family], seed, family == 0 ? 50 : 60, 0, &problem);
      for (int32_t threads = 1; threads <= 3; threads += 2) {
        memplan_solve_options options = with_memory(1 << 20, threads);
        memplan_solution solution;
        memplan_error error = {.message = ""};
        memplan_solution_init(&solution);
        if (memplan_solve(&problem, &options, &solution, &error) != MEMPLAN_OK) {
          fail_msg("%s", error.message);
        }
        assert_true(solution.has_plan && solution.plan.lower_bound <= solution.plan.peak);
        assert_true(peak < 0 || solution.plan.peak == peak);
        peak = solution.plan.peak;
        memplan_solution_free(&solution);
      }
      memplan_problem_free(&problem);
    }
  }
}

// The joint engine by itself: with too little for its decisions it does not take the problem.
static void joint_engine_says_so(void **state) {
  (void)state;
  memplan_problem problem;
  generated("gap", 5, 80, 0, &problem);
  memplan_ordering ordering;
  memplan_error error = {.message = ""};
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
  memplan_limits limits = memplan_limits_default();
  memplan_joint_whole *whole;
  limits.memory = 1 << 20;
  assert_int_equal(memplan_joint_whole_new(&ordering, NULL, 0, INT64_MAX, &limits, 0, &whole, &error), MEMPLAN_OK);
  assert_null(whole);
  limits.memory = 1 << 30;
  assert_int_equal(memplan_joint_whole_new(&ordering, NULL, 0, INT64_MAX, &limits, 0, &whole, &error), MEMPLAN_OK);
  assert_non_null(whole);
  memplan_joint_whole_free(whole);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

// As a method it leaves the plan of the others.
static void joint_methods_keep_the_plan(void **state) {
  (void)state;
  static const char *const methods[] = {"joint-engine", "joint-nogoods"};
  memplan_problem problem;
  generated("gap", 5, 80, 0, &problem);
  for (size_t k = 0; k < 6; k++) {
    memplan_solve_options options = with_memory(k < 2 ? 1 << 20 : 1 << 30, 1);
    memplan_solution solution;
    memplan_error error = {.message = ""};
    options.joint = methods[k % 2];
    options.limits.work = k < 4 ? 1000 : 1000000;
    options.limits.time_ms = k < 4 ? options.limits.time_ms : 0;
    memplan_solution_init(&solution);
    if (memplan_solve(&problem, &options, &solution, &error) != MEMPLAN_OK) {
      fail_msg("%s: %s", methods[k % 2], error.message);
    }
    assert_true(solution.has_plan && solution.plan.lower_bound <= solution.plan.peak);
    assert_true(k != 0 || solution.stop == MEMPLAN_STOP_MEMORY);
    memplan_solution_free(&solution);
  }
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_stay),
      cmocka_unit_test(joint_engine_says_so),
      cmocka_unit_test(joint_methods_keep_the_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
