// SPDX-License-Identifier: Apache-2.0
// The wire format of ONNX files: lengths, types, strings, depth, truncation, pipes, huge files.
#include "tests/support/onnx_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void wrong_wire_types(void **state) {
  (void)state;
  for (uint32_t field = 0; field < 30; field++) {
    for (uint32_t type = 0; type < 8; type++) {
      onnx_bytes bytes = onnx_model(17, onnx_chain());
      onnx_put_tag(&bytes, field, type);
      onnx_put_raw(&bytes, "\1\0\0\0\0\0\0\0", type == 0 || type == 2 ? 2 : type == 5 ? 4 : 8);
      memplan_onnx_model model;
      memplan_error error;
      memplan_status status = onnx_read(&bytes, &model, &error);
      onnx_bytes_free(&bytes);
      if (status == MEMPLAN_OK) {
        memplan_onnx_model_free(&model);
      } else {
        assert_int_equal(status, MEMPLAN_INPUT);
        assert_non_null(strstr(error.message, "byte "));
      }
      bool message = field == 7 || field == 8 || field == 25, text = field == 2 || field == 3;
      if (field == 0 || type == 3 || type == 4 || type > 5 || ((message || text) && type != 2) ||
          (field == 1 && type != 0)) {
        assert_int_equal(status, MEMPLAN_INPUT);
      }
    }
  }
}

static void lengths_are_checked(void **state) {
  (void)state;
  static const uint64_t lengths[] = {2, 1000, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    for (uint32_t field = 2; field < 27; field += 5) { // strings, the graph, unknown fields
      onnx_bytes bytes = {0};
      onnx_put_tag(&bytes, field, 2);
      onnx_put_varint(&bytes, lengths[i]);
      onnx_put_raw(&bytes, "x", 1);
      onnx_expect_refused(bytes, MEMPLAN_INPUT, "claims");
    }
  }
}

static void varints_are_checked(void **state) {
  (void)state;
  onnx_bytes endless = {0}, cut = {0};
  onnx_put_tag(&endless, 1, 0);
  onnx_put_raw(&endless, "\377\377\377\377\377\377\377\377\377\377\377\377", 12);
  onnx_expect_refused(endless, MEMPLAN_INPUT, "overflow");
  onnx_put_tag(&cut, 1, 0);
  onnx_put_raw(&cut, "\377", 1);
  onnx_expect_refused(cut, MEMPLAN_INPUT, "byte 2");
}

static void no_graph(void **state) {
  (void)state;
  onnx_bytes bytes = {0};
  onnx_put_int(&bytes, 1, 8);
  onnx_expect_refused(bytes, MEMPLAN_INPUT, "no graph");
}

static void strings_are_checked(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t size;
    const char *message;
  } rows[] = {{"a\0b", 3, "NUL"},
              {"\xff", 1, "UTF-8"},
              {"\xc0\x80", 2, "UTF-8"},
              {"\xed\xa0\x80", 3, "UTF-8"},
              {"\xf4\x90\x80\x80", 4, "UTF-8"},
              {"ok\xe2\x82", 4, "UTF-8"},
              {"\xe0\x80\x80", 3, "UTF-8"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    onnx_bytes bytes = {0};
    onnx_put_block(&bytes, 2, rows[i].text, rows[i].size);
    onnx_expect_refused(bytes, MEMPLAN_INPUT, rows[i].message);
  }
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("größe/\xf0\x9f\x98\x80:0", 2));
  memplan_onnx_model model = onnx_read_good(onnx_model(17, graph));
  assert_string_equal(model.values[0].name, "größe/\xf0\x9f\x98\x80:0");
  memplan_onnx_model_free(&model);
}

static onnx_bytes nested_ifs(int depth) {
  onnx_bytes graph = {0};
  for (int i = 0; i < depth; i++) {
    onnx_bytes outer = {0}, node = onnx_node("If", "", "", "");
    onnx_add_graph(&node, "then_branch", graph);
    onnx_graph_node(&outer, node);
    graph = outer;
  }
  return graph;
}

