// SPDX-License-Identifier: Apache-2.0
// The joint search: optima of tiny graphs against enumeration, examples with known optima, the graphs of the test data.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_case.h"
#include "tests/support/joint_example.h"

static void equals_enumeration(void **state) {
  (void)state;
  joint_counts counts = {0};
  joint_compare_all(joint_compare_random, 0, 3000, &counts);
  joint_report(&counts);
  assert_true(counts.compared > 1500);
}

static void equals_enumeration_of_gadgets(void **state) {
  (void)state;
  joint_counts counts = {0};
  joint_compare_all(joint_compare_gadget, 0, 2000, &counts);
  joint_report(&counts);
  assert_true(counts.compared > 1000);
}

static void worked_examples(void **state) {
  (void)state;
  for (size_t k = 0; k < JOINT_EXAMPLES; k++) {
    memplan_problem problem;
    joint_example_build(&joint_examples[k], &problem);
    memplan_joint_settings settings = memplan_joint_settings_default();
    int64_t optimum = joint_examples[k].optimum;
    int32_t n_choices = 0;
    assert_int_equal(joint_optimum(&problem, &settings, 0, 100, &n_choices), optimum);
    assert_int_equal(joint_optimum(&problem, &settings, 0, optimum, &n_choices), -1);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_enumeration),
      cmocka_unit_test(equals_enumeration_of_gadgets),
      cmocka_unit_test(worked_examples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
