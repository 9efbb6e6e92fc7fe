// SPDX-License-Identifier: Apache-2.0
// What explanations speak of is the problem that was solved: the same lifetimes, offsets and peak.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/explain.h"
#include "solvers/explain_capacity.h"
#include "solvers/explain_pair.h"
#include "tests/support/random_problem.h"
#include "tests/support/solved.h"
#include "tests/support/unknown_fit.h"

static memplan_status start(memplan_subject *subject, const memplan_problem *problem, const memplan_plan *plan,
                            const char *order, memplan_error *error) {
  static memplan_solve_options solve;
  solve = memplan_solve_options_default();
  solve.limits = memplan_limits_start(&solve.limits);
  solve.limits.threads = 1;
  solve.order = order;
  const memplan_subject_options options = {.solve = &solve, .plan = plan};
  return memplan_subject_init(subject, problem, &options, error);
}

static void build_chain(memplan_problem *problem) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  (void)build_tensor(graph, "x", 4, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "a", 8, 0);
  (void)build_tensor(graph, "b", 6, 0);
  (void)build_tensor(graph, "y", 2, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(graph, "first", "x", "a");
  build_op(graph, "second", "a", "b")->workspace = 3;
  (void)build_op(graph, "third", "b", "y");
}

static void the_fullest_step(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_subject subject;
  memplan_filling filling;
  memplan_error error = {.message = ""};
  build_chain(&problem);
  build_finish(&problem);
  assert_int_equal(start(&subject, &problem, NULL, NULL, &error), MEMPLAN_OK);
  assert_int_equal(memplan_subject_filling(&subject, &filling, &error), MEMPLAN_OK);
  assert_int_equal(filling.time, 1);
  assert_int_equal(filling.load, 17);
  assert_int_equal(filling.reach, -1);
  assert_int_equal(filling.n_items, 3);
  static const char *const ids[] = {"a", "b", "second#workspace"};
  static const char *const makers[] = {"first", "second", "second"};
  for (int32_t k = 0; k < 3; k++) {
    assert_string_equal(subject.instance->buffers[filling.items[k].buffer].id, ids[k]);
    assert_string_equal(problem.graph.ops[subject.maker[filling.items[k].buffer]].id, makers[k]);
  }
  assert_string_equal(subject.order_name, "given");
  assert_int_equal(subject.order_bound, 17);
  memplan_subject_free(&subject);
  assert_int_equal(start(&subject, &problem, NULL, "nothing", &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "nothing"));
  memplan_subject_free(&subject);
  memplan_problem_free(&problem);
}

// The step of the plan's peak need not be the fullest one.
static void the_step_of_the_peak(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_subject subject;
  memplan_filling filling;
  memplan_plan plan;
  memplan_error error = {.message = ""};
  build_chain(&problem);
  build_finish(&problem);
  build_plan(&problem, &plan, "first second third");
  (void)build_place(&plan, "x", 20);
  (void)build_place(&plan, "a", 0);
  (void)build_place(&plan, "b", 8);
  (void)build_place(&plan, "second#workspace", 14);
  (void)build_place(&plan, "y", 0);
  build_peak(&problem, &plan);
  assert_int_equal(start(&subject, &problem, &plan, NULL, &error), MEMPLAN_OK);
  assert_int_equal(memplan_subject_filling(&subject, &filling, &error), MEMPLAN_OK);
  assert_int_equal(filling.time, 0);
  assert_int_equal(filling.reach, 24);
  assert_int_equal(filling.load, 12);
  assert_int_equal(filling.n_items, 2);
  assert_string_equal(subject.order_name, "plan");
  memplan_subject_free(&subject);
  plan.n_order = 2;
  assert_int_equal(start(&subject, &problem, &plan, NULL, &error), MEMPLAN_INPUT);
  memplan_subject_free(&subject);
  plan.n_order = 3;
  plan.order[0] = "fourth";
  assert_int_equal(start(&subject, &problem, &plan, NULL, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "fourth"));
  memplan_subject_free(&subject);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
}

static void nothing_is_live(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_subject subject;
  memplan_filling filling;
  memplan_error error = {.message = ""};
  build_instance(&problem);
  build_finish(&problem);
  assert_int_equal(start(&subject, &problem, NULL, NULL, &error), MEMPLAN_OK);
  assert_int_equal(memplan_subject_filling(&subject, &filling, &error), MEMPLAN_OK);
  assert_int_equal(filling.rank, -1);
  assert_int_equal(filling.n_items, 0);
  memplan_subject_free(&subject);
  memplan_problem_free(&problem);
}

