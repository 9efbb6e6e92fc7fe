// SPDX-License-Identifier: Apache-2.0
// Inference over whole graphs: symbols and input shapes, partial data, bodies, declarations, reports.
#include "instances/onnx_infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "instances/onnx_order.h"
#include "tests/support/onnx_reading.h"

enum { f32 = 1, i64 = 7, boolean = 9 };

static memplan_status infer(onnx_bytes bytes, const memplan_problem_options *options, memplan_onnx_model *model,
                            memplan_error *error) {
  *model = onnx_read_good(bytes);
  const int32_t *const *order = NULL;
  assert_int_equal(memplan_onnx_find_captures(model, error), MEMPLAN_OK);
  assert_int_equal(memplan_onnx_sort(model, &model->arena, &order, error), MEMPLAN_OK);
  return memplan_onnx_infer(model, order, options, error);
}

static memplan_onnx_model infer_good(onnx_bytes bytes, const memplan_problem_options *options) {
  memplan_onnx_model model;
  memplan_error error = {.status = MEMPLAN_OK};
  if (infer(bytes, options, &model, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return model;
}

static void expect_refused(onnx_bytes bytes, const memplan_problem_options *options, memplan_status expected,
                           const char *part) {
  memplan_onnx_model model;
  memplan_error error = {.status = MEMPLAN_OK};
  memplan_status status = infer(bytes, options, &model, &error);
  if (status != expected || strstr(error.message, part) == NULL) {
    fail_msg("status %d, %s", (int)status, error.message);
  }
  memplan_onnx_model_free(&model);
}

static void expect_dims(const memplan_onnx_model *model, const char *name, int32_t rank, const int64_t *dims) {
  const memplan_onnx_type *type = &model->values[onnx_find_value(model, name)].type;
  assert_int_equal(type->rank, rank);
  for (int32_t d = 0; d < rank; d++) {
    assert_int_equal(type->dims[d], dims[d]);
  }
}

#define DIMS(...)                                                                                                      \
  (int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { __VA_ARGS__ }

// x [batch, 3] and m [batch, seq], Relu each.
static onnx_bytes two_inputs(void) {
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", f32, 2, (const int64_t[]){-1, 3}, (const char *const[]){"batch", NULL}));
  onnx_graph_input(&graph, onnx_value("m", f32, 2, (const int64_t[]){-1, -1}, (const char *const[]){"batch", "seq"}));
  onnx_graph_op(&graph, "Relu", "", "x", "y");
  onnx_graph_op(&graph, "Relu", "", "m", "n");
  onnx_graph_output(&graph, onnx_value("y", f32, 2, (const int64_t[]){-1, 3}, (const char *const[]){"other", NULL}));
  onnx_graph_output(&graph, onnx_value("n", f32, -1, NULL, NULL));
  return onnx_model(17, graph);
}

static void symbols(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  expect_refused(two_inputs(), &options, MEMPLAN_INPUT,
                 "inputs 'x' (batch), 'm' (batch, seq) with unknown dimensions; give --dim batch=... --dim seq=... or "
                 "--shape x=... --shape m=...");
  options.dims = (const memplan_dim[]){{"batch", 4}, {"seq", 0}};
  options.n_dims = 1;
  expect_refused(two_inputs(), &options, MEMPLAN_INPUT, "input 'm' (seq) with unknown dimensions; give --dim seq=...");
  options.n_dims = 2;
  memplan_onnx_model model = infer_good(two_inputs(), &options);
  expect_dims(&model, "y", DIMS(4, 3));
  expect_dims(&model, "n", DIMS(4, 0));
  memplan_onnx_model_free(&model);
}

static void shapes(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  options.shapes = (const memplan_shape[]){{"m", 2, (const int64_t[]){5, 6}}};
  options.n_shapes = 1;
  // The shape of m determines `batch`, and so the shape of x.
  memplan_onnx_model model = infer_good(two_inputs(), &options);
  expect_dims(&model, "y", DIMS(5, 3));
  expect_dims(&model, "n", DIMS(5, 6));
  memplan_onnx_model_free(&model);
  options.dims = (const memplan_dim[]){{"batch", 4}};
  options.n_dims = 1;
  expect_refused(two_inputs(), &options, MEMPLAN_INPUT, "--shape m gives 5 for 'batch', but --dim says batch=4");
}

static void options_that_nothing_uses(void **state) {
  (void)state;
  const struct {
    memplan_dim dim;
    memplan_shape shape;
    const char *message;
  } rows[] = {
      {{"Batch", 4},
       {NULL, 0, NULL},
       "--dim Batch=4: no dimension of the model has this name; it has batch, seq, other"},
      {{"seq", -1}, {NULL, 0, NULL}, "cannot be negative"},
      {{NULL, 0}, {"z", 1, (const int64_t[]){1}}, "--shape z: the model has no such input; its inputs are 'x', 'm'"},
      {{NULL, 0}, {"x", 1, (const int64_t[]){1}}, "--shape x has 1 dimensions, the model says 2"},
      {{NULL, 0}, {"x", 2, (const int64_t[]){1, 4}}, "dimension 1 is 4, but the model fixes it at 3"},
      {{NULL, 0}, {"x", 2, (const int64_t[]){-1, 3}}, "cannot be negative"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    memplan_problem_options options = memplan_problem_options_default();
    options.dims = &rows[i].dim;
    options.n_dims = rows[i].dim.name != NULL;
    options.shapes = &rows[i].shape;
    options.n_shapes = rows[i].shape.name != NULL;
    expect_refused(two_inputs(), &options, MEMPLAN_INPUT, rows[i].message);
  }
}

static void anonymous_dimensions(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", f32, 2, (const int64_t[]){-1, -1}, (const char *const[]){"?", "?"}));
  onnx_graph_op(&graph, "Relu", "", "x", "y");
  onnx_graph_output(&graph, onnx_value("y", f32, -1, NULL, NULL));
  onnx_bytes copy = {0};
  onnx_put_raw(&copy, graph.data, graph.size);
  memplan_problem_options options = memplan_problem_options_default();
  expect_refused(onnx_model(17, copy), &options, MEMPLAN_INPUT,
                 "input 'x' (dimension 0, dimension 1) with unknown dimensions; give --shape x=...");
  options.shapes = (const memplan_shape[]){{"x", 2, (const int64_t[]){2, 3}}};
  options.n_shapes = 1;
  memplan_onnx_model model = infer_good(onnx_model(17, graph), &options);
  expect_dims(&model, "y", DIMS(2, 3));
  memplan_onnx_model_free(&model);
}

static void scalar_shape(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("sr", f32, -1, NULL, NULL));
  onnx_graph_op(&graph, "Relu", "", "sr", "y");
  onnx_graph_output(&graph, onnx_value("y", f32, -1, NULL, NULL));
  memplan_problem_options options = memplan_problem_options_default();
  options.shapes = (const memplan_shape[]){{"sr", 0, NULL}};
  options.n_shapes = 1;
  memplan_onnx_model model = infer_good(onnx_model(17, graph), &options);
  expect_dims(&model, "y", 0, NULL);
  memplan_onnx_model_free(&model);
}

// The shape of a list whose length is data goes through Shape, Gather and Concat into a Reshape.
static void partial_data(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", f32, 2, (const int64_t[]){6, 4}, NULL));
  onnx_graph_initializer(&graph, onnx_ints("one", 1, (const int64_t[]){1}));
  onnx_graph_initializer(&graph, onnx_ints("two", 1, (const int64_t[]){2}));
  onnx_graph_initializer(&graph, onnx_ints("rest", 1, (const int64_t[]){-1}));
  onnx_graph_op(&graph, "NonZero", "", "x", "found"); // [2, ?]
  onnx_graph_op(&graph, "Shape", "", "found", "shape");
  onnx_graph_initializer(&graph, onnx_ints("zero", 1, (const int64_t[]){0}));
  onnx_graph_op(&graph, "Gather", "", "shape zero", "rows");   // 2
  onnx_graph_op(&graph, "Gather", "", "shape one", "columns"); // ?
  onnx_bytes concat = onnx_node("Concat", "", "columns rows", "target");
  onnx_add_int(&concat, "axis", 0);
  onnx_graph_node(&graph, concat);
  onnx_graph_op(&graph, "Reshape", "", "found target", "y"); // [?, 2]
  onnx_bytes other = onnx_node("Concat", "", "rows rest", "other");
  onnx_add_int(&other, "axis", 0);
  onnx_graph_node(&graph, other);
  onnx_graph_op(&graph, "Reshape", "", "x other", "z"); // [2, 12], in spite of the unknown entry beside it
  onnx_graph_output(&graph, onnx_value("y", i64, -1, NULL, NULL));
  memplan_problem_options options = memplan_problem_options_default();
  memplan_onnx_model model;
  memplan_error error = {.status = MEMPLAN_OK};
  assert_int_equal(infer(onnx_model(17, graph), &options, &model, &error), MEMPLAN_UNSUPPORTED);
  assert_non_null(
      strstr(error.message, "results that depend on data: NonZero (1); tensors without shape: 'found', 'y'"));
  expect_dims(&model, "y", DIMS(-1, 2));
  expect_dims(&model, "z", DIMS(2, 12));
  assert_true(model.values[onnx_find_value(&model, "y")].data_dependent);
  assert_false(model.values[onnx_find_value(&model, "z")].data_dependent);
  memplan_onnx_model_free(&model);
}

static void declared_shapes(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", f32, 2, (const int64_t[]){6, 4}, NULL));
  onnx_graph_op(&graph, "NonZero", "", "x", "found");
  onnx_graph_op(&graph, "Mystery", "", "x", "m");
  onnx_graph_op(&graph, "Relu", "", "x", "wrong");
  onnx_graph_output(&graph, onnx_value("found", i64, 2, (const int64_t[]){2, -1}, (const char *const[]){NULL, "n"}));
  onnx_graph_output(&graph, onnx_value("m", f32, 1, (const int64_t[]){9}, NULL));
  onnx_graph_output(&graph, onnx_value("wrong", f32, 1, (const int64_t[]){9}, NULL));
  onnx_bytes copy = {0};
  onnx_put_raw(&copy, graph.data, graph.size);
  memplan_problem_options options = memplan_problem_options_default();
  expect_refused(onnx_model(17, copy), &options, MEMPLAN_UNSUPPORTED,
                 "results that depend on data: NonZero (1); tensors without shape: 'found'; the file calls a dimension "
                 "'n', which --dim n=... may settle");
  options.dims = (const memplan_dim[]){{"n", 7}};
  options.n_dims = 1;
  memplan_onnx_model model = infer_good(onnx_model(17, graph), &options);
  expect_dims(&model, "found", DIMS(2, 7));
  expect_dims(&model, "m", DIMS(9));
  expect_dims(&model, "wrong", DIMS(6, 4));
  assert_int_equal(model.n_warnings, 1);
  assert_non_null(strstr(model.warnings[0], "'wrong'"));
  memplan_onnx_model_free(&model);
}

// Neither --shape nor --dim tells an element type: the message does not ask for them.
static void inputs_without_a_type(void **state) {
  (void)state;
  const memplan_shape shape = {.name = "x", .rank = 1, .dims = (const int64_t[]){4}};
  for (int k = 0; k < 4; k++) {
    onnx_bytes graph = {0}, bare = {0};
    onnx_put_text(&bare, 1, "x");
    onnx_bytes shapeless = onnx_value("x", 0, -1, NULL, NULL);
    onnx_graph_input(&graph, k < 2 ? bare : shapeless);
    onnx_bytes_free(k < 2 ? &shapeless : &bare);
    onnx_graph_op(&graph, "Relu", "", "x", "y");
    onnx_graph_output(&graph, onnx_value("y", f32, -1, NULL, NULL));
    memplan_problem_options options = memplan_problem_options_default();
    options.shapes = &shape;
    options.n_shapes = k % 2;
    expect_refused(onnx_model(17, graph), &options, MEMPLAN_INPUT,
                   "input 'x' has no element type in the file, so that no shape tells its bytes: write its type into "
                   "the model");
  }
}

static void unknown_operators(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 4));
  onnx_graph_op(&graph, "Mystery", "", "x", "a");
  onnx_graph_op(&graph, "Mystery", "", "x", "b");
  onnx_graph_op(&graph, "Relu", "", "a", "c");
  onnx_graph_output(&graph, onnx_value("c", f32, -1, NULL, NULL));
  memplan_problem_options options = memplan_problem_options_default();
  expect_refused(
      onnx_model(17, graph), &options, MEMPLAN_UNSUPPORTED,
      "unknown operators: Mystery (2); tensors without shape: 'a', 'b', 'c'; a shape that the file states in "
      "its value_info is taken, and --dim settles dimensions named there");
}

static void contradictions(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 4));
  onnx_graph_input(&graph, onnx_floats("z", 5));
  onnx_graph_op(&graph, "Add", "sum", "x z", "y");
  onnx_graph_output(&graph, onnx_floats("y", 4));
  memplan_problem_options options = memplan_problem_options_default();
  expect_refused(onnx_model(17, graph), &options, MEMPLAN_INPUT,
                 "Add 'sum' (inputs: f32[4], f32[5]): the shapes cannot");
}

