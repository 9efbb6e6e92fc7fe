// SPDX-License-Identifier: Apache-2.0
// Every way to the joint optimum gives that of brute force, on random graphs with all features of the model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_solver.h"
#include "tests/support/joint_dag_case.h"

static void brute_force_equals_enumeration(void **state) {
  (void)state;
  assert_true(joint_dags_check_brute(0, 600) >= 150);
}

static void all_equal_brute_force(void **state) {
  (void)state;
  const dag_counts *counts = joint_dags_compare(0, 630, 2000000);
  const joint_methods_counts *methods = &counts->methods;
  assert_true(methods->graphs.compared >= 500);
  assert_true(methods->graphs.gaps >= 100 && counts->plain_gaps >= 30 && counts->by_ops[10] >= 100);
  assert_true(methods->pairs >= 250 && methods->workspaces >= 250 && methods->views >= 250);
  assert_true(methods->writers >= 250 && methods->aligned[0] >= 150 && methods->aligned[1] >= 120);
  assert_true(counts->updates >= 150 && counts->groups >= 30 && counts->afters >= 250 && counts->asyncs >= 60);
  assert_true(counts->pins >= 30 && counts->donated >= 150 && counts->rivals >= 100 && counts->empty >= 100);
  assert_true(!memplan_ilp_available() || methods->programs >= 400);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(brute_force_equals_enumeration),
                                     cmocka_unit_test(all_equal_brute_force)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
