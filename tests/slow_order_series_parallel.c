// SPDX-License-Identifier: Apache-2.0
// As test_order_series_parallel, with many more graphs.
#include "tests/support/series_parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void small_graphs(void **state) {
  (void)state;
  series_parallel_check(20251203, 20000, 24);
}

static void larger_graphs(void **state) {
  (void)state;
  series_parallel_check(20251204, 2000, 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_graphs),
      cmocka_unit_test(larger_graphs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
