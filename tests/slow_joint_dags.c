// SPDX-License-Identifier: Apache-2.0
// As test_joint_dags, with many more graphs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_solver.h"
#include "tests/support/joint_dag_case.h"

static void brute_force_equals_enumeration(void **state) {
  (void)state;
  assert_true(joint_dags_check_brute(10000, 30000) >= 6000);
}

static void all_equal_brute_force(void **state) {
  (void)state;
  const dag_counts *counts = joint_dags_compare(100000, 138500, 20000000);
  const joint_methods_counts *methods = &counts->methods;
  assert_true(methods->graphs.compared >= 30000);
  assert_true(methods->graphs.gaps >= 2000 && counts->plain_gaps >= 2000);
  for (int32_t ops = 7; ops <= 10; ops++) {
    assert_true(counts->by_ops[ops] >= 5000);
  }
  assert_true(methods->pairs >= 10000 && methods->workspaces >= 10000 && methods->views >= 10000);
  assert_true(methods->writers >= 10000 && methods->aligned[0] >= 10000 && methods->aligned[1] >= 8000);
  assert_true(counts->updates >= 5000 && counts->groups >= 2000 && counts->afters >= 10000 && counts->asyncs >= 4000);
  assert_true(counts->pins >= 1000 && counts->donated >= 5000 && counts->rivals >= 5000 && counts->empty >= 5000);
  assert_true(!memplan_ilp_available() || methods->programs >= 30000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(brute_force_equals_enumeration),
                                     cmocka_unit_test(all_equal_brute_force)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
