// SPDX-License-Identifier: Apache-2.0
// Integer programs against brute force and worked examples; what goes wrong in them; their texts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_export.h"
#include "solvers/ilp_joint.h"
#include "solvers/ilp_solver.h"
#include "solvers/ilp_write.h"
#include "tests/support/build_problem.h"
#include "tests/support/ilp_case.h"
#include "tests/support/joint_example.h"

#include <stdlib.h>
#include <string.h>

static void need_solver(void) {
  if (!memplan_ilp_available()) {
    print_message("skipped: %s\n", memplan_ilp_solver_name());
    skip();
  }
}

// ---- against brute force

static void placements_equal_brute_force(void **state) {
  (void)state;
  need_solver();
  ilp_counts counts = {0};
  for (uint64_t seed = 20000; seed < 21000; seed++) {
    ilp_compare_place(seed, &counts);
  }
  assert_true(counts.compared > 500);
  assert_true(counts.gaps > 30);
}

static void graphs_equal_brute_force(void **state) {
  (void)state;
  need_solver();
  ilp_counts counts = {0};
  for (uint64_t seed = 0; seed < 400; seed++) {
    ilp_compare_graph(seed, 5, 0, &counts);
  }
  assert_true(counts.compared > 300);
  assert_true(counts.gaps > 40);
  assert_true(counts.choices > 80);
}

// With and without each part: lazy rows, cuts, rounding, guide, windows.
static void switches_change_no_optimum(void **state) {
  (void)state;
  need_solver();
  ilp_counts counts = {0};
  for (uint64_t seed = 1000; seed < 1500; seed++) {
    ilp_compare_graph(seed, 5, ilp_switches(seed), &counts);
  }
  assert_true(counts.compared > 300);
  assert_true(counts.gaps > 40);
  assert_true(counts.cuts > 500);
  assert_true(counts.lazy_rows > 200);
  assert_true(counts.rounded > 100);
}

// ---- worked examples

static void check_program(const joint_example *one, const memplan_problem *problem, memplan_ilp_form form) {
  memplan_ordering ordering;
  memplan_error error = {0};
  memplan_arena arena = {0};
  memplan_limits limits = memplan_limits_default();
  memplan_ilp_task task = {.ordering = &ordering, .form = form, .limits = &limits, .below = -1};
  memplan_ilp_plan plan;
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, &error), MEMPLAN_OK);
  assert_int_equal(memplan_ilp_order_find(&task, &arena, &plan, &error), MEMPLAN_OK);
  assert_true(plan.found && plan.exhausted);
  assert_int_equal(plan.peak, one->order_optimum);
  assert_int_equal(memplan_ilp_joint_find(&task, &arena, &plan, &error), MEMPLAN_OK);
  assert_true(plan.found && plan.exhausted);
  assert_int_equal(plan.peak, one->optimum);
  assert_int_equal(plan.floating_bound, one->optimum);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
}

static void worked_examples(void **state) {
  (void)state;
  need_solver();
  for (size_t k = 0; k < JOINT_EXAMPLES; k++) {
    memplan_problem problem;
    joint_example_build(&joint_examples[k], &problem);
    check_program(&joint_examples[k], &problem, MEMPLAN_ILP_PRECEDENCE);
    check_program(&joint_examples[k], &problem, MEMPLAN_ILP_STEPS);
    memplan_solve_options options = memplan_solve_options_default();
    memplan_solution solution;
    memplan_error error = {0};
    memplan_solution_init(&solution);
    options.joint = "ilp-joint";
    assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_OK); // verified
    assert_true(solution.has_plan);
    assert_int_equal(solution.plan.peak, joint_examples[k].optimum);
    assert_true(solution.floating_bound == joint_examples[k].optimum || solution.outcome == MEMPLAN_OPTIMAL);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
}

// ---- methods

static void methods_decline_by_name(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  memplan_solution solution;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 2, 3);
  build_buffer(&problem.instance, "b", 1, 3, 2);
  build_finish(&problem);
  memplan_solution_init(&solution);
  options.joint = "ilp-joint";
  assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "lifetimes have no order"));
  memplan_solution_free(&solution);
  options.joint = NULL;
  options.place = "ilp-place";
  memplan_status status = memplan_solve(&problem, &options, &solution, &error);
  if (memplan_ilp_available()) {
    assert_int_equal(status, MEMPLAN_OK);
    assert_int_equal(solution.plan.peak, 5);
    assert_string_equal(solution.place_method, "ilp-place");
  } else {
    assert_int_equal(status, MEMPLAN_UNSUPPORTED);
    assert_non_null(strstr(error.message, "GLPK"));
  }
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// ---- the solver's own errors and limits

