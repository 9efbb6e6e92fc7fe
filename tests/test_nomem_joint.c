// SPDX-License-Identifier: Apache-2.0
// Every allocation of the search for order and placement together fails once: the solve must work or say that memory is
// out, and leave nothing behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "solvers/joint_repair.h"
#include "solvers/joint_windows.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/joint_example.h"

static void fail_each(const joint_example *example) {
  memplan_problem problem;
  joint_example_build(example, &problem);
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  int64_t before = failing_malloc_blocks(), n_failed = 0;
  memplan_status status = MEMPLAN_NOMEM;
  for (int64_t k = 0; status != MEMPLAN_OK; k++) {
    memplan_error error = {0};
    memplan_solution solution;
    memplan_solution_init(&solution);
    failing_malloc_once(k);
    status = memplan_solve(&problem, &options, &solution, &error);
    bool failed = failing_malloc_stop();
    assert_true(status == MEMPLAN_OK ? !failed || solution.has_plan : status == MEMPLAN_NOMEM && failed);
    assert_true(status != MEMPLAN_OK || solution.plan.peak == example->optimum);
    status = failed ? MEMPLAN_NOMEM : status; // an allocation that can be done without
    n_failed += failed;
    memplan_solution_free(&solution);
    assert_int_equal(failing_malloc_blocks(), before);
  }
  assert_true(n_failed > 100);
  memplan_problem_free(&problem);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (int32_t k = 0; k < JOINT_EXAMPLES; k++) {
    if (joint_examples[k].optimum > joint_examples[k].order_optimum || joint_examples[k].overwriter >= 0) {
      fail_each(&joint_examples[k]);
    }
  }
}

// Windows and slices of a plan that is far from the best one; false if memory was out.
static bool run_windows(const memplan_ordering *ordering, const memplan_joint_plan *plan, int64_t *peak) {
  memplan_error error = {0};
  memplan_arena arena = {0};
  memplan_limits limits = memplan_limits_default();
  memplan_joint_windows *windows = NULL;
  memplan_joint_repair *repair = NULL;
  memplan_joint_windows_news bounds;
  memplan_joint_repair_news repaired;
  memplan_joint_plan better;
  memplan_status status = memplan_joint_windows_new(ordering, 4, &windows, &error);
  if (status == MEMPLAN_OK) {
    assert_non_null(windows);
    repair = memplan_joint_repair_new(memplan_joint_windows_outline(windows), 8, 16);
    status = repair != NULL ? memplan_joint_windows_set_plan(windows, plan, &error) : MEMPLAN_NOMEM;
  }
  status = status == MEMPLAN_OK ? memplan_joint_repair_set_plan(repair, plan, &error) : status;
  if (status == MEMPLAN_OK) {
    status = memplan_joint_windows_run(windows, plan->peak / 2, 1 << 16, &limits, &bounds, &error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_joint_repair_run(repair, plan->peak / 2, 1 << 16, &limits, &repaired, &error);
  }
  status = status == MEMPLAN_OK ? memplan_joint_repair_read(repair, &arena, &better, &error) : status;
  assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
  *peak = status == MEMPLAN_OK ? better.peak : -1;
  memplan_joint_repair_free(repair);
  memplan_joint_windows_free(windows);
  memplan_arena_free(&arena);
  return status == MEMPLAN_OK;
}

static void windows_and_slices_may_fail(void **state) {
  (void)state;
  const memplan_generator_wishes wishes = {.n = 20, .fill = 90, .seed = 4};
  memplan_problem problem;
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph graph;
  memplan_joint_search *search;
  memplan_joint_plan plan;
  memplan_joint_settings settings = memplan_joint_settings_default();
  settings.driver = MEMPLAN_JOINT_DOWN;
  memplan_problem_init(&problem);
  assert_int_equal(memplan_generate_problem(memplan_generator_find("gap"), &wishes, &problem, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_joint_graph_init(&graph, &ordering, true, &arena, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_joint_search_new(&graph, 0, 1000, &settings, &search, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_joint_search_run(search, INT64_MAX), MEMPLAN_JOINT_IMPROVED);
  assert_int_equal(memplan_joint_search_read(search, &arena, &plan, NULL), MEMPLAN_OK);
  int64_t before = failing_malloc_blocks(), n_failed = 0, peak = -1;
  for (bool good = false; !good;) {
    failing_malloc_once(n_failed);
    good = run_windows(&ordering, &plan, &peak);
    bool failed = failing_malloc_stop();
    n_failed += failed;
    good = good && !failed;
    assert_int_equal(failing_malloc_blocks(), before);
  }
  assert_true(n_failed > 30 && peak > 0 && peak < plan.peak);
  memplan_joint_search_free(search);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                     cmocka_unit_test(windows_and_slices_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
