// SPDX-License-Identifier: Apache-2.0
// Every allocation of the search by orders and nogoods fails once: it must say that memory is out, and leave nothing
// behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "solvers/joint_exhaust.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/joint_example.h"

// Several calls; false if memory was out.
static bool search(const memplan_joint_graph *whole, const memplan_limits *limits, int64_t *peak) {
  const memplan_joint_exhaust_task task = {.whole = whole, .upper = INT64_MAX, .commits = true, .limits = limits};
  memplan_error error = {.message = ""};
  memplan_joint_exhaust *exhaust = NULL;
  memplan_joint_exhaust_news news = {.ended = false};
  memplan_status status = memplan_joint_exhaust_new(&task, &exhaust, &error);
  while (status == MEMPLAN_OK && !news.ended) {
    status = memplan_joint_exhaust_run(exhaust, 0, INT64_MAX, 0, 100000, &news, &error);
  }
  assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
  *peak = status == MEMPLAN_OK ? memplan_joint_exhaust_plan(exhaust)->peak : -1;
  memplan_joint_exhaust_free(exhaust);
  return status == MEMPLAN_OK;
}

static void fail_each(const memplan_problem *problem, int64_t optimum, int64_t least_failed) {
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph whole;
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  limits = memplan_limits_start(&limits);
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_joint_graph_outline(&whole, &ordering, &arena, NULL), MEMPLAN_OK);
  int64_t before = failing_malloc_blocks(), n_failed = 0, peak = -1;
  for (bool good = false; !good;) {
    failing_malloc_once(n_failed);
    good = search(&whole, &limits, &peak);
    bool failed = failing_malloc_stop();
    n_failed += failed;
    good = good && !failed;
    assert_int_equal(failing_malloc_blocks(), before);
  }
  assert_int_equal(peak, optimum);
  assert_true(n_failed > least_failed);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (int32_t k = 0; k < JOINT_EXAMPLES; k++) {
    memplan_problem problem;
    joint_example_build(&joint_examples[k], &problem);
    fail_each(&problem, joint_examples[k].optimum, 30);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
