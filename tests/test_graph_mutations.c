// SPDX-License-Identifier: Apache-2.0
// Valid plans of graphs with one thing changed: orders, places, in-place pairs, bodies.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/mutated.h"

// make: x -> t (6 bytes); view v = t[2..6); relu: v -> r, in-place; add: r, x -> y; a workspace at add.
static void start_graph(mutated *f) {
  build_graph(&f->problem);
  memplan_graph *graph = &f->problem.graph;
  memplan_report_init(&f->report);
  build_tensor(graph, "x", 3, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "t", 6, 0);
  build_view(graph, "v", 4, "t", 2);
  build_tensor(graph, "r", 4, 0);
  build_tensor(graph, "y", 2, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "make", "x", "t");
  build_op(graph, "slice", "t", "v");
  build_inplace(graph, build_op(graph, "relu", "v", "r"), "r", "v");
  build_op(graph, "add", "r x", "y")->workspace = 2;
}

static void finish_graph(mutated *f) {
  build_finish(&f->problem);
  build_plan(&f->problem, &f->plan, "make slice relu add");
  build_choose(&f->plan, "r", "v");
  build_place(&f->plan, "x", 0);
  build_place(&f->plan, "t", 3);
  build_place(&f->plan, "r", 5);
  build_place(&f->plan, "y", 3);
  build_place(&f->plan, "add#workspace", 9);
  build_peak(&f->problem, &f->plan);
  mutated_valid(f);
  assert_int_equal(f->plan.peak, 11);
}

static void orders_of_a_graph(void **state) {
  (void)state;
  mutated f;
  start_graph(&f);
  finish_graph(&f);
  const char *kept = f.plan.order[1];
  f.plan.order[1] = f.plan.order[2];
  f.plan.order[2] = kept;
  mutated_verify(&f);
  mutated_violation(&f, 3, 0, MEMPLAN_VIOLATION_ORDER, "slice", "relu", 1, -1, -1);
  mutated_violation(&f, 3, 1, MEMPLAN_VIOLATION_INPLACE, "r", "v", 1, -1, -1);
  mutated_violation(&f, 3, 2, MEMPLAN_VIOLATION_OVERLAP, "t", "r", 1, 5, 9);
  f.plan.order[2] = f.plan.order[1];
  f.plan.order[1] = kept;
  mutated_valid(&f);

  f.plan.order[1] = "make";
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_ORDER, "make", NULL, 1, -1, -1);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_ORDER, "slice", NULL, -1, -1, -1);
  f.plan.order[1] = "slices";
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_ORDER, "slices", NULL, 1, -1, -1);
  f.plan.order[1] = kept;
  f.plan.n_order = 3;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_ORDER, "add", NULL, -1, -1, -1);
  f.plan.order[3] = f.plan.order[0];
  f.plan.order[0] = "add";
  f.plan.n_order = 4;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  assert_true(f.report.n_violations >= 3);
  assert_int_equal(f.report.violations[0].kind, MEMPLAN_VIOLATION_ORDER);
  mutated_release(&f);
}

