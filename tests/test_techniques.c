// SPDX-License-Identifier: Apache-2.0
// Whatever is switched off in the exact placement or in the joint search, what it proves stays the same, and every
// search ends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solvers/techniques.h"
#include "tests/support/generated.h"
#include "tests/support/precedence_case.h"

static void solve(const memplan_problem *problem, uint64_t without, int64_t work, memplan_solution *solution) {
  memplan_solve_options options = memplan_solve_options_default();
  memplan_error error = {0};
  options.place = "optimal";
  options.without = without;
  options.limits.threads = 1;
  options.limits.work = work;
  memplan_solution_init(solution);
  assert_int_equal(memplan_solve(problem, &options, solution, &error), MEMPLAN_OK);
}

static void expect(const memplan_problem *problem, uint64_t without, int64_t optimum, uint64_t seed) {
  memplan_solution solution;
  solve(problem, without, INT64_C(1) << 40, &solution);
  if (solution.outcome != MEMPLAN_OPTIMAL || solution.plan.peak != optimum || solution.plan.lower_bound != optimum) {
    fail_msg("seed %llu without %llx: %s, %lld to %lld instead of %lld", (unsigned long long)seed,
             (unsigned long long)without, memplan_outcome_name(solution.outcome), (long long)solution.plan.lower_bound,
             (long long)solution.plan.peak, (long long)optimum);
  }
  memplan_solution_free(&solution);
}

static int32_t count_techniques(void) {
  int32_t n = 0;
  while (memplan_technique_at(n) != NULL) {
    n++;
  }
  return n;
}

static void names_are_in_the_order_of_the_bits(void **state) {
  (void)state;
  assert_int_equal(count_techniques(), 60);
  assert_null(memplan_technique_at(-1));
  static const struct {
    uint64_t bit;
    const char *name;
  } expected[] = {{MEMPLAN_TECHNIQUE_SECTIONS, "sections"},
                  {MEMPLAN_TECHNIQUE_TWINS, "twins"},
                  {MEMPLAN_TECHNIQUE_TIGHTEST, "tightest"},
                  {MEMPLAN_TECHNIQUE_NOGOOD_SEARCH, "nogood-search"},
                  {MEMPLAN_TECHNIQUE_EDGES, "edges"},
                  {MEMPLAN_TECHNIQUE_CLAUSE_LEARNING, "clause-learning"},
                  {MEMPLAN_TECHNIQUE_PIGEONHOLE, "pigeonhole"},
                  {MEMPLAN_TECHNIQUE_GCD, "gcd"},
                  {MEMPLAN_TECHNIQUE_CLIQUES, "cliques"},
                  {MEMPLAN_TECHNIQUE_SUMS, "sums"},
                  {MEMPLAN_TECHNIQUE_BEAM, "beam"},
                  {MEMPLAN_TECHNIQUE_ORDER_COMMITS, "order-commits"},
                  {MEMPLAN_TECHNIQUE_ORDER_PROBING, "order-probing"},
                  {MEMPLAN_TECHNIQUE_ORDER_CHAINS, "order-chains"},
                  {MEMPLAN_TECHNIQUE_ORDER_VALLEYS, "order-valleys"},
                  {MEMPLAN_TECHNIQUE_ILP_KNOWN, "ilp-known"},
                  {MEMPLAN_TECHNIQUE_ILP_WINDOWS, "ilp-windows"},
                  {MEMPLAN_TECHNIQUE_JOINT_ENGINE, "joint-engine"},
                  {MEMPLAN_TECHNIQUE_JOINT_LOAD, "joint-load"},
                  {MEMPLAN_TECHNIQUE_JOINT_PROBING, "joint-probing"},
                  {MEMPLAN_TECHNIQUE_JOINT_WINDOWS, "joint-windows"},
                  {MEMPLAN_TECHNIQUE_JOINT_SLICES, "joint-slices"},
                  {MEMPLAN_TECHNIQUE_JOINT_NOGOODS, "joint-nogoods"},
                  {MEMPLAN_TECHNIQUE_JOINT_SMOOTHING, "joint-smoothing"},
                  {MEMPLAN_TECHNIQUE_JOINT_CHOICES, "joint-choices"},
                  {MEMPLAN_TECHNIQUE_ILP_AT_ONCE, "ilp-at-once"},
                  {MEMPLAN_TECHNIQUE_ILP_COVERS, "ilp-covers"}};
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
    int32_t index = 0;
    while ((UINT64_C(1) << index) != expected[k].bit) {
      index++;
    }
    assert_string_equal(memplan_technique_at(index)->name, expected[k].name);
  }
  for (int32_t k = 0; k < 60; k++) {
    for (int32_t l = 0; l < k; l++) {
      assert_string_not_equal(memplan_technique_at(k)->name, memplan_technique_at(l)->name);
    }
  }
}

