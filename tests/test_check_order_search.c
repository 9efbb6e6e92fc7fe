// SPDX-License-Identifier: Apache-2.0
// Certificates of closed order searches: those written are accepted, and what is wrong with others is found.
#include "eval/check_proof.h"
#include "tests/support/build_problem.h"
#include "tests/support/order_search_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { seed = 20240701, graphs = 400 };

static void certificates_prove_what_is_true(void **state) {
  (void)state;
  search_counts counts;
  search_check_graphs(seed, graphs, &counts);
  assert_true(counts.certificates >= 2 * counts.graphs && counts.graphs > graphs);
  assert_true(counts.groups > 50 && counts.pairs > 50 && counts.first > 10 && counts.lazy > 50);
  assert_true(counts.commits > 100 && counts.intervals > 10 && counts.narrowed > 0);
  assert_true(counts.changed > 1000 && counts.still_right > 100 && counts.wrong > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certificates_prove_what_is_true),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
