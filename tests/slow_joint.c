// SPDX-License-Identifier: Apache-2.0
// The joint search against enumeration on many more graphs than test_joint_engine.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_case.h"

static void equals_enumeration(void **state) {
  (void)state;
  joint_counts counts = {0};
  joint_compare_all(joint_compare_random, 10000, 50000, &counts);
  joint_report(&counts);
  assert_true(counts.compared > 30000);
}

static void equals_enumeration_of_gadgets(void **state) {
  (void)state;
  joint_counts counts = {0};
  joint_compare_all(joint_compare_gadget, 10000, 60000, &counts);
  joint_report(&counts);
  assert_true(counts.compared > 30000);
  assert_true(counts.gaps > 2000);
}

static void compare_all(joint_counts *counts) {
  joint_compare_all(joint_compare_random, 400000, 410000, counts);
  joint_compare_all(joint_compare_gadget, 400000, 420000, counts);
  joint_report(counts);
  assert_true(counts->compared > 15000 && counts->gaps > 500);
}

static void windows_are_relaxations(void **state) {
  (void)state;
  joint_counts counts = {.windows = true};
  compare_all(&counts);
}

static void bounds_from_windows_hold(void **state) {
  (void)state;
  joint_counts counts = {.bounds = true};
  compare_all(&counts);
}

static void repaired_plans_hold(void **state) {
  (void)state;
  joint_counts counts = {.repairs = true};
  compare_all(&counts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_enumeration),      cmocka_unit_test(equals_enumeration_of_gadgets),
      cmocka_unit_test(windows_are_relaxations), cmocka_unit_test(bounds_from_windows_hold),
      cmocka_unit_test(repaired_plans_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
