// SPDX-License-Identifier: Apache-2.0
// Reductions, and the operators that pick, sort or count along an axis.
#include "instances/onnx_shape_families.h"

memplan_status memplan_shape_reduced_axes(memplan_call *call, int32_t rank, int64_t input_since, bool *marks,
                                          int64_t *n_axes) {
  memplan_list axes;
  MEMPLAN_TRY(memplan_call_list_since(call, "axes", 1, input_since, &axes));
  int64_t noop = 0;
  MEMPLAN_TRY(memplan_call_int(call, "noop_with_empty_axes", &noop));
  for (int32_t d = 0; d < rank; d++) {
    marks[d] = false;
  }
  *n_axes = -1;
  if (axes.present && axes.count != 0) {
    if (!memplan_list_complete(&axes)) {
      *n_axes = axes.count >= 0 ? -1 - axes.count : INT64_MIN;
      return MEMPLAN_OK;
    }
    *n_axes = axes.count;
    return memplan_call_axes(call, &axes, rank, marks);
  }
  *n_axes = noop != 0 ? 0 : rank;
  for (int32_t d = 0; d < rank; d++) {
    marks[d] = noop == 0;
  }
  return MEMPLAN_OK;
}

static memplan_dims reduced_dims(const memplan_dims *data, const bool *marks, bool keep) {
  memplan_dims out = {.rank = 0};
  for (int32_t d = 0; d < data->rank; d++) {
    if (!marks[d] || keep) {
      out.at[out.rank++] = marks[d] ? 1 : data->at[d];
    }
  }
  return out;
}

static memplan_status reduce(memplan_call *call, int64_t input_since, int32_t elem_type) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  int64_t keepdims = 1;
  MEMPLAN_TRY(memplan_call_int(call, "keepdims", &keepdims));
  memplan_dims out = memplan_dims_none();
  if (data.rank >= 0) {
    bool marks[MEMPLAN_ONNX_MAX_RANK];
    int64_t n_axes = 0;
    MEMPLAN_TRY(memplan_shape_reduced_axes(call, data.rank, input_since, marks, &n_axes));
    if (n_axes >= 0) {
      out = reduced_dims(&data, marks, keepdims != 0);
    } else if (keepdims != 0) {
      out = memplan_dims_unknown(data.rank);
    } else if (n_axes >= -1 - (int64_t)data.rank) {
      out = memplan_dims_unknown((int32_t)(data.rank + 1 + n_axes));
    }
  }
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_reduce(memplan_call *call) { return reduce(call, 18, memplan_call_elem(call, 0)); }

memplan_status memplan_shape_reduce_sum(memplan_call *call) { return reduce(call, 13, memplan_call_elem(call, 0)); }

memplan_status memplan_shape_reduce_sum_integer(memplan_call *call) {
  return reduce(call, INT64_MAX, MEMPLAN_ONNX_INT32);
}

memplan_status memplan_shape_reduce_attribute(memplan_call *call) {
  return reduce(call, INT64_MAX, memplan_call_elem(call, 0));
}

memplan_status memplan_shape_arg(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  int64_t keepdims = 1;
  int64_t axis = 0;
  MEMPLAN_TRY(memplan_call_int(call, "keepdims", &keepdims));
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  memplan_dims out = memplan_dims_none();
  if (data.rank >= 0) {
    bool marks[MEMPLAN_ONNX_MAX_RANK] = {false};
    if (data.rank > 0 || (axis != 0 && axis != -1)) {
      int32_t at = 0;
      MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
      marks[at] = true;
    }
    out = reduced_dims(&data, marks, keepdims != 0);
  }
  return memplan_call_set(call, 0, MEMPLAN_ONNX_INT64, &out);
}

// Softmax and its like: the shape of the input; the axis must exist.
memplan_status memplan_shape_along_axis(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  int64_t axis = 0;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  // Before opset 13 the axis split the shape in two and might stand behind the last dimension.
  if (data.rank > 0 && axis != data.rank) {
    int32_t unused = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &unused));
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}

memplan_status memplan_shape_topk(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  int64_t axis = -1;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  int64_t k = -1;
  if (call->opset < 10) {
    MEMPLAN_TRY(memplan_call_int_required(call, "k", &k));
  } else if (!memplan_call_scalar(call, 1, &k)) {
    k = -1;
  } else if (k < 0) {
    return memplan_call_fail(call, "k is %lld", (long long)k);
  }
  if (data.rank >= 0) {
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
    if (k > data.at[at] && data.at[at] >= 0) {
      return memplan_call_fail(call, "k is %lld, the axis has only %lld", (long long)k, (long long)data.at[at]);
    }
    data.at[at] = k < 0 ? -1 : k;
  }
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &data));
  return memplan_call_set(call, 1, MEMPLAN_ONNX_INT64, &data);
}

memplan_status memplan_shape_unique(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  memplan_dims list = memplan_dims_unknown(1);
  memplan_dims out = list;
  memplan_dims inverse = list;
  if (memplan_call_has_attribute(call, "axis")) {
    int64_t axis = 0;
    MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
    out = data;
    if (data.rank >= 0) {
      int32_t at = 0;
      MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
      inverse.at[0] = data.at[at];
      out.at[at] = data.at[at] == 0 || data.at[at] == 1 ? data.at[at] : -1;
      list.at[0] = out.at[at];
    }
  } else {
    int64_t count = memplan_dims_count(&data);
    inverse.at[0] = count;
    out.at[0] = count == 0 || count == 1 ? count : -1;
    list.at[0] = out.at[0];
  }
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &out));
  MEMPLAN_TRY(memplan_call_set(call, 1, MEMPLAN_ONNX_INT64, &list));
  MEMPLAN_TRY(memplan_call_set(call, 2, MEMPLAN_ONNX_INT64, &inverse));
  return memplan_call_set(call, 3, MEMPLAN_ONNX_INT64, &list);
}

// The number of entries that are not zero, where the data is known.
static int64_t count_nonzero(const memplan_onnx_data *data) {
  if (data == NULL || data->known != NULL) {
    return -1;
  }
  int64_t count = 0;
  for (int64_t i = 0; i < data->count; i++) {
    bool zero = data->ints != NULL ? data->ints[i] == 0 : data->reals[i] == 0.0;
    count += zero ? 0 : 1;
  }
  return count;
}

memplan_status memplan_shape_nonzero(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  memplan_dims out = memplan_dims_unknown(2);
  out.at[0] = data.rank < 0 ? -1 : data.rank;
  out.at[1] = memplan_dims_count(&data) == 0 ? 0 : count_nonzero(memplan_call_data(call, 0));
  return memplan_call_set(call, 0, MEMPLAN_ONNX_INT64, &out);
}

memplan_status memplan_shape_compress(memplan_call *call) {
  memplan_dims data;
  memplan_dims condition;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 1, 1, &condition));
  int64_t axis = 0;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  int64_t kept = count_nonzero(memplan_call_data(call, 1));
  memplan_dims out = memplan_dims_unknown(1);
  if (!memplan_call_has_attribute(call, "axis")) {
    out.at[0] = kept;
  } else {
    out = data;
    if (data.rank >= 0) {
      int32_t at = 0;
      MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
      out.at[at] = kept;
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}
