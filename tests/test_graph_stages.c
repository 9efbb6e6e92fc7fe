// SPDX-License-Identifier: Apache-2.0
// Where the time of a search went: shares of a lap, and what solving tells of it.
#include "model/base/clock.h"
#include "model/memplan.h"
#include "solvers/graph_stages.h"
#include "tests/support/build_problem.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

enum { lap_us = 1000000 };

static int64_t sum_of(const memplan_solution *solution) {
  int64_t sum = 0;
  for (int32_t stage = 0; stage < MEMPLAN_STAGE_COUNT; stage++) {
    assert_true(solution->stage_us[stage] >= 0);
    sum += solution->stage_us[stage];
  }
  return sum;
}

// A lap of a second so far ends with this work.
static void share(const int64_t ticks[MEMPLAN_STAGE_COUNT], memplan_solution *solution) {
  memset(solution, 0, sizeof *solution);
  memplan_graph_search state = {.solution = solution};
  memplan_graph_start_laps(&state);
  int64_t before = memplan_clock_us();
  state.lap_us -= lap_us;
  memplan_graph_share_lap(&state, ticks, MEMPLAN_STAGE_PLACEMENT);
  int64_t sum = sum_of(solution);
  assert_true(sum >= lap_us);
  assert_true(sum <= lap_us + memplan_clock_us() - before + 1000);
}

static void test_shares(void **context) {
  (void)context;
  memplan_solution solution;
  const int64_t nothing[MEMPLAN_STAGE_COUNT] = {0};
  share(nothing, &solution);
  assert_true(solution.stage_us[MEMPLAN_STAGE_PLACEMENT] >= lap_us);

  const int64_t few[MEMPLAN_STAGE_COUNT] = {[MEMPLAN_STAGE_ORDERS] = 1, [MEMPLAN_STAGE_ENGINE] = 3};
  share(few, &solution);
  assert_true(solution.stage_us[MEMPLAN_STAGE_ORDERS] >= lap_us / 4);
  assert_true(solution.stage_us[MEMPLAN_STAGE_ENGINE] >= 3 * solution.stage_us[MEMPLAN_STAGE_ORDERS]);
  assert_int_equal(solution.stage_us[MEMPLAN_STAGE_PLACEMENT], 0);

  const int64_t most[MEMPLAN_STAGE_COUNT] = {[MEMPLAN_STAGE_WINDOWS] = INT64_MAX, [MEMPLAN_STAGE_NOGOODS] = INT64_MAX};
  share(most, &solution);
  assert_true(solution.stage_us[MEMPLAN_STAGE_WINDOWS] >= lap_us / 2 - 1);
  assert_true(solution.stage_us[MEMPLAN_STAGE_NOGOODS] >= lap_us / 2 - 1);
}

static void test_laps(void **context) {
  (void)context;
  memplan_solution solution = {.nodes = 0};
  memplan_graph_search state = {.solution = &solution};
  memplan_graph_start_laps(&state);
  state.lap_us -= lap_us;
  memplan_graph_lap(&state, MEMPLAN_STAGE_BOUNDS);
  assert_true(solution.stage_us[MEMPLAN_STAGE_BOUNDS] >= lap_us);
  memplan_graph_lap(&state, MEMPLAN_STAGE_BOUNDS);
  assert_true(solution.stage_us[MEMPLAN_STAGE_BOUNDS] >= lap_us);
  assert_int_equal(sum_of(&solution), solution.stage_us[MEMPLAN_STAGE_BOUNDS]);
}

// The stages are parts of the whole, of models and of lifetimes.
static void test_solving(void **context) {
  (void)context;
  for (int32_t kind = 0; kind < 2; kind++) {
    memplan_problem problem;
    memplan_solution solution;
    memplan_error error = {.message = ""};
    if (kind == 0) {
      build_graph(&problem);
      (void)build_tensor(&problem.graph, "a", 8, 0);
      (void)build_tensor(&problem.graph, "b", 4, 0);
      (void)build_tensor(&problem.graph, "y", 2, MEMPLAN_ROLE_OUTPUT);
      (void)build_op(&problem.graph, "A", "", "a");
      (void)build_op(&problem.graph, "B", "", "b");
      (void)build_op(&problem.graph, "Y", "a b", "y");
    } else {
      build_instance(&problem);
      (void)build_buffer(&problem.instance, "a", 0, 2, 8);
      (void)build_buffer(&problem.instance, "b", 1, 3, 4);
    }
    build_finish(&problem);
    memplan_solution_init(&solution);
    int64_t start = memplan_clock_us();
    assert_int_equal(memplan_solve(&problem, NULL, &solution, &error), MEMPLAN_OK);
    int64_t passed = memplan_clock_us() - start, sum = sum_of(&solution);
    assert_true(sum <= passed);
    if (kind == 1) {
      assert_int_equal(sum, solution.stage_us[MEMPLAN_STAGE_PLACEMENT]);
    }
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  for (int32_t stage = 0; stage < MEMPLAN_STAGE_COUNT; stage++) {
    assert_non_null(memplan_stage_name((memplan_stage)stage));
    for (int32_t other = 0; other < stage; other++) {
      assert_string_not_equal(memplan_stage_name((memplan_stage)stage), memplan_stage_name((memplan_stage)other));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares), cmocka_unit_test(test_laps),
                                     cmocka_unit_test(test_solving)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
