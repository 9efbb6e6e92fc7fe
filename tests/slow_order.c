// SPDX-License-Identifier: Apache-2.0
// As test_order_search, with many more graphs.
#include "tests/support/order_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20250612 };

static void random_graphs_have_the_optimum(void **state) {
  (void)state;
  order_counts counts = order_check_graphs(seed, 0, 120000); // some of them are illegal
  assert_true(counts.graphs >= 100000 && counts.walked == counts.graphs);
  assert_true(counts.workspaces > 40000 && counts.graphs - counts.workspaces > 20000);
  assert_true(counts.views > 40000 && counts.writers > 40000 && counts.afters > 30000);
  assert_true(counts.groups > 5000);
  assert_true(counts.pairs > 15000);
  assert_true(counts.lazy > 15000);
  assert_true(counts.first > 1500);
}

static void random_dags_have_the_optimum(void **state) {
  (void)state;
  order_counts counts = order_check_dags(seed, 20000, 4, 12);
  assert_int_equal(counts.graphs, 20000);
}

static void rules_change_nothing(void **state) {
  (void)state;
  order_compare_rules(seed, 2000, 10, 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_have_the_optimum),
      cmocka_unit_test(random_dags_have_the_optimum),
      cmocka_unit_test(rules_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
