// SPDX-License-Identifier: Apache-2.0
// Operators with bodies: captured values, the bodies' own graphs, carried values of loops.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/onnx_graphs.h"
#include "tests/support/onnx_writer.h"

static onnx_bytes flag(const char *name) { return onnx_value(name, 9, 0, NULL, NULL); }

static void add_source(onnx_bytes *graph, const char *output, int64_t count) {
  onnx_bytes node = onnx_node("RandomNormal", "", "", output);
  onnx_add_ints(&node, "shape", 1, &count);
  onnx_graph_node(graph, node);
}

// A = Relu(X); four values of 100 bytes, each read by the next only; If reads A in its branches alone.
static onnx_bytes if_with_capture(bool capture) {
  onnx_bytes graph = {0}, then_graph = {0}, else_graph = {0};
  onnx_graph_input(&graph, flag("c"));
  add_source(&graph, "X", 25);
  onnx_graph_op(&graph, "Relu", "", "X", "A");
  add_source(&graph, "t1", 25);
  onnx_graph_op(&graph, "Neg", "", "t1", "t2");
  onnx_graph_op(&graph, "Neg", "", "t2", "t3");
  onnx_graph_op(&graph, "Neg", "", "t3", "t4");
  onnx_graph_op(&then_graph, "Neg", "", capture ? "A" : "t4", "r");
  onnx_graph_output(&then_graph, onnx_floats("r", 25));
  onnx_graph_op(&else_graph, "Abs", "", "t4", "u");
  onnx_graph_op(&else_graph, "Abs", "", "u", "r");
  onnx_graph_output(&else_graph, onnx_floats("r", 25));
  onnx_bytes node = onnx_node("If", "if", "c", "y");
  onnx_add_graph(&node, "then_branch", then_graph);
  onnx_add_graph(&node, "else_branch", else_graph);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_floats("y", 25));
  return onnx_model(17, graph);
}

static void captured_values_are_inputs(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  options.inplace = MEMPLAN_INPLACE_NONE;
  options.bodies = MEMPLAN_BODIES_IGNORE;
  memplan_graph read = onnx_read_graph(if_with_capture(true), &options);
  const memplan_op *op = &read.ops[read.n_ops - 1];
  assert_string_equal(op->id, "if");
  assert_int_equal(op->n_in, 3);
  assert_int_equal(op->in[0], onnx_find_tensor(&read, "c"));
  assert_int_equal(op->in[1], onnx_find_tensor(&read, "A"));
  assert_int_equal(op->in[2], onnx_find_tensor(&read, "t4"));
  assert_int_equal(read.n_bodies, 0);
  assert_int_equal(onnx_given_peak(&read, &options), 301); // A, t4, y and c
  assert_int_equal(onnx_simulated_peak(&read), 301);
  memplan_graph_free(&read);
  read = onnx_read_graph(if_with_capture(false), &options);
  assert_int_equal(onnx_given_peak(&read, &options), 201);
  memplan_graph_free(&read);
}

static void bodies_are_graphs(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  memplan_graph read = onnx_read_graph(if_with_capture(true), &options);
  assert_int_equal(read.n_bodies, 2);
  assert_string_equal(read.bodies[0].name, "then_branch");
  assert_string_equal(read.bodies[1].name, "else_branch");
  for (int32_t i = 0; i < 2; i++) {
    const memplan_graph *body = read.bodies[i].graph;
    assert_int_equal(read.bodies[i].op, read.n_ops - 1);
    assert_true(read.bodies[i].io_external);
    assert_int_equal(body->n_ops, i + 1);
    assert_int_equal(body->tensors[onnx_find_tensor(body, i == 0 ? "A" : "t4")].roles, MEMPLAN_ROLE_WEIGHT);
    assert_int_equal(body->tensors[onnx_find_tensor(body, "r")].roles, MEMPLAN_ROLE_OUTPUT);
  }
  const memplan_op *last = &read.bodies[1].graph->ops[1];
  assert_int_equal(last->n_inplace, 1);
  assert_int_equal(read.bodies[0].graph->ops[0].n_inplace, 0); // never over what is captured
  memplan_graph_free(&read);
}

