// SPDX-License-Identifier: Apache-2.0
// Integer programs on the small graphs of the joint benchmarks, from nothing: neither a plan nor a bound is given. The
// optima are those of the data's index. Skipped without MEMPLAN_DATA or GLPK.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_joint.h"
#include "solvers/ilp_solver.h"
#include "tests/support/build_problem.h"
#include "tests/support/data_index.h"

enum { most_ops = 15, most_ops_in_steps = 10 };

static void solve(const char *name, memplan_ilp_form form, int64_t optimum) {
  memplan_problem problem;
  memplan_error error = {0};
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_limits limits = memplan_limits_default();
  memplan_ilp_plan plan;
  data_read(name, &problem);
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
  memplan_ilp_task task = {.ordering = &ordering, .form = form, .limits = &limits, .below = -1};
  assert_int_equal(memplan_ilp_joint_find(&task, &arena, &plan, &error), MEMPLAN_OK);
  if (!plan.found || !plan.exhausted || plan.peak != optimum || plan.floating_bound != optimum) {
    fail_msg("%s: %lld, bound %lld, instead of %lld", name, (long long)plan.peak, (long long)plan.floating_bound,
             (long long)optimum);
  }
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

static void small_graphs_are_solved(void **state) {
  (void)state;
  if (!memplan_ilp_available()) {
    skip();
  }
  data_index index;
  (void)data_index_open(&index, "joint");
  int32_t n_solved = 0;
  for (int32_t row = 0; row < index.n_rows; row++) {
    int64_t n_ops = 0, optimum = 0;
    if (!data_number(&index, row, "ops", &n_ops) || n_ops > most_ops ||
        !data_number(&index, row, "joint_optimum", &optimum)) {
      continue;
    }
    const char *name = data_path(&index.arena, "joint", data_cell(&index, row, "file"));
    solve(name, MEMPLAN_ILP_PRECEDENCE, optimum);
    if (n_ops <= most_ops_in_steps) {
      solve(name, MEMPLAN_ILP_STEPS, optimum);
    }
    n_solved++;
  }
  data_index_free(&index);
  assert_true(n_solved >= 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_graphs_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
