// SPDX-License-Identifier: Apache-2.0
// Integer programs against brute force.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_placement.h"
#include "solvers/ilp_solver.h"
#include "tests/support/oracle.h"
#include "tests/support/random_problem.h"

#include <inttypes.h>

static void need_solver(void) {
  if (!memplan_ilp_available()) {
    print_message("skipped: %s\n", memplan_ilp_solver_name());
    skip();
  }
}

static void place_random(uint64_t seed, int64_t *compared, int64_t *above) {
  random_state random = random_start(172, seed);
  bool pins = random_chance(&random, 40), rules = random_chance(&random, 50);
  random_instance_options wishes = {.max_buffers = 6, .max_bytes = 4, .pins = pins, .rules = rules};
  memplan_problem problem;
  random_instance(&random, &wishes, &problem);
  memplan_error error = {0};
  if (build_try(&problem, &error) == MEMPLAN_OK && problem.instance.n_pools == 1) {
    enum { limit = 20 };
    oracle_place places[ORACLE_ITEMS];
    memplan_arena arena = {0};
    memplan_limits limits = memplan_limits_default();
    memplan_ilp_placement found;
    int64_t expected = oracle_instance_optimum(&problem.instance, &problem.options, limit, places);
    if (memplan_ilp_placement_find(&problem.instance, NULL, &limits, &arena, &found, &error) != MEMPLAN_OK) {
      fail_msg("seed %" PRIu64 ": %s", seed, error.message);
    }
    assert_true(found.exhausted);
    if (expected >= 0 || found.peak < 0 || found.peak < limit) { // else the enumeration does not reach as far
      if (found.peak != expected || (expected >= 0 && found.floating_bound != expected)) {
        fail_msg("seed %" PRIu64 ": %" PRId64 " (bound %" PRId64 ") instead of %" PRId64, seed, found.peak,
                 found.floating_bound, expected);
      }
      ++*compared;
      *above += expected > oracle_instance_load(&problem.instance);
    }
    memplan_arena_free(&arena);
  }
  memplan_problem_free(&problem);
}

static void test_place(void **state) {
  (void)state;
  need_solver();
  int64_t compared = 0, above = 0;
  for (uint64_t seed = 0; seed < 1500; seed++) {
    place_random(seed, &compared, &above);
  }
  assert_true(compared > 700);
  assert_true(above > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
