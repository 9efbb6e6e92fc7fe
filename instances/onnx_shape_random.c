// SPDX-License-Identifier: Apache-2.0
// Random numbers: never constants, whatever their inputs.
#include "instances/onnx_shape_families.h"

// RandomNormal, RandomUniform: shape and type are attributes.
memplan_status memplan_shape_random(memplan_call *call) {
  memplan_list shape;
  int64_t elem_type = MEMPLAN_ONNX_FLOAT;
  MEMPLAN_TRY(memplan_call_ints_required(call, "shape", &shape));
  MEMPLAN_TRY(memplan_call_int(call, "dtype", &elem_type));
  memplan_dims out = {.rank = 0};
  for (int64_t i = 0; i < shape.count; i++) {
    int64_t size = -1;
    MEMPLAN_TRY(memplan_call_entry(call, &shape, i, 0, &size));
    MEMPLAN_TRY(memplan_call_append(call, &out, size));
  }
  return memplan_call_set(call, 0, memplan_elem_type_checked(elem_type), &out);
}

// RandomNormalLike, RandomUniformLike, Bernoulli.
memplan_status memplan_shape_random_like(memplan_call *call) {
  int64_t elem_type = memplan_call_elem(call, 0);
  MEMPLAN_TRY(memplan_call_int(call, "dtype", &elem_type));
  return memplan_call_same_as(call, 0, 0, memplan_elem_type_checked(elem_type));
}

memplan_status memplan_shape_multinomial(memplan_call *call) {
  memplan_dims data;
  int64_t samples = 1;
  int64_t elem_type = MEMPLAN_ONNX_INT32;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 2, &data));
  MEMPLAN_TRY(memplan_call_int(call, "sample_size", &samples));
  MEMPLAN_TRY(memplan_call_int(call, "dtype", &elem_type));
  if (samples < 0) {
    return memplan_call_fail(call, "attribute 'sample_size' is %lld", (long long)samples);
  }
  memplan_dims out = memplan_dims_unknown(2);
  out.at[0] = data.rank < 0 ? -1 : data.at[0];
  out.at[1] = samples;
  return memplan_call_set(call, 0, memplan_elem_type_checked(elem_type), &out);
}