// A branch that squeezes x [2] or adds a dimension; `good` says which of the operators fits.
static onnx_bytes branch(const char *op, const char *output) {
  onnx_bytes graph = {0};
  onnx_graph_op(&graph, op, op, "x axis", output);
  onnx_graph_output(&graph, onnx_value(output, f32, -1, NULL, NULL));
  return graph;
}

static onnx_bytes conditional(int64_t condition) {
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", f32, 2, (const int64_t[]){1, 2}, NULL));
  onnx_graph_initializer(&graph, onnx_ints("axis", 1, (const int64_t[]){0}));
  if (condition < 0) {
    onnx_graph_input(&graph, onnx_value("number", i64, 0, NULL, NULL));
  } else {
    onnx_graph_initializer(&graph, onnx_ints("number", -1, &condition));
  }
  onnx_bytes cast = onnx_node("Cast", "", "number", "c");
  onnx_add_int(&cast, "to", boolean);
  onnx_graph_node(&graph, cast);
  onnx_bytes node = onnx_node("If", "choice", "c", "y");
  onnx_add_graph(&node, "then_branch", branch("Squeeze", "then"));
  onnx_add_graph(&node, "else_branch", branch("Unsqueeze", "else"));
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("y", f32, -1, NULL, NULL));
  return onnx_model(17, graph);
}

