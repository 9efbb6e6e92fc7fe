// SPDX-License-Identifier: Apache-2.0
#include "instances/onnx_constant.h"

#include <string.h>

bool memplan_onnx_is_constant_node(const memplan_onnx_node *node) {
  return node->domain[0] == '\0' && strcmp(node->op_type, "Constant") == 0;
}

bool memplan_onnx_is_folded(const memplan_onnx_model *model, memplan_fold fold, const memplan_onnx_value *value) {
  switch (fold) {
  case MEMPLAN_FOLD_SHAPES:
    return value->is_constant;
  case MEMPLAN_FOLD_CONSTANTS:
    return value->is_constant && !value->folded_shape;
  case MEMPLAN_FOLD_NONE:
    break;
  }
  return value->is_initializer ||
         (value->node >= 0 && memplan_onnx_is_constant_node(&model->graphs[value->graph].nodes[value->node]));
}

bool memplan_onnx_is_kept(const memplan_onnx_model *model, memplan_fold fold, const memplan_onnx_node *node) {
  bool any = false;
  if (memplan_onnx_is_constant_node(node)) {
    return false;
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] >= 0 && !memplan_onnx_is_folded(model, fold, &model->values[node->out[k]])) {
      return true;
    }
    any = any || node->out[k] >= 0;
  }
  return !any;
}

const memplan_onnx_attribute *memplan_onnx_constant_find(const memplan_onnx_node *node) {
  static const struct {
    const char *name;
    int32_t type;
  } forms[] = {{"value", MEMPLAN_ONNX_ATTRIBUTE_TENSOR},        {"sparse_value", MEMPLAN_ONNX_ATTRIBUTE_SPARSE_TENSOR},
               {"value_int", MEMPLAN_ONNX_ATTRIBUTE_INT},       {"value_ints", MEMPLAN_ONNX_ATTRIBUTE_INTS},
               {"value_float", MEMPLAN_ONNX_ATTRIBUTE_FLOAT},   {"value_floats", MEMPLAN_ONNX_ATTRIBUTE_FLOATS},
               {"value_string", MEMPLAN_ONNX_ATTRIBUTE_STRING}, {"value_strings", MEMPLAN_ONNX_ATTRIBUTE_STRINGS}};
  for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
    const memplan_onnx_attribute *attribute = memplan_onnx_attribute_find(node, forms[k].name);
    if (attribute != NULL && attribute->type == forms[k].type) {
      return attribute;
    }
  }
  return NULL;
}

static bool scalar_type(int32_t elem_type, memplan_onnx_type *type) {
  *type = (memplan_onnx_type){.kind = MEMPLAN_ONNX_KIND_TENSOR, .elem_type = elem_type, .length = -1};
  return true;
}

static bool list_type(int32_t elem_type, int64_t count, memplan_arena *arena, memplan_onnx_type *type) {
  int64_t *dims = MEMPLAN_NEW(arena, int64_t, 1);
  if (dims == NULL) {
    return false;
  }
  dims[0] = count;
  *type = (memplan_onnx_type){
      .kind = MEMPLAN_ONNX_KIND_TENSOR, .elem_type = elem_type, .rank = 1, .dims = dims, .length = -1};
  return true;
}

bool memplan_onnx_constant_type(const memplan_onnx_attribute *attribute, memplan_arena *arena,
                                memplan_onnx_type *type) {
  switch (attribute->type) {
  case MEMPLAN_ONNX_ATTRIBUTE_FLOAT:
    return scalar_type(MEMPLAN_ONNX_FLOAT, type);
  case MEMPLAN_ONNX_ATTRIBUTE_INT:
    return scalar_type(MEMPLAN_ONNX_INT64, type);
  case MEMPLAN_ONNX_ATTRIBUTE_STRING:
    return scalar_type(MEMPLAN_ONNX_STRING, type);
  case MEMPLAN_ONNX_ATTRIBUTE_FLOATS:
    return list_type(MEMPLAN_ONNX_FLOAT, attribute->n_floats, arena, type);
  case MEMPLAN_ONNX_ATTRIBUTE_INTS:
    return list_type(MEMPLAN_ONNX_INT64, attribute->n_ints, arena, type);
  case MEMPLAN_ONNX_ATTRIBUTE_STRINGS:
    return list_type(MEMPLAN_ONNX_STRING, attribute->n_strings, arena, type);
  default:
    *type = attribute->tensor;
    return true;
  }
}

static bool take_floats(const float *values, int64_t count, memplan_arena *arena, memplan_onnx_data *data) {
  if (count > MEMPLAN_ONNX_MAX_DATA) {
    return true;
  }
  double *reals = MEMPLAN_NEW(arena, double, count);
  if (reals == NULL) {
    return false;
  }
  for (int64_t i = 0; i < count; i++) {
    reals[i] = (double)values[i];
  }
  *data = (memplan_onnx_data){.reals = reals, .count = count};
  return true;
}

bool memplan_onnx_constant_data(const memplan_onnx_attribute *attribute, memplan_arena *arena,
                                memplan_onnx_data *data) {
  *data = (memplan_onnx_data){.count = 0};
  switch (attribute->type) {
  case MEMPLAN_ONNX_ATTRIBUTE_FLOAT:
    return take_floats(&attribute->f, 1, arena, data);
  case MEMPLAN_ONNX_ATTRIBUTE_FLOATS:
    return take_floats(attribute->floats, attribute->n_floats, arena, data);
  case MEMPLAN_ONNX_ATTRIBUTE_INT:
    *data = (memplan_onnx_data){.ints = &attribute->i, .count = 1};
    return true;
  case MEMPLAN_ONNX_ATTRIBUTE_INTS:
    if (attribute->n_ints <= MEMPLAN_ONNX_MAX_DATA) {
      *data = (memplan_onnx_data){.ints = attribute->ints, .count = attribute->n_ints};
    }
    return true;
  case MEMPLAN_ONNX_ATTRIBUTE_STRING:
  case MEMPLAN_ONNX_ATTRIBUTE_STRINGS:
    return true;
  default:
    *data = attribute->tensor_data;
    return true;
  }
}
