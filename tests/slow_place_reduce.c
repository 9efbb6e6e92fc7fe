// SPDX-License-Identifier: Apache-2.0
// Presolve on and off, by each subset of its rules, on many more instances than test_place_reduce.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/reduce_case.h"

static void presolve_changes_no_optimum(void **state) {
  (void)state;
  reduce_tally tally = reduce_compare(10001, 17000);
  assert_true(tally.instances >= 5000);
  assert_true(tally.above > 500);
  assert_true(tally.reduced > 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(presolve_changes_no_optimum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
