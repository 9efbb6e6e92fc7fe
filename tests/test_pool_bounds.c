// SPDX-License-Identifier: Apache-2.0
// Bounds of one pool with reserved ranges, and of several pools, against trying everything; what --minimize asks for.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "model/base/number.h"
#include "solvers/bound_pools.h"
#include "solvers/bounds.h"
#include "solvers/objective.h"
#include "tests/support/pool_case.h"
#include "tests/support/problem_text.h"

#define INSTANCE(buffers, pools)                                                                                       \
  "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[" buffers "],\"pools\":[" pools "]}"

// ---- one pool

static void expect_infeasible(const char *text, int64_t bound, const char *part) {
  memplan_problem problem;
  memplan_solution solution;
  support_read_good(&problem, "r.json", text);
  pool_solve(&problem, "first-fit-size", MEMPLAN_MINIMIZE_PEAK, NULL, &solution);
  assert_int_equal(solution.outcome, MEMPLAN_INFEASIBLE);
  assert_false(solution.has_plan);
  assert_int_equal(solution.plan.lower_bound, bound);
  assert_non_null(strstr(solution.infeasible, part));
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void what_is_reserved_makes_a_pool_too_small(void **state) {
  (void)state;
  expect_infeasible(INSTANCE("{\"id\":\"a\",\"bytes\":10,\"live\":[[0,3]]}",
                             "{\"id\":\"sram\",\"capacity\":100,\"reserved\":[[0,100]]}"),
                    110, "'sram'");
  expect_infeasible(INSTANCE("{\"id\":\"a\",\"bytes\":10,\"align\":16,\"live\":[[0,3]]}",
                             "{\"id\":\"sram\",\"capacity\":100,\"reserved\":[[5,30],[0,2],[40,90]]}"),
                    106, "'sram'");
  expect_infeasible("{\"format\":\"memplan-graph\",\"version\":1,\"pools\":[{\"id\":\"sram\",\"capacity\":100,"
                    "\"reserved\":[[0,100]]}],\"tensors\":[{\"id\":\"x\",\"bytes\":10,\"roles\":[\"input\"]},"
                    "{\"id\":\"y\",\"bytes\":4,\"roles\":[\"output\"]}],\"ops\":[{\"id\":\"o\",\"in\":[\"x\"],\"out\":"
                    "[\"y\"]}]}",
                    110, "'sram'");
}

// 100,000 buffers of many sizes and alignments, none of which fits between 10,000 ranges.
static void many_reserved_ranges_are_cheap(void **state) {
  (void)state;
  enum { BUFFERS = 100000, RANGES = 10000 };
  memplan_instance instance;
  memplan_error error = {.message = ""};
  memplan_instance_init(&instance);
  instance.buffers = MEMPLAN_NEW(&instance.arena, memplan_buffer, BUFFERS);
  instance.pools = MEMPLAN_NEW(&instance.arena, memplan_pool, 1);
  memplan_interval *reserved = MEMPLAN_NEW(&instance.arena, memplan_interval, RANGES);
  memplan_interval *live = MEMPLAN_NEW(&instance.arena, memplan_interval, BUFFERS);
  for (int32_t k = 0; k < RANGES; k++) {
    int32_t at = (int32_t)((int64_t)k * 7919 % RANGES); // unsorted
    reserved[k] = (memplan_interval){(int64_t)at * 100, (int64_t)at * 100 + 50};
  }
  instance.pools[0] = (memplan_pool){.id = "p", .capacity = -1, .reserved = reserved, .n_reserved = RANGES};
  instance.n_pools = 1;
  for (int32_t k = 0; k < BUFFERS; k++) {
    char *id = MEMPLAN_NEW(&instance.arena, char, 16);
    (void)snprintf(id, 16, "%d", (int)k);
    live[k] = (memplan_interval){k, k + 1};
    instance.buffers[k] = (memplan_buffer){.id = id,
                                           .bytes = 51 + k % 1000,
                                           .align = 1 + k % 37,
                                           .pin = -1,
                                           .offset = -1,
                                           .hint = -1,
                                           .live = &live[k],
                                           .n_live = 1};
  }
  instance.n_buffers = BUFFERS;
  assert_int_equal(memplan_instance_resolve(&instance, 1, &error), MEMPLAN_OK);
  memplan_bound_list list = {.count = 0};
  clock_t before = clock();
  assert_int_equal(memplan_bound_single_block(&instance, &list, &error), MEMPLAN_OK);
  assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 1);
  assert_int_equal(list.count, 1);
  assert_true(list.entries[0].bytes >= 100 * (RANGES - 1) + 50 + 1050);
  assert_true(list.entries[0].bytes <= 100 * (RANGES - 1) + 50 + 1050 + 37);
  memplan_instance_free(&instance);
}

