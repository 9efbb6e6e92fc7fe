// SPDX-License-Identifier: Apache-2.0
// Names of ONNX files: scopes of bodies, captures, functions, order of the nodes.
#include "tests/support/onnx_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "instances/onnx_order.h"

// ---- names

static void initializers_are_no_inputs(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("w", 8));
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Add", "", "x w", "y");
  onnx_graph_initializer(&graph, onnx_tensor("w", 1, 1, (const int64_t[]){8}));
  onnx_graph_output(&graph, onnx_floats("y", 8));
  memplan_onnx_model model = onnx_read_good(onnx_model(7, graph));
  assert_int_equal(model.graphs[0].n_inputs, 1);
  assert_string_equal(model.values[model.graphs[0].inputs[0]].name, "x");
  assert_true(model.values[model.graphs[0].nodes[0].in[1]].is_initializer);
  memplan_onnx_model_free(&model);
}

static void absent_names(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Resize", "", "x - - x", "y");
  onnx_graph_op(&graph, "Dropout", "", "y", "z -");
  onnx_graph_op(&graph, "Dropout", "", "z", "u -");
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  const memplan_onnx_node *nodes = model.graphs[0].nodes;
  assert_int_equal(nodes[0].n_in, 4);
  assert_int_equal(nodes[0].in[1], -1);
  assert_int_equal(nodes[0].in[2], -1);
  assert_int_equal(nodes[0].in[3], nodes[0].in[0]);
  assert_int_equal(nodes[1].out[1], -1);
  assert_int_equal(model.n_values, 4);
  memplan_onnx_model_free(&model);
}

static void clashes(void **state) {
  (void)state;
  onnx_bytes twice = onnx_chain();
  onnx_graph_op(&twice, "Abs", "third", "x", "t");
  onnx_expect_refused(onnx_model(17, twice), MEMPLAN_INPUT, "'t' is defined twice");
  onnx_bytes initializer = onnx_chain();
  onnx_graph_initializer(&initializer, onnx_tensor("t", 1, 1, (const int64_t[]){8}));
  onnx_expect_refused(onnx_model(17, initializer), MEMPLAN_INPUT, "an output of node 'a' (Relu)");
  onnx_bytes input = onnx_chain();
  onnx_graph_input(&input, onnx_floats("y", 8));
  onnx_expect_refused(onnx_model(17, input), MEMPLAN_INPUT, "'y' is defined twice");
  onnx_bytes two_inputs = onnx_chain();
  onnx_graph_input(&two_inputs, onnx_floats("x", 8));
  onnx_expect_refused(onnx_model(17, two_inputs), MEMPLAN_INPUT, "'x' is defined twice");
  onnx_bytes undefined = onnx_chain();
  onnx_graph_op(&undefined, "Abs", "", "nowhere", "v");
  onnx_expect_refused(onnx_model(17, undefined), MEMPLAN_INPUT, "reads 'nowhere'");
  onnx_bytes output = onnx_chain();
  onnx_graph_output(&output, onnx_floats("never", 8));
  onnx_expect_refused(onnx_model(17, output), MEMPLAN_INPUT, "output 'never'");
}

static void node_names_need_not_be_unique(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Relu", "n", "x", "t");
  onnx_graph_op(&graph, "Relu", "n", "t", "u");
  onnx_graph_op(&graph, "Relu", "", "u", "v");
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  assert_int_equal(model.graphs[0].n_nodes, 3);
  assert_string_equal(model.graphs[0].nodes[2].name, "");
  memplan_onnx_model_free(&model);
}

// ---- bodies

static onnx_bytes if_with_capture(void) {
  onnx_bytes then_graph = {0}, else_graph = {0}, inner = {0}, graph = {0};
  onnx_graph_op(&inner, "Neg", "", "a", "r"); // captures through two levels
  onnx_graph_output(&inner, onnx_floats("r", 8));
  onnx_bytes node = onnx_node("If", "deep", "c", "then_out");
  onnx_add_graph(&node, "then_branch", inner);
  onnx_graph_node(&then_graph, node);
  onnx_graph_output(&then_graph, onnx_floats("then_out", 8));
  onnx_graph_op(&else_graph, "Abs", "", "x", "r"); // the same name as in the other branch
  onnx_graph_output(&else_graph, onnx_floats("r", 8));
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_input(&graph, onnx_value("c", 9, 0, NULL, NULL));
  onnx_graph_op(&graph, "Relu", "", "x", "a");
  node = onnx_node("If", "if", "c", "y");
  onnx_add_graph(&node, "then_branch", then_graph);
  onnx_add_graph(&node, "else_branch", else_graph);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_floats("y", 8));
  return graph;
}