static int64_t no_plan(void *context, const int64_t *value) {
  (void)context;
  (void)value;
  return MEMPLAN_ILP_NONE;
}

static void faults_of_the_solver_come_back(void **state) {
  (void)state;
  need_solver();
  memplan_ilp model;
  memplan_error error = {0};
  memplan_limits limits = memplan_limits_default();
  memplan_ilp_answer answer;
  memplan_ilp_init(&model);
  model.title = "broken";
  (void)memplan_ilp_column_add(&model, MEMPLAN_ILP_BINARY, 0, 1, "x");
  memplan_ilp_row_open(&model);
  memplan_ilp_row_add(&model, 1, memplan_ilp_of(5)); // there is no such column: GLPK calls its error hook
  memplan_ilp_row_close(&model, 0, 1, false, "bad");
  model.columns[0].cost = 1;
  memplan_ilp_run run = {.model = &model, .limits = &limits, .found = no_plan};
  for (int round = 0; round < 3; round++) {
    assert_int_equal(memplan_ilp_solve(&run, &answer, &error), MEMPLAN_INTERNAL);
    assert_non_null(strstr(error.message, "column index out of range"));
  }
  memplan_ilp_free(&model);
}

static void memory_limit_ends_the_solver(void **state) {
  (void)state;
  need_solver();
  memplan_ilp model;
  memplan_error error = {0};
  memplan_limits limits = memplan_limits_default();
  memplan_ilp_answer answer;
  memplan_ilp_init(&model);
  model.title = "large";
  for (int32_t k = 0; k < 40000; k++) {
    (void)memplan_ilp_column_add(&model, MEMPLAN_ILP_BINARY, 0, 1, "x.%d", k);
  }
  memplan_ilp_run run = {.model = &model, .limits = &limits, .memory = 1 << 20, .found = no_plan};
  assert_int_equal(memplan_ilp_solve(&run, &answer, &error), MEMPLAN_OK);
  assert_int_equal(answer.outcome, MEMPLAN_UNKNOWN);
  assert_int_equal(answer.stop, MEMPLAN_STOP_MEMORY);
  run.memory = 0; // the limit is gone with the environment
  assert_int_equal(memplan_ilp_solve(&run, &answer, &error), MEMPLAN_OK);
  assert_int_equal(answer.outcome, MEMPLAN_OPTIMAL);
  memplan_ilp_free(&model);
}

static void limits_end_the_solver(void **state) {
  (void)state;
  need_solver();
  memplan_problem problem;
  memplan_ordering ordering;
  memplan_error error = {0};
  memplan_ilp_plan plan;
  memplan_arena arena = {0};
  volatile int cancel = 1;
  joint_example_build(&joint_examples[2], &problem);
  assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error), MEMPLAN_OK);
  memplan_limits limits = memplan_limits_default();
  memplan_ilp_task task = {.ordering = &ordering, .limits = &limits, .below = -1};
  limits.work = 0;
  assert_int_equal(memplan_ilp_joint_find(&task, &arena, &plan, &error), MEMPLAN_OK);
  assert_int_equal(plan.stop, MEMPLAN_STOP_WORK);
  assert_false(plan.exhausted);
  assert_true(plan.floating_bound <= 13);
  limits.work = -1;
  limits.cancel = &cancel;
  assert_int_equal(memplan_ilp_joint_find(&task, &arena, &plan, &error), MEMPLAN_OK);
  assert_int_equal(plan.stop, MEMPLAN_STOP_INTERRUPTED);
  limits.cancel = NULL;
  limits.time_ms = 0;
  memplan_limits started = memplan_limits_start(&limits);
  task.limits = &started;
  assert_int_equal(memplan_ilp_joint_find(&task, &arena, &plan, &error), MEMPLAN_OK);
  assert_int_equal(plan.stop, MEMPLAN_STOP_TIME);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  memplan_problem_free(&problem);
}

// ---- models and texts

