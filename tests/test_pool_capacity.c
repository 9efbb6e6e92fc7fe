// SPDX-License-Identifier: Apache-2.0
// Several pools and a capacity: whether there is a plan of which no pool's peak passes it is decided by search. The
// least largest peak, which --minimize max proves, says what the answers have to be.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/memplan.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

#define INSTANCE(buffers, pools)                                                                                       \
  "{\"format\":\"memplan-instance\",\"version\":1,\"lifetimes\":\"half-open\",\"buffers\":[" buffers                   \
  "],\"pools\":[" pools "]}"

static const char *const two_alike =
    INSTANCE("{\"id\":\"A\",\"bytes\":4,\"live\":[[0,2]]},{\"id\":\"B\",\"bytes\":4,\"live\":[[1,3]]}",
             "{\"id\":\"p\"},{\"id\":\"q\"}");
static const char *const two_banks =
    INSTANCE("{\"id\":\"A\",\"bytes\":60,\"live\":[[0,2]]},{\"id\":\"B\",\"bytes\":60,\"live\":[[1,3]]},"
             "{\"id\":\"C\",\"bytes\":30,\"live\":[[1,2]]}",
             "{\"id\":\"near\",\"capacity\":100},{\"id\":\"far\",\"capacity\":1000}");

static void solve(memplan_problem *problem, memplan_minimize minimize, int64_t capacity, const volatile int *cancel,
                  memplan_solution *solution) {
  memplan_error error = {.message = ""};
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  options.limits.cancel = cancel;
  options.minimize = minimize;
  problem->options.capacity = capacity;
  memplan_solution_init(solution);
  if (memplan_solve(problem, &options, solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

static void expect(memplan_problem *problem, int64_t capacity, bool fits) {
  for (int minimize = MEMPLAN_MINIMIZE_PEAK; minimize <= MEMPLAN_MINIMIZE_MAX; minimize++) {
    memplan_solution solution;
    if (minimize == MEMPLAN_MINIMIZE_POOL) {
      continue;
    }
    solve(problem, (memplan_minimize)minimize, capacity, NULL, &solution);
    assert_int_equal(memplan_solution_fits(problem, &solution), fits);
    if (fits) {
      assert_true(solution.has_plan && solution.plan.peak <= capacity);
      assert_true(solution.outcome == MEMPLAN_OPTIMAL || solution.outcome == MEMPLAN_FEASIBLE);
      assert_null(solution.infeasible);
    } else {
      assert_int_equal(solution.outcome, MEMPLAN_INFEASIBLE);
      assert_non_null(solution.infeasible);
    }
    memplan_solution_free(&solution);
  }
}

static void worked_examples(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solution solution;
  support_read_good(&problem, "alike.json", two_alike);
  expect(&problem, 3, false);
  expect(&problem, 4, true);
  solve(&problem, MEMPLAN_MINIMIZE_PEAK, 4, NULL, &solution);
  assert_int_equal(solution.outcome, MEMPLAN_FEASIBLE); // the first that fits; all of it in p would be better
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);

  support_read_good(&problem, "banks.json", two_banks);
  expect(&problem, 89, false);
  expect(&problem, 90, true);
  solve(&problem, MEMPLAN_MINIMIZE_MAX, 89, NULL, &solution);
  assert_true(solution.has_plan); // to look at
  assert_true(solution.plan.lower_bound <= 89);
  assert_non_null(strstr(solution.infeasible, "within 89 bytes"));
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void interrupted(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solution solution;
  const volatile int cancel = 1;
  support_read_good(&problem, "banks.json", two_banks);
  solve(&problem, MEMPLAN_MINIMIZE_TOTAL, 89, &cancel, &solution);
  assert_int_equal(solution.outcome, MEMPLAN_UNKNOWN);
  assert_int_equal(solution.stop, MEMPLAN_STOP_INTERRUPTED);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void at_the_least_largest_peak(void **state) {
  (void)state;
  const random_instance_options wishes = {
      .max_buffers = 6, .max_bytes = 24, .pools = true, .pins = true, .rules = true};
  int32_t n_decided = 0;
  for (uint64_t index = 0; index < 400; index++) {
    random_state random = random_start(83, index);
    memplan_problem problem;
    memplan_solution solution;
    memplan_error error = {0};
    random_instance(&random, &wishes, &problem);
    if (build_try(&problem, &error) == MEMPLAN_OK && problem.instance.n_pools > 1) {
      solve(&problem, MEMPLAN_MINIMIZE_MAX, -1, NULL, &solution);
      if (solution.outcome == MEMPLAN_OPTIMAL && solution.plan.peak > 0) {
        expect(&problem, solution.plan.peak, true);
        expect(&problem, solution.plan.peak - 1, false);
        n_decided++;
      }
      memplan_solution_free(&solution);
    }
    memplan_problem_free(&problem);
  }
  assert_true(n_decided > 40);
}

// ---- graphs

// The least largest peak of the graph on one order without in-place pairs, INT64_MAX if the order cannot be placed.
static int64_t least_on(const memplan_ordering *ordering, const int32_t *order) {
  memplan_problem placed;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  int64_t peak = INT64_MAX;
  memplan_problem_init(&placed);
  if (memplan_ordering_check(ordering, order, &error) == MEMPLAN_OK &&
      memplan_ordering_lower(ordering, order, NULL, 0, &placed.instance, NULL, NULL, &error) == MEMPLAN_OK) {
    placed.has_instance = true;
    assert_int_equal(memplan_problem_fingerprint(&placed, &error), MEMPLAN_OK);
    solve(&placed, MEMPLAN_MINIMIZE_MAX, -1, NULL, &solution);
    if (solution.has_plan) {
      assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
      peak = solution.plan.peak;
    } else {
      assert_int_equal(solution.outcome, MEMPLAN_INFEASIBLE);
    }
    memplan_solution_free(&solution);
  }
  memplan_problem_free(&placed);
  return peak;
}

// Over all orders that begin so.
static int64_t least_from(const memplan_ordering *ordering, int32_t *order, int32_t n) {
  int64_t least = INT64_MAX;
  if (n == ordering->n_ops) {
    return least_on(ordering, order);
  }
  for (int32_t k = n; k < ordering->n_ops; k++) {
    int32_t kept = order[n];
    order[n] = order[k];
    order[k] = kept;
    int64_t peak = least_from(ordering, order, n + 1);
    least = peak < least ? peak : least;
    order[k] = order[n];
    order[n] = kept;
  }
  return least;
}

typedef struct graph_counts {
  int32_t fits, refuted, open;
} graph_counts;

static void ask_graph(memplan_problem *problem, int64_t capacity, int64_t least, graph_counts *counts) {
  memplan_solution solution;
  solve(problem, MEMPLAN_MINIMIZE_PEAK, capacity, NULL, &solution);
  bool fits = memplan_solution_fits(problem, &solution);
  assert_true(!fits || least <= capacity);
  assert_true(solution.outcome != MEMPLAN_INFEASIBLE || least > capacity);
  assert_int_equal(solution.outcome == MEMPLAN_INFEASIBLE, solution.infeasible != NULL);
  counts->fits += fits;
  counts->refuted += solution.outcome == MEMPLAN_INFEASIBLE;
  counts->open += !fits && solution.outcome != MEMPLAN_INFEASIBLE;
  memplan_solution_free(&solution);
}

// Against all orders, each placed exactly.
static void graphs_and_all_orders(void **state) {
  (void)state;
  graph_counts at = {0, 0, 0}, below = {0, 0, 0};
  for (uint64_t index = 0; index < 600; index++) {
    random_state random = random_start(84, index);
    random_graph_options wishes = {.max_ops = 4, .max_bytes = 24, .pools = true, .pins = index % 4 == 0};
    memplan_problem problem;
    memplan_ordering ordering = {0};
    memplan_error error = {0};
    random_graph(&random, &wishes, &problem);
    problem.options.inplace = MEMPLAN_INPLACE_NONE;
    if (build_try(&problem, &error) == MEMPLAN_OK && problem.graph.n_pools > 1 &&
        memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error) == MEMPLAN_OK) {
      int32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
      int64_t least = least_from(&ordering, order, 0);
      if (least < INT64_MAX && least > 0) {
        ask_graph(&problem, least, least, &at);
        ask_graph(&problem, least - 1, least, &below);
      }
    }
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  print_message("at the least: %d fit, %d open; below: %d refuted, %d open\n", (int)at.fits, (int)at.open,
                (int)below.refuted, (int)below.open);
  assert_int_equal(at.refuted + below.fits, 0);
  assert_true(at.fits > 9 * at.open && below.refuted > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worked_examples),
      cmocka_unit_test(interrupted),
      cmocka_unit_test(at_the_least_largest_peak),
      cmocka_unit_test(graphs_and_all_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
