// SPDX-License-Identifier: Apache-2.0
// Weights that lie in bodies of control flow are weights of the model: outside the arena, or resident in the outermost
// graph's, once each.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/witness.h"
#include "tests/support/build_problem.h"

// x -> if -> y; the branch has a weight of 30 bytes and captures the weight `w` (20) of the graph; it holds a loop
// whose body has one of 7, and one of 5 that nobody reads.
typedef struct nested {
  memplan_problem outer, branch, body;
} nested;

static void make(nested *f, const char *clash) {
  memplan_error error = {.message = ""};
  build_graph(&f->body);
  build_tensor(&f->body.graph, "i", 2, MEMPLAN_ROLE_INPUT);
  build_tensor(&f->body.graph, "k", 7, MEMPLAN_ROLE_WEIGHT);
  build_tensor(&f->body.graph, "unread", 5, MEMPLAN_ROLE_WEIGHT);
  build_tensor(&f->body.graph, "j", 2, MEMPLAN_ROLE_OUTPUT);
  build_op(&f->body.graph, "add", "i k", "j");
  f->body.graph.name = "body";
  assert_int_equal(memplan_graph_resolve(&f->body.graph, &error), MEMPLAN_OK);

  build_graph(&f->branch);
  build_tensor(&f->branch.graph, "k", 30, MEMPLAN_ROLE_WEIGHT);
  int32_t captured = build_tensor(&f->branch.graph, "w", 20, MEMPLAN_ROLE_WEIGHT);
  f->branch.graph.tensors[captured].captured = true;
  build_tensor(&f->branch.graph, "t", 3, 0);
  build_tensor(&f->branch.graph, "o", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(&f->branch.graph, "mul", "k w", "t");
  build_op(&f->branch.graph, "loop", "t", "o");
  build_body(&f->branch.graph, "loop", "body", &f->body.graph, false);
  assert_int_equal(memplan_graph_resolve(&f->branch.graph, &error), MEMPLAN_OK);

  build_graph(&f->outer);
  build_tensor(&f->outer.graph, "x", 10, MEMPLAN_ROLE_INPUT);
  build_tensor(&f->outer.graph, "w", 20, MEMPLAN_ROLE_WEIGHT);
  build_tensor(&f->outer.graph, "y", 4, MEMPLAN_ROLE_OUTPUT);
  if (clash != NULL) {
    build_tensor(&f->outer.graph, clash, 1, MEMPLAN_ROLE_INPUT);
  }
  build_op(&f->outer.graph, "if", "x w", "y");
  build_body(&f->outer.graph, "if", "then", &f->branch.graph, true);
}

static void solve(memplan_problem *problem, memplan_solution *solution) {
  memplan_error error = {.message = ""};
  memplan_solve_options options = memplan_solve_options_default();
  options.place = "first-fit-size";
  options.limits.threads = 1;
  memplan_solution_init(solution);
  if (memplan_solve(problem, &options, solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

// Finishes the fixture's model with these weights and solves it.
static void solve_with(nested *f, memplan_weights weights, memplan_solution *solution) {
  f->outer.options.weights = weights;
  build_finish(&f->outer);
  solve(&f->outer, solution);
}

static const memplan_placed *find(const memplan_plan *plan, const char *id) {
  for (int32_t k = 0; k < plan->n_placed; k++) {
    if (strcmp(plan->placed[k].id, id) == 0) {
      return &plan->placed[k];
    }
  }
  return NULL;
}

// Workspace of `if`: branch t (3) + loop's workspace (i 2 + j 2).
enum { OUTSIDE = 10 + 4 + 7, RESIDENT = 20 + 30 + 7 };

static void resident_weights_of_bodies_are_in_the_arena(void **state) {
  (void)state;
  for (int32_t resident = 0; resident < 2; resident++) {
    nested f;
    memplan_solution solution;
    make(&f, NULL);
    solve_with(&f, resident != 0 ? MEMPLAN_WEIGHTS_RESIDENT : MEMPLAN_WEIGHTS_EXTERNAL, &solution);
    assert_int_equal(solution.weight_bytes, 20 + 30 + 7 + 5);
    assert_int_equal(solution.plan.peak, OUTSIDE + (resident != 0 ? RESIDENT : 0));
    assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
    assert_int_equal(find(&solution.plan, "if#then#k") != NULL, resident);
    assert_int_equal(find(&solution.plan, "if#then#loop#body#k") != NULL, resident);
    assert_null(find(&solution.plan, "if#then#w"));
    assert_null(find(&solution.plan, "if#then#loop#body#unread"));
    memplan_solution_free(&solution);
    memplan_problem_free(&f.outer);
  }
}

static void ids_never_collide(void **state) {
  (void)state;
  nested f;
  memplan_solution solution;
  make(&f, "if#then#k");
  solve_with(&f, MEMPLAN_WEIGHTS_RESIDENT, &solution);
  assert_non_null(find(&solution.plan, "if#then#k"));
  assert_non_null(find(&solution.plan, "if#then#k#"));
  memplan_solution_free(&solution);
  memplan_problem_free(&f.outer);
}

static void verify_wants_them_placed_aligned_and_alone(void **state) {
  (void)state;
  nested f;
  memplan_solution solution;
  make(&f, NULL);
  solve_with(&f, MEMPLAN_WEIGHTS_RESIDENT, &solution);
  memplan_placed *entry = (memplan_placed *)find(&solution.plan, "if#then#loop#body#k");
  assert_non_null(entry);
  const struct {
    const char *id;
    int64_t offset;
    memplan_violation_kind kind;
  } changes[] = {{"nothing", entry->offset, MEMPLAN_VIOLATION_MISSING},
                 {entry->id, find(&solution.plan, "w")->offset, MEMPLAN_VIOLATION_OVERLAP},
                 {entry->id, find(&solution.plan, "x")->offset, MEMPLAN_VIOLATION_OVERLAP}};
  const memplan_placed kept = *entry;
  for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
    entry->id = changes[k].id;
    entry->offset = changes[k].offset;
    memplan_report report;
    memplan_report_init(&report);
    assert_int_equal(memplan_verify(&f.outer, &solution.plan, &report, NULL), MEMPLAN_OK);
    bool found = false;
    for (int32_t v = 0; v < report.n_violations; v++) {
      found = found || report.violations[v].kind == changes[k].kind;
    }
    assert_true(found);
    memplan_report_free(&report);
    *entry = kept;
  }
  memplan_solution_free(&solution);
  memplan_problem_free(&f.outer);
}

static void what_a_body_captures_is_part_of_the_fingerprint(void **state) {
  (void)state;
  char prints[2][MEMPLAN_FINGERPRINT_SIZE];
  for (int32_t k = 0; k < 2; k++) {
    nested f;
    make(&f, NULL);
    f.branch.graph.tensors[1].captured = k == 0;
    build_finish(&f.outer);
    memcpy(prints[k], f.outer.fingerprint, sizeof prints[k]);
    memplan_problem_free(&f.outer);
  }
  assert_string_not_equal(prints[0], prints[1]);
}

// Written as a graph without bodies, the problem is the same.
static void the_flat_form_keeps_them(void **state) {
  (void)state;
  for (int32_t resident = 0; resident < 2; resident++) {
    nested f;
    memplan_solution solution;
    make(&f, NULL);
    solve_with(&f, resident != 0 ? MEMPLAN_WEIGHTS_RESIDENT : MEMPLAN_WEIGHTS_EXTERNAL, &solution);
    const int64_t workspace[] = {7};
    memplan_export_options options = {.workspace = workspace};
    memplan_error error = {.message = ""};
    char *text = NULL;
    size_t length = 0;
    if (memplan_export_text(&f.outer, NULL, "graph-json", &options, &text, &length, NULL, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    memplan_problem flat;
    memplan_problem_init(&flat);
    if (memplan_read_text(text, length, "flat.json", NULL, &f.outer.options, &flat, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    memplan_solution again;
    solve(&flat, &again);
    assert_int_equal(again.plan.peak, solution.plan.peak);
    assert_int_equal(again.weight_bytes, solution.weight_bytes);
    free(text);
    memplan_solution_free(&again);
    memplan_problem_free(&flat);
    memplan_solution_free(&solution);
    memplan_problem_free(&f.outer);
  }
}

static void witnesses_count_them(void **state) {
  (void)state;
  nested f;
  memplan_bounds bounds;
  memplan_error error = {.message = ""};
  make(&f, NULL);
  f.outer.options.weights = MEMPLAN_WEIGHTS_RESIDENT;
  build_finish(&f.outer);
  assert_int_equal(memplan_find_bounds(&f.outer, NULL, &bounds, &error), MEMPLAN_OK);
  int32_t explained = 0;
  for (int32_t k = 0; k < bounds.n_bounds; k++) {
    const memplan_bound *bound = &bounds.bounds[k];
    memplan_witness witness;
    assert_int_equal(memplan_witness_of_bound(&f.outer, &bounds, bound, &witness, &error), MEMPLAN_OK);
    if (witness.n_items > 0) {
      assert_int_equal(witness.bytes, bound->bytes);
      explained++;
    }
    memplan_witness_free(&witness);
  }
  assert_true(explained >= 3); // the operator, the inputs, the outputs
  memplan_bounds_free(&bounds);
  memplan_problem_free(&f.outer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resident_weights_of_bodies_are_in_the_arena),
      cmocka_unit_test(ids_never_collide),
      cmocka_unit_test(verify_wants_them_placed_aligned_and_alone),
      cmocka_unit_test(what_a_body_captures_is_part_of_the_fingerprint),
      cmocka_unit_test(the_flat_form_keeps_them),
      cmocka_unit_test(witnesses_count_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
