// SPDX-License-Identifier: Apache-2.0
// The precedence search against enumeration on many more problems than
// test_precedence.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/precedence_case.h"

static void equals_enumeration(void **state) {
  (void)state;
  assert_true(precedence_compare_random(10001, 210000) > 100000);
}

static void equals_enumeration_when_tight(void **state) {
  (void)state;
  assert_true(precedence_compare_tight(10001, 110000) > 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_enumeration),
      cmocka_unit_test(equals_enumeration_when_tight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
