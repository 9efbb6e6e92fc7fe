// SPDX-License-Identifier: Apache-2.0
// From ONNX files to graphs: ids, folding, views, in-place pairs, sizes, outputs, options, messages.
#include "instances/read_onnx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/onnx_graphs.h"
#include "tests/support/onnx_writer.h"

static memplan_problem_options plain(void) {
  memplan_problem_options options = memplan_problem_options_default();
  options.inplace = MEMPLAN_INPLACE_NONE;
  options.views = MEMPLAN_VIEWS_NONE;
  options.bodies = MEMPLAN_BODIES_IGNORE;
  return options;
}

// A node that makes `count` floats out of nothing.
static void add_source(onnx_bytes *graph, const char *output, int64_t count) {
  onnx_bytes node = onnx_node("RandomNormal", "", "", output);
  onnx_add_ints(&node, "shape", 1, &count);
  onnx_graph_node(graph, node);
}

static const memplan_tensor *tensor_at(const memplan_graph *graph, const char *id) {
  return &graph->tensors[onnx_find_tensor(graph, id)];
}

static void operator_ids(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 4));
  onnx_graph_op(&graph, "Relu", "", "x", "late");
  onnx_graph_op(&graph, "Abs", "late", "late", "a");
  onnx_graph_op(&graph, "Abs", "same", "a", "b");
  onnx_graph_op(&graph, "Abs", "same", "b", "c");
  onnx_graph_op(&graph, "Neg", "", "c", "y");
  onnx_graph_output(&graph, onnx_floats("y", 4));
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(read.n_ops, 5);
  assert_string_equal(read.ops[0].id, "late#2"); // the name of a node comes before the name of an output
  assert_string_equal(read.ops[1].id, "late");
  assert_string_equal(read.ops[2].id, "b"); // two nodes share a name, which then is neither's
  assert_string_equal(read.ops[3].id, "c");
  assert_string_equal(read.ops[4].id, "y");
  assert_string_equal(read.ops[4].type, "Neg");
  assert_string_equal(tensor_at(&read, "x")->id, "x");
  assert_int_equal(tensor_at(&read, "x")->roles, MEMPLAN_ROLE_INPUT);
  assert_int_equal(tensor_at(&read, "y")->roles, MEMPLAN_ROLE_OUTPUT);
  assert_int_equal(tensor_at(&read, "c")->roles, 0);
  memplan_graph_free(&read);
}

static void sizes_follow_types(void **state) {
  (void)state;
  static const struct {
    int32_t elem_type;
    int64_t bytes;
  } rows[] = {{1, 4000}, {10, 2000}, {16, 2000}, {11, 8000}, {9, 1000}, {3, 1000}, {7, 8000}, {14, 8000}, {22, 500}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    onnx_bytes graph = {0};
    const int64_t dims[] = {10, 100};
    onnx_graph_input(&graph, onnx_value("x", rows[i].elem_type, 2, dims, NULL));
    onnx_graph_op(&graph, "Transpose", "", "x", "y");
    onnx_graph_output(&graph, onnx_value("y", rows[i].elem_type, 2, dims, NULL));
    memplan_problem_options options = plain();
    memplan_graph read = onnx_read_graph(onnx_model(21, graph), &options);
    assert_int_equal(tensor_at(&read, "y")->bytes, rows[i].bytes);
    assert_int_equal(tensor_at(&read, "y")->shape[0], 100);
    memplan_graph_free(&read);
  }
}

// s = Shape(x); n = Gather(s, 0); r = Reshape(x, Concat(n, 6)); k = Unsqueeze(constant).
static onnx_bytes shape_arithmetic(void) {
  static const int64_t zero = 0, six = 6;
  onnx_bytes graph = {0};
  const int64_t dims[] = {-1, 2, 3};
  const char *const symbols[] = {"N", NULL, NULL};
  onnx_graph_input(&graph, onnx_value("x", 1, 3, dims, symbols));
  onnx_graph_initializer(&graph, onnx_ints("zero", 1, &zero));
  onnx_graph_op(&graph, "Shape", "shape", "x", "s");
  onnx_graph_op(&graph, "Gather", "gather", "s zero", "n");
  onnx_bytes node = onnx_node("Constant", "six", "", "c");
  onnx_add_tensor(&node, "value", onnx_ints("", -1, &six));
  onnx_graph_node(&graph, node);
  onnx_graph_op(&graph, "Unsqueeze", "unsqueeze", "c zero", "c1");
  node = onnx_node("Concat", "concat", "n c1", "to");
  onnx_add_int(&node, "axis", 0);
  onnx_graph_node(&graph, node);
  onnx_graph_op(&graph, "Reshape", "reshape", "x to", "y");
  onnx_graph_output(&graph, onnx_value("y", 1, -1, NULL, NULL));
  return onnx_model(17, graph);
}

