// SPDX-License-Identifier: Apache-2.0
// The exact order search on the order benchmarks: the optima of the data's index, the same bytes for any number of
// threads. Skipped without MEMPLAN_DATA.
#include "solvers/order_optimal.h"
#include "tests/support/data_index.h"
#include "tests/support/order_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void read_ordering(const char *name, memplan_problem *problem, memplan_ordering *ordering) {
  data_read(name, problem);
  assert_int_equal(memplan_ordering_init(ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
}

static void optima_are_proven(void **state) {
  (void)state;
  data_index index;
  (void)data_index_open(&index, "order");
  int32_t n_proven = 0;
  for (int32_t row = 0; row < index.n_rows; row++) {
    int64_t optimum;
    if (!data_number(&index, row, "optimum_order_peak", &optimum)) {
      continue;
    }
    const char *file = data_cell(&index, row, "file");
    memplan_problem problem;
    memplan_ordering ordering;
    read_ordering(data_path(&index.arena, "order", file), &problem, &ordering);
    memplan_arena arena = {0};
    memplan_limits limits = memplan_limits_default();
    limits.work = 1000000000;
    memplan_order_optimal_task task = {.ordering = &ordering, .limits = &limits};
    memplan_order_optimal_result result;
    assert_int_equal(memplan_order_optimal(&task, &arena, &result, NULL), MEMPLAN_OK);
    if (result.outcome != MEMPLAN_OPTIMAL || result.peak != optimum || result.bound != optimum) {
      fail_msg("%s: peak %lld, bound %lld, optimum %lld", file, (long long)result.peak, (long long)result.bound,
               (long long)optimum);
    }
    n_proven++;
    memplan_arena_free(&arena);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  assert_true(n_proven >= 20);
  data_index_free(&index);
}

static void threads_change_nothing(void **state) {
  (void)state;
  static const char *const files[] = {"order/randwire-n64-c1-s3.json", "order/pnas-imagenet-k3-f54.json"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    memplan_problem problem;
    memplan_ordering ordering;
    read_ordering(files[k], &problem, &ordering);
    order_compare_threads(&ordering, 10000000, 20000);
    order_compare_threads(&ordering, 25000000, 0);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(optima_are_proven),
      cmocka_unit_test(threads_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