// ---- several pools, by trying everything

static void bounds_hold_and_proofs_are_right(void **state) {
  (void)state;
  int32_t proven = 0, refuted = 0, tight = 0;
  for (uint64_t index = 0; index < 400; index++) {
    random_state random = random_start(12, index);
    memplan_instance instance;
    memplan_arena arena = {0};
    memplan_error error = {.message = ""};
    pool_draw(&random, 3, &instance);
    assert_int_equal(memplan_instance_resolve(&instance, 1, &error), MEMPLAN_OK);
    pool_trial t = {.instance = &instance};
    memplan_pool_table table;
    assert_int_equal(memplan_pool_table_of_instance(&instance, NULL, &arena, &table, &error), MEMPLAN_OK);
    pool_try_all(&t);
    const char *reason = memplan_pool_table_refutes(&table, &arena);
    assert_true(reason == NULL || !t.any);
    refuted += reason != NULL ? 1 : 0;
    const memplan_pool_set *because;
    for (int32_t k = 0; k < instance.n_pools && t.any; k++) {
      if (memplan_pool_table_least(&table, k, &because) > t.least[k]) {
        fail_msg("index %" PRIu64 ": bound of pool %d", index, (int)k);
      }
    }
    assert_true(!t.any || memplan_pool_table_largest(&table, &because) <= t.largest);
    assert_true(!t.any || memplan_pool_table_total(&table) <= t.total);
    tight += t.any && memplan_pool_table_largest(&table, &because) == t.largest ? 1 : 0;
    for (int32_t k = 0; k < 4 && t.any; k++) {
      proven += memplan_pool_table_proves(&table, &pool_objectives[k], t.best[k]) ? 1 : 0;
      for (int32_t other = 0; other < 4; other++) {
        bool worse = memplan_pool_peaks_better(&pool_objectives[k], t.best[k], t.best[other], instance.n_pools);
        if (worse && memplan_pool_table_proves(&table, &pool_objectives[k], t.best[other])) {
          fail_msg("index %" PRIu64 ": a plan of objective %d proven that is not best for %d", index, (int)other,
                   (int)k);
        }
      }
    }
    memplan_arena_free(&arena);
    memplan_instance_free(&instance);
  }
  assert_true(proven > 300);
  assert_true(refuted > 50);
  assert_true(tight > 150);
}

// ---- what is found, by every objective

static void optimal_plans_are_best_by_all_tie_breaks(void **state) {
  (void)state;
  pool_counts counts = {0};
  for (uint64_t index = 0; index < 600; index++) {
    pool_compare(index, 3, &counts);
  }
  assert_true(counts.ties > 20);
}