static void folding(void **state) {
  (void)state;
  static const struct {
    memplan_fold fold;
    int32_t ops, weights;
  } rows[] = {{MEMPLAN_FOLD_NONE, 5, 2}, {MEMPLAN_FOLD_CONSTANTS, 4, 2}, {MEMPLAN_FOLD_SHAPES, 1, 1}};
  const memplan_dim dims[] = {{"N", 7}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    memplan_problem_options options = plain();
    options.fold = rows[i].fold;
    options.dims = dims;
    options.n_dims = 1;
    memplan_graph read = onnx_read_graph(shape_arithmetic(), &options);
    int32_t weights = 0;
    for (int32_t k = 0; k < read.n_tensors; k++) {
      weights += read.tensors[k].roles == MEMPLAN_ROLE_WEIGHT;
    }
    assert_int_equal(read.n_ops, rows[i].ops);
    assert_int_equal(weights, rows[i].weights);
    assert_int_equal(tensor_at(&read, "y")->bytes, 7 * 6 * 4);
    assert_int_equal(tensor_at(&read, "y")->rank, 2);
    memplan_graph_free(&read);
  }
}

static void dimensions_must_be_known(void **state) {
  (void)state;
  memplan_problem_options options = plain();
  onnx_expect_no_graph(shape_arithmetic(), &options, MEMPLAN_INPUT, "N");
  onnx_expect_no_graph(shape_arithmetic(), &options, MEMPLAN_INPUT, "model.onnx: ");
  const memplan_dim dims[] = {{"N", 7}, {"typo", 3}};
  options.dims = dims;
  options.n_dims = 2;
  onnx_expect_no_graph(shape_arithmetic(), &options, MEMPLAN_INPUT, "typo");
  const int64_t shape[] = {4, 2, 3};
  const memplan_shape shapes[] = {{"x", 3, shape}};
  options.n_dims = 0;
  options.shapes = shapes;
  options.n_shapes = 1;
  memplan_graph read = onnx_read_graph(shape_arithmetic(), &options);
  assert_int_equal(tensor_at(&read, "y")->bytes, 4 * 6 * 4);
  memplan_graph_free(&read);
}

static void zero_is_a_dimension(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  const int64_t dims[] = {0, 8};
  onnx_graph_input(&graph, onnx_value("x", 1, 2, dims, NULL));
  onnx_graph_op(&graph, "Relu", "", "x", "y");
  onnx_graph_output(&graph, onnx_value("y", 1, 2, dims, NULL));
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(tensor_at(&read, "y")->bytes, 0);
  memplan_graph_free(&read);
}

// ---- views

static onnx_bytes view_that_outlives(bool output) {
  static const int64_t shape[] = {4, 4};
  onnx_bytes graph = {0};
  onnx_graph_initializer(&graph, onnx_ints("to", 2, shape));
  add_source(&graph, "a", 16);
  onnx_graph_op(&graph, "Reshape", "", "a to", "v");
  add_source(&graph, "t2", 16);
  add_source(&graph, "t3", 16);
  add_source(&graph, "t4", 16);
  if (output) {
    onnx_graph_output(&graph, onnx_value("v", 1, 2, shape, NULL));
  } else {
    onnx_graph_op(&graph, "Shape", "use", "v", "use");
    onnx_graph_op(&graph, "Relu", "", "v", "y");
  }
  return onnx_model(17, graph);
}

static void views_hold_their_buffer(void **state) {
  (void)state;
  memplan_problem_options options = plain();
  options.views = MEMPLAN_VIEWS_RESHAPE;
  for (int output = 0; output < 2; output++) {
    memplan_graph read = onnx_read_graph(view_that_outlives(output == 1), &options);
    const memplan_tensor *view = tensor_at(&read, "v");
    assert_int_equal(view->view_of, onnx_find_tensor(&read, "a"));
    assert_int_equal(view->view_offset, 0);
    assert_int_equal(onnx_given_peak(&read, &options), 128);
    memplan_graph_free(&read);
  }
}

