// SPDX-License-Identifier: Apache-2.0
// Graphs with several pools: the best plan over all orders, in-place choices, pools and offsets, against enumeration.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/pool_graph_case.h"

#include <inttypes.h>

static void compare(uint64_t first, uint64_t last, const pool_graph_wishes *wishes, pool_graph_counts *counts) {
  for (uint64_t index = first; index < last; index++) {
    pool_graph_compare(index, wishes, counts);
  }
}

static void equal_enumeration(void **state) {
  (void)state;
  const pool_graph_wishes usual = {.max_ops = 5, .forced_percent = 40, .most_items = 5};
  const pool_graph_wishes wide = {.max_ops = 4, .forced_percent = 40, .wide_percent = 100, .most_items = 5};
  pool_graph_counts counts = {.graphs = 0};
  compare(0, 500, &usual, &counts);
  compare(500, 700, &wide, &counts);
  print_message("%" PRId64 " graphs, %" PRId64 " infeasible; %" PRId64 " forced, %" PRId64 " free, %" PRId64
                " where the order matters; %" PRId64 " capacities, %" PRId64 " refuted; %" PRId64 " of %" PRId64
                " settled with little work\n",
                counts.graphs, counts.infeasible, counts.forced, counts.free, counts.orders, counts.capacities,
                counts.refuted, counts.hurried_best, counts.hurried);
  assert_true(counts.graphs >= 300 && counts.infeasible >= 20 && counts.forced >= 80 && counts.free >= 80);
  assert_true(counts.orders >= 20 && counts.refuted >= 100 && counts.pairs >= 100 && counts.pins >= 30);
  assert_true(counts.workspaces >= 50 && counts.bases >= 50 && counts.reserved >= 50 && counts.three >= 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_enumeration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
