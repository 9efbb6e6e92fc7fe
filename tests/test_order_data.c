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
#include <stdio.h>

static void read_ordering(const char *folder, const char *file, memplan_problem *problem, memplan_ordering *ordering) {
  char path[4096];
  memplan_error error = {.message = ""};
  (void)snprintf(path, sizeof path, "%s/order/%s", folder, file);
  memplan_problem_init(problem);
  if (memplan_read(path, NULL, NULL, problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(memplan_ordering_init(ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
}

static void optima_are_proven(void **state) {
  (void)state;
  const char *folder = data_folder();
  if (folder == NULL) {
    skip();
  }
  char path[4096];
  data_index index;
  (void)snprintf(path, sizeof path, "%s/order/index.csv", folder);
  data_index_read(&index, path);
  int32_t n_proven = 0;
  for (int32_t row = 0; row < index.n_rows; row++) {
    int64_t optimum;
    if (!data_number(&index, row, "optimum_order_peak", &optimum)) {
      continue;
    }
    const char *file = data_cell(&index, row, "file");
    memplan_problem problem;
    memplan_ordering ordering;
    read_ordering(folder, file, &problem, &ordering);
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
  const char *folder = data_folder();
  if (folder == NULL) {
    skip();
  }
  static const char *const files[] = {"randwire-n64-c1-s3.json", "pnas-imagenet-k3-f54.json"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    memplan_problem problem;
    memplan_ordering ordering;
    read_ordering(folder, files[k], &problem, &ordering);
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
