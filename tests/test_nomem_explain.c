// SPDX-License-Identifier: Apache-2.0
// The k-th allocation fails, for every k: explanations say so and leak nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/explain_capacity.h"
#include "solvers/explain_pair.h"
#include "tests/support/build_problem.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/unknown_fit.h"

static void build_both(memplan_problem *graph_problem, memplan_problem *instance_problem) {
  build_graph(graph_problem);
  memplan_graph *graph = &graph_problem->graph;
  (void)build_tensor(graph, "x", 8, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "s", 8, 0);
  (void)build_tensor(graph, "t", 6, 0);
  (void)build_tensor(graph, "u", 8, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(graph, "a", "x", "s");
  build_op(graph, "b", "x", "t")->workspace = 5;
  build_inplace(graph, build_op(graph, "c", "s t", "u"), "u", "s");
  build_finish(graph_problem);
  build_instance(instance_problem);
  memplan_instance *instance = &instance_problem->instance;
  build_buffer(instance, "p", 0, 3, 4)->pin = 3;
  (void)build_buffer(instance, "q", 0, 3, 6);
  (void)build_buffer(instance, "r", 1, 3, 2);
  build_separate(instance, "q", "r");
  build_finish(instance_problem);
}

static memplan_status explain_all(const memplan_problem *problem, const char *first, const char *second,
                                  int64_t capacity, memplan_error *error) {
  memplan_solve_options solve = memplan_solve_options_default();
  solve.limits = memplan_limits_start(&solve.limits);
  solve.limits.threads = 1;
  solve.place = "best-fit";
  const memplan_subject_options options = {.solve = &solve};
  memplan_subject subject;
  memplan_filling filling;
  memplan_pair_answer pair;
  memplan_capacity_answer answer;
  memplan_scope scope;
  memplan_bound bound;
  memplan_arena arena = {0};
  memplan_status status = memplan_subject_init(&subject, problem, &options, error);
  if (status == MEMPLAN_OK) {
    status = memplan_subject_filling(&subject, &filling, error);
  }
  if (status == MEMPLAN_OK) {
    status = memplan_pair_explain(&subject, first, second, capacity, &pair, error);
  }
  if (status == MEMPLAN_OK) {
    const memplan_capacity_task task = {
        .instance = subject.instance, .capacity = capacity, .solve = &solve, .fits = unknown_fit};
    status = memplan_capacity_explain(&task, &arena, &answer, error);
  }
  if (status == MEMPLAN_OK && answer.fit == MEMPLAN_FIT_NO) {
    status = memplan_capacity_scope(&subject, &answer, &solve, &scope, &bound, error);
  }
  memplan_arena_free(&arena);
  memplan_subject_free(&subject);
  return status;
}

static void starve(const memplan_problem *problem, const char *first, const char *second, int64_t capacity) {
  memplan_status status = MEMPLAN_NOMEM;
  int64_t before = failing_malloc_blocks();
  for (int64_t k = 0; status != MEMPLAN_OK; k++) {
    memplan_error error = {.message = ""};
    failing_malloc_once(k);
    status = explain_all(problem, first, second, capacity, &error);
    (void)failing_malloc_stop();
    assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
    assert_int_equal(error.status, status);
    assert_int_equal(failing_malloc_blocks(), before);
    assert_true(k < 10000);
  }
}

static void explanations(void **state) {
  (void)state;
  memplan_problem graph, instance;
  build_both(&graph, &instance);
  starve(&graph, "s", "u", 20);
  starve(&graph, "t", "b#workspace", 1000);
  starve(&instance, "q", "r", 9);
  starve(&instance, "p", "r", 12);
  starve(&instance, "p", "r", 4);
  memplan_problem_free(&graph);
  memplan_problem_free(&instance);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(explanations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
