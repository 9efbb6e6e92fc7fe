// SPDX-License-Identifier: Apache-2.0
// Random tiny problems: the library's view of the model against a literal one (tests/support/oracle.h).
#include "tests/support/semantics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20240229 };

static void graphs_follow_the_model(void **state) {
  (void)state;
  semantics_counts counts = semantics_run(semantics_check_graph, seed, 3000);
  // The generator still reaches what this test is about.
  assert_true(counts.accepted > 2000);
  assert_true(counts.rejected > 150);
  assert_true(counts.orders > 3000);
  assert_true(counts.illegal_orders > 3000);
  assert_true(counts.choices > 400);
  assert_true(counts.valid > 5000);
  assert_true(counts.invalid > 5000);
  assert_true(counts.optima > 1000);
  assert_true(counts.gaps > 50);
}

static void graphs_with_pools_follow_the_model(void **state) {
  (void)state;
  semantics_counts counts = semantics_run(semantics_check_pooled_graph, seed, 1500);
  assert_true(counts.accepted > 900);
  assert_true(counts.choices > 150);
  assert_true(counts.valid > 1500);
  assert_true(counts.invalid > 3000);
}

static void instances_follow_the_model(void **state) {
  (void)state;
  semantics_counts counts = semantics_run(semantics_check_instance, seed, 3000);
  assert_true(counts.accepted > 1500);
  assert_true(counts.rejected > 300);
  assert_true(counts.valid > 5000);
  assert_true(counts.invalid > 5000);
  assert_true(counts.optima > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graphs_follow_the_model),
      cmocka_unit_test(graphs_with_pools_follow_the_model),
      cmocka_unit_test(instances_follow_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
