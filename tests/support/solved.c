// SPDX-License-Identifier: Apache-2.0
#include "tests/support/solved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

solved solved_by(memplan_problem *problem, const char *order, const char *place) {
  solved result = {.problem = problem};
  memplan_solve_options options = memplan_solve_options_default();
  options.order = order;
  options.place = place;
  memplan_error error = {.message = ""};
  memplan_solution_init(&result.solution);
  if (memplan_solve(problem, &options, &result.solution, &error) != MEMPLAN_OK) {
    fail_msg("solve: %s", error.message);
  }
  return result;
}

void solved_release(solved *result) {
  memplan_solution_free(&result->solution);
  memplan_problem_free(result->problem);
}

const memplan_placed *solved_entry(const solved *result, const char *id) {
  const memplan_plan *plan = &result->solution.plan;
  for (int32_t i = 0; i < plan->n_placed; i++) {
    if (strcmp(plan->placed[i].id, id) == 0) {
      return &plan->placed[i];
    }
  }
  fail_msg("'%s' is not placed", id);
  return NULL;
}

int64_t solved_offset(const solved *result, const char *id) { return solved_entry(result, id)->offset; }

int64_t solved_given_peak(memplan_problem *problem) {
  build_finish(problem);
  solved result = solved_by(problem, "given", NULL);
  int64_t peak = result.solution.plan.peak;
  assert_int_equal(result.solution.order_peak, peak);
  memplan_solution_free(&result.solution);
  return peak;
}

void solved_refused(memplan_problem *problem, const char *first, const char *second) {
  memplan_error error = {.message = ""};
  assert_int_equal(build_try(problem, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, first));
  assert_non_null(strstr(error.message, second));
  memplan_problem_free(problem);
}
