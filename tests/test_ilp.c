// SPDX-License-Identifier: Apache-2.0
// Integer programs against brute force.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_solver.h"
#include "tests/support/ilp_case.h"

#include <stdlib.h>

static void need_solver(void) {
  if (!memplan_ilp_available()) {
    print_message("skipped: %s\n", memplan_ilp_solver_name());
    skip();
  }
}

static void test_place(void **state) {
  (void)state;
  need_solver();
  ilp_counts counts = {0};
  for (uint64_t seed = 0; seed < 1500; seed++) {
    ilp_compare_place(seed, &counts);
  }
  assert_true(counts.compared > 700);
  assert_true(counts.gaps > 50);
}

static void test_graph(void **state) {
  (void)state;
  need_solver();
  ilp_counts counts = {0};
  const char *from = getenv("ILP_FROM"), *to = getenv("ILP_TO");
  for (uint64_t seed = from ? (uint64_t)atoi(from) : 0; seed < (to ? (uint64_t)atoi(to) : 300); seed++) {
    ilp_compare_graph(seed, 5, &counts);
  }
  print_message("%ld %ld %ld\n", (long)counts.compared, (long)counts.gaps, (long)counts.choices);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_place), cmocka_unit_test(test_graph)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
