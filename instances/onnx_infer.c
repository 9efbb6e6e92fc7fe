// SPDX-License-Identifier: Apache-2.0
// Visits each node once its inputs are known (bodies: when their operator is visited), and lets the node's shape
// function and fold function set its outputs.
//
// Invariant, on which fold functions rely: a value with data is a tensor with a known shape, the data has as many
// entries as the shape has elements, and it is of the class (integer or real) of the element type.
#include "instances/onnx_infer.h"

#include "instances/onnx_constant.h"
#include "instances/onnx_infer_run.h"
#include "instances/onnx_registry.h"

#include <string.h>

// Limits on what a small file can make inference do: about 128 MB of data, and a few seconds of repeated bodies.
static const int64_t most_data = INT64_C(1) << 24;
static const int64_t free_work = INT64_C(1) << 18;
// Elements of one tensor; sizes in bytes must stay far from the limits of int64.
static const int64_t most_elements = INT64_C(1) << 56;
// For nodes whose domain the file forgot to import.
static const int64_t newest_opset = INT64_C(1) << 20;

bool memplan_infer_complete(const memplan_onnx_type *type) {
  if (type->kind != MEMPLAN_ONNX_KIND_TENSOR && type->kind != MEMPLAN_ONNX_KIND_SPARSE) {
    return type->kind != MEMPLAN_ONNX_KIND_UNKNOWN;
  }
  memplan_dims dims = memplan_dims_of(type);
  return type->elem_type != 0 && memplan_dims_known(&dims);
}

bool memplan_infer_fill_in(memplan_onnx_type *type, const memplan_onnx_type *declared, memplan_arena *arena) {
  if (declared->kind == MEMPLAN_ONNX_KIND_UNKNOWN) {
    return true;
  }
  if (type->kind == MEMPLAN_ONNX_KIND_UNKNOWN) {
    *type = *declared;
    return true;
  }
  if (type->kind != declared->kind) {
    return true;
  }
  if (type->element_kind == MEMPLAN_ONNX_KIND_UNKNOWN) {
    type->element_kind = declared->element_kind;
  }
  if (type->elem_type == 0) {
    type->elem_type = declared->elem_type;
  }
  if (type->rank < 0) {
    type->rank = declared->rank;
    type->dims = declared->dims;
    return true;
  }
  memplan_dims own = memplan_dims_of(type);
  memplan_dims other = memplan_dims_of(declared);
  if (own.rank != other.rank || memplan_dims_known(&own)) {
    return true;
  }
  int64_t *dims = MEMPLAN_NEW(arena, int64_t, own.rank);
  if (dims == NULL) {
    return false;
  }
  for (int32_t d = 0; d < own.rank; d++) {
    dims[d] = own.at[d] < 0 ? other.at[d] : own.at[d];
  }
  type->dims = dims;
  return true;
}

static bool data_fits(const memplan_onnx_type *type, const memplan_onnx_data *data) {
  memplan_dims dims = memplan_dims_of(type);
  memplan_element_class class = memplan_element_class_of(type->elem_type);
  return type->kind == MEMPLAN_ONNX_KIND_TENSOR && data->count >= 0 && memplan_dims_count(&dims) == data->count &&
         memplan_dims_known(&dims) &&
         ((class == MEMPLAN_ELEMENT_INT && data->ints != NULL) ||
          (class == MEMPLAN_ELEMENT_REAL && data->reals != NULL));
}

