// SPDX-License-Identifier: Apache-2.0
// Tensors without bytes meet no others, so their readers wait for whoever has written their buffer; graphs without
// operators have one step; graphs with many overlapping accesses stay cheap.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/support/build_problem.h"

static bool comes_before(const memplan_graph *graph, const char *first, const char *second) {
  int32_t a = build_find_op(graph, first), b = build_find_op(graph, second);
  for (int32_t k = graph->pred_first[b]; k < graph->pred_first[b + 1]; k++) {
    if (graph->pred[k] == a) {
      return true;
    }
  }
  return false;
}

static bool accepts(memplan_problem *problem, const char *order) {
  memplan_plan plan;
  build_plan(problem, &plan, "");
  char copy[64];
  (void)snprintf(copy, sizeof copy, "%s", order);
  for (char *id = strtok(copy, " "); id != NULL; id = strtok(NULL, " ")) {
    plan.order[plan.n_order++] = problem->graph.ops[build_find_op(&problem->graph, id)].id;
  }
  for (int32_t i = 0; i < problem->graph.n_tensors; i++) {
    build_place(&plan, problem->graph.tensors[i].id, 0);
  }
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(problem, &plan, &report, NULL), MEMPLAN_OK);
  bool legal = true;
  for (int32_t k = 0; k < report.n_violations; k++) {
    legal = legal && report.violations[k].kind != MEMPLAN_VIOLATION_ORDER;
  }
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  return legal;
}

static void a_reader_of_nothing_waits_for_every_writer_before(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  build_tensor(&problem.graph, "e", 0, 0);
  build_tensor(&problem.graph, "y", 0, MEMPLAN_ROLE_OUTPUT);
  build_op(&problem.graph, "w1", "", "e");
  build_op(&problem.graph, "w2", "", "e");
  build_op(&problem.graph, "r", "e", "y");
  build_op(&problem.graph, "w3", "", "e");
  build_finish(&problem);
  assert_true(comes_before(&problem.graph, "w1", "r"));
  assert_true(comes_before(&problem.graph, "w2", "r"));
  assert_false(comes_before(&problem.graph, "r", "w3"));
  assert_false(comes_before(&problem.graph, "w1", "w2"));
  assert_true(accepts(&problem, "w1 w2 r w3"));
  assert_true(accepts(&problem, "w3 w2 w1 r"));
  assert_false(accepts(&problem, "w1 r w2 w3"));
  assert_false(accepts(&problem, "w2 r w1 w3"));
  memplan_problem_free(&problem);
}

// A variable that is updated is read after the update, empty or not.
static void roles_make_no_difference(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  build_tensor(&problem.graph, "v", 0, MEMPLAN_ROLE_VARIABLE);
  build_tensor(&problem.graph, "y", 0, MEMPLAN_ROLE_OUTPUT);
  build_op(&problem.graph, "update", "v", "v");
  build_op(&problem.graph, "again", "v", "v");
  build_op(&problem.graph, "read", "v", "y");
  build_finish(&problem);
  assert_true(comes_before(&problem.graph, "update", "again"));
  assert_true(comes_before(&problem.graph, "again", "read"));
  assert_false(accepts(&problem, "update read again"));
  memplan_problem_free(&problem);
}

static void too_many_pairs_are_refused(void **state) {
  (void)state;
  enum { N = 9000 };
  memplan_graph graph;
  memplan_error error = {.message = ""};
  memplan_graph_init(&graph);
  graph.tensors = MEMPLAN_NEW(&graph.arena, memplan_tensor, 1);
  graph.tensors[0] = (memplan_tensor){.id = "e", .align = 1, .pin = -1, .view_of = -1, .rank = -1};
  graph.n_tensors = 1;
  graph.ops = MEMPLAN_NEW(&graph.arena, memplan_op, N);
  graph.n_ops = N;
  static const int32_t e = 0;
  for (int32_t k = 0; k < N; k++) {
    char *id = MEMPLAN_NEW(&graph.arena, char, 12);
    (void)snprintf(id, 12, "%d", (int)k);
    graph.ops[k] = (memplan_op){.id = id, .workspace_align = 1, .async_until = -1, .group = -1};
    if (k < N / 2) {
      graph.ops[k].out = &e;
      graph.ops[k].n_out = 1;
    } else {
      graph.ops[k].in = &e;
      graph.ops[k].n_in = 1;
    }
  }
  assert_int_equal(memplan_graph_resolve(&graph, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "'e'"));
  memplan_graph_free(&graph);
}

