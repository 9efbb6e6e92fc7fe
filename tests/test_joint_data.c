// SPDX-License-Identifier: Apache-2.0
// The joint search on the joint benchmarks: the optima of the data's index, and a bound for those without. Skipped
// without MEMPLAN_DATA.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/joint_search.h"
#include "tests/support/build_problem.h"
#include "tests/support/data_index.h"

#include <stdio.h>
#include <string.h>

// Runs until it is closed or has done so much work; returns whether it is closed.
static bool solve(const char *path, int64_t ticks, int64_t *lower, int64_t *upper) {
  memplan_problem problem;
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph graph;
  memplan_joint_search *search;
  char reason[256];
  memplan_problem_init(&problem);
  if (memplan_read(path, NULL, NULL, &problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
  assert_true(memplan_joint_search_accepts(&ordering, reason));
  assert_int_equal(memplan_joint_graph_init(&graph, &ordering, true, &arena, &error), MEMPLAN_OK);
  memplan_joint_settings settings = memplan_joint_settings_default();
  assert_int_equal(memplan_joint_search_new(&graph, 0, (graph.naive + 1) * graph.unit, &settings, &search, &error),
                   MEMPLAN_OK);
  memplan_joint_result result;
  do {
    result = memplan_joint_search_run(search, 1000000);
    assert_true(result != MEMPLAN_JOINT_NOMEM);
  } while (result != MEMPLAN_JOINT_CLOSED && memplan_joint_search_count(search).ticks < ticks);
  *lower = memplan_joint_search_lower(search);
  *upper = memplan_joint_search_upper(search);
  memplan_joint_search_free(search);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
  return result == MEMPLAN_JOINT_CLOSED;
}

static void optima_are_proven(void **state) {
  (void)state;
  const char *folder = data_folder();
  if (folder == NULL) {
    skip();
  }
  char path[4096];
  data_index index;
  (void)snprintf(path, sizeof path, "%s/joint/index.csv", folder);
  data_index_read(&index, path);
  int32_t n_closed = 0;
  for (int32_t row = 0; row < index.n_rows; row++) {
    const char *file = data_cell(&index, row, "file");
    int64_t optimum, lower, upper;
    bool known = data_number(&index, row, "joint_optimum", &optimum);
    (void)snprintf(path, sizeof path, "%s/joint/%s", folder, file);
    bool closed = solve(path, strncmp(file, "layered-n100", 12) == 0 ? 5000000 : 200000000, &lower, &upper);
    if (known && (lower > optimum || upper < optimum || (closed && upper != optimum))) {
      fail_msg("%s: [%lld, %lld], optimum %lld", file, (long long)lower, (long long)upper, (long long)optimum);
    }
    n_closed += closed;
  }
  assert_true(n_closed >= index.n_rows - 2);
  data_index_free(&index);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(optima_are_proven)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
