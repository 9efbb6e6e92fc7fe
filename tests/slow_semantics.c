// SPDX-License-Identifier: Apache-2.0
// As test_semantics, with many more problems.
#include "tests/support/semantics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20240301 };

static void graphs_follow_the_model(void **state) {
  (void)state;
  semantics_counts counts = semantics_run(semantics_check_graph, seed, 100000);
  // The generator still reaches what this test is about.
  assert_true(counts.accepted > 60000);
  assert_true(counts.rejected > 4500);
  assert_true(counts.orders > 90000);
  assert_true(counts.illegal_orders > 90000);
  assert_true(counts.choices > 12000);
  assert_true(counts.valid > 150000);
  assert_true(counts.invalid > 150000);
  assert_true(counts.optima > 30000);
  assert_true(counts.gaps > 1500);
}

static void graphs_with_pools_follow_the_model(void **state) {
  (void)state;
  semantics_counts counts = semantics_run(semantics_check_pooled_graph, seed, 50000);
  assert_true(counts.accepted > 27000);
  assert_true(counts.choices > 4500);
  assert_true(counts.valid > 45000);
  assert_true(counts.invalid > 90000);
}

static void instances_follow_the_model(void **state) {
  (void)state;
  semantics_counts counts = semantics_run(semantics_check_instance, seed, 100000);
  assert_true(counts.accepted > 45000);
  assert_true(counts.rejected > 9000);
  assert_true(counts.valid > 150000);
  assert_true(counts.invalid > 150000);
  assert_true(counts.optima > 30000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graphs_follow_the_model),
      cmocka_unit_test(graphs_with_pools_follow_the_model),
      cmocka_unit_test(instances_follow_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
