// SPDX-License-Identifier: Apache-2.0
// Cut bounds and probing against all ideals of small graphs.
#include "tests/support/cut_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20240617, graphs = 1000 };

static void bounds_are_no_larger_than_optima(void **state) {
  (void)state;
  cut_check_graphs(seed, graphs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_are_no_larger_than_optima)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
