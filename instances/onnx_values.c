// SPDX-License-Identifier: Apache-2.0
// Values become tensors: which are constants, how many bytes they take, under which id.
#include "instances/onnx_constant.h"
#include "instances/onnx_graph.h"
#include "model/base/grow.h"
#include "model/base/number.h"

#include <string.h>

static memplan_status fail_size(const memplan_onnx_model *model, const memplan_onnx_value *value, const char *why,
                                memplan_error *error) {
  if (value->node < 0) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "the size of value '%.200s' is not known: %s", value->name, why);
  }
  const memplan_onnx_node *node = &model->graphs[value->graph].nodes[value->node];
  return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                      "the size of value '%.200s' is not known: %s; %s%s%s '%.120s' makes it", value->name, why,
                      node->domain, node->domain[0] != '\0' ? "." : "", node->op_type, node->name);
}

// Bytes of one tensor of that element type and shape; strings: 0.
static memplan_status tensor_bytes(const memplan_onnx_model *model, const memplan_onnx_value *value,
                                   const memplan_onnx_type *type, int64_t *bytes, memplan_error *error) {
  if (type->elem_type == MEMPLAN_ONNX_STRING) {
    *bytes = 0;
    return MEMPLAN_OK;
  }
  memplan_dtype dtype = memplan_onnx_dtype(type->elem_type);
  if (dtype == MEMPLAN_DTYPE_NONE) {
    char why[64];
    (void)snprintf(why, sizeof why, "its element type %d is unknown", (int)type->elem_type);
    return fail_size(model, value, why, error);
  }
  if (type->rank < 0) {
    return fail_size(model, value, "its shape depends on data", error);
  }
  for (int32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] < 0) {
      return fail_size(model, value, "its shape depends on data", error);
    }
  }
  *bytes = memplan_dtype_tensor_bytes(dtype, type->rank, type->dims);
  if (*bytes < 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "value '%.200s' has more than 2^63 bytes", value->name);
  }
  return MEMPLAN_OK;
}

static memplan_status sequence_bytes(const memplan_onnx_model *model, const memplan_onnx_value *value, int64_t *bytes,
                                     memplan_error *error) {
  const memplan_onnx_type *type = &value->type;
  int64_t each = 0;
  *bytes = 0;
  if (type->length < 0 && type->elem_type != MEMPLAN_ONNX_STRING) {
    return fail_size(model, value, "the length of this sequence depends on data", error);
  }
  for (int64_t i = 0; type->items != NULL && i < type->length; i++) {
    MEMPLAN_TRY(tensor_bytes(model, value, &type->items[i].type, &each, error));
    *bytes = memplan_add_saturated(*bytes, each);
  }
  if (type->items == NULL) {
    MEMPLAN_TRY(tensor_bytes(model, value, type, &each, error));
    *bytes = each > 0 && type->length > INT64_MAX / each ? INT64_MAX : each * type->length;
  }
  return *bytes < INT64_MAX
             ? MEMPLAN_OK
             : memplan_fail(error, MEMPLAN_INPUT, "sequence '%.200s' has more than 2^63 bytes", value->name);
}

memplan_status memplan_onnx_value_bytes(const memplan_onnx_model *model, const memplan_onnx_value *value,
                                        int64_t *bytes, memplan_error *error) {
  const memplan_onnx_type *type = &value->type;
  bool holder = type->kind == MEMPLAN_ONNX_KIND_SEQUENCE || type->kind == MEMPLAN_ONNX_KIND_OPTIONAL;
  bool sequence = type->kind == MEMPLAN_ONNX_KIND_SEQUENCE ||
                  (type->kind == MEMPLAN_ONNX_KIND_OPTIONAL && type->element_kind == MEMPLAN_ONNX_KIND_SEQUENCE);
  *bytes = 0;
  if (type->kind == MEMPLAN_ONNX_KIND_MAP || (holder && type->element_kind == MEMPLAN_ONNX_KIND_MAP)) {
    return MEMPLAN_OK;
  }
  if (type->kind == MEMPLAN_ONNX_KIND_SPARSE || (holder && type->element_kind == MEMPLAN_ONNX_KIND_SPARSE)) {
    return fail_size(model, value, "it is a sparse tensor", error);
  }
  if (type->kind == MEMPLAN_ONNX_KIND_UNKNOWN) {
    return fail_size(model, value, "its type is not known", error);
  }
  if (sequence && type->length == 0) {
    return MEMPLAN_OK;
  }
  return sequence ? sequence_bytes(model, value, bytes, error) : tensor_bytes(model, value, type, bytes, error);
}