static void view_operators(void **state) {
  (void)state;
  static const char *const types[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Transpose", "Relu"};
  static const int64_t shape[] = {16}, axis[] = {0};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    onnx_bytes graph = {0};
    const int64_t dims[] = {1, 16};
    bool reshape = i == 0, axes = i == 2 || i == 3;
    onnx_graph_input(&graph, onnx_value("x", 1, 2, dims, NULL));
    onnx_graph_initializer(&graph, onnx_ints("to", 1, reshape ? shape : axis));
    onnx_graph_op(&graph, types[i], "", reshape || axes ? "x to" : "x", "v");
    onnx_graph_op(&graph, "Relu", "", "v", "y");
    memplan_problem_options options = plain();
    options.views = MEMPLAN_VIEWS_RESHAPE;
    memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
    assert_int_equal(tensor_at(&read, "v")->view_of, i < 5 ? onnx_find_tensor(&read, "x") : -1);
    memplan_graph_free(&read);
  }
}

// ---- in-place

static void last_reader_may_overwrite(void **state) {
  (void)state;
  for (int inplace = 0; inplace < 2; inplace++) {
    onnx_bytes graph = {0};
    add_source(&graph, "a", 25);
    onnx_graph_op(&graph, "Relu", "", "a", "b");
    onnx_graph_op(&graph, "Sigmoid", "", "a", "c");
    onnx_graph_op(&graph, "Add", "", "b c", "d");
    onnx_graph_output(&graph, onnx_floats("d", 25));
    memplan_problem_options options = plain();
    options.inplace = inplace == 1 ? MEMPLAN_INPLACE_SAFE : MEMPLAN_INPLACE_NONE;
    memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
    assert_int_equal(onnx_given_peak(&read, &options), inplace == 1 ? 200 : 300);
    assert_int_equal(read.ops[3].n_inplace, inplace == 1 ? 2 : 0);
    memplan_graph_free(&read);
  }
}

// One node on values a (8 floats), s (1 float), h (8 halves), i (8 int32) that nodes make; w is a weight of 8 floats.
static int32_t count_pairs(onnx_bytes node, int64_t opset) {
  static const int64_t eight[] = {8}, one_of_eight[] = {1, 8};
  onnx_bytes graph = {0};
  onnx_graph_initializer(&graph, onnx_tensor("w", 1, 1, eight));
  onnx_graph_initializer(&graph, onnx_ints("to", 2, one_of_eight));
  onnx_graph_input(&graph, onnx_value("n", 1, 4, (const int64_t[]){1, 8, 2, 2}, NULL));
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_input(&graph, onnx_floats("x1", 1));
  onnx_graph_op(&graph, "Abs", "", "x", "a");
  onnx_graph_op(&graph, "Abs", "", "x1", "s");
  onnx_bytes cast = onnx_node("Cast", "", "a", "h");
  onnx_add_int(&cast, "to", 10);
  onnx_graph_node(&graph, cast);
  cast = onnx_node("Cast", "", "a", "i");
  onnx_add_int(&cast, "to", 6);
  onnx_graph_node(&graph, cast);
  onnx_graph_op(&graph, "Abs", "", "n", "b");
  onnx_graph_node(&graph, node);
  memplan_problem_options options = memplan_problem_options_default();
  memplan_graph read = onnx_read_graph(onnx_model(opset, graph), &options);
  int32_t pairs = read.ops[read.n_ops - 1].n_inplace;
  for (int32_t k = 0; k < pairs; k++) {
    memplan_inplace pair = read.ops[read.n_ops - 1].inplace[k];
    assert_true(read.tensors[pair.output].bytes <= read.tensors[pair.input].bytes);
  }
  memplan_graph_free(&read);
  return pairs;
}

