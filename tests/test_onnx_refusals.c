// SPDX-License-Identifier: Apache-2.0
// What ONNX models are refused for is named by its operator, and an empty tensor is no reason to refuse one.
#include "instances/read_onnx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/onnx_graphs.h"
#include "tests/support/onnx_writer.h"

static memplan_status read_model(onnx_bytes graph, memplan_bodies bodies, memplan_graph *read, memplan_error *error) {
  onnx_bytes model = onnx_model(17, graph);
  FILE *file = onnx_open(&model);
  memplan_problem_options options = memplan_problem_options_default();
  options.bodies = bodies;
  *error = (memplan_error){.status = MEMPLAN_OK};
  memplan_graph_init(read);
  memplan_status status = memplan_read_onnx(file, NULL, &options, read, error);
  (void)fclose(file);
  onnx_bytes_free(&model);
  return status;
}

// ValueInfoProto of a sequence of float tensors, of one dimension of 4 or without shape.
static onnx_bytes make_sequence(const char *name, bool shaped) {
  onnx_bytes dim = {0}, shape = {0}, tensor = {0}, element = {0}, sequence = {0}, type = {0}, value = {0};
  onnx_put_int(&tensor, 1, 1);
  if (shaped) {
    onnx_put_int(&dim, 1, 4);
    onnx_put_message(&shape, 1, dim);
    onnx_put_message(&tensor, 2, shape);
  }
  onnx_put_message(&element, 1, tensor);
  onnx_put_message(&sequence, 1, element);
  onnx_put_message(&type, 4, sequence);
  onnx_put_text(&value, 1, name);
  onnx_put_message(&value, 2, type);
  return value;
}

// Three tensors in a sequence, of 4 floats or each of another length; then SequenceMap 'map' of a body with one Relu.
static onnx_bytes make_map(bool known_length, bool shaped) {
  onnx_bytes graph = {0};
  onnx_bytes body = {0};
  onnx_graph_input(&body, onnx_value("item", 1, -1, NULL, NULL));
  onnx_graph_op(&body, "Relu", "", "item", "result");
  onnx_graph_output(&body, onnx_value("result", 1, -1, NULL, NULL));
  onnx_bytes node = onnx_node("SequenceMap", "map", "q", "r");
  onnx_add_graph(&node, "body", body);
  if (known_length) {
    onnx_graph_input(&graph, onnx_floats("x", 4));
    onnx_graph_input(&graph, onnx_floats("z", shaped ? 4 : 5));
    onnx_graph_op(&graph, "SequenceConstruct", "", "x z", "q");
  } else {
    onnx_graph_input(&graph, make_sequence("q", shaped));
  }
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, make_sequence("r", false));
  return graph;
}

static void expect_refused(onnx_bytes graph, memplan_bodies bodies, const char *first, const char *second) {
  memplan_graph read;
  memplan_error error;
  assert_int_equal(read_model(graph, bodies, &read, &error), MEMPLAN_UNSUPPORTED);
  if (strstr(error.message, first) == NULL || strstr(error.message, second) == NULL) {
    fail_msg("'%s' or '%s' is not in: %s", first, second, error.message);
  }
}

static void sequence_map_is_named(void **state) {
  (void)state;
  memplan_graph read;
  memplan_error error;
  if (read_model(make_map(true, true), MEMPLAN_BODIES_PLAN, &read, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(read.tensors[onnx_find_tensor(&read, "r")].bytes, 32);
  memplan_graph_free(&read);
  expect_refused(make_map(true, false), MEMPLAN_BODIES_PLAN, "SequenceMap (1)", "'item'");
  expect_refused(make_map(true, false), MEMPLAN_BODIES_IGNORE, "SequenceMap 'map'", "value 'r'");
  expect_refused(make_map(false, true), MEMPLAN_BODIES_PLAN, "sequence", "'q'");
}

// 0 times anything is 0, whatever the other dimensions.
static void zero_wins(void **state) {
  (void)state;
  static const int64_t huge = INT64_C(1) << 62;
  static const int64_t shapes[][3] = {{0, huge, huge}, {huge, huge, 0}, {huge, 0, INT64_MAX}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    onnx_bytes graph = {0};
    onnx_graph_input(&graph, onnx_value("x", 1, 3, shapes[i], NULL));
    onnx_graph_initializer(&graph, onnx_tensor("w", 1, 3, shapes[i]));
    onnx_graph_op(&graph, "Add", "", "x w", "t");
    onnx_graph_op(&graph, "Relu", "", "t", "y");
    onnx_graph_output(&graph, onnx_value("y", 1, 3, shapes[i], NULL));
    memplan_graph read;
    memplan_error error;
    if (read_model(graph, MEMPLAN_BODIES_PLAN, &read, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    const memplan_tensor *y = &read.tensors[onnx_find_tensor(&read, "y")];
    assert_int_equal(y->bytes, 0);
    assert_memory_equal(y->shape, shapes[i], sizeof shapes[i]);
    memplan_graph_free(&read);
  }
  // Without the 0 it is refused.
  onnx_bytes graph = {0};
  static const int64_t full[] = {1, huge, huge};
  memplan_graph read;
  memplan_error error;
  onnx_graph_input(&graph, onnx_value("x", 1, 3, full, NULL));
  onnx_graph_op(&graph, "Relu", "", "x", "y");
  assert_int_equal(read_model(graph, MEMPLAN_BODIES_PLAN, &read, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "larger than any memory"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequence_map_is_named),
      cmocka_unit_test(zero_wins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
