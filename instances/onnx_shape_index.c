// SPDX-License-Identifier: Apache-2.0
// Operators that pick elements by index, or make tensors whose values or shape come from the data of an input.
#include "instances/onnx_shape_families.h"

#include "instances/onnx_constant.h"

#include <math.h>

static memplan_status gather(memplan_call *call, int32_t data_input, int64_t axis) {
  memplan_dims data;
  memplan_dims indices;
  MEMPLAN_TRY(memplan_call_dims(call, data_input, &data));
  MEMPLAN_TRY(memplan_call_dims(call, 1, &indices));
  memplan_dims out = memplan_dims_none();
  if (data.rank >= 0) {
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
    if (indices.rank >= 0) {
      out.rank = 0;
      for (int32_t d = 0; d < at; d++) {
        MEMPLAN_TRY(memplan_call_append(call, &out, data.at[d]));
      }
      for (int32_t d = 0; d < indices.rank; d++) {
        MEMPLAN_TRY(memplan_call_append(call, &out, indices.at[d]));
      }
      for (int32_t d = at + 1; d < data.rank; d++) {
        MEMPLAN_TRY(memplan_call_append(call, &out, data.at[d]));
      }
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, data_input), &out);
}

memplan_status memplan_shape_gather(memplan_call *call) {
  int64_t axis = 0;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  return gather(call, 0, axis);
}

// Data and indices of equal rank.
static memplan_status read_indexed(memplan_call *call, memplan_dims *data, memplan_dims *indices) {
  MEMPLAN_TRY(memplan_call_dims(call, 0, data));
  MEMPLAN_TRY(memplan_call_dims(call, 1, indices));
  bool differ = data->rank >= 0 && indices->rank >= 0 && data->rank != indices->rank;
  return differ ? memplan_call_fail(call, "data and indices have different ranks") : MEMPLAN_OK;
}

// GatherElements: the shape of the indices.
memplan_status memplan_shape_gather_elements(memplan_call *call) {
  memplan_dims data;
  memplan_dims indices;
  MEMPLAN_TRY(read_indexed(call, &data, &indices));
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &indices);
}

memplan_status memplan_shape_gather_nd(memplan_call *call) {
  memplan_dims data;
  memplan_dims indices;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 1, MEMPLAN_ONNX_MAX_RANK, &indices));
  int64_t batch = 0;
  MEMPLAN_TRY(memplan_call_int(call, "batch_dims", &batch));
  memplan_dims out = memplan_dims_none();
  if (data.rank >= 0 && indices.rank >= 0 && indices.at[indices.rank - 1] >= 0) {
    int64_t depth = indices.at[indices.rank - 1];
    if (batch < 0 || batch >= indices.rank || batch > data.rank || depth > data.rank - batch) {
      return memplan_call_fail(call, "batch_dims %lld and index tuples of %lld", (long long)batch, (long long)depth);
    }
    out.rank = 0;
    for (int32_t d = 0; d < indices.rank - 1; d++) {
      int64_t size = d < batch && indices.at[d] < 0 ? data.at[d] : indices.at[d];
      MEMPLAN_TRY(memplan_call_append(call, &out, size));
    }
    for (int32_t d = (int32_t)(batch + depth); d < data.rank; d++) {
      MEMPLAN_TRY(memplan_call_append(call, &out, data.at[d]));
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_one_hot(memplan_call *call) {
  memplan_dims indices;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &indices));
  int64_t axis = -1;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  int64_t depth = -1;
  const memplan_onnx_data *data = memplan_call_data(call, 1);
  if (data != NULL && data->count == 1 && data->known == NULL) {
    bool usable = data->ints != NULL || (data->reals[0] >= 0 && data->reals[0] < 4e18);
    depth = data->ints != NULL ? data->ints[0] : usable ? (int64_t)data->reals[0] : -1;
    if (depth < 0) {
      return memplan_call_fail(call, "the depth is negative");
    }
  }
  memplan_dims out = memplan_dims_none();
  if (indices.rank >= 0) {
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, indices.rank + 1, &at));
    out.rank = 0;
    for (int32_t d = 0; d <= indices.rank; d++) {
      MEMPLAN_TRY(memplan_call_append(call, &out, d == at ? depth : indices.at[d < at ? d : d - 1]));
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 2), &out);
}

memplan_status memplan_shape_of(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  memplan_dims out = memplan_dims_unknown(1);
  if (data.rank >= 0) {
    int64_t start = 0;
    int64_t end = data.rank;
    MEMPLAN_TRY(memplan_call_int(call, "start", &start));
    MEMPLAN_TRY(memplan_call_int(call, "end", &end));
    (void)memplan_shape_slice_range(data.rank, &start, end, 1, &out.at[0]);
  }
  return memplan_call_set(call, 0, MEMPLAN_ONNX_INT64, &out);
}

