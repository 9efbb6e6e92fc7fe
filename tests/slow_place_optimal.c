// SPDX-License-Identifier: Apache-2.0
// Exact placement from end to end against enumeration on many more instances than test_place_optimal.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/optimal_case.h"

static void equals_enumeration(void **state) {
  (void)state;
  assert_true(optimal_compare_random(10001, 180000) > 100000);
}

static void equals_enumeration_when_tight(void **state) {
  (void)state;
  assert_true(optimal_compare_tight(10001, 110000) > 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_enumeration),
      cmocka_unit_test(equals_enumeration_when_tight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