// x and z are carried; the body returns `first` and `second` of them, and their sum once an iteration.
static onnx_bytes loop(const char *first, const char *second) {
  static const int64_t trips = 5;
  onnx_bytes graph = {0}, body = {0};
  onnx_graph_initializer(&graph, onnx_ints("m", -1, &trips));
  onnx_graph_input(&graph, onnx_floats("x", 16));
  onnx_graph_input(&graph, onnx_floats("z", 16));
  onnx_graph_input(&graph, onnx_floats("p", 16));
  onnx_graph_input(&body, onnx_value("i", 7, 0, NULL, NULL));
  onnx_graph_input(&body, flag("on"));
  onnx_graph_input(&body, onnx_floats("prev", 16));
  onnx_graph_input(&body, onnx_floats("cur", 16));
  onnx_graph_op(&body, "Identity", "", "on", "on2");
  onnx_graph_op(&body, "Add", "", "prev p", "t");
  onnx_graph_op(&body, "Mul", "", "t cur", "sum");
  onnx_graph_output(&body, flag("on2"));
  onnx_graph_output(&body, onnx_floats(first, 16));
  onnx_graph_output(&body, onnx_floats(second, 16));
  onnx_graph_output(&body, onnx_floats("sum", 16));
  onnx_bytes node = onnx_node("Loop", "loop", "m - x z", "u v w");
  onnx_add_graph(&node, "body", body);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_floats("u", 16));
  onnx_graph_output(&graph, onnx_floats("v", 16));
  onnx_graph_output(&graph, onnx_value("w", 1, 2, (const int64_t[]){5, 16}, NULL));
  return onnx_model(17, graph);
}

static void loops(void **state) {
  (void)state;
  static const struct {
    const char *first, *second;
    int32_t copies;
  } rows[] = {
      {"prev", "cur", 0},                                   // stays where it is
      {"cur", "prev", 2},                                   // swapped
      {"cur", "cur", 1},                                    // one in two places
      {"sum", "sum", 1},  {"t", "sum", 0}, {"p", "cur", 0}, // p lies outside
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    memplan_problem_options options = memplan_problem_options_default();
    memplan_graph read = onnx_read_graph(loop(rows[i].first, rows[i].second), &options);
    assert_int_equal(read.n_ops, 1);
    assert_int_equal(read.n_bodies, 1);
    assert_false(read.bodies[0].io_external);
    const memplan_graph *body = read.bodies[0].graph;
    if (body->n_ops != 3 + rows[i].copies) {
      fail_msg("%s %s: %d copies", rows[i].first, rows[i].second, (int)body->n_ops - 3);
    }
    int32_t outputs = 0;
    for (int32_t t = 0; t < body->n_tensors; t++) {
      outputs += (body->tensors[t].roles & MEMPLAN_ROLE_OUTPUT) != 0;
    }
    for (int32_t op = 3; op < body->n_ops; op++) {
      assert_non_null(strstr(body->ops[op].id, "#copy"));
      assert_int_equal(body->tensors[body->ops[op].out[0]].roles, MEMPLAN_ROLE_OUTPUT);
      assert_int_equal(body->tensors[body->ops[op].out[0]].bytes, 64);
    }
    // Body outputs: condition, two carried values, the scanned one; some are the same tensor, captured ones are
    // weights.
    assert_true(outputs >= 3);
    assert_int_equal(body->tensors[onnx_find_tensor(body, "p")].roles, MEMPLAN_ROLE_WEIGHT);
    assert_int_equal(read.tensors[onnx_find_tensor(&read, "w")].bytes, 5 * 64);
    memplan_graph_free(&read);
  }
}

