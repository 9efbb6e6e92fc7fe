// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of a joint search and of reading its plan fails, for every k: each says so and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solvers/joint_search.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/joint_example.h"

// Searches and reads the plan. False: some allocation failed.
static bool search_and_read(const memplan_joint_graph *graph, int64_t *peak) {
  memplan_joint_settings settings = memplan_joint_settings_default();
  settings.proof = true;
  memplan_joint_search *search;
  memplan_error error = {0};
  memplan_status status = memplan_joint_search_new(graph, 0, 40, &settings, &search, &error);
  if (status != MEMPLAN_OK) {
    assert_int_equal(status, MEMPLAN_NOMEM);
    return false;
  }
  memplan_joint_result result;
  do {
    result = memplan_joint_search_run(search, 200);
  } while (result != MEMPLAN_JOINT_CLOSED && result != MEMPLAN_JOINT_NOMEM);
  memplan_arena arena = {0};
  memplan_joint_plan plan = {.peak = -1};
  bool good = result == MEMPLAN_JOINT_CLOSED && memplan_joint_search_read(search, &arena, &plan, &error) == MEMPLAN_OK;
  *peak = plan.peak;
  memplan_arena_free(&arena);
  memplan_joint_search_free(search);
  return good;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (size_t example = 0; example < JOINT_EXAMPLES; example++) {
    memplan_problem problem;
    memplan_error error = {0};
    memplan_ordering ordering;
    memplan_arena arena = {0};
    memplan_joint_graph graph;
    joint_example_build(&joint_examples[example], &problem);
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
    assert_int_equal(memplan_joint_graph_init(&graph, &ordering, true, &arena, &error), MEMPLAN_OK);
    int64_t before = failing_malloc_blocks(), peak = -1;
    bool good = false;
    for (int64_t k = 0; !good; k++) {
      failing_malloc_once(k);
      good = search_and_read(&graph, &peak);
      bool failed = failing_malloc_stop();
      assert_true(good || failed);
      assert_int_equal(failing_malloc_blocks(), before);
    }
    assert_int_equal(peak, joint_examples[example].optimum);
    memplan_arena_free(&arena);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
