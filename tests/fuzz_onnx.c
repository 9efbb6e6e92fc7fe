// SPDX-License-Identifier: Apache-2.0
// Any bytes, read as an ONNX model under several sets of options: no crash, no leak, and a graph or an error message.
#include "instances/read_onnx.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_with(const uint8_t *data, size_t size, const memplan_problem_options *options) {
  // The stream is opened for reading only.
  FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
  if (file == NULL) {
    return;
  }
  memplan_graph graph;
  memplan_error error = {0};
  memplan_graph_init(&graph);
  memplan_status status = memplan_read_onnx(file, "input", options, &graph, &error);
  if ((status == MEMPLAN_OK) != (error.message[0] == '\0') || (status != MEMPLAN_OK && graph.n_tensors != 0)) {
    abort();
  }
  memplan_graph_free(&graph);
  (void)fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const memplan_dim dims[] = {{"N", 3}};
  memplan_problem_options options = memplan_problem_options_default();
  read_with(data, size, &options);
  options.dims = dims;
  options.n_dims = 1;
  read_with(data, size, &options);
  options.n_dims = 0;
  options.fold = MEMPLAN_FOLD_NONE;
  options.views = MEMPLAN_VIEWS_NONE;
  options.inplace = MEMPLAN_INPLACE_NONE;
  options.bodies = MEMPLAN_BODIES_IGNORE;
  read_with(data, size, &options);
  return 0;
}
