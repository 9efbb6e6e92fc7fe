// SPDX-License-Identifier: Apache-2.0
// What decoding keeps of ONNX files: constants with their data, and types.
#include "tests/support/onnx_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

typedef struct number_row {
  int32_t elem_type;
  const char *raw;
  size_t size;
  double expected[2]; // of two elements
} number_row;

static void raw_data(void **state) {
  (void)state;
  static const number_row rows[] = {
      {1, "\0\0\200\77\0\0\0\300", 8, {1.0, -2.0}},
      {2, "\1\377", 2, {1, 255}},
      {3, "\1\377", 2, {1, -1}},
      {4, "\1\0\377\377", 4, {1, 65535}},
      {5, "\1\0\377\377", 4, {1, -1}},
      {6, "\1\0\0\0\376\377\377\377", 8, {1, -2}},
      {7, "\1\0\0\0\0\0\0\0\376\377\377\377\377\377\377\377", 16, {1, -2}},
      {9, "\0\2", 2, {0, 1}},
      {10, "\0\74\1\200", 4, {1.0, -5.9604644775390625e-08}},
      {11, "\0\0\0\0\0\0\360\77\0\0\0\0\0\0\4\300", 16, {1.0, -2.5}},
      {12, "\1\0\0\0\377\377\377\377", 8, {1, 4294967295.0}},
      {16, "\200\77\40\300", 4, {1.0, -2.5}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    onnx_bytes graph = {0}, tensor = onnx_tensor("c", rows[i].elem_type, 1, (const int64_t[]){2});
    onnx_put_block(&tensor, 9, rows[i].raw, rows[i].size);
    onnx_graph_initializer(&graph, tensor);
    memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
    const memplan_onnx_data *data = &model.values[0].data;
    assert_int_equal(data->count, 2);
    assert_true((data->ints == NULL) != (data->reals == NULL));
    for (int k = 0; k < 2; k++) {
      double value = data->reals != NULL ? data->reals[k] : (double)data->ints[k];
      assert_true(value == rows[i].expected[k]);
    }
    memplan_onnx_model_free(&model);
  }
}

static void half_infinities(void **state) {
  (void)state;
  onnx_bytes graph = {0}, tensor = onnx_tensor("c", 10, 1, (const int64_t[]){3});
  onnx_put_block(&tensor, 9, "\0\174\0\374\1\176", 6);
  onnx_graph_initializer(&graph, tensor);
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  const double *reals = model.values[0].data.reals;
  assert_true(isinf(reals[0]) && reals[0] > 0);
  assert_true(isinf(reals[1]) && reals[1] < 0);
  assert_true(isnan(reals[2]));
  memplan_onnx_model_free(&model);
}

static void typed_data(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_bytes packed = onnx_tensor("packed", 7, 1, (const int64_t[]){3}), list = {0};
  onnx_put_varint(&list, 5);
  onnx_put_varint(&list, (uint64_t)-1);
  onnx_put_message(&packed, 7, list);
  onnx_put_int(&packed, 7, 300); // packed and single numbers of one field mix
  onnx_graph_initializer(&graph, packed);
  onnx_bytes small = onnx_tensor("small", 3, 1, (const int64_t[]){1});
  onnx_put_int(&small, 5, -7);
  onnx_graph_initializer(&graph, small);
  onnx_bytes half = onnx_tensor("half", 10, 1, (const int64_t[]){1});
  onnx_put_int(&half, 5, 0x3c00);
  onnx_graph_initializer(&graph, half);
  onnx_bytes single = onnx_tensor("single", 1, 0, NULL);
  onnx_put_float(&single, 4, 0.5f);
  onnx_graph_initializer(&graph, single);
  onnx_bytes large = onnx_tensor("large", 13, 0, NULL);
  onnx_put_int(&large, 11, -1);
  onnx_graph_initializer(&graph, large);
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  const memplan_onnx_data *data = &model.values[onnx_find_value(&model, "packed")].data;
  assert_int_equal(data->count, 3);
  assert_int_equal(data->ints[0], 5);
  assert_int_equal(data->ints[1], -1);
  assert_int_equal(data->ints[2], 300);
  assert_int_equal(model.values[onnx_find_value(&model, "small")].data.ints[0], -7);
  assert_true(model.values[onnx_find_value(&model, "half")].data.reals[0] == 1.0);
  assert_true(model.values[onnx_find_value(&model, "single")].data.reals[0] == 0.5);
  assert_int_equal(model.values[onnx_find_value(&model, "large")].data.ints[0], -1);
  assert_int_equal(model.values[onnx_find_value(&model, "large")].type.rank, 0);
  memplan_onnx_model_free(&model);
}

static void data_must_fit_dimensions(void **state) {
  (void)state;
  onnx_bytes graph = {0}, tensor = onnx_tensor("c", 7, 1, (const int64_t[]){3});
  onnx_put_block(&tensor, 9, "12345678", 8);
  onnx_graph_initializer(&graph, tensor);
  onnx_expect_refused(onnx_model(17, graph), MEMPLAN_INPUT, "'c' has 3 elements");
  onnx_bytes graph2 = {0}, tensor2 = onnx_tensor("c", 7, 1, (const int64_t[]){1});
  onnx_put_int(&tensor2, 7, 1);
  onnx_put_int(&tensor2, 7, 2);
  onnx_graph_initializer(&graph2, tensor2);
  onnx_expect_refused(onnx_model(17, graph2), MEMPLAN_INPUT, "'c' has 1 elements");
  onnx_bytes graph3 = {0};
  onnx_graph_initializer(&graph3, onnx_tensor("c", 1, 2, (const int64_t[]){3, -2}));
  onnx_expect_refused(onnx_model(17, graph3), MEMPLAN_INPUT, "dimension 1 of tensor 'c' is -2");
}

// Data without bytes, in another file, of sub-byte types or of too many elements is unknown; its dimensions are not.
static void unknown_data(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_initializer(&graph, onnx_tensor("stripped", 1, 1, (const int64_t[]){1000000}));
  onnx_bytes external = onnx_tensor("external", 1, 2, (const int64_t[]){1 << 20, 1 << 20}), entry = {0};
  onnx_put_text(&entry, 1, "location");
  onnx_put_text(&entry, 2, "../../../../etc/passwd");
  onnx_put_message(&external, 13, entry);
  onnx_put_int(&external, 14, 1);
  onnx_graph_initializer(&graph, external);
  onnx_bytes four = onnx_tensor("four", 22, 1, (const int64_t[]){3});
  onnx_put_block(&four, 9, "ab", 2);
  onnx_graph_initializer(&graph, four);
  onnx_bytes many = onnx_tensor("many", 2, 1, (const int64_t[]){4097});
  char zeros[4097] = {0};
  onnx_put_block(&many, 9, zeros, sizeof zeros);
  onnx_graph_initializer(&graph, many);
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  assert_int_equal(model.n_values, 4);
  for (int32_t i = 0; i < 4; i++) {
    assert_true(model.values[i].is_constant);
    assert_true(model.values[i].data.ints == NULL && model.values[i].data.reals == NULL);
  }
  assert_int_equal(model.values[onnx_find_value(&model, "external")].type.dims[1], 1 << 20);
  assert_int_equal(model.values[onnx_find_value(&model, "many")].type.dims[0], 4097);
  memplan_onnx_model_free(&model);
}

static void empty_tensor_is_known(void **state) {
  (void)state;
  onnx_bytes graph = {0};
  onnx_graph_initializer(&graph, onnx_tensor("none", 7, 1, (const int64_t[]){0}));
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  assert_non_null(model.values[0].data.ints);
  assert_int_equal(model.values[0].data.count, 0);
  memplan_onnx_model_free(&model);
}

static void sparse_initializer(void **state) {
  (void)state;
  onnx_bytes graph = {0}, sparse = {0};
  onnx_put_message(&sparse, 1, onnx_tensor("s", 1, 1, (const int64_t[]){2}));
  onnx_put_int(&sparse, 3, 5);
  onnx_put_int(&sparse, 3, 7);
  onnx_put_message(&graph, 15, sparse);
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  assert_true(model.values[0].is_initializer);
  assert_int_equal(model.values[0].type.rank, 2);
  assert_int_equal(model.values[0].type.dims[1], 7);
  assert_int_equal(model.values[0].type.elem_type, 1);
  assert_null(model.values[0].data.reals);
  memplan_onnx_model_free(&model);
}

static void constant_nodes(void **state) {
  (void)state;
  const int64_t numbers[] = {3, -1};
  onnx_bytes graph = {0}, node = onnx_node("Constant", "", "", "a");
  onnx_add_tensor(&node, "value", onnx_ints("", 2, numbers));
  onnx_graph_node(&graph, node);
  node = onnx_node("Constant", "", "", "b");
  onnx_add_int(&node, "value_int", 9);
  onnx_graph_node(&graph, node);
  node = onnx_node("Constant", "", "", "c");
  onnx_add_ints(&node, "value_ints", 2, numbers);
  onnx_graph_node(&graph, node);
  onnx_bytes attribute = {0}; // of a file of the first versions: no type
  onnx_put_text(&attribute, 1, "value_float");
  onnx_put_float(&attribute, 2, 1.5f);
  node = onnx_node("Constant", "", "", "d");
  onnx_put_message(&node, 5, attribute);
  onnx_graph_node(&graph, node);
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  assert_int_equal(model.n_values, 4);
  for (int32_t i = 0; i < 4; i++) {
    assert_true(model.values[i].is_constant);
    assert_false(model.values[i].is_initializer);
  }
  assert_int_equal(model.values[0].data.ints[1], -1);
  assert_int_equal(model.values[1].type.rank, 0);
  assert_int_equal(model.values[1].data.ints[0], 9);
  assert_int_equal(model.values[2].type.dims[0], 2);
  assert_int_equal(model.values[2].data.ints[0], 3);
  assert_int_equal(model.values[3].type.elem_type, 1);
  assert_true(model.values[3].data.reals[0] == 1.5);
  memplan_onnx_model_free(&model);
  onnx_bytes bare = {0};
  onnx_graph_op(&bare, "Constant", "", "", "a");
  onnx_expect_refused(onnx_model(17, bare), MEMPLAN_INPUT, "gives no value");
}

static void types(void **state) {
  (void)state;
  const char *const symbols[] = {"batch", NULL, NULL};
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_value("x", 1, 3, (const int64_t[]){-1, 0, 5}, symbols));
  onnx_graph_input(&graph, onnx_value("y", 7, -1, NULL, NULL));
  onnx_graph_input(&graph, onnx_value("z", 9, 0, NULL, NULL));
  onnx_bytes inner = {0}, shape = {0}, dim = {0}, tensor_type = {0}, holder = {0}, sequence = {0}, optional = {0};
  onnx_put_int(&dim, 1, -1); // as ppocr_cls writes an unknown dimension
  onnx_put_message(&shape, 1, dim);
  onnx_put_int(&inner, 1, 11);
  onnx_put_message(&inner, 2, shape);
  onnx_put_message(&tensor_type, 1, inner);
  onnx_put_message(&holder, 1, tensor_type);
  onnx_put_message(&sequence, 4, holder);
  onnx_bytes holder2 = {0}, value = {0};
  onnx_put_message(&holder2, 1, sequence);
  onnx_put_message(&optional, 9, holder2);
  onnx_put_text(&value, 1, "o");
  onnx_put_message(&value, 2, optional);
  onnx_graph_input(&graph, value);
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  assert_int_equal(model.graphs[0].n_inputs, 4);
  const memplan_onnx_value *x = &model.values[0], *o = &model.values[3];
  assert_int_equal(x->type.kind, MEMPLAN_ONNX_KIND_TENSOR);
  assert_int_equal(x->type.dims[0], -1);
  assert_int_equal(x->type.dims[1], 0);
  assert_string_equal(x->symbols[0], "batch");
  assert_null(x->symbols[2]);
  assert_int_equal(model.values[1].type.rank, -1);
  assert_int_equal(model.values[2].type.rank, 0);
  assert_int_equal(o->type.kind, MEMPLAN_ONNX_KIND_OPTIONAL);
  assert_int_equal(o->type.element_kind, MEMPLAN_ONNX_KIND_SEQUENCE);
  assert_int_equal(o->type.elem_type, 11);
  assert_int_equal(o->type.rank, 1);
  assert_int_equal(o->type.dims[0], -1);
  assert_int_equal(o->type.length, -1);
  memplan_onnx_model_free(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(raw_data),
      cmocka_unit_test(half_infinities),
      cmocka_unit_test(typed_data),
      cmocka_unit_test(data_must_fit_dimensions),
      cmocka_unit_test(unknown_data),
      cmocka_unit_test(empty_tensor_is_known),
      cmocka_unit_test(sparse_initializer),
      cmocka_unit_test(constant_nodes),
      cmocka_unit_test(types),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