static void depth_is_limited(void **state) {
  (void)state;
  memplan_onnx_model model = onnx_read_good(onnx_model(17, nested_ifs(40)));
  assert_int_equal(model.n_graphs, 41);
  memplan_onnx_model_free(&model);
  onnx_expect_refused(onnx_model(17, nested_ifs(65)), MEMPLAN_INPUT, "nested deeper");
  onnx_expect_refused(onnx_model(17, nested_ifs(2000)), MEMPLAN_INPUT, "nested deeper");
}

// Types nest by themselves too.
static void depth_of_types_is_limited(void **state) {
  (void)state;
  onnx_bytes type = {0}, value = {0}, graph = {0};
  for (int i = 0; i < 10000; i++) {
    onnx_bytes holder = {0}, outer = {0};
    onnx_put_message(&holder, 1, type);
    onnx_put_message(&outer, i % 2 == 0 ? 4 : 9, holder);
    type = outer;
  }
  onnx_put_text(&value, 1, "x");
  onnx_put_message(&value, 2, type);
  onnx_graph_input(&graph, value);
  onnx_expect_refused(onnx_model(17, graph), MEMPLAN_INPUT, "nested deeper");
}

static void messages_are_merged(void **state) {
  (void)state;
  onnx_bytes first = {0}, second = {0};
  onnx_graph_input(&first, onnx_floats("x", 8));
  onnx_graph_op(&first, "Relu", "", "x", "t");
  onnx_graph_op(&second, "Neg", "", "t", "y");
  onnx_put_text(&first, 2, "one");
  onnx_put_text(&second, 2, "two");
  onnx_bytes bytes = onnx_model(17, first);
  onnx_put_message(&bytes, 7, second);
  onnx_put_int(&bytes, 1, 9);
  memplan_onnx_model model = onnx_read_good(bytes);
  assert_int_equal(model.graphs[0].n_nodes, 2);
  assert_string_equal(model.graphs[0].name, "two");
  assert_int_equal(model.ir_version, 9);
  memplan_onnx_model_free(&model);
}

static void unknown_fields_are_skipped(void **state) {
  (void)state;
  onnx_bytes graph = onnx_chain();
  onnx_put_text(&graph, 10, "a doc string");
  onnx_put_int(&graph, 1000, 7);
  onnx_bytes bytes = onnx_model(17, graph);
  onnx_put_block(&bytes, 14, "\377\377", 2); // metadata is not looked at
  onnx_put_float(&bytes, 99, 1.0f);
  memplan_onnx_model model = onnx_read_good(bytes);
  assert_int_equal(model.graphs[0].n_nodes, 2);
  assert_int_equal(model.graphs[0].nodes[0].opset, 17);
  memplan_onnx_model_free(&model);
}

static void truncations(void **state) {
  (void)state;
  onnx_bytes bytes = onnx_model(17, onnx_chain());
  int32_t accepted = 0;
  for (size_t size = 1; size < bytes.size; size++) {
    onnx_bytes part = {bytes.data, size, size};
    memplan_onnx_model model;
    memplan_error error;
    memplan_status status = onnx_read(&part, &model, &error);
    if (status == MEMPLAN_OK) {
      memplan_onnx_model_free(&model);
      accepted++;
    } else {
      assert_int_equal(status, MEMPLAN_INPUT);
    }
  }
  assert_int_equal(accepted, 0);
  onnx_bytes_free(&bytes);
}

