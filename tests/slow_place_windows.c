// SPDX-License-Identifier: Apache-2.0
// Windows beside the exact search, on many more problems than test_place_windows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/window_case.h"

static void small_problems_stay_placed(void **state) {
  (void)state;
  window_tally tally = window_compare(1000, 200000);
  assert_true(tally.tried > 100000);
  assert_true(tally.above > 10000);
  assert_true(tally.optimal > tally.tried / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_problems_stay_placed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