static void names_are_clean_and_unique(void **state) {
  (void)state;
  memplan_ilp model;
  memplan_error error = {0};
  memplan_ilp_init(&model);
  model.title = "names";
  assert_string_equal(memplan_ilp_label(&model, "conv1"), "conv1");
  assert_string_equal(memplan_ilp_label(&model, "a/b"), "a_b");
  assert_string_equal(memplan_ilp_label(&model, "a:b"), "a_b.2");
  assert_string_equal(memplan_ilp_label(&model, "a_b"), "a_b.3");
  assert_string_equal(memplan_ilp_label(&model, ""), "_");
  char large[400];
  memset(large, 'x', sizeof large - 1);
  large[sizeof large - 1] = '\0';
  const char *cut = memplan_ilp_label(&model, large);
  assert_true(strlen(cut) < MEMPLAN_ILP_LABEL);
  assert_string_not_equal(cut, memplan_ilp_label(&model, large));
  (void)memplan_ilp_label(&model, "end\nEnd\n\\ \x01\xff");
  int32_t first = memplan_ilp_column_add(&model, MEMPLAN_ILP_BINARY, 0, 1, "before.%s.%s", "a.2", "3");
  int32_t second = memplan_ilp_column_add(&model, MEMPLAN_ILP_BINARY, 0, 1, "before.%s.%s", "a", "2.3");
  assert_string_not_equal(model.columns[first].name, model.columns[second].name);
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(memplan_ilp_lp_text(&model, &text, &length, &error), MEMPLAN_OK);
  for (const char *line = text; line[0] != '\0';) { // a comment of a foreign id stays one line
    size_t size = strcspn(line, "\n");
    assert_true(size < 255);
    assert_true(strncmp(line, "End", 3) != 0 || line[size + 1] == '\0');
    line += size + 1;
  }
  free(text);
  memplan_ilp_free(&model);
}

static void rows_join_terms_and_constants(void **state) {
  (void)state;
  memplan_ilp model;
  memplan_ilp_init(&model);
  model.title = "rows";
  int32_t x = memplan_ilp_column_add(&model, MEMPLAN_ILP_BINARY, 0, 1, "x");
  int32_t y = memplan_ilp_column_add(&model, MEMPLAN_ILP_INTEGER, 0, 9, "y");
  memplan_ilp_row_open(&model);
  memplan_ilp_row_add(&model, 2, memplan_ilp_of(y));
  memplan_ilp_row_add(&model, 3, memplan_ilp_not(memplan_ilp_of(x))); // 3 - 3 x
  memplan_ilp_row_add(&model, 3, memplan_ilp_of(x));
  memplan_ilp_row_add(&model, 1, memplan_ilp_constant(4));
  memplan_ilp_row_close(&model, 9, MEMPLAN_ILP_NONE, false, "sum");
  assert_int_equal(model.n_rows, 1);
  assert_int_equal(model.rows[0].n_terms, 1);
  assert_int_equal(model.terms[0].column, y);
  assert_int_equal(model.rows[0].lower, 2);
  memplan_ilp_row_open(&model);
  memplan_ilp_row_add(&model, 1, memplan_ilp_constant(4));
  memplan_ilp_row_close(&model, 4, 4, false, "nothing");
  assert_int_equal(model.n_rows, 1);
  assert_true(memplan_ilp_holds(&model, (const int64_t[]){0, 1}));
  assert_false(memplan_ilp_holds(&model, (const int64_t[]){1, 0}));
  assert_false(memplan_ilp_holds(&model, (const int64_t[]){2, 1}));
  memplan_ilp_row_open(&model);
  memplan_ilp_row_add(&model, INT64_C(1) << 60, memplan_ilp_of(y));
  memplan_ilp_row_close(&model, 0, 1, false, "large");
  memplan_error error = {0};
  assert_int_equal(memplan_ilp_status(&model, &error), MEMPLAN_UNSUPPORTED);
  memplan_ilp_free(&model);
}

// A row that may wait is in the texts as any other.
static void rows_that_wait_are_written(void **state) {
  (void)state;
  memplan_ilp model;
  memplan_error error = {0};
  memplan_ilp_init(&model);
  model.title = "lazy";
  int32_t x = memplan_ilp_column_add(&model, MEMPLAN_ILP_BINARY, 0, 1, "x");
  for (int k = 0; k < 2; k++) {
    memplan_ilp_row_open(&model);
    memplan_ilp_row_add(&model, 1, memplan_ilp_of(x));
    memplan_ilp_row_close(&model, -MEMPLAN_ILP_NONE, 1 - k, k == 1, k == 1 ? "waits" : "stands");
  }
  char *text = NULL;
  size_t length = 0;
  for (int syntax = 0; syntax < 2; syntax++) {
    assert_int_equal(syntax == 0 ? memplan_ilp_lp_text(&model, &text, &length, &error)
                                 : memplan_ilp_mps_text(&model, &text, &length, &error),
                     MEMPLAN_OK);
    assert_non_null(strstr(text, "r0.stands"));
    assert_non_null(strstr(text, "r1.waits"));
    free(text);
  }
  memplan_ilp_free(&model);
}

