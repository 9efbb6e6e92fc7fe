// SPDX-License-Identifier: Apache-2.0
// Quantization: shapes of the data, element types of the zero points.
#include "instances/onnx_shape_families.h"

memplan_status memplan_shape_quantize(memplan_call *call) {
  int64_t elem_type = 0;
  if (call->opset >= 21) {
    MEMPLAN_TRY(memplan_call_int(call, "output_dtype", &elem_type));
  }
  if (memplan_call_has(call, 2)) {
    elem_type = memplan_call_elem(call, 2);
  } else if (elem_type == 0) {
    elem_type = MEMPLAN_ONNX_UINT8;
  }
  return memplan_call_same_as(call, 0, 0, memplan_elem_type_checked(elem_type));
}

memplan_status memplan_shape_dequantize(memplan_call *call) {
  int64_t elem_type = 0;
  MEMPLAN_TRY(memplan_call_int(call, "output_dtype", &elem_type));
  if (elem_type == 0) {
    elem_type = memplan_call_elem(call, 1);
  }
  return memplan_call_same_as(call, 0, 0, memplan_elem_type_checked(elem_type));
}

memplan_status memplan_shape_dynamic_quantize(memplan_call *call) {
  memplan_dims scalar = {.rank = 0};
  MEMPLAN_TRY(memplan_call_same_as(call, 0, 0, MEMPLAN_ONNX_UINT8));
  MEMPLAN_TRY(memplan_call_set(call, 1, MEMPLAN_ONNX_FLOAT, &scalar));
  return memplan_call_set(call, 2, MEMPLAN_ONNX_UINT8, &scalar);
}

// Quantized binary operators: A with scale and zero point, then B with its own.
static memplan_status broadcast_pair(memplan_call *call, int32_t left, int32_t right, int32_t elem_type) {
  memplan_dims a;
  memplan_dims b;
  memplan_dims out;
  MEMPLAN_TRY(memplan_call_dims(call, left, &a));
  MEMPLAN_TRY(memplan_call_dims(call, right, &b));
  MEMPLAN_TRY(memplan_call_broadcast(call, &a, &b, &out));
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_qlinear_binary(memplan_call *call) {
  return broadcast_pair(call, 0, 3, memplan_call_elem(call, 0));
}

memplan_status memplan_shape_mul_integer(memplan_call *call) { return broadcast_pair(call, 0, 2, MEMPLAN_ONNX_INT32); }

memplan_status memplan_shape_qlinear_where(memplan_call *call) {
  memplan_dims condition;
  memplan_dims x;
  memplan_dims y;
  memplan_dims out;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &condition));
  MEMPLAN_TRY(memplan_call_dims(call, 1, &x));
  MEMPLAN_TRY(memplan_call_dims(call, 4, &y));
  MEMPLAN_TRY(memplan_call_broadcast(call, &condition, &x, &out));
  MEMPLAN_TRY(memplan_call_broadcast(call, &out, &y, &out));
  return memplan_call_set(call, 0, memplan_call_elem(call, 1), &out);
}

memplan_status memplan_shape_quantize_order(memplan_call *call) {
  return memplan_call_same_as(call, 0, 0, MEMPLAN_ONNX_INT8);
}

memplan_status memplan_shape_dequantize_order(memplan_call *call) {
  int64_t elem_type = MEMPLAN_ONNX_FLOAT;
  MEMPLAN_TRY(memplan_call_int(call, "to", &elem_type));
  return memplan_call_same_as(call, 0, 0, memplan_elem_type_checked(elem_type));
}

// GatherBlockQuantized: Gather along gather_axis; two 4-bit numbers to a byte where the data is uint8, along
// quantize_axis.
memplan_status memplan_shape_gather_block(memplan_call *call) {
  memplan_dims data;
  memplan_dims indices;
  int64_t axis = 0;
  int64_t block_axis = 1;
  int64_t bits = 4;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_dims(call, 1, &indices));
  MEMPLAN_TRY(memplan_call_int(call, "gather_axis", &axis));
  MEMPLAN_TRY(memplan_call_int(call, "quantize_axis", &block_axis));
  MEMPLAN_TRY(memplan_call_int(call, "bits", &bits));
  memplan_dims out = memplan_dims_none();
  if (data.rank >= 0 && indices.rank >= 0) {
    int32_t at = 0;
    int32_t blocks = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
    MEMPLAN_TRY(memplan_call_axis(call, block_axis, data.rank, &blocks));
    if (memplan_call_elem(call, 0) == MEMPLAN_ONNX_UINT8 && bits > 0 && bits <= 8) {
      data.at[blocks] = memplan_dim_mul(data.at[blocks], 8 / bits);
    }
    out.rank = 0;
    for (int32_t d = 0; d < data.rank; d++) {
      if (d != at) {
        MEMPLAN_TRY(memplan_call_append(call, &out, data.at[d]));
        continue;
      }
      for (int32_t i = 0; i < indices.rank; i++) {
        MEMPLAN_TRY(memplan_call_append(call, &out, indices.at[i]));
      }
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 2), &out);
}
