// SPDX-License-Identifier: Apache-2.0
// As test_joint_methods, with many more graphs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_solver.h"
#include "tests/support/joint_methods_case.h"

static void all_equal_enumeration(void **state) {
  (void)state;
  const joint_methods_counts *counts = joint_methods_compare(800000, 840000, 20000000);
  assert_true(counts->graphs.compared >= 30000);
  assert_true(counts->graphs.gaps >= 2000 && counts->largest >= 5000);
  assert_true(counts->pairs >= 10000 && counts->workspaces >= 5000 && counts->views >= 3000 && counts->writers >= 5000);
  assert_true(counts->aligned[0] >= 1000 && counts->aligned[1] >= 1000);
  assert_true(!memplan_ilp_available() || counts->programs >= 30000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_equal_enumeration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
