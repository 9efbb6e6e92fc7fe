// SPDX-License-Identifier: Apache-2.0
// Reading ONNX with the k-th allocation failing, for every k: MEMPLAN_NOMEM, nothing leaked, nothing half made; in the
// end the same graph as with all the memory.
#include "instances/read_onnx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/failing_malloc.h"
#include "tests/support/onnx_writer.h"

static onnx_bytes function(void) {
  onnx_bytes bytes = {0}, import = {0};
  onnx_put_text(&bytes, 1, "f");
  onnx_put_text(&bytes, 10, "local");
  onnx_put_text(&bytes, 4, "a");
  onnx_put_text(&bytes, 5, "b");
  onnx_put_message(&bytes, 7, onnx_node("Neg", "n", "a", "t"));
  onnx_put_message(&bytes, 7, onnx_node("Relu", "r", "t", "b"));
  onnx_put_text(&import, 1, "");
  onnx_put_int(&import, 2, 17);
  onnx_put_message(&bytes, 9, import);
  return bytes;
}

// Shape arithmetic, a function call, a loop with copies, unsorted nodes, strings and more than one chunk of names.
static onnx_bytes make_model(void) {
  static const int64_t trips = 3, zero = 0, minus_one = -1;
  const int64_t dims[] = {-1, 16};
  const char *const symbols[] = {"N", NULL};
  onnx_bytes graph = {0}, body = {0};
  onnx_graph_input(&graph, onnx_value("x", 1, 2, dims, symbols));
  onnx_graph_initializer(&graph, onnx_ints("m", -1, &trips));
  onnx_graph_initializer(&graph, onnx_ints("zero", 1, &zero));
  onnx_graph_initializer(&graph, onnx_ints("rest", 1, &minus_one));
  onnx_graph_op(&graph, "Add", "late", "f x", "sum");
  onnx_bytes call = onnx_node("f", "call", "x", "f");
  onnx_put_text(&call, 7, "local");
  onnx_graph_node(&graph, call);
  onnx_graph_op(&graph, "Shape", "", "x", "s");
  onnx_graph_op(&graph, "Gather", "", "s zero", "n");
  onnx_bytes node = onnx_node("Concat", "", "n rest", "to");
  onnx_add_int(&node, "axis", 0);
  onnx_graph_node(&graph, node);
  onnx_graph_op(&graph, "Reshape", "", "sum to", "r");
  onnx_graph_input(&body, onnx_value("i", 7, 0, NULL, NULL));
  onnx_graph_input(&body, onnx_value("c", 9, 0, NULL, NULL));
  onnx_graph_input(&body, onnx_value("p", 1, -1, NULL, NULL));
  onnx_graph_input(&body, onnx_value("q", 1, -1, NULL, NULL));
  onnx_graph_op(&body, "Mul", "", "p r", "scanned");
  for (int k = 0; k < 40; k++) {
    char in[8], out[8];
    (void)snprintf(in, sizeof in, "v%d", k % 100);
    (void)snprintf(out, sizeof out, "v%d", (k + 1) % 100);
    onnx_graph_op(&body, "Relu", "", k == 0 ? "scanned" : in, out);
  }
  onnx_graph_output(&body, onnx_value("c", 9, 0, NULL, NULL));
  onnx_graph_output(&body, onnx_value("q", 1, -1, NULL, NULL));
  onnx_graph_output(&body, onnx_value("p", 1, -1, NULL, NULL));
  onnx_graph_output(&body, onnx_value("v40", 1, -1, NULL, NULL));
  node = onnx_node("Loop", "loop", "m - x sum", "u v w");
  onnx_add_graph(&node, "body", body);
  onnx_graph_node(&graph, node);
  node = onnx_node("Cast", "", "u", "text");
  onnx_add_int(&node, "to", 8);
  onnx_graph_node(&graph, node);
  onnx_graph_output(&graph, onnx_value("w", 1, -1, NULL, NULL));
  onnx_graph_output(&graph, onnx_value("text", 8, -1, NULL, NULL));
  onnx_bytes model = onnx_model(17, graph);
  onnx_put_message(&model, 25, function());
  return model;
}

static void every_allocation(void **state) {
  (void)state;
  const memplan_dim dims[] = {{"N", 2}};
  memplan_problem_options options = memplan_problem_options_default();
  options.dims = dims;
  options.n_dims = 1;
  onnx_bytes bytes = make_model();
  memplan_status status = MEMPLAN_NOMEM;
  int64_t most = 0;
  for (int64_t k = 0; status == MEMPLAN_NOMEM; k++) {
    FILE *file = onnx_open(&bytes);
    memplan_graph graph;
    memplan_error error = {0};
    memplan_graph_init(&graph);
    int64_t before = failing_malloc_blocks();
    failing_malloc_from(k);
    status = memplan_read_onnx(file, "model", &options, &graph, &error);
    (void)failing_malloc_stop();
    if (status == MEMPLAN_OK) {
      assert_int_equal(graph.n_bodies, 1);
      assert_int_equal(graph.bodies[0].graph->n_ops, 43);
      assert_string_equal(graph.ops[0].id, "call/n");
      assert_int_equal(graph.n_warnings, 2);
      most = k;
    } else {
      assert_int_equal(status, MEMPLAN_NOMEM);
      assert_string_equal(error.message, "model: out of memory");
      assert_int_equal(graph.n_tensors, 0);
    }
    memplan_graph_free(&graph);
    assert_int_equal(failing_malloc_blocks(), before);
    (void)fclose(file);
    assert_true(k < 100000);
  }
  assert_true(most > 20);
  onnx_bytes_free(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