static memplan_status check_outputs(memplan_call *call) {
  for (int32_t k = 0; k < call->node->n_out; k++) {
    memplan_onnx_type *type = &call->out[k];
    memplan_dims dims = memplan_dims_of(type);
    bool fits = type->rank <= MEMPLAN_ONNX_MAX_RANK;
    int64_t count = memplan_dims_count(&dims);
    for (int32_t d = 0; d < dims.rank; d++) {
      // Beside a dimension of 0 no other one takes memory.
      fits = fits && type->dims[d] >= -1 && (count == 0 || type->dims[d] < most_elements);
    }
    if (!fits || count >= most_elements) {
      return memplan_call_fail(call, "output %d would be larger than any memory", (int)k);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status infer_shapes(memplan_call *call) {
  for (int32_t k = 0; k < call->op->required; k++) {
    if (!memplan_call_has(call, k)) {
      return memplan_call_fail(call, "input %d is missing", (int)k);
    }
  }
  MEMPLAN_TRY(call->op->shape(call));
  MEMPLAN_TRY(check_outputs(call));
  for (int32_t k = 0; k < call->node->n_out; k++) {
    // An empty tensor has all of its data.
    static const int64_t no_ints = 0;
    static const double no_reals = 0.0;
    memplan_dims dims = memplan_dims_of(&call->out[k]);
    memplan_element_class class = memplan_element_class_of(call->out[k].elem_type);
    if (call->out[k].kind == MEMPLAN_ONNX_KIND_TENSOR && memplan_dims_known(&dims) && memplan_dims_count(&dims) == 0 &&
        class != MEMPLAN_ELEMENT_NONE) {
      call->out_data[k] = class == MEMPLAN_ELEMENT_INT ? (memplan_onnx_data){.ints = &no_ints}
                                                       : (memplan_onnx_data){.reals = &no_reals};
    }
  }
  return call->op->fold != NULL ? call->op->fold(call) : MEMPLAN_OK;
}

// What the inputs and captures of a node say of its outputs.
typedef struct sources {
  bool any;
  bool constant;
  bool folded_shape;
  bool data_dependent; // the unknown ones depend on data
} sources;

static void look_at(const memplan_onnx_model *model, const int32_t *values, int32_t n, sources *s) {
  for (int32_t k = 0; k < n; k++) {
    if (values[k] < 0) {
      continue;
    }
    const memplan_onnx_value *value = &model->values[values[k]];
    s->any = true;
    s->constant = s->constant && value->is_constant;
    s->folded_shape = s->folded_shape || value->folded_shape;
    if (!memplan_infer_complete(&value->type)) {
      s->data_dependent = s->data_dependent && value->data_dependent;
    }
  }
}

static bool mark_random(memplan_infer *infer, int32_t graph, const memplan_call *call) {
  bool random = call->random || (call->op != NULL && call->op->random);
  for (int32_t i = 0; i < call->node->n_attributes; i++) {
    int32_t body = call->node->attributes[i].graph;
    random = random || (body > 0 && body < infer->model->n_graphs && infer->random[body]);
  }
  for (int32_t g = graph; random && g >= 0; g = infer->model->graphs[g].outer) {
    infer->random[g] = true;
  }
  return random;
}

static memplan_status set_outputs(memplan_infer *infer, int32_t graph, memplan_call *call) {
  const memplan_onnx_node *node = call->node;
  sources s = {.constant = true, .data_dependent = true};
  look_at(infer->model, node->in, node->n_in, &s);
  look_at(infer->model, node->captures, node->n_captures, &s);
  bool random = mark_random(infer, graph, call);
  bool literal = memplan_onnx_is_constant_node(node);
  bool measures =
      node->domain[0] == '\0' && (strcmp(node->op_type, "Shape") == 0 || strcmp(node->op_type, "Size") == 0);
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] < 0) {
      continue;
    }
    memplan_onnx_value *value = &infer->model->values[node->out[k]];
    memplan_onnx_type type = call->out[k];
    memplan_onnx_data data = call->out_data[k];
    if (!memplan_infer_fill_in(&type, &infer->declared[node->out[k]], &infer->model->arena)) {
      return memplan_fail_nomem(infer->error);
    }
    if (!data_fits(&type, &data)) {
      data = (memplan_onnx_data){.count = 0};
    }
    value->type = type;
    value->data = data;
    value->is_constant = literal || (s.any && s.constant && !random);
    value->folded_shape = value->is_constant && s.folded_shape;
    if (measures && !value->is_constant && memplan_data_complete(&data)) {
      value->is_constant = true;
      value->folded_shape = true;
    }
    value->data_dependent = call->op != NULL && !memplan_infer_complete(&type) && s.data_dependent;
  }
  return MEMPLAN_OK;
}

static void forget_outputs(memplan_call *call) {
  for (int32_t k = 0; k < call->node->n_out; k++) {
    call->out[k] = (memplan_onnx_type){.rank = -1, .length = -1};
    call->out_data[k] = (memplan_onnx_data){.count = 0};
  }
}