static void each_may_be_off(void **state) {
  (void)state;
  int32_t above = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    random_state random = random_start(77, seed);
    tight_case one;
    tight_draw(&random, &one);
    memplan_problem problem;
    tight_problem(&one, &problem);
    int64_t optimum = tight_optimum(&one);
    above += optimum > one.load;
    for (int32_t k = 0; k < 29; k++) {
      expect(&problem, UINT64_C(1) << k, optimum, seed);
    }
    uint64_t all = (UINT64_C(1) << 29) - 1;
    expect(&problem, all, optimum, seed);
    expect(&problem, random_next(&random) & all & ~(uint64_t)MEMPLAN_TECHNIQUE_CLAUSE_LEARNING, optimum,
           seed); // the search of nogoods alone needs its rules
    memplan_problem_free(&problem);
  }
  assert_true(above > 5);
}

// The default, the engine alone, which starts from no plan and no bound, and the nogoods after it.
static void joint_parts_may_be_off(void **state) {
  (void)state;
  static const char *const methods[] = {NULL, "joint-engine", "joint-nogoods"};
  for (uint64_t seed = 0; seed < 8; seed++) {
    memplan_problem problem;
    int64_t optimum = -1;
    generated(seed % 2 == 0 ? "gap" : "layered", seed, 14 + (int64_t)seed, 0, &problem);
    for (int32_t k = -1; k < 9; k++) {
      uint64_t part = k < 0 ? 0 : k == 8 ? UINT64_C(255) << 43 : UINT64_C(1) << (43 + k);
      for (int32_t method = 0; method < 3; method++) {
        memplan_solve_options options = memplan_solve_options_default();
        memplan_solution solution;
        memplan_error error = {0};
        options.joint = methods[method];
        options.without = part | (method == 1 ? MEMPLAN_TECHNIQUE_ILP_KNOWN : 0);
        options.limits.work = 100000000;
        memplan_solution_init(&solution);
        assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_OK);
        assert_true(solution.has_plan);
        optimum = optimum < 0 ? solution.plan.peak : optimum;
        assert_true(solution.plan.lower_bound <= optimum && optimum <= solution.plan.peak);
        assert_true(solution.outcome == MEMPLAN_OPTIMAL || (k >= 0 && method == 0));
        memplan_solution_free(&solution);
      }
    }
    memplan_problem_free(&problem);
  }
}

static void switched_off_searches_end_by_their_work(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  for (int32_t k = 0; k < 40; k++) {
    char id[3] = {(char)('a' + k / 10), (char)('0' + k % 10), '\0'};
    build_buffer(&problem.instance, id, (k * 7) % 23, (k * 7) % 23 + 3 + k % 5, 100 + (k * 37) % 211)->align =
        1 + k % 3;
  }
  build_finish(&problem);
  for (int32_t k = 0; k < 29; k++) {
    memplan_solution solution;
    solve(&problem, UINT64_C(1) << k, 1 << 20, &solution);
    assert_true(solution.has_plan);
    assert_true(solution.plan.lower_bound <= solution.plan.peak);
    memplan_solution_free(&solution);
  }
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_in_the_order_of_the_bits),
      cmocka_unit_test(each_may_be_off),
      cmocka_unit_test(joint_parts_may_be_off),
      cmocka_unit_test(switched_off_searches_end_by_their_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
