// SPDX-License-Identifier: Apache-2.0
// What the exact order search does without asking - commits, chains contracted, splits at valleys - against brute force
// over all sets of operators; and the audit by which debug builds look at commits and keys.
#include "tests/support/reduce_order_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20251205 };

static void nothing_is_lost(void **state) {
  (void)state;
  reduce_order_counts counts;
  reduce_order_check(seed, 400, &counts);
  assert_true(counts.graphs > 700 && counts.groups > 20 && counts.pairs > 150);
  assert_true(counts.commits > 2000 && counts.several > 100 && counts.refused > 500);
  assert_true(counts.joined > 50 && counts.valleys > 100 && counts.passes > 500);
  assert_true(counts.nodes > 2000 && counts.known > 1000);
}

static void large_commits_hold(void **state) {
  (void)state;
  reduce_order_counts counts;
  reduce_order_audit_all(seed, 30, &counts);
  assert_true(counts.graphs == 30 && counts.commits > 500 && counts.several > 20 && counts.refused > 400);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost), cmocka_unit_test(large_commits_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