// The condition may go through a view: it is the same carried value in the same position.
static void condition_is_carried_in_place(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  memplan_graph read = onnx_read_graph(loop("prev", "cur"), &options);
  const memplan_graph *body = read.bodies[0].graph;
  const memplan_tensor *condition = &body->tensors[onnx_find_tensor(body, "on2")];
  assert_int_equal(condition->view_of, onnx_find_tensor(body, "on"));
  memplan_graph_free(&read);
}

static void scan(void **state) {
  (void)state;
  static const int64_t dims[] = {7, 4};
  onnx_bytes graph = {0}, body = {0};
  onnx_graph_input(&graph, onnx_floats("h0", 4));
  onnx_graph_input(&graph, onnx_value("xs", 1, 2, dims, NULL));
  onnx_graph_input(&body, onnx_floats("h", 4));
  onnx_graph_input(&body, onnx_floats("x", 4));
  onnx_graph_op(&body, "Add", "", "h x", "h2");
  onnx_graph_op(&body, "Tanh", "", "h2", "y");
  onnx_graph_output(&body, onnx_floats("h2", 4));
  onnx_graph_output(&body, onnx_floats("y", 4));
  onnx_bytes node = onnx_node("Scan", "scan", "h0 xs", "hn ys");
  onnx_add_int(&node, "num_scan_inputs", 1);
  onnx_add_graph(&node, "body", body);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("ys", 1, 2, dims, NULL));
  memplan_problem_options options = memplan_problem_options_default();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(read.n_bodies, 1);
  assert_int_equal(read.bodies[0].graph->n_ops, 2);
  assert_int_equal(read.tensors[onnx_find_tensor(&read, "ys")].bytes, 7 * 16);
  memplan_graph_free(&read);
}

// A body in a body; both use names that the other uses too.
static void nested_bodies(void **state) {
  (void)state;
  onnx_bytes graph = {0}, middle = {0}, inner = {0}, other = {0}, other2 = {0};
  onnx_graph_input(&graph, flag("c"));
  onnx_graph_input(&graph, onnx_floats("x", 4));
  onnx_graph_op(&inner, "Neg", "n", "x", "r");
  onnx_graph_output(&inner, onnx_floats("r", 4));
  onnx_graph_op(&other, "Abs", "n", "x", "r");
  onnx_graph_output(&other, onnx_floats("r", 4));
  onnx_graph_op(&other2, "Abs", "n", "x", "q");
  onnx_graph_output(&other2, onnx_floats("q", 4));
  onnx_bytes node = onnx_node("If", "deep", "c", "q");
  onnx_add_graph(&node, "then_branch", inner);
  onnx_add_graph(&node, "else_branch", other);
  onnx_graph_node(&middle, node);
  onnx_graph_output(&middle, onnx_floats("q", 4));
  node = onnx_node("If", "if", "c", "y");
  onnx_add_graph(&node, "then_branch", middle);
  onnx_add_graph(&node, "else_branch", other2);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_floats("y", 4));
  memplan_problem_options options = memplan_problem_options_default();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(read.n_ops, 1);
  assert_int_equal(read.n_tensors, 3);
  assert_int_equal(read.n_bodies, 2);
  const memplan_graph *body = read.bodies[0].graph;
  assert_int_equal(body->n_bodies, 2);
  assert_int_equal(body->tensors[onnx_find_tensor(body, "x")].roles, MEMPLAN_ROLE_WEIGHT);
  assert_int_equal(body->tensors[onnx_find_tensor(body, "c")].roles, MEMPLAN_ROLE_WEIGHT);
  assert_int_equal(body->bodies[1].graph->n_ops, 1);
  memplan_graph_free(&read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(captured_values_are_inputs),
      cmocka_unit_test(bodies_are_graphs),
      cmocka_unit_test(loops),
      cmocka_unit_test(condition_is_carried_in_place),
      cmocka_unit_test(scan),
      cmocka_unit_test(nested_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
