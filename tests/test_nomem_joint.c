// SPDX-License-Identifier: Apache-2.0
// Every allocation of the search for order and placement together fails once: the solve must work or say that memory is
// out, and leave nothing behind.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
