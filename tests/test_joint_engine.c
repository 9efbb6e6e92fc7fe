// SPDX-License-Identifier: Apache-2.0
// The joint search: optima of tiny graphs against enumeration, examples with known optima, the graphs of the test data.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_case.h"

static void equals_enumeration(void **state) {
  (void)state;
  joint_counts counts = {0};
  for (uint64_t seed = 0; seed < 3000; seed++) {
    joint_compare_random(seed, seed % 2 == 0 ? 5 : 6, 7, &counts);
  }
  print_message("%lld graphs, %lld with a joint gap, %lld with chosen pairs\n", (long long)counts.compared,
                (long long)counts.gaps, (long long)counts.choices);
  assert_true(counts.compared > 1500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equals_enumeration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