static void branches(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  memplan_onnx_model model = infer_good(conditional(1), &options);
  expect_dims(&model, "y", DIMS(2));
  assert_false(model.graphs[1].unreachable);
  assert_true(model.graphs[2].unreachable);
  assert_false(model.values[onnx_find_value(&model, "y")].is_constant);
  memplan_onnx_model_free(&model);
  model = infer_good(conditional(0), &options);
  expect_dims(&model, "y", DIMS(1, 1, 2));
  assert_true(model.graphs[1].unreachable);
  memplan_onnx_model_free(&model);
  expect_refused(conditional(-1), &options, MEMPLAN_UNSUPPORTED,
                 "results that depend on data: If (1); tensors without shape: 'y'");
}

// One branch contradicts the shapes: it is left out, with a warning. If both do, that is an error.
static void impossible_branches(void **state) {
  (void)state;
  for (int both = 0; both < 2; both++) {
    onnx_bytes graph = {0};
    onnx_graph_input(&graph, onnx_value("x", f32, 2, (const int64_t[]){3, 2}, NULL));
    onnx_graph_input(&graph, onnx_value("c", boolean, 0, NULL, NULL));
    onnx_graph_initializer(&graph, onnx_ints("axis", 1, (const int64_t[]){0}));
    onnx_bytes node = onnx_node("If", "choice", "c", "y");
    onnx_add_graph(&node, "then_branch", branch("Squeeze", "then"));
    onnx_add_graph(&node, "else_branch", branch(both ? "Squeeze" : "Unsqueeze", "else"));
    onnx_graph_node(&graph, node);
    onnx_graph_output(&graph, onnx_value("y", f32, -1, NULL, NULL));
    memplan_problem_options options = memplan_problem_options_default();
    if (both) {
      expect_refused(onnx_model(17, graph), &options, MEMPLAN_INPUT, "cannot be squeezed");
      continue;
    }
    memplan_onnx_model model = infer_good(onnx_model(17, graph), &options);
    expect_dims(&model, "y", DIMS(1, 3, 2));
    assert_true(model.graphs[1].unreachable);
    assert_int_equal(model.n_warnings, 1);
    assert_non_null(strstr(model.warnings[0], "a branch of If 'choice' cannot run with these shapes"));
    memplan_onnx_model_free(&model);
  }
}