static memplan_status visit_node(memplan_infer *infer, int32_t graph, const memplan_onnx_node *node) {
  memplan_arena_mark mark = memplan_arena_get_mark(&infer->scratch);
  memplan_call call = {.model = infer->model,
                       .node = node,
                       .op = memplan_onnx_op_find(node->domain, node->op_type, node->opset),
                       .infer = infer,
                       .opset = node->opset > 0 ? node->opset : newest_opset,
                       .out = MEMPLAN_NEW(&infer->scratch, memplan_onnx_type, node->n_out),
                       .out_data = MEMPLAN_NEW(&infer->scratch, memplan_onnx_data, node->n_out),
                       .data_budget = &infer->data_budget,
                       .error = infer->error};
  if (call.out == NULL || call.out_data == NULL) {
    return memplan_fail_nomem(infer->error);
  }
  forget_outputs(&call);
  memplan_status status = call.op != NULL ? infer_shapes(&call) : MEMPLAN_OK;
  if (infer->lenient && (status == MEMPLAN_INPUT || status == MEMPLAN_UNSUPPORTED)) {
    forget_outputs(&call);
    status = MEMPLAN_OK;
  }
  if (status == MEMPLAN_OK) {
    status = set_outputs(infer, graph, &call);
  }
  memplan_arena_release(&infer->scratch, mark);
  return status;
}

memplan_status memplan_infer_graph(memplan_infer *infer, int32_t graph) {
  const memplan_onnx_graph *g = &infer->model->graphs[graph];
  for (int32_t k = 0; k < g->n_nodes; k++) {
    MEMPLAN_TRY(visit_node(infer, graph, &g->nodes[infer->order[graph][k]]));
  }
  return MEMPLAN_OK;
}

// Establishes the invariant for the constants of the file.
static memplan_status check_constants(memplan_infer *infer) {
  for (int32_t v = 0; v < infer->model->n_values; v++) {
    memplan_onnx_value *value = &infer->model->values[v];
    if (!data_fits(&value->type, &value->data)) {
      value->data = (memplan_onnx_data){.count = 0};
    }
    if (!value->is_initializer) {
      continue;
    }
    memplan_dims dims = memplan_dims_of(&value->type);
    if (value->type.rank > MEMPLAN_ONNX_MAX_RANK || !memplan_dims_known(&dims) ||
        memplan_dims_count(&dims) >= most_elements) {
      return memplan_fail(infer->error, MEMPLAN_INPUT, "initializer '%s' has impossible dimensions", value->name);
    }
  }
  return MEMPLAN_OK;
}

// Options that contradict the model are another's to report: without them, more of it stays unknown.
static memplan_status bind_known(memplan_infer *infer, memplan_problem_options *options) {
  infer->options = options;
  options->dims_optional = true;
  memplan_status status = memplan_infer_bind(infer);
  if (status == MEMPLAN_INPUT) {
    options->n_dims = options->n_shapes = 0;
    status = memplan_infer_bind(infer);
  }
  return status;
}

static memplan_status infer_model(memplan_infer *infer) {
  memplan_problem_options relaxed = *infer->options;
  MEMPLAN_TRY(memplan_infer_index(infer));
  MEMPLAN_TRY(infer->lenient ? bind_known(infer, &relaxed) : memplan_infer_bind(infer));
  MEMPLAN_TRY(check_constants(infer));
  MEMPLAN_TRY(memplan_infer_graph(infer, 0));
  for (int32_t g = 1; g < infer->model->n_graphs; g++) {
    int32_t outer = infer->model->graphs[g].outer;
    infer->model->graphs[g].unreachable =
        infer->model->graphs[g].unreachable || (outer >= 0 && infer->model->graphs[outer].unreachable);
  }
  return infer->lenient ? MEMPLAN_OK : memplan_infer_report(infer);
}

static memplan_status run(memplan_onnx_model *model, const int32_t *const *order,
                          const memplan_problem_options *options, bool lenient, memplan_error *error) {
  memplan_infer infer = {
      .model = model, .order = order, .options = options, .error = error, .lenient = lenient, .data_budget = most_data};
  memplan_arena_init(&infer.scratch);
  infer.work_budget = free_work;
  for (int32_t g = 0; g < model->n_graphs; g++) {
    infer.work_budget += 4 * (int64_t)model->graphs[g].n_nodes;
  }
  memplan_status status = model->n_graphs > 0 ? infer_model(&infer) : MEMPLAN_OK;
  memplan_arena_free(&infer.scratch);
  return status;
}

memplan_status memplan_onnx_infer(memplan_onnx_model *model, const int32_t *const *order,
                                  const memplan_problem_options *options, memplan_error *error) {
  return run(model, order, options, false, error);
}

memplan_status memplan_onnx_infer_known(memplan_onnx_model *model, const int32_t *const *order,
                                        const memplan_problem_options *options, memplan_error *error) {
  memplan_error found = {.status = MEMPLAN_OK};
  memplan_status status = run(model, order, options, true, &found);
  return status == MEMPLAN_OK ? MEMPLAN_OK : memplan_fail(error, status, "%s", found.message);
}