const char *memplan_onnx_unique(memplan_arena *arena, memplan_names *names, const char *base) {
  const char *copy = memplan_arena_text(arena, base, strlen(base));
  return copy != NULL ? memplan_names_unique(names, arena, copy) : NULL;
}

memplan_status memplan_onnx_add_tensor(memplan_onnx_work *work, const char *id, memplan_tensor tensor, int32_t *index) {
  memplan_graph *graph = work->graph;
  memplan_tensor *tensors =
      memplan_grow_in(&graph->arena, graph->tensors, graph->n_tensors, &work->tensor_capacity, sizeof *tensors);
  if (tensors == NULL || graph->n_tensors == INT32_MAX) {
    return memplan_fail_nomem(work->error);
  }
  graph->tensors = tensors;
  tensor.id = memplan_onnx_unique(&graph->arena, &work->tensor_ids, id);
  if (tensor.id == NULL) {
    return memplan_fail_nomem(work->error);
  }
  *index = graph->n_tensors++;
  tensors[*index] = tensor;
  return MEMPLAN_OK;
}

static memplan_status warn_size(memplan_onnx_work *work, const memplan_onnx_value *value) {
  const memplan_onnx_type *type = &value->type;
  bool map = type->kind == MEMPLAN_ONNX_KIND_MAP || type->element_kind == MEMPLAN_ONNX_KIND_MAP;
  if (!map && type->elem_type != MEMPLAN_ONNX_STRING) {
    return MEMPLAN_OK;
  }
  return memplan_remarks_warn(work->build->remarks, MEMPLAN_REMARK_OTHER, work->error,
                              "value '%.200s' holds %s, whose size no shape tells: counted as 0 bytes", value->name,
                              map ? "maps" : "strings");
}

memplan_status memplan_onnx_find_tensor(memplan_onnx_work *work, int32_t value_index, int32_t *index) {
  memplan_onnx_build *build = work->build;
  if (build->tensor_graph[value_index] == work->index + 1) {
    *index = build->tensor_of[value_index];
    return MEMPLAN_OK;
  }
  const memplan_onnx_value *value = &build->model->values[value_index];
  memplan_tensor tensor = {.align = 1, .pin = -1, .view_of = -1, .rank = -1, .captured = value->graph != work->index};
  MEMPLAN_TRY(memplan_onnx_value_bytes(build->model, value, &tensor.bytes, work->error));
  if (memplan_onnx_is_folded(build->model, build->options->fold, value) || tensor.captured) {
    tensor.roles = MEMPLAN_ROLE_WEIGHT;
  } else {
    MEMPLAN_TRY(warn_size(work, value));
  }
  if (value->type.kind == MEMPLAN_ONNX_KIND_TENSOR) {
    tensor.dtype = memplan_onnx_dtype(value->type.elem_type);
  }
  if (tensor.dtype != MEMPLAN_DTYPE_NONE && tensor.dtype != MEMPLAN_DTYPE_STRING) {
    int64_t *shape = MEMPLAN_NEW(&work->graph->arena, int64_t, value->type.rank);
    if (shape == NULL) {
      return memplan_fail_nomem(work->error);
    }
    for (int32_t i = 0; i < value->type.rank; i++) {
      shape[i] = value->type.dims[i];
    }
    tensor.rank = value->type.rank;
    tensor.shape = shape;
  }
  MEMPLAN_TRY(memplan_onnx_add_tensor(work, value->name, tensor, index));
  build->tensor_graph[value_index] = work->index + 1;
  build->tensor_of[value_index] = *index;
  return MEMPLAN_OK;
}