memplan_status memplan_shape_size(memplan_call *call) {
  memplan_dims out = {.rank = 0};
  return memplan_call_set(call, 0, MEMPLAN_ONNX_INT64, &out);
}

memplan_status memplan_shape_constant(memplan_call *call) {
  const memplan_onnx_attribute *value = memplan_onnx_constant_find(call->node);
  memplan_onnx_type type;
  if (value == NULL) {
    return memplan_call_fail(call, "no value");
  }
  if (!memplan_onnx_constant_type(value, &call->model->arena, &type)) {
    return memplan_fail_nomem(call->error);
  }
  if (type.kind == MEMPLAN_ONNX_KIND_UNKNOWN) {
    return memplan_call_fail(call, "attribute '%s' holds no tensor", value->name);
  }
  memplan_call_set_type(call, 0, &type);
  return MEMPLAN_OK;
}

memplan_status memplan_shape_constant_of_shape(memplan_call *call) {
  memplan_list shape;
  MEMPLAN_TRY(memplan_call_list(call, 0, &shape));
  const memplan_onnx_attribute *value = memplan_onnx_attribute_find(call->node, "value");
  int32_t elem_type = value != NULL ? value->tensor.elem_type : MEMPLAN_ONNX_FLOAT;
  memplan_dims out = memplan_dims_none();
  if (shape.count > MEMPLAN_ONNX_MAX_RANK) {
    return memplan_call_fail(call, "more than %d dimensions", MEMPLAN_ONNX_MAX_RANK);
  }
  if (shape.count >= 0) {
    out = memplan_dims_unknown((int32_t)shape.count);
    for (int32_t d = 0; d < out.rank; d++) {
      MEMPLAN_TRY(memplan_call_entry(call, &shape, d, 0, &out.at[d]));
    }
  }
  return memplan_call_set(call, 0, elem_type, &out);
}

// ceil((limit - start) / delta), at least 0, without overflow; false if delta is 0.
static bool range_count(int64_t start, int64_t limit, int64_t delta, int64_t *count) {
  if (delta == 0) {
    return false;
  }
  bool forward = delta > 0;
  if (forward ? limit <= start : limit >= start) {
    *count = 0;
    return true;
  }
  uint64_t distance = forward ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  uint64_t step = forward ? (uint64_t)delta : 0 - (uint64_t)delta;
  uint64_t n = (distance - 1) / step + 1;
  *count = n > (uint64_t)MEMPLAN_DIM_LIMIT ? MEMPLAN_DIM_LIMIT : (int64_t)n;
  return true;
}

memplan_status memplan_shape_range(memplan_call *call) {
  memplan_dims out = memplan_dims_unknown(1);
  static const int64_t one = 1;
  static const double one_real = 1.0;
  const memplan_onnx_data *data[3];
  bool known = true;
  for (int32_t k = 0; k < 3; k++) {
    data[k] = memplan_call_data(call, k);
    known = known && (data[k] != NULL ? data[k]->count == 1 && data[k]->known == NULL : k == 2);
  }
  memplan_onnx_data step = {.ints = &one, .reals = &one_real, .count = 1};
  if (!memplan_call_has(call, 2)) {
    data[2] = &step;
  }
  if (known && data[2] != NULL && data[0]->ints != NULL && data[1]->ints != NULL && data[2]->ints != NULL) {
    if (!range_count(data[0]->ints[0], data[1]->ints[0], data[2]->ints[0], &out.at[0])) {
      return memplan_call_fail(call, "a delta of 0");
    }
  } else if (known && data[2] != NULL && data[0]->reals != NULL && data[1]->reals != NULL && data[2]->reals != NULL) {
    double n = ceil((data[1]->reals[0] - data[0]->reals[0]) / data[2]->reals[0]);
    if (!(n < 4e18)) {
      return memplan_call_fail(call, "an endless range");
    }
    out.at[0] = n > 0 ? (int64_t)n : 0;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_eye_like(memplan_call *call) {
  int64_t elem_type = memplan_call_elem(call, 0);
  MEMPLAN_TRY(memplan_call_int(call, "dtype", &elem_type));
  memplan_dims dims;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 2, &dims));
  return memplan_call_set(call, 0, memplan_elem_type_checked(elem_type), &dims);
}

int32_t memplan_elem_type_checked(int64_t number) {
  return number > 0 && number <= MEMPLAN_ONNX_LAST_ELEM_TYPE ? (int32_t)number : 0;
}

// Scatter and its like: the shape of the data; updates are only read.
memplan_status memplan_shape_scatter(memplan_call *call) {
  memplan_dims data;
  memplan_dims indices;
  MEMPLAN_TRY(read_indexed(call, &data, &indices));
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}
