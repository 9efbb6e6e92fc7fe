// SPDX-License-Identifier: Apache-2.0
// As test_check_order_search, with many more graphs.
#include "tests/support/order_search_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20240702, graphs = 30000 };

static void certificates_prove_what_is_true(void **state) {
  (void)state;
  search_counts counts;
  search_check_graphs(seed, graphs, &counts);
  assert_true(counts.graphs > graphs && counts.narrowed > 100 && counts.intervals > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(certificates_prove_what_is_true)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