// Rules that do not come from one operator reading what another makes.
static void other_order_rules(void **state) {
  (void)state;
  mutated f;
  build_graph(&f.problem);
  memplan_report_init(&f.report);
  memplan_graph *graph = &f.problem.graph;
  build_tensor(graph, "s", 8, MEMPLAN_ROLE_VARIABLE);
  build_view(graph, "low", 4, "s", 0);
  build_view(graph, "high", 4, "s", 4);
  build_op(graph, "read_low", "low", "");
  build_op(graph, "write_low", "", "low");
  build_op(graph, "write_high", "", "high");
  build_op(graph, "read_all", "s", "");
  build_op(graph, "send", "high", "")->async_until = 6;
  build_op(graph, "lonely", "", "");
  build_op(graph, "wait", "", "");
  build_op(graph, "write_again", "", "high");
  build_after(graph, build_op(graph, "last", "", ""), "lonely");
  graph->ops[1].group = graph->ops[2].group = 0;
  graph->groups[0] = "writers";
  graph->n_groups = 1;
  build_finish(&f.problem);
  build_plan(&f.problem, &f.plan, "read_low write_low write_high read_all send lonely wait write_again last");
  build_place(&f.plan, "s", 0);
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  static const struct {
    const char *order[9];
    const char *before, *after;
    int64_t step;
  } wrong[] = {
      // a write overtakes a read of the same bytes
      {{"write_low", "write_high", "read_low", "read_all", "send", "lonely", "wait", "write_again", "last"},
       "read_low",
       "write_low",
       0},
      // a read overtakes a write
      {{"read_low", "read_all", "write_low", "write_high", "send", "lonely", "wait", "write_again", "last"},
       NULL,
       "read_all",
       1},
      // `after`
      {{"read_low", "write_low", "write_high", "read_all", "send", "wait", "write_again", "last", "lonely"},
       "lonely",
       "last",
       7},
      // the asynchronous reader has not finished
      {{"read_low", "write_low", "write_high", "read_all", "send", "lonely", "write_again", "wait", "last"},
       "wait",
       "write_again",
       6},
      // it ends before it begins
      {{"read_low", "write_low", "write_high", "read_all", "wait", "lonely", "send", "write_again", "last"},
       "send",
       "wait",
       4},
      // an operator between those of a group
      {{"read_low", "write_low", "lonely", "write_high", "read_all", "send", "wait", "write_again", "last"},
       "write_low",
       "lonely",
       2},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    for (int32_t t = 0; t < 9; t++) {
      f.plan.order[t] = wrong[i].order[t];
    }
    mutated_verify(&f);
    assert_true(f.report.n_violations >= 1);
    bool found = false;
    for (int32_t k = 0; k < f.report.n_violations; k++) {
      const memplan_violation *violation = &f.report.violations[k];
      assert_int_equal(violation->kind, MEMPLAN_VIOLATION_ORDER);
      found |= mutated_same_id(violation->second, wrong[i].after) && violation->step == wrong[i].step &&
               (wrong[i].before == NULL || mutated_same_id(violation->first, wrong[i].before));
    }
    assert_true(found);
    assert_true(f.report.n_violations == 1 || wrong[i].before == NULL);
  }
  mutated_release(&f);
}

static void places_of_a_graph(void **state) {
  (void)state;
  mutated f;
  start_graph(&f);
  f.problem.graph.tensors[build_find_tensor(&f.problem.graph, "v")].align = 5;
  finish_graph(&f);
  mutated_entry(&f, "y")->offset = 4;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OVERLAP, "r", "y", 3, 5, 6);
  mutated_entry(&f, "y")->offset = 9;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OVERLAP, "y", "add#workspace", 3, 9, 11);
  mutated_entry(&f, "y")->offset = 3;
  mutated_entry(&f, "x")->offset = 9;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OVERLAP, "x", "add#workspace", 3, 9, 11);
  mutated_entry(&f, "x")->offset = 0;
  // The view's alignment binds its root; the taken-over buffer has to follow.
  mutated_entry(&f, "t")->offset = 4;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 3, 0, MEMPLAN_VIOLATION_INPLACE, "r", "v", 2, 6, 5);
  mutated_violation(&f, 3, 1, MEMPLAN_VIOLATION_ALIGNMENT, "v", "t", -1, 6, -1);
  mutated_violation(&f, 3, 2, MEMPLAN_VIOLATION_OVERLAP, "t", "r", 2, 5, 9);
  mutated_entry(&f, "t")->offset = 3;
  mutated_drop(&f, "add#workspace");
  mutated_rejected(&f, MEMPLAN_VIOLATION_MISSING, "add#workspace", NULL, -1, -1, -1);
  build_place(&f.plan, "add#workspace", 9);
  build_place(&f.plan, "v", 5);
  mutated_rejected(&f, MEMPLAN_VIOLATION_UNKNOWN, "v", NULL, -1, -1, -1);
  mutated_release(&f);
}