static void how_far_it_holds(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_subject subject;
  memplan_capacity_answer answer;
  memplan_scope scope;
  memplan_bound bound;
  memplan_error error = {.message = ""};
  memplan_arena arena = {0};
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  // Two branches whose large halves need not overlap, but do in the given order.
  (void)build_tensor(graph, "x", 1, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "p", 20, 0);
  (void)build_tensor(graph, "q", 20, 0);
  (void)build_tensor(graph, "r", 1, 0);
  (void)build_tensor(graph, "s", 1, 0);
  (void)build_tensor(graph, "y", 1, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(graph, "P", "x", "p");
  (void)build_op(graph, "Q", "x", "q");
  (void)build_op(graph, "R", "p", "r");
  (void)build_op(graph, "S", "q", "s");
  (void)build_op(graph, "Y", "r s", "y");
  build_finish(&problem);
  memplan_solve_options solve = memplan_solve_options_default();
  solve.limits = memplan_limits_start(&solve.limits);
  solve.limits.threads = 1;
  static const int64_t capacities[] = {30, 20};
  static const memplan_scope scopes[] = {MEMPLAN_SCOPE_ORDER, MEMPLAN_SCOPE_PROBLEM};
  for (int32_t k = 0; k < 2; k++) {
    assert_int_equal(start(&subject, &problem, NULL, NULL, &error), MEMPLAN_OK);
    const memplan_capacity_task task = {
        .instance = subject.instance, .capacity = capacities[k], .solve = &solve, .fits = unknown_fit};
    assert_int_equal(memplan_capacity_explain(&task, &arena, &answer, &error), MEMPLAN_OK);
    assert_int_equal(answer.fit, MEMPLAN_FIT_NO);
    assert_int_equal(answer.needs, 41);
    assert_int_equal(memplan_capacity_scope(&subject, &answer, &solve, &scope, &bound, &error), MEMPLAN_OK);
    assert_int_equal(scope, scopes[k]);
    assert_int_equal(bound.kind == MEMPLAN_BOUND_NONE, k == 0);
    memplan_subject_free(&subject);
  }
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

// ---- random problems, solved

static void check_solved(const memplan_problem *problem, const memplan_solution *solution) {
  memplan_subject subject;
  memplan_filling filling;
  memplan_error error = {.message = ""};
  const memplan_instance *own = memplan_solution_instance(problem, solution);
  if (start(&subject, problem, &solution->plan, NULL, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(subject.instance->n_buffers, own->n_buffers);
  assert_int_equal(subject.instance->n_times, own->n_times);
  assert_int_equal(subject.instance->n_parts, own->n_parts);
  for (int32_t k = 0; k < own->n_parts; k++) {
    assert_memory_equal(&subject.instance->parts[k], &own->parts[k], sizeof *own->parts);
  }
  for (int32_t k = 0; k < own->n_buffers; k++) {
    assert_int_equal(subject.offset[k], solution->offset[own->block_of[k]] + own->delta_of[k]);
    assert_int_equal(subject.pool[k], solution->pool[own->block_of[k]]);
  }
  assert_int_equal(memplan_subject_filling(&subject, &filling, &error), MEMPLAN_OK);
  assert_true(filling.reach <= solution->plan.peak);
  // What shares bytes in a valid plan may share them.
  for (int32_t a = 0; a < own->n_buffers; a++) {
    for (int32_t b = 0; b < a; b++) {
      memplan_pair_answer answer;
      assert_int_equal(memplan_pair_explain(&subject, own->buffers[a].id, own->buffers[b].id, -1, &answer, &error),
                       MEMPLAN_OK);
      assert_true(answer.planned_bytes <= 0 || answer.may_share);
    }
  }
  memplan_subject_free(&subject);
}

static void plans_of_random_problems(void **state) {
  (void)state;
  int32_t n_solved = 0;
  for (uint64_t index = 0; index < 600; index++) {
    random_state random = random_start(77, index);
    memplan_problem problem;
    memplan_solution solution;
    memplan_error error = {.message = ""};
    if (index % 2 == 0) {
      const random_graph_options wishes = {.max_ops = 6, .max_bytes = 8, .pools = index % 4 == 0, .pins = true};
      random_graph(&random, &wishes, &problem);
    } else {
      const random_instance_options wishes = {
          .max_buffers = 8, .max_bytes = 8, .pools = index % 4 == 1, .pins = true, .rules = true};
      random_instance(&random, &wishes, &problem);
    }
    memplan_solution_init(&solution);
    memplan_solve_options solve = memplan_solve_options_default();
    solve.limits.threads = 1;
    solve.place = "best-fit";
    if (build_try(&problem, &error) == MEMPLAN_OK && memplan_solve(&problem, &solve, &solution, &error) == MEMPLAN_OK &&
        solution.has_plan) {
      check_solved(&problem, &solution);
      n_solved++;
    }
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  assert_true(n_solved > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_fullest_step), cmocka_unit_test(the_step_of_the_peak),
                                     cmocka_unit_test(nothing_is_live), cmocka_unit_test(how_far_it_holds),
                                     cmocka_unit_test(plans_of_random_problems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
