// SPDX-License-Identifier: Apache-2.0
// As test_order_reduce, with many more graphs.
#include "tests/support/reduce_order_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20251206, graphs = 15000 };

static void nothing_is_lost(void **state) {
  (void)state;
  reduce_order_counts counts;
  reduce_order_check(seed, graphs, &counts);
  assert_true(counts.graphs > 20000 && counts.groups > 500 && counts.pairs > 5000);
  assert_true(counts.commits > 50000 && counts.several > 2000 && counts.joined > 1000 && counts.valleys > 2000);
}

static void large_commits_hold(void **state) {
  (void)state;
  reduce_order_counts counts;
  reduce_order_audit_all(seed, 3000, &counts);
  assert_true(counts.graphs == 3000 && counts.commits > 50000 && counts.several > 2000 && counts.refused > 40000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost), cmocka_unit_test(large_commits_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
