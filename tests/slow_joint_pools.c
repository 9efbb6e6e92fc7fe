// SPDX-License-Identifier: Apache-2.0
// As test_joint_pools, with many more graphs, and larger ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/pool_graph_case.h"

#include <inttypes.h>

static void compare(uint64_t first, uint64_t last, const pool_graph_wishes *wishes, int64_t least) {
  pool_graph_counts counts = {.graphs = 0};
  for (uint64_t index = first; index < last; index++) {
    pool_graph_compare(index, wishes, &counts);
  }
  print_message("%" PRId64 " graphs, %" PRId64 " infeasible, %" PRId64 " where the order matters; %" PRId64
                " capacities, %" PRId64 " refuted\n",
                counts.graphs, counts.infeasible, counts.orders, counts.capacities, counts.refuted);
  assert_true(counts.graphs >= least && counts.infeasible >= least / 50 && counts.orders >= least / 50);
  assert_true(counts.forced >= least / 5 && counts.free >= least / 5 && counts.refuted >= least / 5);
}

static void equal_enumeration(void **state) {
  (void)state;
  const pool_graph_wishes wishes = {.max_ops = 5, .forced_percent = 40, .wide_percent = 40, .most_items = 6};
  compare(100000, 140000, &wishes, 20000);
}

static void of_six_operators(void **state) {
  (void)state;
  const pool_graph_wishes wishes = {.max_ops = 6, .forced_percent = 40, .wide_percent = 70, .most_items = 7};
  compare(200000, 202000, &wishes, 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_enumeration), cmocka_unit_test(of_six_operators)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