// Loop over `trips` (-1: an input): carries t, scans s. Body: t' = op(t), s = Relu(t').
static onnx_bytes loop_model(int64_t trips, bool grows) {
  onnx_bytes body = {0};
  onnx_graph_input(&body, onnx_value("i", i64, 0, NULL, NULL));
  onnx_graph_input(&body, onnx_value("keep", boolean, 0, NULL, NULL));
  onnx_graph_input(&body, onnx_value("t", f32, -1, NULL, NULL));
  onnx_graph_op(&body, "Identity", "", "keep", "still");
  if (grows) {
    onnx_bytes concat = onnx_node("Concat", "", "t x", "next");
    onnx_add_int(&concat, "axis", 0);
    onnx_graph_node(&body, concat);
  } else {
    onnx_graph_op(&body, "Add", "", "t x", "next");
  }
  onnx_graph_op(&body, "Relu", "", "x", "slice");
  onnx_graph_output(&body, onnx_value("still", boolean, 0, NULL, NULL));
  onnx_graph_output(&body, onnx_value("next", f32, -1, NULL, NULL));
  onnx_graph_output(&body, onnx_value("slice", f32, -1, NULL, NULL));
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 3));
  if (trips < 0) {
    onnx_graph_input(&graph, onnx_value("n", i64, 0, NULL, NULL));
  } else {
    onnx_graph_initializer(&graph, onnx_ints("n", -1, &trips));
  }
  onnx_bytes node = onnx_node("Loop", "loop", "n - x", "y scanned");
  onnx_add_graph(&node, "body", body);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("y", f32, -1, NULL, NULL));
  onnx_graph_output(&graph, onnx_value("scanned", f32, -1, NULL, NULL));
  return onnx_model(17, graph);
}