static void expect_values(const memplan_ilp *model, const char *text, int64_t peak, int64_t above) {
  int64_t value[2] = {-1, -1};
  memplan_error error = {0};
  if (memplan_ilp_solution_read(model, text, strlen(text), value, &error) != MEMPLAN_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  assert_int_equal(value[0], peak);
  assert_int_equal(value[1], above);
}

static void expect_refusal(const memplan_ilp *model, const char *text, const char *part) {
  int64_t value[2];
  memplan_error error = {0};
  assert_int_equal(memplan_ilp_solution_read(model, text, strlen(text), value, &error), MEMPLAN_INPUT);
  if (strstr(error.message, part) == NULL) {
    fail_msg("'%s' is not in: %s", part, error.message);
  }
}

static void solutions_of_other_solvers_are_read(void **state) {
  (void)state;
  memplan_ilp model;
  memplan_ilp_init(&model);
  model.title = "two columns";
  (void)memplan_ilp_column_add(&model, MEMPLAN_ILP_INTEGER, 0, 99, "peak");
  (void)memplan_ilp_column_add(&model, MEMPLAN_ILP_BINARY, 0, 1, "above.b.a");
  expect_values(&model,
                "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 7\n# Columns 2\npeak 7\n"
                "above.b.a 1\n# Rows 1\nr0.end 4\n# Dual solution values\nNone\n",
                7, 1);
  expect_values(&model,
                "Optimal - objective value 7.00000000\n      0 peak       7       1\n"
                "      1 above.b.a   0.9999999    0\n",
                7, 1);
  expect_values(&model,
                "solution status: optimal solution found\nobjective value:       7\n"
                "peak                   7 \t(obj:1)\n",
                7, 0);
  expect_values(&model, "# Objective value = 7\npeak 7\nabove.b.a 1\n", 7, 1);
  expect_values(&model,
                "   No. Column name       Activity     Lower bound   Upper bound\n------ ------\n"
                "     1 peak         *              7             0            99 \n     2 above.b.a\n"
                "                    *              1             0             1 \n",
                7, 1);
  expect_values(&model, "peak = 7\nabove.b.a = 1e0", 7, 1);
  expect_refusal(&model, "", "no column of the program 'two columns'");
  expect_refusal(&model, "Infeasible\n", "no column");
  expect_refusal(&model, "x 1\npeak\n", "line 2: column 'peak' has no number");
  expect_refusal(&model, "peak above.b.a 1\n", "has no number");
  expect_refusal(&model, "peak nan\n", "below 2^50");
  expect_refusal(&model, "peak 1e300\n", "below 2^50");
  memplan_ilp_free(&model);
}

// Each program's text, a made-up solution of the first plan's order, and what is refused.
static void programs_of_all_methods_are_written(void **state) {
  (void)state;
  static const char *const methods[] = {"ilp-place", "ilp-order", "ilp-order-steps", "ilp-joint", "ilp-joint-steps"};
  memplan_problem problem;
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  joint_example_build(&joint_examples[3], &problem);
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    for (int syntax = 0; syntax < 2; syntax++) {
      char *text = NULL, *again = NULL;
      size_t length = 0, size = 0;
      assert_int_equal(memplan_ilp_export(&problem, &options, methods[k], (memplan_ilp_syntax)syntax, INT64_MAX, &text,
                                          &length, &error),
                       MEMPLAN_OK);
      assert_int_equal(memplan_ilp_export(&problem, &options, methods[k], (memplan_ilp_syntax)syntax, INT64_MAX, &again,
                                          &size, &error),
                       MEMPLAN_OK);
      assert_string_equal(text, again);
      assert_non_null(strstr(text, syntax == 0 ? "Minimize" : "COLUMNS"));
      free(text);
      free(again);
    }
    memplan_solution solution;
    memplan_solution_init(&solution);
    static const char junk[] = "peak 3\n"; // all decisions 0
    memplan_status status =
        memplan_ilp_import(&problem, &options, methods[k], junk, sizeof junk - 1, &solution, &error);
    assert_true(status == MEMPLAN_OK || status == MEMPLAN_INPUT);
    memplan_solution_free(&solution);
  }
  char *text = NULL;
  size_t length = 0;
  assert_int_equal(memplan_ilp_export(&problem, &options, "dfs", MEMPLAN_ILP_LP, INT64_MAX, &text, &length, &error),
                   MEMPLAN_INPUT);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(placements_equal_brute_force),
      cmocka_unit_test(graphs_equal_brute_force),
      cmocka_unit_test(switches_change_no_optimum),
      cmocka_unit_test(worked_examples),
      cmocka_unit_test(methods_decline_by_name),
      cmocka_unit_test(faults_of_the_solver_come_back),
      cmocka_unit_test(memory_limit_ends_the_solver),
      cmocka_unit_test(limits_end_the_solver),
      cmocka_unit_test(names_are_clean_and_unique),
      cmocka_unit_test(rows_join_terms_and_constants),
      cmocka_unit_test(rows_that_wait_are_written),
      cmocka_unit_test(solutions_of_other_solvers_are_read),
      cmocka_unit_test(programs_of_all_methods_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
