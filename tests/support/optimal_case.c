// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/optimal_case.h"

#include "tests/support/oracle.h"
#include "tests/support/precedence_case.h"

#include <inttypes.h>

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
    fail_msg("seed %" PRIu64 ": %s", seed, error.message);
  }
  memplan_outcome expected = solution.has_plan ? MEMPLAN_OPTIMAL : MEMPLAN_INFEASIBLE;
  if (solution.outcome != expected) {
    fail_msg("seed %" PRIu64 ": the outcome is '%s'", seed, memplan_outcome_name(solution.outcome));
  }
  int64_t peak = solution.has_plan ? solution.plan.peak : -1;
  memplan_solution_free(&solution);
  return peak;
}

static void compare(int64_t found, int64_t expected, uint64_t seed) {
  if (found != expected) {
    fail_msg("seed %" PRIu64 ": %" PRId64 " instead of %" PRId64, seed, found, expected);
  }
}

int64_t optimal_compare_random(uint64_t first, uint64_t last) {
  int64_t compared = 0;
  for (uint64_t seed = first; seed <= last; seed++) {
    random_state random = random_start(72, seed);
    random_instance_options wishes = {.max_buffers = 6, .max_bytes = 4, .pins = random_chance(&random, 40)};
    wishes.rules = random_chance(&random, 50);
    memplan_problem problem;
    random_instance(&random, &wishes, &problem);
    memplan_error error = {0};
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      enum { limit = 20 };
      oracle_place places[ORACLE_ITEMS];
      int64_t expected = oracle_instance_optimum(&problem.instance, &problem.options, limit, places);
      int64_t found = solved_peak(&problem, seed);
      // else the enumeration does not reach as far
      if (expected != ORACLE_TOO_LONG && (expected >= 0 || found < limit)) {
        compare(found, expected, seed);
        compared++;
      }
    }
    memplan_problem_free(&problem);
  }
  return compared;
}

int64_t optimal_compare_tight(uint64_t first, uint64_t last) {
  int64_t above = 0;
  for (uint64_t seed = first; seed <= last; seed++) {
    random_state random = random_start(73, seed);
    tight_case one;
    tight_draw(&random, &one);
    memplan_problem problem;
    tight_problem(&one, &problem);
    int64_t expected = tight_optimum(&one);
    compare(solved_peak(&problem, seed), expected, seed);
    above += expected > one.load;
    memplan_problem_free(&problem);
  }
  return above;
}