static void loops(void **state) {
  (void)state;
  memplan_problem_options options = memplan_problem_options_default();
  memplan_onnx_model model = infer_good(loop_model(5, false), &options);
  expect_dims(&model, "y", DIMS(3));
  expect_dims(&model, "scanned", DIMS(5, 3));
  expect_dims(&model, "next", DIMS(3));
  memplan_onnx_model_free(&model);
  // Followed iteration by iteration; in the body the largest sizes stay.
  model = infer_good(loop_model(5, true), &options);
  expect_dims(&model, "y", DIMS(18));
  expect_dims(&model, "scanned", DIMS(5, 3));
  expect_dims(&model, "next", DIMS(18));
  expect_dims(&model, "t", DIMS(15));
  memplan_onnx_model_free(&model);
  model = infer_good(loop_model(0, true), &options);
  expect_dims(&model, "y", DIMS(3));
  expect_dims(&model, "scanned", DIMS(0, 3));
  assert_true(model.graphs[1].unreachable);
  memplan_onnx_model_free(&model);
  expect_refused(loop_model(-1, false), &options, MEMPLAN_UNSUPPORTED, "Loop (1); tensors without shape: 'scanned'");
  expect_refused(loop_model(-1, true), &options, MEMPLAN_UNSUPPORTED, "tensors without shape: 'y', 'scanned'");
}

static void scans(void **state) {
  (void)state;
  onnx_bytes body = {0};
  onnx_graph_input(&body, onnx_value("s", f32, -1, NULL, NULL));
  onnx_graph_input(&body, onnx_value("e", f32, -1, NULL, NULL));
  onnx_graph_op(&body, "Add", "", "s e", "sum");
  onnx_graph_op(&body, "Identity", "", "sum", "copy");
  onnx_graph_output(&body, onnx_value("sum", f32, -1, NULL, NULL));
  onnx_graph_output(&body, onnx_value("copy", f32, -1, NULL, NULL));
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("start", 2));
  onnx_graph_input(&graph, onnx_value("x", f32, 2, (const int64_t[]){2, 7}, NULL));
  onnx_bytes node = onnx_node("Scan", "", "start x", "last all");
  onnx_add_int(&node, "num_scan_inputs", 1);
  onnx_add_ints(&node, "scan_input_axes", 1, (const int64_t[]){1});
  onnx_add_ints(&node, "scan_output_axes", 1, (const int64_t[]){-1});
  onnx_add_graph(&node, "body", body);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("last", f32, -1, NULL, NULL));
  onnx_graph_output(&graph, onnx_value("all", f32, -1, NULL, NULL));
  memplan_problem_options options = memplan_problem_options_default();
  memplan_onnx_model model = infer_good(onnx_model(17, graph), &options);
  expect_dims(&model, "last", DIMS(2));
  expect_dims(&model, "all", DIMS(2, 7));
  expect_dims(&model, "e", DIMS(2));
  memplan_onnx_model_free(&model);
}