static void without_operators_everything_is_there_at_once(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  build_graph(&problem);
  build_tensor(&problem.graph, "a", 8, MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT);
  build_tensor(&problem.graph, "b", 4, MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT);
  build_tensor(&problem.graph, "c", 3, MEMPLAN_ROLE_INPUT);
  build_finish(&problem);
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, NULL, &solution, &error), MEMPLAN_OK);
  assert_int_equal(solution.plan.peak, 15);
  assert_int_equal(solution.order_peak, 15);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  memplan_solution_free(&solution);

  memplan_plan plan;
  memplan_report report;
  build_plan(&problem, &plan, "");
  build_place(&plan, "a", 0);
  build_place(&plan, "b", 4);
  build_place(&plan, "c", 8);
  build_peak(&problem, &plan);
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(&problem, &plan, &report, NULL), MEMPLAN_OK);
  assert_int_equal(report.n_violations, 1);
  assert_int_equal(report.violations[0].kind, MEMPLAN_VIOLATION_OVERLAP);
  memplan_report_free(&report);
  memplan_plan_free(&plan);
  memplan_problem_free(&problem);
}

// ---- cost

static void name(memplan_graph *graph, const char **id, char kind, int32_t number) {
  char *text = MEMPLAN_NEW(&graph->arena, char, 14);
  (void)snprintf(text, 14, "%c%d", kind, (int)number);
  *id = text;
}

static int32_t *one(memplan_graph *graph, int32_t tensor) {
  int32_t *list = MEMPLAN_NEW(&graph->arena, int32_t, 1);
  list[0] = tensor;
  return list;
}

static void start(memplan_graph *graph, int32_t n_tensors, int32_t n_ops) {
  memplan_graph_init(graph);
  graph->n_tensors = n_tensors;
  graph->n_ops = n_ops;
  graph->tensors = MEMPLAN_NEW(&graph->arena, memplan_tensor, n_tensors);
  graph->ops = MEMPLAN_NEW(&graph->arena, memplan_op, n_ops);
  for (int32_t i = 0; i < n_tensors; i++) {
    graph->tensors[i] = (memplan_tensor){.bytes = 4, .align = 1, .pin = -1, .view_of = -1, .rank = -1};
    name(graph, &graph->tensors[i].id, 't', i);
  }
  for (int32_t i = 0; i < n_ops; i++) {
    graph->ops[i] = (memplan_op){.workspace_align = 1, .async_until = -1, .group = -1};
    name(graph, &graph->ops[i].id, 'o', i);
  }
}

static double resolve_seconds(memplan_graph *graph) {
  memplan_error error = {.message = ""};
  clock_t before = clock();
  if (memplan_graph_resolve(graph, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return (double)(clock() - before) / CLOCKS_PER_SEC;
}

// 12,000 windows that slide over one buffer, by turns read and written: without coalescing 7 * 10^7 conflicts.
static void overlapping_views_are_cheap(void **state) {
  (void)state;
  enum { N = 12000 };
  memplan_graph graph;
  start(&graph, N + 1, N);
  graph.tensors[N].bytes = 4 * N;
  graph.tensors[N].roles = MEMPLAN_ROLE_INPUT;
  for (int32_t i = 0; i < N; i++) {
    graph.tensors[i].view_of = N;
    graph.tensors[i].view_offset = i;
    graph.tensors[i].bytes = 2 * N;
    graph.ops[i].in = one(&graph, i);
    graph.ops[i].n_in = 1;
    if (i % 2 == 1) {
      graph.ops[i].out = one(&graph, i);
      graph.ops[i].n_out = 1;
    }
  }
  assert_true(resolve_seconds(&graph) < 2);
  assert_true(graph.pred_first[N] < 4 * N);
  memplan_graph_free(&graph);
}

// One operator with 30,000 in-place pairs.
static void many_pairs_of_one_operator_are_cheap(void **state) {
  (void)state;
  enum { N = 30000 };
  memplan_graph graph;
  start(&graph, 2 * N, 1);
  int32_t *list = MEMPLAN_NEW(&graph.arena, int32_t, 2 * N);
  memplan_inplace *pairs = MEMPLAN_NEW(&graph.arena, memplan_inplace, N);
  for (int32_t i = 0; i < 2 * N; i++) {
    list[i] = i;
    graph.tensors[i].roles = i < N ? MEMPLAN_ROLE_INPUT : MEMPLAN_ROLE_OUTPUT;
    graph.tensors[i].donatable = i < N;
  }
  for (int32_t i = 0; i < N; i++) {
    pairs[i] = (memplan_inplace){N + i, i};
  }
  graph.ops[0].in = list;
  graph.ops[0].out = list + N;
  graph.ops[0].n_in = graph.ops[0].n_out = graph.ops[0].n_inplace = N;
  graph.ops[0].inplace = pairs;
  assert_true(resolve_seconds(&graph) < 2);
  assert_int_equal(graph.n_pairs, N);
  memplan_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reader_of_nothing_waits_for_every_writer_before),
      cmocka_unit_test(roles_make_no_difference),
      cmocka_unit_test(too_many_pairs_are_refused),
      cmocka_unit_test(without_operators_everything_is_there_at_once),
      cmocka_unit_test(overlapping_views_are_cheap),
      cmocka_unit_test(many_pairs_of_one_operator_are_cheap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