// Through a pipe nothing can be skipped by seeking, and the length is not known.
static void pipes(void **state) {
  (void)state;
  int ends[2];
  onnx_bytes graph = onnx_chain(), weight = onnx_tensor("w", 1, 1, (const int64_t[]){10000});
  void *zeros = calloc(1, 40000);
  assert_non_null(zeros);
  onnx_put_block(&weight, 9, zeros, 40000);
  free(zeros);
  onnx_graph_initializer(&graph, weight);
  onnx_bytes bytes = onnx_model(17, graph);
  for (size_t cut = 0; cut < 2; cut++) {
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes.data, bytes.size - cut), (ssize_t)(bytes.size - cut));
    assert_int_equal(close(ends[1]), 0);
    FILE *file = fdopen(ends[0], "rb");
    assert_non_null(file);
    memplan_onnx_model model;
    memplan_error error = {0};
    memplan_status status = memplan_onnx_model_read(file, "-", &model, &error);
    (void)fclose(file);
    assert_int_equal(status, cut == 0 ? MEMPLAN_OK : MEMPLAN_INPUT);
    if (cut == 0) {
      assert_int_equal(model.n_values, 4);
      memplan_onnx_model_free(&model);
    } else {
      assert_non_null(strstr(error.message, "-: byte "));
      assert_non_null(strstr(error.message, "ends inside"));
    }
  }
  onnx_bytes_free(&bytes);
}

// A file with 3 GiB of weights inside (a hole in the file system) costs neither time nor memory.
static void huge_weights(void **state) {
  (void)state;
  const uint64_t weight_bytes = UINT64_C(3) << 30;
  FILE *file = tmpfile();
  assert_non_null(file);
  onnx_bytes tail = {0}, tensor = onnx_tensor("w", 1, 1, (const int64_t[]){(int64_t)(weight_bytes / 4)});
  onnx_put_tag(&tensor, 9, 2);
  onnx_put_varint(&tensor, weight_bytes);
  onnx_bytes head = {0}, graph = onnx_chain();
  onnx_put_int(&head, 1, 8);
  onnx_put_tag(&head, 7, 2);
  onnx_bytes field = {0};
  onnx_put_tag(&field, 5, 2);
  onnx_put_varint(&field, tensor.size + weight_bytes);
  onnx_put_varint(&head, field.size + tensor.size + weight_bytes + graph.size);
  onnx_put_raw(&head, field.data, field.size);
  onnx_put_raw(&head, tensor.data, tensor.size);
  onnx_put_raw(&tail, graph.data, graph.size);
  assert_int_equal(fwrite(head.data, 1, head.size, file), head.size);
  assert_int_equal(fseeko(file, (off_t)weight_bytes, SEEK_CUR), 0);
  assert_int_equal(fwrite(tail.data, 1, tail.size, file), tail.size);
  rewind(file);
  memplan_onnx_model model;
  memplan_error error = {0};
  memplan_status status = memplan_onnx_model_read(file, NULL, &model, &error);
  (void)fclose(file);
  onnx_bytes_free(&head);
  onnx_bytes_free(&tail);
  onnx_bytes_free(&tensor);
  onnx_bytes_free(&field);
  onnx_bytes_free(&graph);
  if (status != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  const memplan_onnx_value *weight = &model.values[onnx_find_value(&model, "w")];
  assert_true(weight->is_constant && weight->is_initializer);
  assert_int_equal(weight->type.dims[0], weight_bytes / 4);
  assert_null(weight->data.reals);
  assert_int_equal(model.graphs[0].n_nodes, 2);
  memplan_onnx_model_free(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_wire_types),
      cmocka_unit_test(lengths_are_checked),
      cmocka_unit_test(varints_are_checked),
      cmocka_unit_test(no_graph),
      cmocka_unit_test(strings_are_checked),
      cmocka_unit_test(depth_is_limited),
      cmocka_unit_test(depth_of_types_is_limited),
      cmocka_unit_test(messages_are_merged),
      cmocka_unit_test(unknown_fields_are_skipped),
      cmocka_unit_test(truncations),
      cmocka_unit_test(pipes),
      cmocka_unit_test(huge_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
