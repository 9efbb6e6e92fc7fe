// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of writing an integer program, of reading a solution and of solving fails, for every k: each says
// so and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/ilp_export.h"
#include "solvers/ilp_solver.h"
#include "tests/support/build_problem.h"
#include "tests/support/failing_malloc.h"

static void build(memplan_problem *problem) {
  build_graph(problem);
  build_tensor(&problem->graph, "a", 2, 0);
  build_tensor(&problem->graph, "b", 2, 0);
  build_tensor(&problem->graph, "c", 2, 0);
  build_tensor(&problem->graph, "d/d", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(&problem->graph, "o1", "", "a");
  build_op(&problem->graph, "o2", "", "b");
  build_inplace(&problem->graph, build_op(&problem->graph, "o3", "a b", "c"), "c", "a");
  build_op(&problem->graph, "o4", "c", "d/d");
  build_finish(problem);
}

static memplan_status write_and_read(const memplan_problem *problem, const memplan_solve_options *options,
                                     const char *method, memplan_ilp_syntax syntax, const char *values,
                                     int64_t *n_texts) {
  char *text = NULL;
  size_t length = 0;
  memplan_error error = {0};
  memplan_status status = memplan_ilp_export(problem, options, method, syntax, INT64_MAX, &text, &length, &error);
  *n_texts += text != NULL ? 1 : 0;
  free(text);
  if (status != MEMPLAN_OK) {
    return status;
  }
  memplan_solution solution;
  memplan_solution_init(&solution);
  status = memplan_ilp_import(problem, options, method, values, strlen(values), &solution, &error);
  memplan_solution_free(&solution);
  return status;
}

static memplan_status solve(const memplan_problem *problem, const memplan_solve_options *options) {
  memplan_error error = {0};
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_status status = memplan_solve(problem, options, &solution, &error);
  memplan_solution_free(&solution);
  return status;
}

// Fails each allocation once, until one run gets through. `values` NULL: solves.
static void fail_each(const memplan_problem *problem, const memplan_solve_options *options, const char *method,
                      memplan_ilp_syntax syntax, const char *values) {
  int64_t before = failing_malloc_blocks(), n_texts = 0; // texts come from the C library's own malloc
  memplan_status status = MEMPLAN_NOMEM;
  for (int64_t k = 0; status == MEMPLAN_NOMEM; k++) {
    failing_malloc_once(k);
    status =
        values != NULL ? write_and_read(problem, options, method, syntax, values, &n_texts) : solve(problem, options);
    bool failed = failing_malloc_stop();
    assert_true(status == MEMPLAN_OK || (status == MEMPLAN_NOMEM && failed));
    assert_int_equal(failing_malloc_blocks(), before - n_texts);
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  build(&problem);
  fail_each(&problem, &options, "ilp-place", MEMPLAN_ILP_LP, "peak 6\nabove.b.a 1\nabove.d_d.a 1\nabove.d_d.b 0\n");
  fail_each(&problem, &options, "ilp-order", MEMPLAN_ILP_MPS, "peak 6\nbefore.o1.o2 1\n");
  fail_each(&problem, &options, "ilp-order-steps", MEMPLAN_ILP_LP, "peak 6\ndone.o1.0 1\n");
  fail_each(&problem, &options, "ilp-joint", MEMPLAN_ILP_MPS, "peak 6\nbefore.o1.o2 1\noff.b 1\noff.c 2\n");
  if (memplan_ilp_available()) {
    options.joint = "ilp-joint";
    fail_each(&problem, &options, NULL, MEMPLAN_ILP_LP, NULL);
    options.joint = NULL;
    options.place = "ilp-place";
    options.order = "ilp-order-steps";
    fail_each(&problem, &options, NULL, MEMPLAN_ILP_LP, NULL);
  }
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
