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

#include <string.h>

// Runs until it is closed or has done so much work; returns whether it is closed.
static bool solve(const char *name, int64_t ticks, int64_t *lower, int64_t *upper) {
  memplan_problem problem;
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph graph;
  memplan_joint_search *search;
  char reason[256];
  data_read(name, &problem);
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
  data_index index;
  (void)data_index_open(&index, "joint");
  int32_t n_closed = 0;
  for (int32_t row = 0; row < index.n_rows; row++) {
    const char *file = data_cell(&index, row, "file");
    int64_t optimum, lower, upper;
    bool known = data_number(&index, row, "joint_optimum", &optimum);
    bool closed = solve(data_path(&index.arena, "joint", file),
                        strncmp(file, "layered-n100", 12) == 0 ? 5000000 : 200000000, &lower, &upper);
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
