// SPDX-License-Identifier: Apache-2.0
// The cut bound of sizes rounded up to a common alignment: worked examples, and tiny graphs against all orders,
// in-place choices and offsets.
#include "solvers/bounds.h"
#include "tests/support/oracle.h"
#include "tests/support/random_problem.h"
#include "tests/support/solved.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { seed = 20261130, graphs = 4000, most_ops = 5, most_items = 5, limit = 60 };

static int64_t bound_of(const memplan_problem *problem, int64_t known) {
  memplan_ordering ordering;
  memplan_limits limits = memplan_limits_default();
  int64_t bytes;
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_bound_rounded(&ordering, known, &limits, &bytes, NULL), MEMPLAN_OK);
  memplan_ordering_free(&ordering);
  return bytes;
}

// While "b" runs, a skipped tensor of 5 bytes lives beside its own 5 and 6: 8 + 8 + 8 less the largest rounding, 3.
static void build_skip(memplan_problem *problem, const char *pair) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "skip", 5, 0);
  build_tensor(graph, "s", 5, 0);
  build_tensor(graph, "t", 6, 0);
  build_op(graph, "a", "", "skip s");
  memplan_op *b = build_op(graph, "b", "s", "t");
  build_op(graph, "c", "skip t", "");
  if (pair != NULL) {
    build_inplace(graph, b, "t", pair);
  }
  problem->options.align = 4;
  build_finish(problem);
}

static void roundings_count(void **state) {
  (void)state;
  memplan_problem problem;
  build_skip(&problem, NULL);
  assert_int_equal(bound_of(&problem, 0), 21);
  assert_int_equal(bound_of(&problem, 20), 21);
  assert_int_equal(bound_of(&problem, 21), 0);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 21);
  assert_int_equal(result.solution.plan.lower_bound, 21);
  assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
  solved_release(&result);
}

// In place, "s" and "t" are one buffer of 6 bytes.
static void pairs_are_one_buffer(void **state) {
  (void)state;
  memplan_problem problem;
  build_skip(&problem, "s");
  assert_int_equal(bound_of(&problem, 0), 13);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.plan.peak, 13);
  assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
  solved_release(&result);
}

static void nothing_without_a_common_alignment(void **state) {
  (void)state;
  memplan_problem problem;
  build_skip(&problem, NULL);
  problem.options.align = 1;
  problem.graph.tensors[0].align = 4;
  assert_int_equal(bound_of(&problem, 0), 0);
  memplan_problem_free(&problem);
}

typedef struct counts {
  int64_t compared, found, above; // above: every order peak
} counts;

static void compare(uint64_t index, counts *all) {
  random_state random = random_start(seed, index);
  random_graph_options wishes = {.max_ops = most_ops, .max_bytes = 6, .pins = random_chance(&random, 10)};
  memplan_problem problem;
  random_graph(&random, &wishes, &problem);
  problem.options.align = 2 + random_below(&random, 3);
  oracle_precedence precedence;
  memplan_error error = {0};
  if (oracle_graph_is_legal(&problem.graph, &precedence) && build_try(&problem, &error) == MEMPLAN_OK) {
    int64_t workspace[ORACLE_OPS];
    int32_t given[ORACLE_OPS];
    oracle_items items;
    for (int32_t op = 0; op < problem.graph.n_ops; op++) {
      workspace[op] = problem.graph.ops[op].workspace;
      given[op] = op;
    }
    oracle_find_items(&problem.graph, &problem.options, workspace, given, &items);
    int64_t order_optimum = -1, bytes = bound_of(&problem, 0);
    if (items.count <= most_items && bytes > 0) {
      int64_t optimum =
          oracle_joint_optimum(&problem.graph, &problem.options, workspace, &precedence, limit, &order_optimum);
      if (optimum >= 0 && bytes > optimum) {
        fail_msg("graph %" PRIu64 ": bound %" PRId64 ", optimum %" PRId64, index, bytes, optimum);
      }
      all->compared++;
      all->above += optimum >= 0 && bytes > order_optimum;
    }
    all->found += bytes > 0;
  }
  memplan_problem_free(&problem);
}

static void bounds_are_no_larger_than_optima(void **state) {
  (void)state;
  counts all = {0};
  for (uint64_t index = 0; index < graphs; index++) {
    compare(index, &all);
  }
  print_message("%" PRId64 " compared, %" PRId64 " above every order peak, of %" PRId64 " with a bound\n", all.compared,
                all.above, all.found);
  assert_true(all.compared > graphs / 2 && all.above > graphs / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roundings_count),
      cmocka_unit_test(pairs_are_one_buffer),
      cmocka_unit_test(nothing_without_a_common_alignment),
      cmocka_unit_test(bounds_are_no_larger_than_optima),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
