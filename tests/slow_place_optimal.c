// SPDX-License-Identifier: Apache-2.0
// Exact placement from end to end against enumeration on many more instances than test_place_optimal.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/optimal_case.h"
#include "tests/support/pool_case.h"

static void equals_enumeration(void **state) {
  (void)state;
  int64_t large;
  assert_true(optimal_compare_random(10001, 160000, &large) >= 100000);
  assert_true(large > 30000);
}

static void equals_enumeration_when_tight(void **state) {
  (void)state;
  assert_true(optimal_compare_tight(10001, 110000) > 10000);
}

static void equals_enumeration_of_pools(void **state) {
  (void)state;
  pool_counts counts = {0};
  for (uint64_t index = 100000; index < 120000; index++) {
    pool_compare(index, 3, &counts);
  }
  for (uint64_t index = 200000; index < 206000; index++) {
    pool_compare(index, 4, &counts);
  }
  assert_true(counts.compared >= 26000 && counts.infeasible > 1000 && counts.ties > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_enumeration),
      cmocka_unit_test(equals_enumeration_when_tight),
      cmocka_unit_test(equals_enumeration_of_pools),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