static void inplace_rules(void **state) {
  (void)state;
  static const struct {
    const char *op_type, *in, *out;
    int32_t pairs;
  } rows[] = {
      {"Relu", "a", "y", 1},      {"Softmax", "a", "y", 1},    {"Clip", "a - -", "y", 1},
      {"Dropout", "a", "y -", 1}, {"Dropout", "a", "y m", 1},  {"Add", "a s", "y", 1},
      {"Add", "s a", "y", 1},     {"Add", "a a", "y", 1},      {"Add", "a x", "y", 2},
      {"Add", "a w", "y", 1},     {"Mul", "s s", "y", 1},      {"Max", "a x a", "y", 2},
      {"Less", "a x", "y", 0},    {"Transpose", "a", "y", 0},  {"Identity", "a", "y", 0},
      {"Relu", "w", "y", 0},      {"LogSoftmax", "a", "y", 0}, {"ReduceMax", "a", "y", 0},
      {"Relu", "x", "y", 1},      {"Pow", "a s", "y", 1},      {"BatchNormalization", "b w w w w", "y", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int32_t pairs = count_pairs(onnx_node(rows[i].op_type, "", rows[i].in, rows[i].out), 17);
    if (strcmp(rows[i].in, "w") == 0) {
      continue; // folded: the last operator is another one
    }
    if (pairs != rows[i].pairs) {
      fail_msg("%s(%s): %d pairs, not %d", rows[i].op_type, rows[i].in, (int)pairs, (int)rows[i].pairs);
    }
  }
}

static void inplace_needs_the_element_size(void **state) {
  (void)state;
  static const struct {
    const char *in;
    int64_t to;
    int32_t pairs;
  } rows[] = {{"a", 6, 1}, {"a", 10, 0}, {"a", 2, 0}, {"a", 7, 0}, {"h", 1, 0}, {"h", 5, 1}, {"i", 12, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    onnx_bytes node = onnx_node("Cast", "", rows[i].in, "y");
    onnx_add_int(&node, "to", rows[i].to);
    assert_int_equal(count_pairs(node, 17), rows[i].pairs);
  }
}

static void training_is_not_in_place(void **state) {
  (void)state;
  onnx_bytes node = onnx_node("BatchNormalization", "", "b w w w w", "y");
  onnx_add_int(&node, "training_mode", 1);
  assert_int_equal(count_pairs(node, 17), 0);
  assert_int_equal(count_pairs(onnx_node("BatchNormalization", "", "b w w w w", "y m v sm sv"), 9), 0);
  assert_int_equal(count_pairs(onnx_node("BatchNormalization", "", "b w w w w", "y"), 9), 1);
}

static void inputs_are_not_overwritten(void **state) {
  (void)state;
  for (int writable = 0; writable < 2; writable++) {
    onnx_bytes graph = {0};
    onnx_graph_input(&graph, onnx_floats("x", 25));
    onnx_graph_op(&graph, "Relu", "", "x", "y");
    onnx_graph_output(&graph, onnx_floats("y", 25));
    memplan_problem_options options = memplan_problem_options_default();
    options.inputs_writable = writable == 1;
    memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
    assert_int_equal(onnx_given_peak(&read, &options), writable == 1 ? 100 : 200);
    memplan_graph_free(&read);
  }
}

// ---- inputs and outputs

static void unread_outputs_are_live_once(void **state) {
  (void)state;
  static const int64_t split[] = {10, 15};
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 25));
  onnx_graph_initializer(&graph, onnx_ints("split", 2, split));
  onnx_graph_op(&graph, "Split", "", "x split", "a b");
  onnx_graph_op(&graph, "Relu", "", "a", "y");
  onnx_graph_output(&graph, onnx_floats("y", 10));
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(tensor_at(&read, "b")->bytes, 60);
  assert_int_equal(onnx_given_peak(&read, &options), 200); // x 100, a 40, b 60
  memplan_graph_free(&read);
}

static void repeated_inputs(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 25));
  onnx_graph_op(&graph, "Mul", "", "x x", "y");
  onnx_graph_output(&graph, onnx_floats("y", 25));
  onnx_graph_output(&graph, onnx_floats("y", 25));
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(read.ops[0].n_in, 1);
  assert_int_equal(onnx_given_peak(&read, &options), 200);
  memplan_graph_free(&read);
}

static void input_that_is_an_output(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 25));
  onnx_graph_output(&graph, onnx_floats("x", 25));
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(read.n_ops, 0);
  assert_int_equal(read.n_tensors, 1);
  assert_int_equal(read.tensors[0].roles, MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT);
  memplan_graph_free(&read);
}

static void constant_output(void **state) {
  (void)state;
  for (int strict = 0; strict < 2; strict++) {
    onnx_bytes graph = {0};
    onnx_graph_input(&graph, onnx_floats("x", 25));
    onnx_graph_initializer(&graph, onnx_tensor("w", 1, 1, (const int64_t[]){50}));
    onnx_graph_op(&graph, "Relu", "", "x", "y");
    onnx_graph_output(&graph, onnx_floats("y", 25));
    onnx_graph_output(&graph, onnx_floats("w", 50));
    memplan_problem_options options = plain();
    options.strict = strict == 1;
    if (options.strict) {
      onnx_expect_no_graph(onnx_model(17, graph), &options, MEMPLAN_INPUT, "'w' is a constant");
      continue;
    }
    memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
    assert_int_equal(tensor_at(&read, "w")->roles, MEMPLAN_ROLE_WEIGHT);
    assert_int_equal(onnx_given_peak(&read, &options), 200);
    assert_true(read.n_warnings > 0);
    memplan_graph_free(&read);
  }
}

