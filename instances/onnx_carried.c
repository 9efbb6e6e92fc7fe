// SPDX-License-Identifier: Apache-2.0
// Carried values of loops. At the end of an iteration output k of the body becomes input k of the next one. If the body
// returns one of its inputs in another position (a swap), or one value in two positions, both cannot be had by leaving
// the bytes where they are: such an output is copied into a buffer of its own at the end of the body.
#include "instances/onnx_graph.h"

#include <stdio.h>
#include <string.h>

void memplan_onnx_find_carried(const memplan_onnx_work *work, int32_t *count, int32_t *first_input) {
  const memplan_onnx_model *model = work->build->model;
  const memplan_onnx_graph *body = &model->graphs[work->index];
  *count = 0;
  *first_input = 0;
  if (body->outer < 0) {
    return;
  }
  const memplan_onnx_node *node = &model->graphs[body->outer].nodes[body->outer_node];
  if (node->domain[0] != '\0') {
    return;
  }
  if (strcmp(node->op_type, "Loop") ==
      0) { // inputs: iteration, condition, carried; outputs: condition, carried, scanned
    *first_input = 1;
    *count = body->n_inputs - 1;
  } else if (strcmp(node->op_type, "Scan") == 0) {
    const memplan_onnx_attribute *scanned = memplan_onnx_attribute_find(node, "num_scan_inputs");
    bool usable = scanned != NULL && scanned->i >= 0 && scanned->i <= body->n_inputs;
    *count = usable ? body->n_inputs - (int32_t)scanned->i : 0;
  }
  *count = *count > body->n_outputs ? body->n_outputs : *count < 0 ? 0 : *count;
}

static int32_t find_root(const memplan_graph *graph, int32_t tensor) {
  int32_t root = graph->tensors[tensor].view_of;
  return root >= 0 ? root : tensor;
}

static memplan_status add_copy(memplan_onnx_work *work, int32_t *tensor) {
  memplan_graph *graph = work->graph;
  int32_t source = *tensor;
  memplan_tensor copy = graph->tensors[source];
  copy.roles = 0;
  copy.view_of = -1;
  copy.view_offset = 0;
  memplan_arena_mark mark = memplan_arena_get_mark(work->build->scratch);
  size_t size = strlen(copy.id) + 8;
  char *id = memplan_arena_alloc(work->build->scratch, size, 1);
  int32_t *ends = MEMPLAN_NEW(&graph->arena, int32_t, 2);
  if (id == NULL || ends == NULL) {
    return memplan_fail_nomem(work->error);
  }
  (void)snprintf(id, size, "%s#copy", copy.id);
  const char *op_id = memplan_onnx_unique(&graph->arena, &work->op_ids, id);
  if (op_id == NULL) {
    return memplan_fail_nomem(work->error);
  }
  MEMPLAN_TRY(memplan_onnx_add_tensor(work, id, copy, tensor));
  memplan_arena_release(work->build->scratch, mark);
  ends[0] = source;
  ends[1] = *tensor;
  graph->ops[graph->n_ops++] = (memplan_op){.id = op_id,
                                            .type = "Identity",
                                            .in = ends,
                                            .out = ends + 1,
                                            .n_in = 1,
                                            .n_out = 1,
                                            .workspace_align = 1,
                                            .cost = 1,
                                            .async_until = -1,
                                            .group = -1};
  return MEMPLAN_OK;
}

memplan_status memplan_onnx_separate_carried(memplan_onnx_work *work) {
  const memplan_onnx_graph *body = &work->build->model->graphs[work->index];
  memplan_graph *graph = work->graph;
  int32_t count = 0, first_input = 0;
  memplan_onnx_find_carried(work, &count, &first_input);
  bool *taken = MEMPLAN_NEW(work->build->scratch, bool, graph->n_tensors); // by root: it is a carried output already
  if (taken == NULL) {
    return memplan_fail_nomem(work->error);
  }
  for (int32_t k = 0; k < count; k++) {
    int32_t root = find_root(graph, work->outputs[k]), own = -1;
    uint8_t roles = graph->tensors[root].roles;
    if ((roles & MEMPLAN_ROLE_WEIGHT) != 0) {
      continue; // lies outside
    }
    if ((roles & MEMPLAN_ROLE_INPUT) != 0) {
      MEMPLAN_TRY(memplan_onnx_find_tensor(work, body->inputs[first_input + k], &own));
    }
    if (taken[root] || (own >= 0 && own != root)) {
      MEMPLAN_TRY(add_copy(work, &work->outputs[k]));
    } else {
      taken[root] = true;
    }
  }
  return MEMPLAN_OK;
}