static void captures(void **state) {
  (void)state;
  memplan_onnx_model model = onnx_read_good(onnx_model(17, if_with_capture()));
  assert_int_equal(model.n_graphs, 4);
  const memplan_onnx_node *node = &model.graphs[0].nodes[1];
  assert_int_equal(node->n_captures, 3);
  assert_int_equal(node->captures[0], onnx_find_value(&model, "a")); // by name
  assert_int_equal(node->captures[1], onnx_find_value(&model, "c"));
  assert_int_equal(node->captures[2], onnx_find_value(&model, "x"));
  const memplan_onnx_node *deep = &model.graphs[node->attributes[0].graph].nodes[0];
  assert_int_equal(deep->n_captures, 1);
  assert_int_equal(deep->captures[0], onnx_find_value(&model, "a"));
  const memplan_onnx_graph *inner = &model.graphs[deep->attributes[0].graph];
  assert_int_equal(inner->outer, node->attributes[0].graph);
  assert_int_equal(inner->outer_node, 0);
  assert_int_equal(model.values[inner->outputs[0]].graph, deep->attributes[0].graph);
  memplan_onnx_model_free(&model);
}

static void formal_inputs_shadow(void **state) {
  (void)state;
  onnx_bytes body = {0}, graph = {0};
  onnx_graph_input(&body, onnx_value("i", 7, 0, NULL, NULL));
  onnx_graph_input(&body, onnx_value("c", 9, 0, NULL, NULL));
  onnx_graph_input(&body, onnx_floats("x", 8)); // hides the outer x
  onnx_graph_op(&body, "Neg", "", "x", "x2");
  onnx_graph_op(&body, "Relu", "", "x", "t"); // hides the outer t: not allowed, but unambiguous
  onnx_graph_output(&body, onnx_value("c", 9, 0, NULL, NULL));
  onnx_graph_output(&body, onnx_floats("x2", 8));
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Relu", "", "x", "t");
  onnx_bytes node = onnx_node("Loop", "", "- - t", "y");
  onnx_add_graph(&node, "body", body);
  onnx_graph_node(&graph, node);
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  const memplan_onnx_graph *inner = &model.graphs[1];
  assert_int_equal(model.graphs[0].nodes[1].n_captures, 0);
  assert_int_equal(inner->nodes[0].in[0], inner->inputs[2]);
  assert_int_equal(model.values[inner->inputs[2]].graph, 1);
  assert_int_equal(model.n_warnings, 1);
  assert_non_null(strstr(model.warnings[0], "hides"));
  memplan_onnx_model_free(&model);
}

// ---- functions

static onnx_bytes start_function(const char *name, const char *in, const char *out) {
  onnx_bytes function = {0}, import = {0}, names = onnx_node("", "", in, out);
  onnx_put_text(&function, 1, name);
  onnx_put_text(&function, 10, "local");
  onnx_put_text(&import, 1, "");
  onnx_put_int(&import, 2, 13);
  onnx_put_message(&function, 9, import);
  onnx_bytes_free(&names);
  for (int k = 0; k < 2; k++) {
    for (const char *p = k == 0 ? in : out; *p != '\0';) {
      size_t length = strcspn(p, " ");
      onnx_put_block(&function, k == 0 ? 4 : 5, p, length);
      p += length;
      p += strspn(p, " ");
    }
  }
  return function;
}

static onnx_bytes local_call(const char *op_type, const char *name, const char *in, const char *out) {
  onnx_bytes node = onnx_node(op_type, name, in, out);
  onnx_put_text(&node, 7, "local");
  return node;
}

static void put_reference(onnx_bytes *node, const char *name, const char *reference) {
  onnx_bytes attribute = {0};
  onnx_put_text(&attribute, 1, name);
  onnx_put_int(&attribute, 20, 2);
  onnx_put_text(&attribute, 21, reference);
  onnx_put_message(node, 5, attribute);
}

