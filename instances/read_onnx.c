// SPDX-License-Identifier: Apache-2.0
// The steps from a file to a graph: decode and link (onnx_model.c), sort (onnx_order.c), infer shapes and constants
// (onnx_infer.c), build (onnx_graph.c). The model and its arena live only that long; the graph copies what it needs.
#include "instances/read_onnx.h"

#include "instances/onnx_graph.h"
#include "instances/onnx_infer.h"
#include "instances/onnx_model.h"
#include "instances/onnx_order.h"
#include "instances/remarks.h"

#include <string.h>

static memplan_status take_warnings(const memplan_onnx_model *model, memplan_remarks *remarks, memplan_error *error) {
  for (int32_t i = 0; i < model->n_warnings; i++) {
    MEMPLAN_TRY(memplan_remarks_warn(remarks, MEMPLAN_REMARK_OTHER, error, "%s", model->warnings[i]));
  }
  return MEMPLAN_OK;
}

static const char *describe_source(memplan_arena *arena, const memplan_onnx_model *model) {
  char text[256];
  int64_t opset = 0;
  for (int32_t i = 0; i < model->graphs[0].n_nodes && opset == 0; i++) {
    const memplan_onnx_node *node = &model->graphs[0].nodes[i];
    opset = node->domain[0] == '\0' ? node->opset : 0;
  }
  int used = snprintf(text, sizeof text, "ONNX IR %lld", (long long)model->ir_version);
  if (opset > 0) {
    used += snprintf(text + used, sizeof text - (size_t)used, ", opset %lld", (long long)opset);
  }
  if (model->producer[0] != '\0') {
    (void)snprintf(text + used, sizeof text - (size_t)used, ", %.150s", model->producer);
  }
  return memplan_arena_text(arena, text, strlen(text));
}

static memplan_status build(memplan_onnx_model *model, memplan_arena *scratch, const memplan_problem_options *options,
                            memplan_graph *graph, memplan_error *error) {
  const int32_t *const *order = NULL;
  memplan_remarks remarks = {.graph = graph, .strict = options->strict};
  MEMPLAN_TRY(memplan_onnx_sort(model, scratch, &order, error));
  MEMPLAN_TRY(memplan_onnx_infer(model, order, options, error));
  MEMPLAN_TRY(take_warnings(model, &remarks, error));
  memplan_onnx_build shared = {
      .model = model, .order = order, .options = options, .remarks = &remarks, .scratch = scratch};
  shared.tensor_of = MEMPLAN_NEW(scratch, int32_t, model->n_values);
  shared.tensor_graph = MEMPLAN_NEW(scratch, int32_t, model->n_values);
  graph->source = describe_source(&graph->arena, model);
  if (shared.tensor_of == NULL || shared.tensor_graph == NULL || graph->source == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_onnx_build_graph(&shared, 0, graph, error));
  return memplan_remarks_finish(&remarks, error);
}

memplan_status memplan_read_onnx(FILE *file, const char *path, const memplan_problem_options *options,
                                 memplan_graph *graph, memplan_error *error) {
  memplan_arena scratch;
  memplan_onnx_model model;
  memplan_arena_init(&scratch);
  memplan_status status = memplan_onnx_model_read(file, NULL, &model, error);
  if (status == MEMPLAN_OK) {
    status = build(&model, &scratch, options, graph, error);
    memplan_onnx_model_free(&model);
  }
  memplan_arena_free(&scratch);
  if (status != MEMPLAN_OK) {
    memplan_graph_free(graph);
    if (path != NULL) {
      memplan_error_prefix(error, "%s", path);
    }
  }
  return status;
}
