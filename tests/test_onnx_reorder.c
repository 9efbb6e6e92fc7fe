// SPDX-License-Identifier: Apache-2.0
// Models written with their nodes in the order of a plan: read again, the given order is the plan's, in bodies too, and
// only nodes have moved. What no list of nodes can say is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "model/memplan.h"
#include "model/verify.h"
#include "tests/support/onnx_writer.h"
#include "tests/support/random_problem.h"

static char folder[] = "/tmp/memplan-reorder-XXXXXX";
static char in_path[64], out_path[64];

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) {
    return -1;
  }
  (void)snprintf(in_path, sizeof in_path, "%s/in.onnx", folder);
  (void)snprintf(out_path, sizeof out_path, "%s/out.onnx", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  (void)unlink(in_path);
  (void)unlink(out_path);
  return rmdir(folder);
}

static void write_file(onnx_bytes bytes) {
  FILE *file = fopen(in_path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
  assert_int_equal(fclose(file), 0);
  onnx_bytes_free(&bytes);
}

static void read_problem(const char *path, memplan_fold fold, memplan_problem *problem) {
  memplan_problem_options options = memplan_problem_options_default();
  memplan_error error = {.message = ""};
  options.fold = fold;
  memplan_problem_init(problem);
  if (memplan_read(path, NULL, &options, problem, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

// The plan on an order, one id a line.
static void plan_on(const memplan_problem *problem, const char *order, memplan_solution *solution) {
  memplan_listed_order listed;
  memplan_error error = {.message = ""};
  memplan_solve_options options = memplan_solve_options_default();
  memplan_listed_order_init(&listed);
  assert_int_equal(memplan_listed_order_read_text(order, strlen(order), "order", &listed, &error), MEMPLAN_OK);
  options.order = MEMPLAN_ORDER_FILE;
  options.listed = &listed;
  memplan_solution_init(solution);
  if (memplan_solve(problem, &options, solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  memplan_listed_order_free(&listed);
}

static long file_size(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  long size = ftell(file);
  assert_int_equal(fclose(file), 0);
  return size;
}

// Operators of the graph stand in the order of the plan, those of the bodies in that of theirs.
static void expect_order(const memplan_graph *graph, const memplan_plan *plan) {
  assert_int_equal(plan->n_order, graph->n_ops);
  for (int32_t t = 0; t < plan->n_order; t++) {
    assert_string_equal(plan->order[t], graph->ops[t].id);
  }
  for (int32_t k = 0; k < plan->n_bodies; k++) {
    for (int32_t body = 0; body < graph->n_bodies; body++) {
      const memplan_body *entry = &graph->bodies[body];
      if (strcmp(entry->name, plan->bodies[k].body) == 0 && strcmp(graph->ops[entry->op].id, plan->bodies[k].op) == 0) {
        expect_order(entry->graph, plan->bodies[k].plan);
      }
    }
  }
}

// The plan is one for the changed file, by its ids and by its fingerprint.
static void expect_valid(const memplan_problem *problem, const memplan_plan *plan) {
  memplan_report report;
  memplan_error error = {.message = ""};
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(problem, plan, &report, &error), MEMPLAN_OK);
  if (!report.valid) {
    fail_msg("%s", report.violations[0].text);
  }
  memplan_report_free(&report);
}

static void expect_reordered(onnx_bytes bytes, memplan_fold fold, const char *order) {
  memplan_problem problem, again;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  write_file(bytes);
  read_problem(in_path, fold, &problem);
  plan_on(&problem, order, &solution);
  if (memplan_reorder(&problem, &solution.plan, out_path, NULL, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(file_size(in_path), file_size(out_path));
  read_problem(out_path, fold, &again);
  expect_order(&again.graph, &solution.plan);
  expect_valid(&again, &solution.plan);
  memplan_solution_free(&solution);
  memplan_problem_free(&again);
  memplan_problem_free(&problem);
}

static void expect_refusal(onnx_bytes bytes, memplan_fold fold, const char *order, const char *part) {
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  write_file(bytes);
  read_problem(in_path, fold, &problem);
  plan_on(&problem, order, &solution);
  assert_int_equal(memplan_reorder(&problem, &solution.plan, out_path, NULL, &error), MEMPLAN_UNSUPPORTED);
  if (strstr(error.message, part) == NULL) {
    fail_msg("'%s' is not in '%s'", part, error.message);
  }
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// x -> a, b, c (of different lengths in the file) -> Sum.
static onnx_bytes fan(void) {
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Relu", "a", "x", "p");
  onnx_graph_op(&graph, "Neg", "a longer name than that of the others", "x", "q");
  onnx_put_text(&graph, 10, "a text between the nodes");
  onnx_graph_op(&graph, "Abs", "c", "x", "r");
  onnx_graph_op(&graph, "Sum", "join", "p q r", "y");
  onnx_graph_output(&graph, onnx_floats("y", 8));
  onnx_bytes model = onnx_model(17, graph);
  onnx_put_text(&model, 1000, "a field that no version of ONNX knows");
  return model;
}

static void nodes_are_permuted(void **state) {
  (void)state;
  expect_reordered(fan(), MEMPLAN_FOLD_SHAPES, "c\na longer name than that of the others\na\njoin\n");
  expect_reordered(fan(), MEMPLAN_FOLD_SHAPES, "a longer name than that of the others\na\nc\njoin\n");
  expect_reordered(fan(), MEMPLAN_FOLD_SHAPES, "a\na longer name than that of the others\nc\njoin\n");
  FILE *in = fopen(in_path, "rb"), *out = fopen(out_path, "rb");
  assert_non_null(in);
  assert_non_null(out);
  for (int byte = 0; byte != EOF;) {
    byte = fgetc(in);
    assert_int_equal(fgetc(out), byte); // the file's own order leaves it as it was
  }
  fclose(in);
  fclose(out);
}

// If whose branches have two independent nodes each, planned in the other order.
static void bodies_follow_their_plans(void **state) {
  (void)state;
  onnx_bytes graph = {0}, branches[2] = {{0}, {0}};
  onnx_graph_input(&graph, onnx_value("c", 9, 0, NULL, NULL));
  onnx_graph_input(&graph, onnx_floats("x", 16));
  for (int k = 0; k < 2; k++) {
    onnx_graph_op(&branches[k], "Relu", "small", "x", "s");
    onnx_bytes wide = onnx_node("Concat", "big", "x x x x", "b");
    onnx_add_int(&wide, "axis", 0);
    onnx_graph_node(&branches[k], wide);
    onnx_graph_op(&branches[k], "ReduceSum", "reduce", "b", "d");
    onnx_graph_op(&branches[k], "Add", "add", "s d", "r");
    onnx_graph_output(&branches[k], onnx_floats("r", 16));
  }
  onnx_bytes node = onnx_node("If", "if", "c", "y");
  onnx_add_graph(&node, "then_branch", branches[0]);
  onnx_add_graph(&node, "else_branch", branches[1]);
  onnx_graph_op(&graph, "Neg", "first", "x", "n");
  onnx_graph_node(&graph, node);
  onnx_graph_op(&graph, "Add", "last", "n y", "z");
  onnx_graph_output(&graph, onnx_floats("z", 16));
  expect_reordered(onnx_model(12, graph), MEMPLAN_FOLD_SHAPES, "if\nfirst\nlast\n");
  memplan_problem problem;
  read_problem(out_path, MEMPLAN_FOLD_SHAPES, &problem);
  assert_int_equal(problem.graph.n_bodies, 2);
  assert_string_equal(problem.graph.bodies[0].graph->ops[0].id, "big"); // since the others stood before it
  memplan_problem_free(&problem);
}

// Shape of one branch's value, which folding leaves out, gives the other branch its shape.
static onnx_bytes crossing(void) {
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Relu", "left", "x", "p");
  onnx_graph_op(&graph, "Shape", "shape", "p", "s");
  onnx_graph_op(&graph, "Neg", "other", "x", "q");
  onnx_graph_op(&graph, "Expand", "right", "x s", "r");
  onnx_graph_op(&graph, "Sum", "join", "p q r", "y");
  onnx_graph_output(&graph, onnx_floats("y", 8));
  return onnx_model(17, graph);
}

static void what_was_left_out_stays_legal(void **state) {
  (void)state;
  expect_reordered(crossing(), MEMPLAN_FOLD_SHAPES, "other\nleft\nright\njoin\n");
  expect_reordered(crossing(), MEMPLAN_FOLD_SHAPES, "left\nright\nother\njoin\n");
  expect_reordered(crossing(), MEMPLAN_FOLD_NONE, "other\nleft\nshape\nright\njoin\n");
  expect_refusal(crossing(), MEMPLAN_FOLD_SHAPES, "right\nleft\nother\njoin\n",
                 "the plan runs operator 'right' before 'left', but in the file nodes that planning left out");
}

// Nodes without a name, and such as share one, are called by their first outputs, in whatever order they stand.
static void ids_do_not_depend_on_the_order(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Relu", "same", "x", "p");
  onnx_graph_op(&graph, "Neg", "same", "x", "q");
  onnx_graph_op(&graph, "Abs", "", "x", "r");
  onnx_graph_op(&graph, "Sum", "join", "p q r", "y");
  onnx_graph_output(&graph, onnx_floats("y", 8));
  expect_reordered(onnx_model(17, graph), MEMPLAN_FOLD_SHAPES, "r\nq\np\njoin\n");
}

// The branch reads two values of the graph around it; its nodes change places.
static void captures_do_not_depend_on_the_order(void **state) {
  (void)state;
  onnx_bytes graph = {0}, branches[2] = {{0}, {0}};
  onnx_graph_input(&graph, onnx_value("c", 9, 0, NULL, NULL));
  onnx_graph_input(&graph, onnx_floats("x", 16));
  onnx_graph_input(&graph, onnx_floats("v", 64));
  for (int k = 0; k < 2; k++) {
    onnx_graph_op(&branches[k], "Relu", "small", "x", "s");
    onnx_bytes wide = onnx_node("Concat", "big", "v v v v", "b");
    onnx_add_int(&wide, "axis", 0);
    onnx_graph_node(&branches[k], wide);
    onnx_graph_op(&branches[k], "ReduceSum", "reduce", "b", "d");
    onnx_graph_op(&branches[k], "Add", "add", "s d", "r");
    onnx_graph_output(&branches[k], onnx_floats("r", 16));
  }
  onnx_bytes node = onnx_node("If", "if", "c", "y");
  onnx_add_graph(&node, "then_branch", branches[0]);
  onnx_add_graph(&node, "else_branch", branches[1]);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_floats("y", 16));
  expect_reordered(onnx_model(12, graph), MEMPLAN_FOLD_SHAPES, "if\n");
  memplan_problem problem;
  read_problem(out_path, MEMPLAN_FOLD_SHAPES, &problem);
  assert_string_equal(problem.graph.bodies[0].graph->ops[0].id, "big");
  memplan_problem_free(&problem);
}

// f(a) = Neg(Relu(a)); y = f(x) + Abs(x).
static onnx_bytes with_function(void) {
  onnx_bytes graph = {0}, function = {0}, imported = {0}, call = onnx_node("f", "call", "x", "p");
  onnx_put_text(&call, 7, "local");
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_node(&graph, call);
  onnx_graph_op(&graph, "Abs", "other", "x", "q");
  onnx_graph_op(&graph, "Add", "join", "p q", "y");
  onnx_graph_output(&graph, onnx_floats("y", 8));
  onnx_bytes model = onnx_model(17, graph);
  onnx_put_text(&function, 1, "f");
  onnx_put_text(&function, 4, "a");
  onnx_put_text(&function, 5, "b");
  onnx_put_message(&function, 7, onnx_node("Relu", "one", "a", "t"));
  onnx_put_message(&function, 7, onnx_node("Neg", "two", "t", "b"));
  onnx_put_text(&imported, 1, "");
  onnx_put_int(&imported, 2, 17);
  onnx_put_message(&function, 9, imported);
  onnx_put_text(&function, 10, "local");
  onnx_put_message(&model, 25, function);
  onnx_bytes local = {0};
  onnx_put_text(&local, 1, "local");
  onnx_put_int(&local, 2, 1);
  onnx_put_message(&model, 8, local);
  return model;
}

static void calls_move_as_one(void **state) {
  (void)state;
  expect_reordered(with_function(), MEMPLAN_FOLD_SHAPES, "other\ncall/one\ncall/two\njoin\n");
  expect_refusal(with_function(), MEMPLAN_FOLD_SHAPES, "call/one\nother\ncall/two\njoin\n",
                 "operator 'call/two' comes from a function of the model");
}

// Chains and joins with names of all lengths, in orders drawn at random.
static void random_models_are_permuted(void **state) {
  (void)state;
  enum { n = 24 };
  for (uint64_t index = 0; index < 60; index++) {
    random_state random = random_start(20251130, index);
    onnx_bytes graph = {0};
    int32_t reads[n][2];
    onnx_graph_input(&graph, onnx_floats("v0", 8));
    for (int32_t op = 0; op < n; op++) {
      char name[64], in[64], out[16];
      reads[op][0] = random_below(&random, op + 1);
      reads[op][1] = random_below(&random, op + 1);
      (void)snprintf(name, sizeof name, "n%d%.*s", (int)op, (int)random_below(&random, 30),
                     "______________________________");
      (void)snprintf(in, sizeof in, "v%d v%d", (int)reads[op][0], (int)reads[op][1]);
      (void)snprintf(out, sizeof out, "v%d", (int)op + 1);
      onnx_graph_op(&graph, "Add", name, in, out);
    }
    for (int32_t op = 0; op < n; op++) {
      char out[16];
      (void)snprintf(out, sizeof out, "v%d", (int)op + 1);
      onnx_graph_output(&graph, onnx_floats(out, 8));
    }
    write_file(onnx_model(17, graph));
    memplan_problem problem;
    read_problem(in_path, MEMPLAN_FOLD_SHAPES, &problem);
    char order[2048] = "";
    bool done[n] = {false};
    for (int32_t t = 0; t < n; t++) {
      int32_t op = random_below(&random, n);
      while (done[op] || (reads[op][0] > 0 && !done[reads[op][0] - 1]) ||
             (reads[op][1] > 0 && !done[reads[op][1] - 1])) {
        op = (op + 1) % n;
      }
      done[op] = true;
      strcat(strcat(order, problem.graph.ops[op].id), "\n");
    }
    memplan_solution solution;
    memplan_problem again;
    memplan_error error = {.message = ""};
    plan_on(&problem, order, &solution);
    assert_int_equal(memplan_reorder(&problem, &solution.plan, out_path, NULL, &error), MEMPLAN_OK);
    read_problem(out_path, MEMPLAN_FOLD_SHAPES, &again);
    expect_order(&again.graph, &solution.plan);
    expect_valid(&again, &solution.plan);
    memplan_solution_free(&solution);
    memplan_problem_free(&again);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_are_permuted),
      cmocka_unit_test(bodies_follow_their_plans),
      cmocka_unit_test(what_was_left_out_stays_legal),
      cmocka_unit_test(ids_do_not_depend_on_the_order),
      cmocka_unit_test(captures_do_not_depend_on_the_order),
      cmocka_unit_test(calls_move_as_one),
      cmocka_unit_test(random_models_are_permuted),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