static void functions_are_inlined(void **state) {
  (void)state;
  onnx_bytes inner = start_function("inner", "p q", "r same");
  onnx_bytes node = onnx_node("Softmax", "soft", "p", "r");
  put_reference(&node, "axis", "the_axis");
  put_reference(&node, "left_out", "unset");
  onnx_put_message(&inner, 7, node);
  onnx_bytes fallback = {0};
  onnx_put_text(&fallback, 1, "the_axis");
  onnx_put_int(&fallback, 3, 5);
  onnx_put_int(&fallback, 20, 2);
  onnx_put_message(&inner, 11, fallback);
  onnx_bytes outer = start_function("outer", "a b", "z b t2");
  onnx_bytes call = local_call("inner", "in", "a -", "t -");
  put_reference(&call, "the_axis", "k");
  onnx_put_message(&outer, 7, onnx_node("Neg", "", "t", "z")); // not sorted
  onnx_put_message(&outer, 7, call);
  onnx_put_message(&outer, 7, local_call("inner", "", "t", "t2"));

  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_input(&graph, onnx_floats("w", 8));
  call = local_call("outer", "call", "x w", "y copy");
  onnx_add_int(&call, "k", 3);
  onnx_graph_node(&graph, call);
  onnx_graph_op(&graph, "Abs", "", "y", "last");
  onnx_bytes bytes = onnx_model(17, graph);
  onnx_put_message(&bytes, 25, outer);
  onnx_put_message(&bytes, 25, inner);
  memplan_onnx_model model = onnx_read_good(bytes);

  const memplan_onnx_graph *main_graph = &model.graphs[0];
  static const char *const types[] = {"Neg", "Softmax", "Softmax", "Identity", "Abs"};
  assert_int_equal(main_graph->n_nodes, 5);
  for (int32_t i = 0; i < 5; i++) {
    assert_string_equal(main_graph->nodes[i].op_type, types[i]);
    assert_int_equal(main_graph->nodes[i].opset, i < 4 ? 13 : 17);
  }
  assert_string_equal(main_graph->nodes[1].name, "call/in/soft");
  assert_int_equal(main_graph->nodes[1].n_attributes, 1);
  assert_int_equal(main_graph->nodes[1].attributes[0].i, 3);
  assert_string_equal(main_graph->nodes[1].attributes[0].name, "axis");
  assert_int_equal(main_graph->nodes[2].attributes[0].i, 5); // the default
  assert_int_equal(main_graph->nodes[1].in[0], onnx_find_value(&model, "x"));
  assert_int_equal(main_graph->nodes[1].out[0], onnx_find_value(&model, "call/t"));
  assert_int_equal(main_graph->nodes[2].out[0], onnx_find_value(&model, "call/t2"));
  assert_int_equal(main_graph->nodes[0].out[0], onnx_find_value(&model, "y"));
  assert_int_equal(main_graph->nodes[3].in[0], onnx_find_value(&model, "w"));
  assert_int_equal(main_graph->nodes[3].out[0], onnx_find_value(&model, "copy"));
  assert_int_equal(model.values[onnx_find_value(&model, "y")].node, 0);
  memplan_onnx_model_free(&model);
}

static void functions_must_not_recurse(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_node(&graph, local_call("f", "", "x", "y"));
  onnx_bytes bytes = onnx_model(17, graph), f = start_function("f", "a", "b"), g = start_function("g", "a", "b");
  onnx_put_message(&f, 7, local_call("g", "", "a", "b"));
  onnx_put_message(&g, 7, local_call("f", "", "a", "b"));
  onnx_put_message(&bytes, 25, f);
  onnx_put_message(&bytes, 25, g);
  onnx_expect_refused(bytes, MEMPLAN_INPUT, "'f' calls itself (by way of 'g')");
}

// Each function calls the next one twice: 2^30 nodes from a small file.
static void inlining_is_bounded(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_node(&graph, local_call("f0", "", "x", "y"));
  onnx_bytes bytes = onnx_model(17, graph);
  for (int i = 0; i < 30; i++) {
    char name[16], next[16];
    (void)snprintf(name, sizeof name, "f%d", i);
    (void)snprintf(next, sizeof next, "f%d", i + 1);
    onnx_bytes function = start_function(name, "a", "b");
    onnx_put_message(&function, 7, local_call(next, "", "a", "t"));
    onnx_put_message(&function, 7, local_call(next, "", "t", "b"));
    onnx_put_message(&bytes, 25, function);
  }
  onnx_bytes last = start_function("f30", "a", "b");
  onnx_put_message(&last, 7, onnx_node("Neg", "", "a", "b"));
  onnx_put_message(&bytes, 25, last);
  onnx_expect_refused(bytes, MEMPLAN_INPUT, "MiB");
}

static void bad_functions(void **state) {
  (void)state;
  for (int variant = 0; variant < 6; variant++) {
    static const char *const messages[] = {"takes 1",       "has 1",         "made by no node",
                                           "defined twice", "defined twice", "two inputs"};
    onnx_bytes graph = {0}, f = start_function("f", variant == 5 ? "a a" : "a", "b");
    onnx_graph_input(&graph, onnx_floats("x", 8));
    onnx_graph_node(&graph, local_call("f", "", variant == 0 ? "x x" : "x", variant == 1 ? "y z" : "y"));
    if (variant != 2) {
      onnx_put_message(&f, 7, onnx_node("Neg", "", "a", "b"));
    }
    if (variant == 3) {
      onnx_put_message(&f, 7, onnx_node("Abs", "", "a", "b"));
    }
    onnx_bytes bytes = onnx_model(17, graph);
    if (variant == 4) {
      onnx_put_message(&bytes, 25, start_function("f", "a", "b"));
    }
    onnx_put_message(&bytes, 25, f);
    onnx_expect_refused(bytes, MEMPLAN_INPUT, messages[variant]);
  }
}

