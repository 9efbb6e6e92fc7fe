// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element: the result has the shape of an operand, or of the operands broadcast
// together.
//
// Before opset 7 a binary operator stretched only its second operand, along the axis it named, so that the result
// always has the shape of the first.
#include "instances/onnx_shape_families.h"

#include <string.h>

memplan_status memplan_shape_same(memplan_call *call) { return memplan_call_same(call, 0, 0); }

memplan_status memplan_shape_same_bool(memplan_call *call) {
  return memplan_call_same_as(call, 0, 0, MEMPLAN_ONNX_BOOL);
}

static memplan_status set_broadcast(memplan_call *call, int32_t first, int32_t n, int32_t elem_type) {
  memplan_dims dims;
  MEMPLAN_TRY(memplan_call_dims(call, first, &dims));
  for (int32_t k = first + 1; k < first + n; k++) {
    memplan_dims other;
    MEMPLAN_TRY(memplan_call_dims(call, k, &other));
    MEMPLAN_TRY(memplan_call_broadcast(call, &dims, &other, &dims));
  }
  return memplan_call_set(call, 0, elem_type, &dims);
}

memplan_status memplan_shape_broadcast(memplan_call *call) {
  return set_broadcast(call, 0, 2, memplan_call_elem(call, 0));
}

memplan_status memplan_shape_compare(memplan_call *call) { return set_broadcast(call, 0, 2, MEMPLAN_ONNX_BOOL); }

memplan_status memplan_shape_variadic(memplan_call *call) {
  return set_broadcast(call, 0, call->node->n_in, memplan_call_elem(call, 0));
}

memplan_status memplan_shape_where(memplan_call *call) { return set_broadcast(call, 0, 3, memplan_call_elem(call, 1)); }

static memplan_status cast_target(memplan_call *call, int32_t *elem_type) {
  static const struct {
    const char *name;
    int32_t elem_type;
  } names[] = {{"FLOAT", MEMPLAN_ONNX_FLOAT},     {"UINT8", MEMPLAN_ONNX_UINT8},      {"INT8", MEMPLAN_ONNX_INT8},
               {"UINT16", MEMPLAN_ONNX_UINT16},   {"INT16", MEMPLAN_ONNX_INT16},      {"INT32", MEMPLAN_ONNX_INT32},
               {"INT64", MEMPLAN_ONNX_INT64},     {"STRING", MEMPLAN_ONNX_STRING},    {"BOOL", MEMPLAN_ONNX_BOOL},
               {"FLOAT16", MEMPLAN_ONNX_FLOAT16}, {"DOUBLE", MEMPLAN_ONNX_DOUBLE},    {"UINT32", MEMPLAN_ONNX_UINT32},
               {"UINT64", MEMPLAN_ONNX_UINT64},   {"BFLOAT16", MEMPLAN_ONNX_BFLOAT16}};
  if (call->opset < 6) {
    const char *name = NULL;
    MEMPLAN_TRY(memplan_call_text(call, "to", &name));
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof names[0]; i++) {
      if (strcmp(name, names[i].name) == 0) {
        *elem_type = names[i].elem_type;
        return MEMPLAN_OK;
      }
    }
    return memplan_call_fail(call, "attribute 'to' must name an element type");
  }
  int64_t to = 0;
  MEMPLAN_TRY(memplan_call_int_required(call, "to", &to));
  if (to <= 0 || to > MEMPLAN_ONNX_LAST_ELEM_TYPE) {
    return memplan_call_fail(call, "attribute 'to' is %lld, which is no element type", (long long)to);
  }
  *elem_type = (int32_t)to;
  return MEMPLAN_OK;
}

memplan_status memplan_shape_cast(memplan_call *call) {
  int32_t elem_type = 0;
  MEMPLAN_TRY(cast_target(call, &elem_type));
  return memplan_call_same_as(call, 0, 0, elem_type);
}

memplan_status memplan_shape_cast_like(memplan_call *call) {
  return memplan_call_same_as(call, 0, 0, memplan_call_elem(call, 1));
}

memplan_status memplan_shape_dropout(memplan_call *call) {
  MEMPLAN_TRY(memplan_call_same(call, 0, 0));
  MEMPLAN_TRY(memplan_call_same_as(call, 1, 0, call->opset >= 10 ? MEMPLAN_ONNX_BOOL : memplan_call_elem(call, 0)));
  if (call->opset >= 12) {
    int64_t training = 0;
    call->random = memplan_call_has(call, 2) && (!memplan_call_scalar(call, 2, &training) || training != 0);
  } else if (call->opset < 7) {
    int64_t is_test = 0;
    MEMPLAN_TRY(memplan_call_int(call, "is_test", &is_test));
    call->random = is_test == 0;
  }
  return MEMPLAN_OK;
}

// IsAllFinite: one boolean for any number of tensors.
memplan_status memplan_shape_scalar_bool(memplan_call *call) {
  memplan_dims dims = {.rank = 0};
  return memplan_call_set(call, 0, MEMPLAN_ONNX_BOOL, &dims);
}
