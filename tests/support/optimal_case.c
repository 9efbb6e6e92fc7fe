// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/optimal_case.h"

#include "tests/support/oracle.h"
#include "tests/support/precedence_case.h"
#include "tests/support/shrink.h"

#include <inttypes.h>

typedef struct optimal_question {
  uint64_t seed;
  int64_t compared, large, above;
} optimal_question;

// Peak of the proven plan; -1 if it is proven that there is none.
static int64_t solved_peak(const memplan_problem *problem, uint64_t seed) {
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.seed = seed;
  options.limits.threads = 1;
  options.place = "optimal";
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_error error = {0};
  if (memplan_solve(problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  memplan_outcome expected = solution.has_plan ? MEMPLAN_OPTIMAL : MEMPLAN_INFEASIBLE;
  if (solution.outcome != expected) {
    fail_msg("the outcome is '%s'", memplan_outcome_name(solution.outcome));
  }
  int64_t peak = solution.has_plan ? solution.plan.peak : -1;
  memplan_solution_free(&solution);
  return peak;
}

static void expect(int64_t found, int64_t expected) {
  if (found != expected) {
    fail_msg("%" PRId64 " instead of %" PRId64, found, expected);
  }
}

static void check_random(const memplan_problem *problem, void *context) {
  enum { limit = 20 };
  optimal_question *question = context;
  oracle_place places[ORACLE_ITEMS];
  int64_t expected = oracle_instance_optimum(&problem->instance, &problem->options, limit, places);
  int64_t found = solved_peak(problem, question->seed);
  // else the enumeration does not reach as far
  if (expected != ORACLE_TOO_LONG && (expected >= 0 || found < limit)) {
    expect(found, expected);
    question->compared++;
    question->large += problem->instance.n_buffers >= 7;
  }
}

int64_t optimal_compare_random(uint64_t first, uint64_t last, int64_t *large) {
  optimal_question question = {.compared = 0};
  for (uint64_t seed = first; seed <= last; seed++) {
    random_state random = random_start(72, seed);
    random_instance_options wishes = {.max_buffers = 9, .max_bytes = 4, .pins = random_chance(&random, 40)};
    wishes.rules = random_chance(&random, 50);
    memplan_problem problem;
    random_instance(&random, &wishes, &problem);
    if (build_try(&problem, NULL) == MEMPLAN_OK) {
      question.seed = seed;
      shrink_checked(&problem, check_random, &question, sizeof question, "optimal_compare_random, seed %" PRIu64, seed);
    }
    memplan_problem_free(&problem);
  }
  *large = question.large;
  return question.compared;
}

static void check_tight(const memplan_problem *problem, void *context) {
  optimal_question *question = context;
  tight_case one;
  tight_read(problem, &one);
  int64_t expected = tight_optimum(&one);
  expect(solved_peak(problem, question->seed), expected);
  question->above += expected > one.load;
}

int64_t optimal_compare_tight(uint64_t first, uint64_t last) {
  optimal_question question = {.above = 0};
  for (uint64_t seed = first; seed <= last; seed++) {
    random_state random = random_start(73, seed);
    tight_case one;
    tight_draw(&random, &one);
    memplan_problem problem;
    tight_problem(&one, &problem);
    question.seed = seed;
    shrink_checked(&problem, check_tight, &question, sizeof question, "optimal_compare_tight, seed %" PRIu64, seed);
    memplan_problem_free(&problem);
  }
  return question.above;
}