// A graph that is an attribute of the call runs inside the function, but sees the names around the call.
static void graph_attributes_keep_their_scope(void **state) {
  (void)state;
  onnx_bytes function = start_function("choose", "cond", "res"), node = onnx_node("If", "", "cond", "res");
  onnx_bytes reference = {0};
  onnx_put_text(&reference, 1, "then_branch");
  onnx_put_int(&reference, 20, 5);
  onnx_put_text(&reference, 21, "what");
  onnx_put_message(&node, 5, reference);
  onnx_put_message(&function, 7, node);
  onnx_bytes branch = {0}, graph = {0};
  onnx_graph_op(&branch, "Neg", "", "x", "r");
  onnx_graph_output(&branch, onnx_floats("r", 8));
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_input(&graph, onnx_value("c", 9, 0, NULL, NULL));
  node = local_call("choose", "", "c", "y");
  onnx_add_graph(&node, "what", branch);
  onnx_graph_node(&graph, node);
  onnx_bytes bytes = onnx_model(17, graph);
  onnx_put_message(&bytes, 25, function);
  memplan_onnx_model model = onnx_read_good(bytes);
  assert_int_equal(model.n_graphs, 2);
  assert_int_equal(model.graphs[0].n_nodes, 1);
  assert_string_equal(model.graphs[0].nodes[0].op_type, "If");
  assert_int_equal(model.graphs[0].nodes[0].n_captures, 1);
  assert_int_equal(model.graphs[0].nodes[0].captures[0], onnx_find_value(&model, "x"));
  memplan_onnx_model_free(&model);
}

// ---- order

static void unsorted_nodes(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Add", "sum", "b c", "y");
  onnx_graph_op(&graph, "Abs", "c", "x", "c");
  onnx_graph_op(&graph, "Neg", "b", "a", "b");
  onnx_graph_op(&graph, "Relu", "a", "x", "a");
  onnx_graph_op(&graph, "Abs", "d", "x", "d");
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  memplan_arena arena = {0};
  memplan_error error = {0};
  const int32_t *const *order = NULL;
  assert_int_equal(memplan_onnx_sort(&model, &arena, &order, &error), MEMPLAN_OK);
  static const int32_t expected[] = {1, 3, 2, 0, 4};
  assert_memory_equal(order[0], expected, sizeof expected);
  assert_int_equal(model.n_warnings, 1);
  assert_non_null(strstr(model.warnings[0], "'sum' reads what 'b'"));
  memplan_arena_free(&arena);
  memplan_onnx_model_free(&model);
}

static void captured_values_order_nodes(void **state) {
  (void)state;
  onnx_bytes graph = if_with_capture(), body = {0};
  onnx_graph_op(&body, "Neg", "", "after", "r");
  onnx_bytes node = onnx_node("If", "early", "c", "z");
  onnx_add_graph(&node, "then_branch", body);
  onnx_graph_node(&graph, node);
  onnx_graph_op(&graph, "Relu", "", "x", "after");
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  memplan_arena arena = {0};
  memplan_error error = {0};
  const int32_t *const *order = NULL;
  assert_int_equal(memplan_onnx_sort(&model, &arena, &order, &error), MEMPLAN_OK);
  assert_int_equal(order[0][2], 3);
  assert_int_equal(order[0][3], 2);
  memplan_arena_free(&arena);
  memplan_onnx_model_free(&model);
}

static void cycles(void **state) {
  (void)state;
  onnx_bytes graph = onnx_chain();
  onnx_graph_op(&graph, "Add", "p", "y s", "q");
  onnx_graph_op(&graph, "Abs", "r", "q", "s");
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  memplan_arena arena = {0};
  memplan_error error = {0};
  const int32_t *const *order = NULL;
  assert_int_equal(memplan_onnx_sort(&model, &arena, &order, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "'p'"));
  assert_non_null(strstr(error.message, "'r'"));
  assert_null(strstr(error.message, "'a'"));
  memplan_arena_free(&arena);
  memplan_onnx_model_free(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(initializers_are_no_inputs),
      cmocka_unit_test(absent_names),
      cmocka_unit_test(clashes),
      cmocka_unit_test(node_names_need_not_be_unique),
      cmocka_unit_test(captures),
      cmocka_unit_test(formal_inputs_shadow),
      cmocka_unit_test(functions_are_inlined),
      cmocka_unit_test(functions_must_not_recurse),
      cmocka_unit_test(inlining_is_bounded),
      cmocka_unit_test(bad_functions),
      cmocka_unit_test(graph_attributes_keep_their_scope),
      cmocka_unit_test(unsorted_nodes),
      cmocka_unit_test(captured_values_order_nodes),
      cmocka_unit_test(cycles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