// Of plans with the sum 6 the last pool has 5 bytes in one, 3 in another.
static void equal_sums_are_told_apart(void **state) {
  (void)state;
  static const char text[] =
      INSTANCE("{\"id\":\"b0\",\"bytes\":1,\"live\":[[2,4],[7,9]],\"align\":6},{\"id\":\"b1\",\"bytes\":1,\"live\":[[1,"
               "3],[6,8]],"
               "\"align\":3,\"gaps\":[{\"at\":[2,3]},{\"at\":[7,8]}]},{\"id\":\"b2\",\"bytes\":2,\"live\":[[2,3]]},{"
               "\"id\":\"b3\","
               "\"bytes\":3,\"live\":[[2,4]],\"align\":8,\"pin\":0},{\"id\":\"b4\",\"bytes\":3,\"live\":[[0,2],[5,7]],"
               "\"align\":8,"
               "\"gaps\":[{\"at\":[1,2]},{\"at\":[5,6]}]}",
               "{\"id\":\"p0\",\"capacity\":9,\"reserved\":[[3,7]]},{\"id\":\"p1\",\"capacity\":6}");
  memplan_problem problem;
  memplan_solution solution;
  int64_t peaks[2];
  support_read_good(&problem, "total.json", text);
  pool_solve(&problem, "optimal", MEMPLAN_MINIMIZE_TOTAL, NULL, &solution);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  memplan_pool_peaks(&problem.instance, solution.offset, solution.pool, peaks);
  assert_int_equal(peaks[0], 3);
  assert_int_equal(peaks[1], 3);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// ---- what is asked for

static const char two[] = INSTANCE("{\"id\":\"a\",\"bytes\":60,\"live\":[[0,3]]},{\"id\":\"b\",\"bytes\":60,\"live\":"
                                   "[[2,5]]},{\"id\":\"d\",\"bytes\":20,\"live\":[[0,1]],\"pools\":[\"dram\"]}",
                                   "{\"id\":\"sram\",\"capacity\":200},{\"id\":\"dram\"}");

static void expect_pools(memplan_minimize minimize, const char *pool, int64_t sram, int64_t dram,
                         memplan_outcome outcome) {
  memplan_problem problem;
  memplan_solution solution;
  int64_t peaks[2];
  support_read_good(&problem, "two.json", two);
  pool_solve(&problem, "first-fit-size", minimize, pool, &solution);
  memplan_pool_peaks(&problem.instance, solution.offset, solution.pool, peaks);
  assert_int_equal(peaks[0], sram);
  assert_int_equal(peaks[1], dram);
  assert_int_equal(solution.plan.peak, sram > dram ? sram : dram);
  assert_true(solution.plan.lower_bound <= 60); // a plan with that largest peak exists, whatever is asked for
  assert_int_equal(solution.outcome, outcome);
  assert_int_equal(solution.plan.outcome, outcome);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void each_objective_is_met(void **state) {
  (void)state;
  expect_pools(MEMPLAN_MINIMIZE_PEAK, NULL, 120, 20, MEMPLAN_OPTIMAL);
  // 120 is the least sum, but one with less in dram is possible.
  expect_pools(MEMPLAN_MINIMIZE_TOTAL, NULL, 0, 120, MEMPLAN_FEASIBLE);
  expect_pools(MEMPLAN_MINIMIZE_MAX, NULL, 60, 60, MEMPLAN_OPTIMAL);
  expect_pools(MEMPLAN_MINIMIZE_POOL, "sram", 0, 120, MEMPLAN_OPTIMAL);
  expect_pools(MEMPLAN_MINIMIZE_POOL, "dram", 120, 20, MEMPLAN_OPTIMAL);
}

static void a_pool_that_is_none_is_named(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  memplan_solve_options options = memplan_solve_options_default();
  options.minimize = MEMPLAN_MINIMIZE_POOL;
  options.minimize_pool = "flash";
  support_read_good(&problem, "two.json", two);
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "flash"));
  assert_non_null(strstr(error.message, "'sram', 'dram'"));
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// A graph: whatever the order, w and one of x, t lie in dram while `o1` runs.
static void graphs_have_bounds_of_pools(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-graph\",\"version\":1,\"pools\":[{\"id\":\"sram\",\"capacity\":100},{\"id\":\"dram\"}],"
      "\"tensors\":[{\"id\":\"x\",\"bytes\":60,\"roles\":[\"input\"]},{\"id\":\"w\",\"bytes\":50,\"roles\":["
      "\"variable\"],"
      "\"pools\":[\"dram\"]},{\"id\":\"t\",\"bytes\":60},{\"id\":\"y\",\"bytes\":30,\"roles\":[\"output\"]}],"
      "\"ops\":[{\"id\":\"o1\",\"in\":[\"x\",\"w\"],\"out\":[\"t\"]},{\"id\":\"o2\",\"in\":[\"t\"],\"out\":[\"y\"]}]}";
  memplan_problem problem;
  memplan_bounds bounds;
  memplan_error error = {.message = ""};
  support_read_good(&problem, "g.json", text);
  assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, &error), MEMPLAN_OK);
  assert_int_equal(bounds.n_bounds, 2);
  assert_int_equal(bounds.bounds[0].kind, MEMPLAN_BOUND_POOLS);
  assert_int_equal(bounds.bounds[0].bytes, 85);
  assert_int_equal(bounds.bounds[1].kind, MEMPLAN_BOUND_POOL);
  assert_string_equal(bounds.bounds[1].pool, "dram");
  assert_int_equal(bounds.bounds[1].bytes, 70);
  assert_string_equal(bounds.bounds[1].op, "o1");
  memplan_bounds_free(&bounds);
  memplan_solution solution;
  pool_solve(&problem, "first-fit-size", MEMPLAN_MINIMIZE_POOL, "sram", &solution);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(solution.plan.peak, 170);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_reserved_makes_a_pool_too_small),
      cmocka_unit_test(many_reserved_ranges_are_cheap),
      cmocka_unit_test(bounds_hold_and_proofs_are_right),
      cmocka_unit_test(optimal_plans_are_best_by_all_tie_breaks),
      cmocka_unit_test(equal_sums_are_told_apart),
      cmocka_unit_test(each_objective_is_met),
      cmocka_unit_test(a_pool_that_is_none_is_named),
      cmocka_unit_test(graphs_have_bounds_of_pools),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
