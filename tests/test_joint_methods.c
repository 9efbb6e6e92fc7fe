// SPDX-License-Identifier: Apache-2.0
// Every way to the joint optimum gives that of the enumeration, on the same graphs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_solver.h"
#include "tests/support/joint_methods_case.h"

static void all_equal_enumeration(void **state) {
  (void)state;
  const joint_methods_counts *counts = joint_methods_compare(700000, 700520, 2000000);
  assert_true(counts->graphs.compared >= 500);
  assert_true(counts->graphs.gaps >= 30 && counts->largest >= 30);
  assert_true(counts->pairs >= 250 && counts->workspaces >= 120 && counts->views >= 60 && counts->writers >= 100);
  assert_true(counts->aligned[0] >= 15 && counts->aligned[1] >= 15);
  assert_true(!memplan_ilp_available() || counts->programs >= 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_equal_enumeration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
