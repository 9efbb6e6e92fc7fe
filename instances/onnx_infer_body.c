// SPDX-License-Identifier: Apache-2.0
// Bodies: how they lie in each other, and their inference on behalf of the operator that holds them.
#include "instances/onnx_shape_body.h"

#include "instances/onnx_infer_run.h"
#include "model/base/lists.h"

#include <string.h>

// Bodies come behind the graph that holds them, so that one pass backwards counts, and one forwards places them.
static memplan_status place_graphs(memplan_infer *infer) {
  const memplan_onnx_model *model = infer->model;
  int32_t n = model->n_graphs;
  infer->place = MEMPLAN_NEW(&infer->scratch, int32_t, n);
  infer->graph_at = MEMPLAN_NEW(&infer->scratch, int32_t, n);
  infer->n_inside = MEMPLAN_NEW(&infer->scratch, int32_t, n);
  int32_t *next = MEMPLAN_NEW(&infer->scratch, int32_t, n);
  if (infer->place == NULL || infer->graph_at == NULL || infer->n_inside == NULL || next == NULL) {
    return memplan_fail_nomem(infer->error);
  }
  for (int32_t g = n - 1; g >= 0; g--) {
    int32_t outer = model->graphs[g].outer;
    if (g > 0 && (outer < 0 || outer >= g)) {
      return memplan_fail(infer->error, MEMPLAN_INTERNAL, "body %d is not behind the graph that holds it", (int)g);
    }
    infer->n_inside[g] += 1;
    if (g > 0) {
      infer->n_inside[outer] += infer->n_inside[g];
    }
  }
  for (int32_t g = 0; g < n; g++) {
    int32_t outer = model->graphs[g].outer;
    infer->place[g] = g == 0 ? 0 : next[outer];
    if (g > 0) {
      next[outer] += infer->n_inside[g];
    }
    next[g] = infer->place[g] + 1;
    infer->graph_at[infer->place[g]] = g;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_infer_index(memplan_infer *infer) {
  const memplan_onnx_model *model = infer->model;
  int32_t n = model->n_graphs;
  MEMPLAN_TRY(place_graphs(infer));
  infer->nodes_upto = MEMPLAN_NEW(&infer->scratch, int64_t, (size_t)n + 1);
  infer->random = MEMPLAN_NEW(&infer->scratch, bool, n);
  infer->contradiction = MEMPLAN_NEW(&infer->scratch, const char *, n);
  memplan_lists values;
  if (infer->nodes_upto == NULL || infer->random == NULL || infer->contradiction == NULL ||
      !memplan_lists_begin(&values, n, &infer->scratch)) {
    return memplan_fail_nomem(infer->error);
  }
  for (int32_t g = 0; g < n; g++) {
    infer->nodes_upto[infer->place[g] + 1] = model->graphs[g].n_nodes;
  }
  for (int32_t g = 0; g < n; g++) {
    infer->nodes_upto[g + 1] += infer->nodes_upto[g];
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t v = 0; v < model->n_values; v++) {
      memplan_lists_put(&values, infer->place[model->values[v].graph], v);
    }
    if (pass == 0 && !memplan_lists_store(&values, &infer->scratch)) {
      return memplan_fail_nomem(infer->error);
    }
  }
  infer->first_value = values.first;
  infer->values = values.list;
  return MEMPLAN_OK;
}

memplan_status memplan_body_find(memplan_call *call, const char *name, int32_t n_inputs, int32_t n_outputs,
                                 int32_t *graph) {
  const memplan_onnx_attribute *attribute = memplan_onnx_attribute_find(call->node, name);
  if (attribute == NULL || attribute->graph <= 0 || attribute->graph >= call->model->n_graphs) {
    return memplan_call_fail(call, "attribute '%s' must be a graph", name);
  }
  const memplan_onnx_graph *body = &call->model->graphs[attribute->graph];
  if (n_inputs >= 0 && body->n_inputs != n_inputs) {
    return memplan_call_fail(call, "attribute '%s' has %d inputs, not %d", name, (int)body->n_inputs, (int)n_inputs);
  }
  if (body->n_outputs < n_outputs) {
    return memplan_call_fail(call, "attribute '%s' has %d outputs, not %d", name, (int)body->n_outputs, (int)n_outputs);
  }
  *graph = attribute->graph;
  return MEMPLAN_OK;
}

memplan_status memplan_body_set_input(memplan_call *call, int32_t graph, int32_t k, const memplan_onnx_type *type,
                                      const memplan_onnx_data *data, bool exact) {
  int32_t v = call->model->graphs[graph].inputs[k];
  memplan_onnx_value *value = &call->model->values[v];
  value->type = *type;
  if (!exact && !memplan_infer_fill_in(&value->type, &call->infer->declared[v], &call->model->arena)) {
    return memplan_fail_nomem(call->error);
  }
  value->data = data != NULL ? *data : (memplan_onnx_data){.count = 0};
  value->is_constant = false;
  value->folded_shape = false;
  value->data_dependent = !memplan_infer_complete(&value->type);
  return MEMPLAN_OK;
}

int32_t memplan_body_declared_rank(const memplan_call *call, int32_t graph, int32_t k) {
  const memplan_onnx_type *declared = &call->infer->declared[call->model->graphs[graph].inputs[k]];
  return declared->kind == MEMPLAN_ONNX_KIND_TENSOR ? declared->rank : -1;
}

memplan_status memplan_body_run(memplan_call *call, int32_t graph) {
  call->model->graphs[graph].unreachable = false;
  call->infer->contradiction[graph] = NULL;
  return memplan_infer_graph(call->infer, graph);
}

memplan_status memplan_body_try(memplan_call *call, int32_t graph, bool *possible) {
  memplan_infer *infer = call->infer;
  memplan_error reason = {.status = MEMPLAN_OK};
  memplan_error *error = infer->error;
  bool lenient = infer->lenient;
  infer->error = &reason;
  infer->lenient = false; // a contradiction decides whether the body can run
  memplan_status status = memplan_body_run(call, graph);
  infer->error = error;
  infer->lenient = lenient;
  *possible = status == MEMPLAN_OK;
  if (status == MEMPLAN_INPUT) {
    call->model->graphs[graph].unreachable = true;
    infer->contradiction[graph] = memplan_arena_text(&call->model->arena, reason.message, strlen(reason.message));
    return infer->contradiction[graph] != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  return status == MEMPLAN_OK ? MEMPLAN_OK : memplan_fail(error, status, "%s", reason.message);
}

memplan_status memplan_body_skip(memplan_call *call, int32_t graph) {
  memplan_infer *infer = call->infer;
  memplan_error ignored = {.status = MEMPLAN_OK};
  memplan_error *error = infer->error;
  infer->error = &ignored;
  memplan_status status = memplan_infer_graph(infer, graph);
  infer->error = error;
  infer->contradiction[graph] = NULL;
  call->model->graphs[graph].unreachable = true;
  return status == MEMPLAN_NOMEM ? memplan_fail_nomem(error) : MEMPLAN_OK;
}

// The values of the body and of the bodies in it are neighbours in `values`.
static const int32_t *body_values(const memplan_call *call, int32_t graph) {
  return call->infer->values + call->infer->first_value[call->infer->place[graph]];
}

static int64_t count_values(const memplan_call *call, int32_t graph) {
  const memplan_infer *infer = call->infer;
  int32_t place = infer->place[graph];
  return infer->first_value[place + infer->n_inside[graph]] - infer->first_value[place];
}

bool memplan_body_affordable(memplan_call *call, int32_t graph, int64_t times) {
  memplan_infer *infer = call->infer;
  int32_t place = infer->place[graph];
  int64_t nodes = infer->nodes_upto[place + infer->n_inside[graph]] - infer->nodes_upto[place];
  int64_t cost = nodes + count_values(call, graph) + 1;
  if (infer->work_budget <= 0 || times > infer->work_budget / cost) {
    return false;
  }
  infer->work_budget -= times * cost;
  return true;
}

void memplan_body_give_up(memplan_call *call) { call->infer->work_budget = 0; }

const char *memplan_body_contradiction(const memplan_call *call, int32_t graph) {
  return call->infer->contradiction[graph];
}

const memplan_onnx_value *memplan_body_input(const memplan_call *call, int32_t graph, int32_t k) {
  return &call->model->values[call->model->graphs[graph].inputs[k]];
}

const memplan_onnx_value *memplan_body_output(const memplan_call *call, int32_t graph, int32_t k) {
  return &call->model->values[call->model->graphs[graph].outputs[k]];
}

static memplan_status larger_type(memplan_call *call, const memplan_onnx_type *seen, memplan_onnx_type *largest) {
  memplan_dims a = memplan_dims_of(seen);
  memplan_dims b = memplan_dims_of(largest);
  // Of two sequences the longer one counts, with its own list of elements; an empty one says nothing of its elements.
  if (seen->kind == MEMPLAN_ONNX_KIND_SEQUENCE && seen->length == 0) {
    return MEMPLAN_OK;
  }
  if (largest->kind == MEMPLAN_ONNX_KIND_SEQUENCE && largest->length == 0) {
    *largest = *seen;
    return MEMPLAN_OK;
  }
  if (seen->length > largest->length) {
    largest->length = seen->length;
    largest->items = seen->items;
  } else if (seen->length == largest->length && seen->items != largest->items) {
    largest->items = NULL;
  }
  if (memplan_dims_equal(&a, &b)) {
    return MEMPLAN_OK;
  }
  memplan_dims dims = memplan_dims_none();
  if (a.rank == b.rank) {
    dims = a;
    for (int32_t d = 0; d < a.rank; d++) {
      dims.at[d] = a.at[d] < 0 || b.at[d] < 0 ? -1 : a.at[d] > b.at[d] ? a.at[d] : b.at[d];
    }
  }
  memplan_onnx_type type;
  if (!memplan_type_tensor(&type, largest->elem_type, &dims, &call->model->arena)) {
    return memplan_fail_nomem(call->error);
  }
  type.kind = largest->kind;
  type.element_kind = largest->element_kind;
  type.length = largest->length;
  type.items = largest->items;
  *largest = type;
  return MEMPLAN_OK;
}

memplan_status memplan_body_record_start(memplan_call *call, int32_t graph, memplan_body_record *record) {
  record->graph = graph;
  record->n_runs = 0;
  record->largest = MEMPLAN_NEW(&call->model->arena, memplan_onnx_type, count_values(call, graph));
  record->never = MEMPLAN_NEW(&call->model->arena, bool, call->infer->n_inside[graph]);
  return record->largest != NULL && record->never != NULL ? MEMPLAN_OK : memplan_fail_nomem(call->error);
}

memplan_status memplan_body_record_add(memplan_call *call, memplan_body_record *record) {
  const int32_t *values = body_values(call, record->graph);
  int64_t n = count_values(call, record->graph);
  for (int64_t i = 0; i < n; i++) {
    const memplan_onnx_type *type = &call->model->values[values[i]].type;
    if (record->n_runs == 0) {
      record->largest[i] = *type;
    } else {
      MEMPLAN_TRY(larger_type(call, type, &record->largest[i]));
    }
  }
  int32_t place = call->infer->place[record->graph];
  for (int32_t i = 0; i < call->infer->n_inside[record->graph]; i++) {
    bool unreachable = call->model->graphs[call->infer->graph_at[place + i]].unreachable;
    record->never[i] = unreachable && (record->n_runs == 0 || record->never[i]);
  }
  record->n_runs++;
  return MEMPLAN_OK;
}

void memplan_body_record_finish(memplan_call *call, const memplan_body_record *record) {
  const int32_t *values = body_values(call, record->graph);
  int64_t n = count_values(call, record->graph);
  for (int64_t i = 0; i < n; i++) {
    memplan_onnx_value *value = &call->model->values[values[i]];
    value->type = record->largest[i];
    value->data_dependent = !memplan_infer_complete(&value->type);
    // What the last run made of shapes and counters need not hold for the others.
    if (!value->is_constant || value->folded_shape) {
      value->data = (memplan_onnx_data){.count = 0};
      value->is_constant = false;
      value->folded_shape = false;
    }
  }
  int32_t place = call->infer->place[record->graph];
  for (int32_t i = 0; i < call->infer->n_inside[record->graph]; i++) {
    call->model->graphs[call->infer->graph_at[place + i]].unreachable = record->never[i];
  }
}
