// SPDX-License-Identifier: Apache-2.0
// Windows of joint problems: no window's optimum lies above that of the whole, by enumeration; bounds from windows of
// plans, on graphs that the joint engine does not take too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_case.h"

static void windows_are_relaxations(void **state) {
  (void)state;
  joint_counts counts = {.windows = true};
  for (uint64_t seed = 100000; seed < 101500; seed++) {
    joint_compare_random(seed, seed % 2 == 0 ? 5 : 6, 7, &counts);
  }
  for (uint64_t seed = 100000; seed < 101500; seed++) {
    joint_compare_gadget(seed, &counts);
  }
  print_message("%lld graphs, %lld with a joint gap, %lld windows as high as the whole\n", (long long)counts.compared,
                (long long)counts.gaps, (long long)counts.tight);
  assert_true(counts.compared > 1500 && counts.gaps > 50 && counts.tight > 500);
}

static void repaired_plans_hold(void **state) {
  (void)state;
  joint_counts counts = {.repairs = true};
  for (uint64_t seed = 200000; seed < 201500; seed++) {
    joint_compare_random(seed, seed % 2 == 0 ? 5 : 6, 7, &counts);
  }
  for (uint64_t seed = 200000; seed < 201500; seed++) {
    joint_compare_gadget(seed, &counts);
  }
  print_message("%lld graphs, %lld with a joint gap, %lld improvements, %lld optima from slices of some steps\n",
                (long long)counts.compared, (long long)counts.gaps, (long long)counts.repaired,
                (long long)counts.tight);
  assert_true(counts.compared > 1500 && counts.gaps > 50 && counts.repaired > 1000 && counts.tight > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows_are_relaxations),
      cmocka_unit_test(repaired_plans_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
