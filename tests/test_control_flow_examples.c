// SPDX-License-Identifier: Apache-2.0
// Worked examples of control flow: conditionals, loops, what they capture.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/solved.h"
#include "tests/support/temporary_body.h"

// ---- control flow

static void consecutive_conditionals(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "v", 64, 0);
  build_tensor(graph, "r1", 64, 0);
  build_tensor(graph, "r2", 64, 0);
  build_tensor(graph, "y", 64, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "op0", "", "v");
  build_op(graph, "if0", "v", "r1");
  build_op(graph, "if1", "v", "r2");
  build_op(graph, "add", "r1 r2", "y");
  const char *const ifs[] = {"if0", "if1"};
  for (int32_t i = 0; i < 2; i++) {
    build_body(graph, ifs[i], "then_branch", temporary_body(&problem, 128), true);
    build_body(graph, ifs[i], "else_branch", temporary_body(&problem, 128), true);
  }
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  const memplan_plan *plan = &result.solution.plan;
  assert_int_equal(plan->peak, 320);
  assert_int_equal(plan->n_bodies, 4);
  int64_t temporaries = solved_offset(&result, "if1#workspace");
  int64_t of_r1 = solved_offset(&result, "r1");
  assert_true(temporaries + 128 <= of_r1 || of_r1 + 64 <= temporaries);
  solved_release(&result);
}

static int64_t branches_peak(bool no_sharing, memplan_bodies bodies) {
  memplan_problem problem;
  build_graph(&problem);
  problem.options.no_branch_sharing = no_sharing;
  problem.options.bodies = bodies;
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "v", 64, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "y", 64, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "if0", "v", "y");
  build_body(graph, "if0", "then_branch", temporary_body(&problem, 100), true);
  build_body(graph, "if0", "else_branch", temporary_body(&problem, 60), true);
  int64_t peak = solved_given_peak(&problem);
  memplan_problem_free(&problem);
  return peak - 128;
}

static void exclusive_branches_share(void **state) {
  (void)state;
  assert_int_equal(branches_peak(false, MEMPLAN_BODIES_PLAN), 100);
  assert_int_equal(branches_peak(true, MEMPLAN_BODIES_PLAN), 160);
  assert_int_equal(branches_peak(false, MEMPLAN_BODIES_IGNORE), 0);
  assert_int_equal(branches_peak(true, MEMPLAN_BODIES_IGNORE), 0);
}

// P is an input of the loop operator, so that it lives for all of it, whatever the body does with it.
static void a_captured_value_lives_for_the_whole_loop(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "P", 64, 0);
  build_tensor(graph, "y", 8, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "make", "", "P");
  build_op(graph, "loop", "P", "y");
  build_body(graph, "loop", "body", temporary_body(&problem, 64), false);
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  int64_t of_p = solved_offset(&result, "P");
  int64_t inside = solved_offset(&result, "loop#workspace");
  assert_true(of_p + 64 <= inside || inside + 128 <= of_p);
  assert_true(result.solution.plan.peak >= 128);
  solved_release(&result);
}

// (cur, prev) := (prev, cur): a loop's outputs lie in buffers of their own, beside its inputs.
static void carried_values_are_not_aliased(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "cur", 32, 0);
  build_tensor(graph, "prev", 32, 0);
  build_tensor(graph, "last_cur", 32, MEMPLAN_ROLE_OUTPUT);
  build_tensor(graph, "last_prev", 32, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "make", "", "cur prev");
  build_op(graph, "loop", "cur prev", "last_cur last_prev");
  assert_int_equal(solved_given_peak(&problem), 128);
  memplan_problem_free(&problem);
}

// Bodies in bodies up to the limit are planned; one more is refused when the outermost graph is resolved.
static void nesting_has_a_limit(void **state) {
  (void)state;
  memplan_problem owner; // of the graphs' structs
  memplan_problem_init(&owner);
  memplan_graph *inner = NULL;
  for (int32_t depth = 0; depth <= MEMPLAN_MAX_NESTING + 1; depth++) {
    memplan_problem built;
    memplan_error error = {0};
    build_graph(&built);
    build_tensor(&built.graph, "t", 8, 0);
    build_op(&built.graph, "make", "", "t");
    build_op(&built.graph, "run", "t", "");
    if (inner != NULL) {
      build_body(&built.graph, "run", "body", inner, false);
    }
    if (depth > MEMPLAN_MAX_NESTING) {
      assert_int_equal(memplan_graph_resolve(&built.graph, &error), MEMPLAN_UNSUPPORTED);
      assert_non_null(strstr(error.message, "nested more than"));
      memplan_problem_free(&built);
      break;
    }
    build_finish(&built);
    assert_int_equal(built.graph.nesting, depth);
    inner = MEMPLAN_NEW(&owner.arena, memplan_graph, 1);
    assert_non_null(inner);
    *inner = built.graph;
    if (depth == MEMPLAN_MAX_NESTING) {
      memplan_solution solution;
      memplan_solution_init(&solution);
      assert_int_equal(memplan_problem_fingerprint(&built, &error), MEMPLAN_OK);
      assert_int_equal(memplan_solve(&built, NULL, &solution, &error), MEMPLAN_OK);
      assert_int_equal(solution.plan.peak, 8 * (MEMPLAN_MAX_NESTING + 1));
      memplan_solution_free(&solution);
    }
    memplan_graph_init(&built.graph);
    memplan_problem_free(&built);
  }
  memplan_problem_free(&owner);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(consecutive_conditionals),
      cmocka_unit_test(exclusive_branches_share),
      cmocka_unit_test(a_captured_value_lives_for_the_whole_loop),
      cmocka_unit_test(carried_values_are_not_aliased),
      cmocka_unit_test(nesting_has_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