// Version 8: sequence lengths first, a batch in front of everything.
static void scans_with_batch(void **state) {
  (void)state;
  onnx_bytes body = {0};
  onnx_graph_input(&body, onnx_value("s", f32, -1, NULL, NULL));
  onnx_graph_input(&body, onnx_value("e", f32, -1, NULL, NULL));
  onnx_graph_op(&body, "Add", "", "s e", "sum");
  onnx_graph_op(&body, "Identity", "", "sum", "copy");
  onnx_graph_output(&body, onnx_value("sum", f32, -1, NULL, NULL));
  onnx_graph_output(&body, onnx_value("copy", f32, -1, NULL, NULL));
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("start", f32, 2, (const int64_t[]){4, 2}, NULL));
  onnx_graph_input(&graph, onnx_value("x", f32, 3, (const int64_t[]){4, 7, 2}, NULL));
  onnx_bytes node = onnx_node("Scan", "", "- start x", "last all");
  onnx_add_int(&node, "num_scan_inputs", 1);
  onnx_add_graph(&node, "body", body);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("last", f32, -1, NULL, NULL));
  onnx_graph_output(&graph, onnx_value("all", f32, -1, NULL, NULL));
  memplan_problem_options options = memplan_problem_options_default();
  memplan_onnx_model model = infer_good(onnx_model(8, graph), &options);
  expect_dims(&model, "last", DIMS(4, 2));
  expect_dims(&model, "all", DIMS(4, 7, 2));
  memplan_onnx_model_free(&model);
}

// Dimensions collected in a sequence and joined again: their values survive.
static void sequences_keep_data(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", f32, 2, (const int64_t[]){6, 4}, NULL));
  onnx_graph_initializer(&graph, onnx_ints("first", -1, (const int64_t[]){3}));
  onnx_graph_initializer(&graph, onnx_ints("second", -1, (const int64_t[]){8}));
  onnx_graph_op(&graph, "SequenceConstruct", "", "first", "list");
  onnx_graph_op(&graph, "SequenceInsert", "", "list second", "longer");
  onnx_bytes join = onnx_node("ConcatFromSequence", "", "longer", "target");
  onnx_add_int(&join, "axis", 0);
  onnx_add_int(&join, "new_axis", 1);
  onnx_graph_node(&graph, join);
  onnx_graph_op(&graph, "Reshape", "", "x target", "y");
  onnx_graph_output(&graph, onnx_value("y", f32, -1, NULL, NULL));
  memplan_problem_options options = memplan_problem_options_default();
  memplan_onnx_model model = infer_good(onnx_model(17, graph), &options);
  expect_dims(&model, "y", DIMS(3, 8));
  assert_true(model.values[onnx_find_value(&model, "target")].is_constant);
  memplan_onnx_model_free(&model);
}

