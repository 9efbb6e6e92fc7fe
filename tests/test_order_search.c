// SPDX-License-Identifier: Apache-2.0
// The exact order search against all orders and against dynamic programming over all sets of operators, in both
// directions and with each of its rules switched off.
#include "tests/support/order_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20250611 };

static void random_graphs_have_the_optimum(void **state) {
  (void)state;
  order_counts counts = order_check_graphs(seed, 0, 2400); // some of them are illegal
  assert_true(counts.graphs >= 2000 && counts.walked == counts.graphs);
  assert_true(counts.workspaces > 800 && counts.graphs - counts.workspaces > 400);
  assert_true(counts.views > 800 && counts.writers > 800 && counts.afters > 600);
  assert_true(counts.groups > 100);
  assert_true(counts.pairs > 300);
  assert_true(counts.lazy > 300);
  assert_true(counts.first > 30);
}

// A set that every order passes, beyond which a move with a lazy operator had led before.
static void a_set_is_passed_unseen(void **state) {
  (void)state;
  assert_int_equal(order_check_graphs(20250612, 58278, 1).graphs, 1);
}

static void random_dags_have_the_optimum(void **state) {
  (void)state;
  order_counts counts = order_check_dags(seed, 600, 4, 11);
  assert_int_equal(counts.graphs, 600);
}

static void rules_change_nothing(void **state) {
  (void)state;
  order_compare_rules(seed, 200, 10, 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_have_the_optimum),
      cmocka_unit_test(a_set_is_passed_unseen),
      cmocka_unit_test(random_dags_have_the_optimum),
      cmocka_unit_test(rules_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
