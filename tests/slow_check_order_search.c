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

static void larger_graphs_are_closed(void **state) {
  (void)state;
  search_counts counts;
  search_check_dags(seed + 1, 3000, 14, 30, &counts);
  assert_true(counts.certificates == 6000 && counts.intervals > 1000 && counts.wrong > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(certificates_prove_what_is_true),
                                     cmocka_unit_test(larger_graphs_are_closed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
