// SPDX-License-Identifier: Apache-2.0
// Graphs with pins that collide on the orders of the heuristics: another order is found where there is one, and no
// refusal is wrong, by trying all orders.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

static memplan_status solve(const memplan_problem *problem, const char *joint, memplan_solution *solution,
                            memplan_error *error) {
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  options.joint = joint;
  memplan_solution_init(solution);
  return memplan_solve(problem, &options, solution, error);
}

// t1 and t2 are pinned to the same bytes: only after o1, when t1 is gone, may o0 write t2.
static void another_order_is_found(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"t0\",\"bytes\":9,\"roles\":[\"input\"]},"
      "{\"id\":\"t1\",\"bytes\":10,\"roles\":[\"input\"],\"pin\":2},{\"id\":\"t2\",\"bytes\":9,\"pin\":1},"
      "{\"id\":\"t3\",\"bytes\":1,\"view\":{\"of\":\"t0\",\"offset\":8}},{\"id\":\"t4\",\"bytes\":10}],"
      "\"ops\":[{\"id\":\"o0\",\"in\":[\"t0\"],\"out\":[\"t2\"]},"
      "{\"id\":\"o1\",\"in\":[\"t0\"],\"out\":[\"t3\",\"t4\"],\"inplace\":[[\"t4\",\"t0\"]],\"workspace\":3}]}";
  memplan_problem problem;
  support_read_good(&problem, "pins.json", text);
  for (int32_t method = 0; method < 2; method++) {
    memplan_solution solution;
    memplan_error error = {.message = ""};
    if (solve(&problem, method == 0 ? NULL : "joint-engine", &solution, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    assert_true(solution.has_plan);
    assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
    assert_string_equal(solution.plan.order[0], "o1");
    assert_int_equal(solution.plan.peak, 34);
    memplan_solution_free(&solution);
  }
  memplan_problem_free(&problem);
}

// Both are there at the first step.
static void what_no_order_admits_is_refused(void **state) {
  (void)state;
  static const char text[] =
      "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[{\"id\":\"a\",\"bytes\":9,\"roles\":[\"input\"],"
      "\"pin\":0},{\"id\":\"b\",\"bytes\":9,\"roles\":[\"input\"],\"pin\":4},{\"id\":\"x\",\"bytes\":1},{\"id\":\"y\","
      "\"bytes\":1}],\"ops\":[{\"id\":\"o0\",\"in\":[\"a\"],\"out\":[\"x\"]},{\"id\":\"o1\",\"in\":[\"b\"],\"out\":["
      "\"y\"]}]}";
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  support_read_good(&problem, "pins.json", text);
  assert_int_equal(solve(&problem, NULL, &solution, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "no order admits a plan"));
  assert_non_null(strstr(error.message, "'given'"));
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Can the order be placed without in-place pairs, as far as pins are concerned?
static bool any_order_lowers(const memplan_ordering *ordering, int32_t *order, int32_t n) {
  memplan_error error = {.message = ""};
  if (n == ordering->n_ops) {
    memplan_instance instance;
    memplan_instance_init(&instance);
    bool good = memplan_ordering_check(ordering, order, &error) == MEMPLAN_OK &&
                memplan_ordering_lower(ordering, order, NULL, 0, &instance, NULL, NULL, &error) == MEMPLAN_OK;
    memplan_instance_free(&instance);
    return good;
  }
  bool any = false;
  for (int32_t k = n; k < ordering->n_ops && !any; k++) {
    int32_t kept = order[n];
    order[n] = order[k];
    order[k] = kept;
    any = any_order_lowers(ordering, order, n + 1);
    order[k] = order[n];
    order[n] = kept;
  }
  return any;
}

static void equals_trying_all_orders(void **state) {
  (void)state;
  int32_t refused = 0, planned = 0;
  for (uint64_t index = 0; index < 1500; index++) {
    random_state random = random_start(91, index);
    random_graph_options wishes = {.max_ops = 5, .max_bytes = 12, .pins = true};
    memplan_problem problem;
    memplan_ordering ordering = {0};
    memplan_error error = {.message = ""};
    random_graph(&random, &wishes, &problem);
    problem.options.inplace = MEMPLAN_INPLACE_NONE;
    for (int32_t k = 0; k < problem.graph.n_tensors; k++) {
      memplan_tensor *tensor = &problem.graph.tensors[k];
      tensor->pin = tensor->view_of < 0 && random_chance(&random, 30) ? random_below(&random, 24) : tensor->pin;
    }
    if (build_try(&problem, &error) == MEMPLAN_OK && problem.graph.n_ops > 0 &&
        memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error) == MEMPLAN_OK) {
      int32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
      bool any = any_order_lowers(&ordering, order, 0);
      memplan_solution solution;
      memplan_status status = solve(&problem, NULL, &solution, &error);
      if (status == MEMPLAN_OK && solution.infeasible == NULL) {
        assert_true(solution.has_plan && any);
        planned++;
      } else if (status != MEMPLAN_OK) {
        assert_int_equal(status, MEMPLAN_INPUT);
        if (any) {
          fail_msg("index %d: %s", (int)index, error.message);
        }
        refused++;
      }
      memplan_solution_free(&solution);
    }
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  print_message("%d planned, %d refused\n", (int)planned, (int)refused);
  assert_true(planned > 300 && refused > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_order_is_found),
      cmocka_unit_test(what_no_order_admits_is_refused),
      cmocka_unit_test(equals_trying_all_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
