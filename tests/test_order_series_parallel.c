// SPDX-License-Identifier: Apache-2.0
// The exact order search on series-parallel graphs, where the optimum is known by merging hills and valleys.
#include "tests/support/series_parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void small_graphs(void **state) {
  (void)state;
  series_parallel_check(20251203, 400, 24);
}

static void larger_graphs(void **state) {
  (void)state;
  series_parallel_check(20251204, 100, 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_graphs),
      cmocka_unit_test(larger_graphs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
