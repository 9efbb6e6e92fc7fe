// SPDX-License-Identifier: Apache-2.0
// Exact placement from end to end against enumeration.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/optimal_case.h"

static void equals_enumeration(void **state) {
  (void)state;
  int64_t large;
  assert_true(optimal_compare_random(1, 3000, &large) > 1500);
  assert_true(large > 500);
}

static void equals_enumeration_when_tight(void **state) {
  (void)state;
  assert_true(optimal_compare_tight(1, 400) > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_enumeration),
      cmocka_unit_test(equals_enumeration_when_tight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
