// SPDX-License-Identifier: Apache-2.0
// As test_place_search.c, on a hundred thousand problems and more.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/check_search.h"

static void answers_are_right(void **state) {
  (void)state;
  int32_t problems = 0, above = 0;
  for (int32_t kind = 0; kind < TINY_KINDS; kind++) {
    search_tally counts = {0};
    check_search((tiny_kind)kind, 22000, 9, false, &counts);
    assert_int_equal(counts.differences, 0);
    problems += counts.problems;
    above += counts.above;
  }
  assert_true(problems >= 100000 && above >= 10000);
}

static void nogoods_are_true(void **state) {
  (void)state;
  for (int32_t kind = 0; kind < TINY_KINDS; kind++) {
    search_tally counts = {0};
    check_search((tiny_kind)kind, 1000, 10, true, &counts);
    assert_int_equal(counts.differences, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_right),
      cmocka_unit_test(nogoods_are_true),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