// Constants by way of bodies: captures count as inputs, and random operators inside make the result variable.
static void constant_bodies(void **state) {
  (void)state;
  static const struct {
    const char *op, *in;
    bool constant;
  } rows[] = {{"Neg", "k", true}, {"Neg", "x", false}, {"RandomNormalLike", "k", false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    onnx_bytes graph = {0};
    onnx_graph_input(&graph, onnx_floats("x", 2));
    onnx_graph_initializer(&graph, onnx_tensor("k", f32, 1, (const int64_t[]){2}));
    onnx_graph_initializer(&graph, onnx_ints("n", -1, (const int64_t[]){1}));
    onnx_bytes cast = onnx_node("Cast", "", "n", "c");
    onnx_add_int(&cast, "to", boolean);
    onnx_graph_node(&graph, cast);
    onnx_bytes body = {0};
    onnx_graph_op(&body, rows[i].op, "", rows[i].in, "r");
    onnx_graph_output(&body, onnx_floats("r", 2));
    onnx_bytes other = {0};
    onnx_graph_op(&other, "Abs", "", "k", "s");
    onnx_graph_output(&other, onnx_floats("s", 2));
    onnx_bytes node = onnx_node("If", "", "c", "y");
    onnx_add_graph(&node, "then_branch", body);
    onnx_add_graph(&node, "else_branch", other);
    onnx_graph_node(&graph, node);
    onnx_graph_output(&graph, onnx_floats("y", 2));
    memplan_problem_options options = memplan_problem_options_default();
    memplan_onnx_model model = infer_good(onnx_model(17, graph), &options);
    assert_int_equal(model.values[onnx_find_value(&model, "y")].is_constant, rows[i].constant);
    memplan_onnx_model_free(&model);
  }
}

// Loops in loops whose carried shapes change at every level: the work stays bounded.
static void nested_loops_end(void **state) {
  (void)state;
  onnx_bytes inner = {0};
  for (int depth = 0; depth < 40; depth++) {
    onnx_bytes body = {0};
    char name[3][16];
    (void)snprintf(name[0], sizeof name[0], "t%d", depth);
    (void)snprintf(name[1], sizeof name[1], "u%d", depth);
    (void)snprintf(name[2], sizeof name[2], "k%d", depth);
    char counter[16];
    char pair[40];
    (void)snprintf(counter, sizeof counter, "i%d", depth);
    onnx_graph_input(&body, onnx_value(counter, i64, 0, NULL, NULL));
    onnx_graph_input(&body, onnx_value(name[2], boolean, 0, NULL, NULL));
    onnx_graph_input(&body, onnx_value(name[0], f32, -1, NULL, NULL));
    (void)snprintf(pair, sizeof pair, "%s %s", name[0], name[0]);
    if (depth == 0) {
      onnx_bytes concat = onnx_node("Concat", "", pair, name[1]);
      onnx_add_int(&concat, "axis", 0);
      onnx_graph_node(&body, concat);
    } else {
      (void)snprintf(pair, sizeof pair, "n - %s", name[0]);
      onnx_bytes node = onnx_node("Loop", "", pair, name[1]);
      onnx_add_graph(&node, "body", inner);
      onnx_graph_node(&body, node);
    }
    onnx_graph_output(&body, onnx_value(name[2], boolean, 0, NULL, NULL));
    onnx_graph_output(&body, onnx_value(name[1], f32, -1, NULL, NULL));
    inner = body;
  }
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 3));
  onnx_graph_initializer(&graph, onnx_ints("n", -1, (const int64_t[]){1000}));
  onnx_bytes node = onnx_node("Loop", "", "n - x", "y");
  onnx_add_graph(&node, "body", inner);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("y", f32, -1, NULL, NULL));
  memplan_problem_options options = memplan_problem_options_default();
  memplan_onnx_model model;
  memplan_error error = {.status = MEMPLAN_OK};
  memplan_status status = infer(onnx_model(17, graph), &options, &model, &error);
  assert_true(status == MEMPLAN_UNSUPPORTED || status == MEMPLAN_INPUT);
  memplan_onnx_model_free(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(symbols),
      cmocka_unit_test(shapes),
      cmocka_unit_test(options_that_nothing_uses),
      cmocka_unit_test(anonymous_dimensions),
      cmocka_unit_test(scalar_shape),
      cmocka_unit_test(partial_data),
      cmocka_unit_test(declared_shapes),
      cmocka_unit_test(inputs_without_a_type),
      cmocka_unit_test(unknown_operators),
      cmocka_unit_test(contradictions),
      cmocka_unit_test(branches),
      cmocka_unit_test(impossible_branches),
      cmocka_unit_test(loops),
      cmocka_unit_test(scans),
      cmocka_unit_test(scans_with_batch),
      cmocka_unit_test(sequences_keep_data),
      cmocka_unit_test(constant_bodies),
      cmocka_unit_test(nested_loops_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