static void pairs_of_a_graph(void **state) {
  (void)state;
  mutated f;
  start_graph(&f);
  finish_graph(&f);
  // Without the pair the two buffers overlap at the operator's step.
  f.plan.n_inplace = 0;
  mutated_rejected(&f, MEMPLAN_VIOLATION_OVERLAP, "t", "r", 2, 5, 9);
  build_choose(&f.plan, "r", "v");
  build_choose(&f.plan, "r", "v");
  mutated_rejected(&f, MEMPLAN_VIOLATION_INPLACE, "r", "v", 2, -1, -1);
  f.plan.n_inplace = 1;
  build_choose(&f.plan, "y", "r");
  mutated_rejected(&f, MEMPLAN_VIOLATION_INPLACE, "y", "r", 3, -1, -1);
  f.plan.n_inplace = 1;
  build_choose(&f.plan, "y", "z");
  mutated_rejected(&f, MEMPLAN_VIOLATION_INPLACE, "y", "z", -1, -1, -1);
  f.plan.n_inplace = 1;
  mutated_entry(&f, "r")->offset = 3;
  mutated_entry(&f, "y")->offset = 7;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_INPLACE, "r", "v", 2, 5, 3);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_OVERLAP, "t", "r", 2, 3, 7);
  mutated_release(&f);

  // inplace none is part of the problem
  start_graph(&f);
  f.problem.options.inplace = MEMPLAN_INPLACE_NONE;
  build_finish(&f.problem);
  build_plan(&f.problem, &f.plan, "make slice relu add");
  build_choose(&f.plan, "r", "v");
  build_place(&f.plan, "x", 0);
  build_place(&f.plan, "t", 3);
  build_place(&f.plan, "r", 9);
  build_place(&f.plan, "y", 3);
  build_place(&f.plan, "add#workspace", 5);
  mutated_rejected(&f, MEMPLAN_VIOLATION_INPLACE, "r", "v", 2, -1, -1);
  mutated_release(&f);
}

// relu: a -> b over a; `again` reads a too. Only the one that runs last may take it over.
static void a_pair_that_the_order_forbids(void **state) {
  (void)state;
  mutated f;
  build_graph(&f.problem);
  memplan_report_init(&f.report);
  memplan_graph *graph = &f.problem.graph;
  build_tensor(graph, "a", 4, 0);
  build_tensor(graph, "b", 4, 0);
  build_op(graph, "make", "", "a");
  build_op(graph, "again", "a", "");
  build_inplace(graph, build_op(graph, "relu", "a", "b"), "b", "a");
  build_op(graph, "use", "b", "");
  build_finish(&f.problem);
  build_plan(&f.problem, &f.plan, "make again relu use");
  build_choose(&f.plan, "b", "a");
  build_place(&f.plan, "a", 0);
  build_place(&f.plan, "b", 0);
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  f.plan.order[1] = "relu";
  f.plan.order[2] = "again";
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_INPLACE, "b", "a", 1, -1, -1);
  assert_non_null(strstr(f.report.violations[0].text, "'again'"));
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_OVERLAP, "a", "b", 1, 0, 4);
  mutated_release(&f);
}

// Each input and each output is in at most one chosen pair.
static void pairs_that_share_a_tensor(void **state) {
  (void)state;
  mutated f;
  build_graph(&f.problem);
  memplan_report_init(&f.report);
  memplan_graph *graph = &f.problem.graph;
  build_tensor(graph, "a", 4, 0);
  build_tensor(graph, "b", 4, 0);
  build_tensor(graph, "p", 4, MEMPLAN_ROLE_OUTPUT);
  build_tensor(graph, "q", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "make", "", "a b");
  memplan_op *both = build_op(graph, "both", "a b", "p q");
  build_inplace(graph, both, "p", "a");
  build_inplace(graph, both, "q", "a");
  build_inplace(graph, both, "q", "b");
  build_finish(&f.problem);
  build_plan(&f.problem, &f.plan, "make both");
  build_choose(&f.plan, "p", "a");
  build_choose(&f.plan, "q", "b");
  build_place(&f.plan, "a", 0);
  build_place(&f.plan, "b", 4);
  build_place(&f.plan, "p", 0);
  build_place(&f.plan, "q", 4);
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  f.plan.inplace[1].input = "a";
  mutated_entry(&f, "q")->offset = 8;
  mutated_rejected(&f, MEMPLAN_VIOLATION_INPLACE, "q", "a", 1, -1, -1);
  f.plan.inplace[0] = (memplan_plan_pair){"q", "b"};
  mutated_entry(&f, "q")->offset = 4;
  mutated_entry(&f, "p")->offset = 8;
  mutated_rejected(&f, MEMPLAN_VIOLATION_INPLACE, "q", "a", 1, -1, -1);
  mutated_release(&f);
}

// ---- bodies

