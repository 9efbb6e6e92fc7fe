// SPDX-License-Identifier: Apache-2.0
#include "tests/support/onnx_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

memplan_status onnx_read(const onnx_bytes *bytes, memplan_onnx_model *model, memplan_error *error) {
  FILE *file = onnx_open(bytes);
  *error = (memplan_error){0};
  memplan_status status = memplan_onnx_model_read(file, NULL, model, error);
  (void)fclose(file);
  return status;
}

memplan_onnx_model onnx_read_good(onnx_bytes bytes) {
  memplan_onnx_model model;
  memplan_error error;
  memplan_status status = onnx_read(&bytes, &model, &error);
  onnx_bytes_free(&bytes);
  if (status != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return model;
}

void onnx_expect_refused(onnx_bytes bytes, memplan_status expected, const char *part) {
  memplan_onnx_model model;
  memplan_error error;
  memplan_status status = onnx_read(&bytes, &model, &error);
  onnx_bytes_free(&bytes);
  if (status == MEMPLAN_OK) {
    memplan_onnx_model_free(&model);
  }
  assert_int_equal(status, expected);
  if (strstr(error.message, part) == NULL) {
    fail_msg("'%s' is not in: %s", part, error.message);
  }
}

int32_t onnx_find_value(const memplan_onnx_model *model, const char *name) {
  for (int32_t i = 0; i < model->n_values; i++) {
    if (strcmp(model->values[i].name, name) == 0) {
      return i;
    }
  }
  fail_msg("no value '%s'", name);
  return -1;
}

onnx_bytes onnx_chain(void) {
  onnx_bytes graph = {0};
  onnx_graph_input(&graph, onnx_floats("x", 8));
  onnx_graph_op(&graph, "Relu", "a", "x", "t");
  onnx_graph_op(&graph, "Neg", "b", "t", "y");
  onnx_graph_output(&graph, onnx_floats("y", 8));
  return graph;
}
