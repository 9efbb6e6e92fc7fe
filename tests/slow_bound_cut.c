// SPDX-License-Identifier: Apache-2.0
// As test_bound_cut, with many more graphs.
#include "tests/support/cut_case.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20240618, graphs = 40000 };

static void bounds_are_no_larger_than_optima(void **state) {
  (void)state;
  cut_counts counts = cut_check_graphs(seed, graphs);
  print_message("%" PRId64 " graphs, %" PRId64 " with pairs, %" PRId64 " losses, %" PRId64
                " exact operators; cut bound "
                "tight on %" PRId64 ", optimum less 1 refuted on %" PRId64 ", %" PRId64 " edges\n",
                counts.graphs, counts.pairs, counts.losses, counts.exact, counts.tight, counts.refuted, counts.edges);
  assert_true(counts.graphs > 3 * graphs / 2);
  assert_true(counts.pairs > graphs / 2 && counts.losses > graphs / 4 && counts.exact > 4 * graphs);
  assert_true(counts.tight > counts.graphs / 2 && counts.refuted > counts.tight && counts.edges > graphs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_are_no_larger_than_optima)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