static memplan_graph *small_body(memplan_problem *outer) {
  memplan_problem built;
  build_graph(&built);
  build_tensor(&built.graph, "c", 4, MEMPLAN_ROLE_WEIGHT);
  build_tensor(&built.graph, "i", 3, 0);
  build_tensor(&built.graph, "j", 3, 0);
  build_tensor(&built.graph, "o", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(&built.graph, "b1", "c", "i");
  build_op(&built.graph, "b2", "i", "j");
  build_op(&built.graph, "b3", "j", "o");
  build_finish(&built);
  memplan_graph *body = MEMPLAN_NEW(&outer->arena, memplan_graph, 1);
  assert_non_null(body);
  *body = built.graph;
  memplan_graph_init(&built.graph);
  memplan_problem_free(&built);
  return body;
}

static void plan_small_body(memplan_plan *plan) {
  memplan_problem none = {.fingerprint = ""};
  build_plan(&none, plan, "b1 b2 b3");
  build_place(plan, "i", 0);
  build_place(plan, "j", 3);
  plan->peak = 6;
}

static void bodies_of_a_graph(void **state) {
  (void)state;
  mutated f;
  build_graph(&f.problem);
  memplan_report_init(&f.report);
  memplan_graph *graph = &f.problem.graph;
  build_tensor(graph, "x", 4, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "y", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "if", "x", "y")->workspace = 1;
  build_body(graph, "if", "then", small_body(&f.problem), true);
  build_body(graph, "if", "else", small_body(&f.problem), true);
  build_finish(&f.problem);
  build_plan(&f.problem, &f.plan, "if");
  build_place(&f.plan, "x", 0);
  build_place(&f.plan, "y", 4);
  build_place(&f.plan, "if#workspace", 8);
  memplan_plan then_plan;
  memplan_plan else_plan;
  plan_small_body(&then_plan);
  plan_small_body(&else_plan);
  build_body_plan(&f.plan, "if", "then", &then_plan);
  build_body_plan(&f.plan, "if", "else", &else_plan);
  build_peak(&f.problem, &f.plan);
  mutated_valid(&f);
  assert_int_equal(f.plan.peak, 15);

  // A fault inside is told with the body's ids and the body's name.
  then_plan.placed[1].offset = 2;
  then_plan.peak = 5;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_OVERLAP, "i", "j", 1, 2, 3);
  assert_non_null(strstr(f.report.violations[0].text, "'then'"));
  assert_non_null(strstr(f.report.violations[0].text, "'if'"));
  then_plan.placed[1].offset = 3;
  then_plan.peak = 7;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_PEAK, "j", NULL, -1, 6, 7);
  then_plan.peak = 6;

  // A larger body needs a larger workspace: 1 + 9 bytes from 8 on.
  else_plan.placed[1].offset = 6;
  else_plan.peak = 9;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_PEAK, "if#workspace", NULL, -1, 18, 15);
  else_plan.placed[1].offset = 3;
  else_plan.peak = 6;

  f.plan.n_bodies = 1;
  mutated_rejected(&f, MEMPLAN_VIOLATION_BODY, "if", "else", -1, -1, -1);
  f.plan.n_bodies = 2;
  f.plan.bodies[1].body = "other";
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_BODY, "if", "else", -1, -1, -1);
  mutated_violation(&f, 2, 1, MEMPLAN_VIOLATION_BODY, "if", "other", -1, -1, -1);
  f.plan.bodies[1].body = "else";
  mutated_valid(&f);

  // Branches that share nothing need the sum; ignored bodies nothing, and no plans.
  f.problem.options.no_branch_sharing = true;
  mutated_verify(&f);
  mutated_violation(&f, 1, 0, MEMPLAN_VIOLATION_PEAK, "if#workspace", NULL, -1, 21, 15);
  f.problem.options.bodies = MEMPLAN_BODIES_IGNORE;
  build_peak(&f.problem, &f.plan);
  mutated_verify(&f);
  mutated_violation(&f, 2, 0, MEMPLAN_VIOLATION_BODY, "if", "then", -1, -1, -1);
  assert_int_equal(f.plan.peak, 9);
  memplan_plan_free(&then_plan);
  memplan_plan_free(&else_plan);
  f.plan.n_bodies = 0;
  mutated_release(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_of_a_graph),
      cmocka_unit_test(other_order_rules),
      cmocka_unit_test(places_of_a_graph),
      cmocka_unit_test(pairs_of_a_graph),
      cmocka_unit_test(a_pair_that_the_order_forbids),
      cmocka_unit_test(pairs_that_share_a_tensor),
      cmocka_unit_test(bodies_of_a_graph),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