static void unread_weights_are_left_out(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 25));
  onnx_graph_initializer(&graph, onnx_tensor("unread", 1, 1, (const int64_t[]){50}));
  onnx_graph_op(&graph, "Relu", "", "x", "y");
  onnx_graph_output(&graph, onnx_floats("y", 25));
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(read.n_tensors, 2);
  memplan_graph_free(&read);
}

static void unsorted_nodes(void **state) {
  (void)state;
  for (int strict = 0; strict < 2; strict++) {
    onnx_bytes graph = {0};
    onnx_graph_input(&graph, onnx_floats("x", 25));
    onnx_graph_op(&graph, "Relu", "second", "t", "y");
    onnx_graph_op(&graph, "Abs", "first", "x", "t");
    onnx_graph_output(&graph, onnx_floats("y", 25));
    memplan_problem_options options = plain();
    options.strict = strict == 1;
    if (options.strict) {
      onnx_expect_no_graph(onnx_model(17, graph), &options, MEMPLAN_INPUT, "not sorted");
      continue;
    }
    memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
    assert_string_equal(read.ops[0].id, "first");
    assert_int_equal(read.n_warnings, 1);
    memplan_graph_free(&read);
  }
}

static void unknown_operators_are_named(void **state) {
  (void)state;
  onnx_bytes graph = {0}, node = onnx_node("Frobnicate", "fro", "x", "y");
  onnx_graph_input(&graph, onnx_floats("x", 25));
  onnx_put_text(&node, 7, "com.example");
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("y", 1, -1, NULL, NULL));
  memplan_problem_options options = plain();
  onnx_expect_no_graph(onnx_model(17, graph), &options, MEMPLAN_UNSUPPORTED, "Frobnicate");
}

static void strings_have_no_bytes(void **state) {
  (void)state;
  onnx_bytes graph = {0}, cast = onnx_node("Cast", "", "x", "t");
  onnx_graph_input(&graph, onnx_floats("x", 25));
  onnx_add_int(&cast, "to", 8);
  onnx_graph_node(&graph, cast);
  onnx_graph_op(&graph, "Identity", "", "t", "y");
  onnx_graph_output(&graph, onnx_value("y", 8, 1, (const int64_t[]){25}, NULL));
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(tensor_at(&read, "t")->bytes, 0);
  assert_int_equal(read.n_warnings, 2);
  memplan_graph_free(&read);
}

static void sequences_take_their_elements(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 25));
  onnx_graph_op(&graph, "SequenceConstruct", "", "x x x", "q");
  onnx_bytes node = onnx_node("ConcatFromSequence", "", "q", "y");
  onnx_add_int(&node, "axis", 0);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("y", 1, -1, NULL, NULL));
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_int_equal(tensor_at(&read, "q")->bytes, 300);
  assert_int_equal(tensor_at(&read, "y")->bytes, 300);
  memplan_graph_free(&read);
}

static void graph_names_its_source(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_put_text(&graph, 2, "net");
  onnx_graph_input(&graph, onnx_floats("x", 25));
  onnx_graph_op(&graph, "Relu", "", "x", "y");
  memplan_problem_options options = plain();
  memplan_graph read = onnx_read_graph(onnx_model(17, graph), &options);
  assert_string_equal(read.name, "net");
  assert_string_equal(read.source, "ONNX IR 8, opset 17, tests");
  memplan_graph_free(&read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operator_ids),
      cmocka_unit_test(sizes_follow_types),
      cmocka_unit_test(folding),
      cmocka_unit_test(dimensions_must_be_known),
      cmocka_unit_test(zero_is_a_dimension),
      cmocka_unit_test(views_hold_their_buffer),
      cmocka_unit_test(view_operators),
      cmocka_unit_test(last_reader_may_overwrite),
      cmocka_unit_test(inplace_rules),
      cmocka_unit_test(inplace_needs_the_element_size),
      cmocka_unit_test(training_is_not_in_place),
      cmocka_unit_test(inputs_are_not_overwritten),
      cmocka_unit_test(unread_outputs_are_live_once),
      cmocka_unit_test(repeated_inputs),
      cmocka_unit_test(input_that_is_an_output),
      cmocka_unit_test(constant_output),
      cmocka_unit_test(unread_weights_are_left_out),
      cmocka_unit_test(unsorted_nodes),
      cmocka_unit_test(unknown_operators_are_named),
      cmocka_unit_test(strings_have_no_bytes),
      cmocka_unit_test(sequences_take_their_elements),
      cmocka_unit_test(graph_names_its_source),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
