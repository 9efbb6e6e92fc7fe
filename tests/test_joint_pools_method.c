// SPDX-License-Identifier: Apache-2.0
// The method joint-engine on graphs with several pools: what it declines, and what it makes of its options.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "solvers/techniques.h"
#include "tests/support/build_problem.h"
#include "tests/support/random_problem.h"

enum { FEW_OPS = 12, MORE_OPS = 30, MOST_POOLS = 70 };

static const char *const pool_names[] = {"p", "q"};

static int32_t *one_pool(memplan_graph *graph, int32_t pool) {
  int32_t *list = MEMPLAN_NEW(&graph->arena, int32_t, 1);
  assert_non_null(list);
  list[0] = pool;
  return list;
}

// Operators that each read one or two tensors written before, a part of them like the operator before; some tensors
// have to lie in one of the two pools.
static void draw(uint64_t seed, int32_t n_ops, memplan_problem *problem) {
  static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEF";
  random_state random = random_start(5, seed);
  memplan_graph *graph = &problem->graph;
  int32_t first = 0, second = 0, pool = -1, bytes = 3;
  build_graph(problem);
  graph->pools = MEMPLAN_NEW(&graph->arena, memplan_pool, 2);
  assert_non_null(graph->pools);
  for (int32_t k = 0; k < 2; k++) {
    graph->pools[graph->n_pools++] = (memplan_pool){.id = pool_names[k], .capacity = -1};
  }
  for (int32_t k = 0; k <= n_ops; k++) {
    bool like = k > 1 && k < n_ops && random_chance(&random, 35);
    if (!like) {
      bytes = 1 + random_below(&random, 9);
      pool = random_chance(&random, 70) ? random_below(&random, 2) : -1;
      first = random_below(&random, k);
      second = random_below(&random, k);
    }
    const char name[] = {names[k], '\0'};
    int32_t tensor = build_tensor(graph, name, bytes, k == 0 ? MEMPLAN_ROLE_INPUT : 0);
    if (pool >= 0) {
      graph->tensors[tensor].pools = one_pool(graph, pool);
      graph->tensors[tensor].n_pools = 1;
    }
    if (k > 0) {
      const char in[] = {names[first], first == second ? '\0' : ' ', names[second], '\0'};
      (void)build_op(graph, name, in, name);
    }
  }
  build_finish(problem);
}

static void join(const memplan_problem *problem, uint64_t without, memplan_solution *solution) {
  memplan_solve_options options = memplan_solve_options_default();
  memplan_error error = {.message = ""};
  options.joint = "joint-engine";
  options.limits.threads = 1;
  options.without = without;
  memplan_solution_init(solution);
  memplan_status status = memplan_solve(problem, &options, solution, &error);
  if (status != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

static void more_pools_than_it_takes(void **state) {
  (void)state;
  static char names[MOST_POOLS][4];
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  graph->pools = MEMPLAN_NEW(&graph->arena, memplan_pool, MOST_POOLS);
  assert_non_null(graph->pools);
  for (int32_t k = 0; k < MOST_POOLS; k++) {
    (void)snprintf(names[k], sizeof names[k], "p%d", (int)k);
    graph->pools[graph->n_pools++] = (memplan_pool){.id = names[k], .capacity = -1};
  }
  (void)build_tensor(graph, "x", 3, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "y", 4, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(graph, "o", "x", "y");
  build_finish(&problem);
  memplan_solve_options options = memplan_solve_options_default();
  memplan_solution solution;
  memplan_error error = {.message = ""};
  options.joint = "joint-engine";
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "'joint-engine' declines"));
  assert_non_null(strstr(error.message, "70 pools"));
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void the_time_is_that_of_its_stage(void **state) {
  (void)state;
  int32_t searched = 0;
  for (uint64_t seed = 0; seed < 10; seed++) {
    memplan_problem problem;
    memplan_solution solution;
    draw(seed, FEW_OPS, &problem);
    join(&problem, 0, &solution);
    assert_true(solution.nodes == 0 || solution.stage_us[MEMPLAN_STAGE_ENGINE] > 0);
    searched += solution.nodes > 0;
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  assert_true(searched >= 3);
}

// Rules make a difference to the search (the last ones in larger searches only), none to what is best.
static void rules_may_be_off(void **state) {
  (void)state;
  static const uint64_t rules[] = {MEMPLAN_TECHNIQUE_JOINT_LOAD, MEMPLAN_TECHNIQUE_OVERLOAD,
                                   MEMPLAN_TECHNIQUE_EDGES,      MEMPLAN_TECHNIQUE_MINIMISATION,
                                   MEMPLAN_TECHNIQUE_SYMMETRY,   MEMPLAN_TECHNIQUE_BOUND_BRANCHING};
  enum { RULES = sizeof rules / sizeof *rules, SHOWN = 3 };
  int32_t differs[RULES] = {0};
  for (uint64_t seed = 0; seed < 20; seed++) {
    memplan_problem problem;
    memplan_solution all;
    draw(seed, FEW_OPS, &problem);
    join(&problem, 0, &all);
    assert_int_equal(all.outcome, MEMPLAN_OPTIMAL);
    for (int32_t k = 0; k < RULES; k++) {
      memplan_solution some;
      join(&problem, rules[k], &some);
      assert_int_equal(some.outcome, MEMPLAN_OPTIMAL);
      assert_int_equal(some.plan.peak, all.plan.peak);
      differs[k] += some.nodes != all.nodes;
      memplan_solution_free(&some);
    }
    memplan_solution_free(&all);
    memplan_problem_free(&problem);
  }
  for (int32_t k = 0; k < SHOWN; k++) {
    assert_true(differs[k] > 0);
  }
}

// Parts of the search have parts of the time. What does not say that the time was over is what is found without limit.
static void the_clock_is_told(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 25; seed++) {
    memplan_problem problem;
    memplan_solution all;
    memplan_solve_options options = memplan_solve_options_default();
    memplan_error error = {.message = ""};
    draw(seed, MORE_OPS, &problem);
    options.limits.threads = 1;
    options.limits.work = INT64_C(1) << 27;
    memplan_solution_init(&all);
    assert_int_equal(memplan_solve(&problem, &options, &all, &error), MEMPLAN_OK);
    assert_true(all.has_plan);
    for (int64_t ms = 1; ms <= 64; ms = 2 * ms) {
      memplan_solution some;
      options.limits.time_ms = ms;
      memplan_solution_init(&some);
      assert_int_equal(memplan_solve(&problem, &options, &some, &error), MEMPLAN_OK);
      if (some.stop != MEMPLAN_STOP_TIME) {
        assert_int_equal(some.instance.n_blocks, all.instance.n_blocks);
        assert_memory_equal(some.order, all.order, (size_t)problem.graph.n_ops * sizeof *all.order);
        assert_memory_equal(some.offset, all.offset, (size_t)all.instance.n_blocks * sizeof *all.offset);
        assert_memory_equal(some.pool, all.pool, (size_t)all.instance.n_blocks * sizeof *all.pool);
        assert_int_equal(some.outcome, all.outcome);
      }
      memplan_solution_free(&some);
    }
    memplan_solution_free(&all);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_pools_than_it_takes),
      cmocka_unit_test(the_time_is_that_of_its_stage),
      cmocka_unit_test(rules_may_be_off),
      cmocka_unit_test(the_clock_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
