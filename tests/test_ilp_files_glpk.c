// SPDX-License-Identifier: Apache-2.0
// GLPK's own readers of LP and MPS files find in our texts the programs that we gave it directly, and its solution
// files lead back to the optimum.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/base/file.h"
#include "solvers/ilp_export.h"
#include "tests/support/random_problem.h"

#include <glpk.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct files {
  char program[64], solution[64];
} files;

static void make_name(char name[64]) {
  (void)snprintf(name, 64, "/tmp/memplan_test_XXXXXX");
  int file = mkstemp(name);
  assert_true(file >= 0);
  assert_int_equal(close(file), 0);
}

// Least cost of the program in the file; its solution goes to the other file in one of GLPK's two forms.
static double solve_file(const files *paths, memplan_ilp_syntax syntax, bool raw) {
  (void)glp_term_out(GLP_OFF);
  glp_prob *problem = glp_create_prob();
  int failed = syntax == MEMPLAN_ILP_LP ? glp_read_lp(problem, NULL, paths->program)
                                        : glp_read_mps(problem, GLP_MPS_FILE, NULL, paths->program);
  assert_int_equal(failed, 0);
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.presolve = GLP_ON;
  parameters.msg_lev = GLP_MSG_OFF;
  assert_int_equal(glp_intopt(problem, &parameters), 0);
  assert_int_equal(glp_mip_status(problem), GLP_OPT);
  double cost = glp_mip_obj_val(problem);
  if (raw) { // as other solvers write: names and values
    FILE *out = fopen(paths->solution, "w");
    assert_non_null(out);
    for (int k = 1; k <= glp_get_num_cols(problem); k++) {
      fprintf(out, "%s %.12g\n", glp_get_col_name(problem, k), glp_mip_col_val(problem, k));
    }
    assert_int_equal(fclose(out), 0);
  } else {
    assert_int_equal(glp_print_mip(problem, paths->solution), 0);
  }
  glp_delete_prob(problem);
  glp_free_env();
  return cost;
}

static int64_t import_peak(const memplan_problem *problem, const memplan_solve_options *options, const char *method,
                           const char *path) {
  char *text = NULL;
  size_t length = 0;
  memplan_error error = {0};
  memplan_solution solution;
  memplan_solution_init(&solution);
  assert_int_equal(memplan_file_load(path, &text, &length, &error), MEMPLAN_OK);
  if (memplan_ilp_import(problem, options, method, text, length, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s: %s", method, error.message);
  }
  int64_t peak = strncmp(method, "ilp-order", 9) == 0 ? solution.order_peak : solution.plan.peak;
  free(text);
  memplan_solution_free(&solution);
  return peak;
}

// As the comment at the top says; 1 if there is nothing to count.
static int64_t read_unit(const char *text) {
  static const char words[] = "in units of ";
  const char *at = strstr(text, words);
  return at != NULL ? strtoll(at + sizeof words - 1, NULL, 10) : 1;
}

// GLPK reads the whole program without any callback: were a row missing that waits in memplan's own runs, the cost
// would lie below what the decisions lead to.
static void texts_are_read_by_glpk(void **state) {
  (void)state;
  static const char *const methods[] = {"ilp-place", "ilp-order", "ilp-order-steps", "ilp-joint", "ilp-joint-steps"};
  files paths;
  make_name(paths.program);
  make_name(paths.solution);
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  int32_t n_read = 0, n_waiting = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    random_state random = random_start(174, seed);
    random_graph_options wishes = {.max_ops = 5, .max_bytes = 4};
    memplan_problem problem;
    memplan_error error = {0};
    random_graph(&random, &wishes, &problem);
    if (build_try(&problem, &error) != MEMPLAN_OK || problem.graph.n_ops == 0) {
      memplan_problem_free(&problem);
      continue;
    }
    int64_t peaks[5];
    for (int k = 0; k < 5; k++) {
      for (int syntax = 0; syntax < 2; syntax++) {
        char *text = NULL;
        size_t length = 0;
        if (memplan_ilp_export(&problem, &options, methods[k], (memplan_ilp_syntax)syntax, INT64_MAX, &text, &length,
                               &error) != MEMPLAN_OK) {
          fail_msg("seed %" PRIu64 ", %s: %s", seed, methods[k], error.message);
        }
        assert_int_equal(memplan_file_write(paths.program, text, length, &error), MEMPLAN_OK);
        int64_t unit = read_unit(text);
        n_waiting += strstr(text, ".transitive") != NULL;
        free(text);
        double cost = solve_file(&paths, (memplan_ilp_syntax)syntax, syntax == 0);
        int64_t peak = import_peak(&problem, &options, methods[k], paths.solution);
        assert_int_equal(llround(cost) * unit, peak);
        if (syntax == 1 && peak != peaks[k]) {
          fail_msg("seed %" PRIu64 ", %s: LP %" PRId64 ", MPS %" PRId64, seed, methods[k], peaks[k], peak);
        }
        peaks[k] = peak;
        n_read++;
      }
    }
    assert_int_equal(peaks[1], peaks[2]);
    assert_int_equal(peaks[3], peaks[4]);
    assert_true(peaks[1] <= peaks[3] && peaks[3] <= peaks[0]);
    memplan_problem_free(&problem);
  }
  assert_true(n_read > 200);
  assert_true(n_waiting > 10);
  (void)unlink(paths.program);
  (void)unlink(paths.solution);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_read_by_glpk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
