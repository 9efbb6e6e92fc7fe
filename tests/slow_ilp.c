// SPDX-License-Identifier: Apache-2.0
// Integer programs against brute force, many times.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_solver.h"
#include "tests/support/ilp_case.h"

static void equal_brute_force(void **state) {
  (void)state;
  if (!memplan_ilp_available()) {
    skip();
  }
  ilp_counts places = {0}, graphs = {0};
  for (uint64_t seed = 10000; seed < 40000; seed++) {
    ilp_compare_place(seed, &places);
    ilp_compare_graph(seed, seed % 2 == 0 ? 5 : 6, ilp_switches(seed), &graphs);
  }
  print_message("%lld placements, %lld graphs, %lld of them with a joint gap\n", (long long)places.compared,
                (long long)graphs.compared, (long long)graphs.gaps);
  assert_true(places.compared > 10000);
  assert_true(graphs.gaps > 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_brute_force)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
