// SPDX-License-Identifier: Apache-2.0
// Operators that cut tensors into pieces, join them, enlarge or repeat them.
#include "instances/onnx_shape_families.h"

static memplan_status concat(memplan_call *call, int32_t first, int32_t elem_type) {
  int64_t axis = 1;
  if (call->opset >= 4 || call->node->domain[0] != '\0') {
    MEMPLAN_TRY(memplan_call_int_required(call, "axis", &axis));
  } else {
    MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  }
  int32_t step = first > 0 ? 3 : 1;
  memplan_dims out = memplan_dims_none();
  int64_t total = 0;
  bool ranks_known = true;
  for (int32_t k = first; k < call->node->n_in; k += step) {
    memplan_dims dims;
    MEMPLAN_TRY(memplan_call_dims(call, k, &dims));
    if (dims.rank < 0) {
      ranks_known = false;
      continue;
    }
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, dims.rank, &at));
    if (out.rank < 0) {
      out = dims;
    }
    if (out.rank != dims.rank) {
      return memplan_call_fail(call, "inputs of different ranks");
    }
    for (int32_t d = 0; d < dims.rank; d++) {
      if (d == at) {
        continue;
      }
      if (out.at[d] >= 0 && dims.at[d] >= 0 && out.at[d] != dims.at[d]) {
        return memplan_call_fail(call, "dimension %d differs: %lld and %lld", (int)d, (long long)out.at[d],
                                 (long long)dims.at[d]);
      }
      out.at[d] = out.at[d] >= 0 ? out.at[d] : dims.at[d];
    }
    total = memplan_dim_add(total, dims.at[at]);
  }
  if (out.rank >= 0) {
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, out.rank, &at));
    out.at[at] = ranks_known ? total : -1;
  }
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_concat(memplan_call *call) { return concat(call, 0, memplan_call_elem(call, 0)); }

// QLinearConcat: scale and zero point of the result, then tensor, scale and zero point of each input.
memplan_status memplan_shape_qlinear_concat(memplan_call *call) { return concat(call, 2, memplan_call_elem(call, 1)); }

static memplan_status split_sizes(memplan_call *call, memplan_list *sizes) {
  *sizes = (memplan_list){.count = -1};
  if (call->opset >= 13 || (call->opset < 2 && memplan_call_has(call, 1))) {
    return memplan_call_list(call, 1, sizes);
  }
  return memplan_call_ints(call, "split", sizes);
}

memplan_status memplan_shape_split(memplan_call *call) {
  memplan_dims data;
  memplan_list sizes;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(split_sizes(call, &sizes));
  int64_t axis = 0;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  int32_t n = call->node->n_out;
  int64_t pieces = n;
  MEMPLAN_TRY(memplan_call_int(call, "num_outputs", &pieces));
  if (pieces < 1 || pieces < n) {
    return memplan_call_fail(call, "%d outputs, but %lld pieces", (int)n, (long long)pieces);
  }
  if (sizes.present && sizes.count >= 0 && sizes.count != n) {
    return memplan_call_fail(call, "%d outputs, but %lld sizes", (int)n, (long long)sizes.count);
  }
  if (data.rank < 0) {
    for (int32_t k = 0; k < n; k++) {
      MEMPLAN_TRY(memplan_call_set(call, k, memplan_call_elem(call, 0), &data));
    }
    return MEMPLAN_OK;
  }
  int32_t at = 0;
  MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
  int64_t whole = data.at[at];
  if (!sizes.present && call->opset < 18 && whole >= 0 && whole % pieces != 0) {
    return memplan_call_fail(call, "%lld cannot be split into %lld equal pieces", (long long)whole, (long long)pieces);
  }
  int64_t chunk = whole < 0 ? -1 : whole / pieces + (whole % pieces != 0 ? 1 : 0);
  int64_t sum = 0;
  memplan_dims out = data;
  for (int32_t k = 0; k < n; k++) {
    if (sizes.present) {
      MEMPLAN_TRY(memplan_call_entry(call, &sizes, k, 0, &out.at[at]));
    } else {
      int64_t left = whole < 0 ? -1 : whole - sum;
      out.at[at] = left < chunk ? left : chunk;
    }
    sum = memplan_dim_add(sum, out.at[at]);
    MEMPLAN_TRY(memplan_call_set(call, k, memplan_call_elem(call, 0), &out));
  }
  if (sizes.present && sum >= 0 && whole >= 0 && sum != whole) {
    return memplan_call_fail(call, "the pieces add up to %lld, not %lld", (long long)sum, (long long)whole);
  }
  return MEMPLAN_OK;
}

bool memplan_shape_slice_range(int64_t size, int64_t *start, int64_t end, int64_t step, int64_t *count) {
  if (step == 0) {
    return false;
  }
  // Both bounds are clamped, and only then compared, so that the extremes of int64 are harmless.
  int64_t first = *start < -size ? -size : *start;
  int64_t last = end < -size ? -size - 1 : end;
  first += first < 0 ? size : 0;
  if (last < 0) {
    last = last < -size ? -1 : last + size;
  }
  int64_t high = step > 0 ? size : size - 1;
  first = first > high ? high : first;
  last = last > size ? size : last;
  int64_t distance = step > 0 ? last - first : first - last;
  int64_t stride = step > 0 ? step : (step == INT64_MIN ? INT64_MAX : -step);
  *start = first;
  *count = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  return true;
}

memplan_status memplan_shape_slice(memplan_call *call) {
  memplan_dims data;
  memplan_list starts;
  memplan_list ends;
  memplan_list axes;
  memplan_list steps = {.count = -1};
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_list_since(call, "starts", 1, 10, &starts));
  MEMPLAN_TRY(memplan_call_list_since(call, "ends", 2, 10, &ends));
  MEMPLAN_TRY(memplan_call_list_since(call, "axes", 3, 10, &axes));
  if (call->opset >= 10) {
    MEMPLAN_TRY(memplan_call_list(call, 4, &steps));
  }
  if (!starts.present || !ends.present) {
    return memplan_call_fail(call, "starts or ends are missing");
  }
  memplan_dims out = data;
  int64_t n = starts.count >= 0 ? starts.count : ends.count;
  if (n < 0 && axes.present) {
    n = axes.count;
  }
  if (data.rank >= 0 && (n < 0 || (axes.present && !memplan_list_complete(&axes)))) {
    out = memplan_dims_unknown(data.rank);
  } else if (data.rank >= 0) {
    if (n > data.rank || (ends.count >= 0 && ends.count != n) || (axes.present && axes.count != n) ||
        (steps.present && steps.count >= 0 && steps.count != n)) {
      return memplan_call_fail(call, "starts, ends, axes and steps differ in length");
    }
    bool marks[MEMPLAN_ONNX_MAX_RANK];
    if (axes.present) {
      MEMPLAN_TRY(memplan_call_axes(call, &axes, data.rank, marks));
    }
    for (int32_t i = 0; i < (int32_t)n; i++) {
      int32_t at = i;
      if (axes.present) {
        MEMPLAN_TRY(memplan_call_axis(call, axes.values[i], data.rank, &at));
      }
      bool known = memplan_list_known(&starts, i) && memplan_list_known(&ends, i) &&
                   (!steps.present || memplan_list_known(&steps, i));
      out.at[at] = data.at[at] == 0 ? 0 : -1;
      if (known && data.at[at] >= 0) {
        int64_t start = starts.values[i];
        if (!memplan_shape_slice_range(data.at[at], &start, ends.values[i], steps.present ? steps.values[i] : 1,
                                       &out.at[at])) {
          return memplan_call_fail(call, "a step of 0");
        }
      }
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

static memplan_status pad(memplan_call *call, const memplan_list *pads, const memplan_list *axes) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  if (!pads->present) {
    return memplan_call_fail(call, "the pads are missing");
  }
  memplan_dims out = data;
  bool where_known = !axes->present || memplan_list_complete(axes);
  if (data.rank >= 0 && !where_known) {
    out = memplan_dims_unknown(data.rank);
  } else if (data.rank >= 0) {
    int64_t n = axes->present ? axes->count : data.rank;
    if (n > data.rank || (pads->count >= 0 && pads->count != 2 * n)) {
      return memplan_call_fail(call, "%lld pads for %lld dimensions", (long long)pads->count, (long long)n);
    }
    for (int32_t i = 0; i < (int32_t)n; i++) {
      int32_t at = i;
      if (axes->present) {
        MEMPLAN_TRY(memplan_call_axis(call, axes->values[i], data.rank, &at));
      }
      if (!memplan_list_known(pads, i) || !memplan_list_known(pads, i + n) || data.at[at] < 0) {
        out.at[at] = -1;
        continue;
      }
      int64_t begin = pads->values[i];
      int64_t end = pads->values[i + n];
      if (begin > MEMPLAN_DIM_LIMIT / 4 || begin < -MEMPLAN_DIM_LIMIT / 4 || end > MEMPLAN_DIM_LIMIT / 4 ||
          end < -MEMPLAN_DIM_LIMIT / 4 || data.at[at] + begin + end < 0) {
        return memplan_call_fail(call, "dimension %d of %lld cannot be padded by %lld and %lld", (int)at,
                                 (long long)data.at[at], (long long)begin, (long long)end);
      }
      out.at[at] = data.at[at] + begin + end;
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_pad(memplan_call *call) {
  memplan_list pads;
  memplan_list axes = {.count = -1};
  MEMPLAN_TRY(memplan_call_list_since(call, call->opset < 2 ? "paddings" : "pads", 1, 11, &pads));
  if (call->opset >= 18) {
    MEMPLAN_TRY(memplan_call_list(call, 3, &axes));
  }
  return pad(call, &pads, &axes);
}

// com.microsoft has the inputs of opset 11.
memplan_status memplan_shape_pad_input(memplan_call *call) {
  memplan_list pads;
  MEMPLAN_TRY(memplan_call_list(call, 1, &pads));
  return pad(call, &pads, &(memplan_list){.count = -1});
}

memplan_status memplan_shape_expand(memplan_call *call) {
  memplan_dims data;
  memplan_list shape;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_list(call, 1, &shape));
  memplan_dims out = memplan_dims_none();
  if (shape.count > MEMPLAN_ONNX_MAX_RANK) {
    return memplan_call_fail(call, "more than %d dimensions", MEMPLAN_ONNX_MAX_RANK);
  }
  if (shape.count >= 0) {
    memplan_dims target = memplan_dims_unknown((int32_t)shape.count);
    for (int32_t d = 0; d < target.rank; d++) {
      // Exporters write -1 where the input's own dimension is meant.
      MEMPLAN_TRY(memplan_call_entry(call, &shape, d, -1, &target.at[d]));
      if (target.at[d] < 0 && memplan_list_known(&shape, d)) {
        target.at[d] = 1;
      }
    }
    MEMPLAN_TRY(memplan_call_broadcast(call, &data, &target, &out));
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_tile(memplan_call *call) {
  memplan_dims data;
  memplan_list repeats;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_list(call, 1, &repeats));
  memplan_dims out = data;
  if (data.rank >= 0 && call->opset < 6) {
    int64_t axis = 0;
    int32_t at = 0;
    int64_t times = -1;
    if (memplan_call_has(call, 2) && !memplan_call_scalar(call, 2, &axis)) {
      out = memplan_dims_unknown(data.rank);
    } else {
      MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
      MEMPLAN_TRY(memplan_call_entry(call, &repeats, 0, 0, &times));
      out.at[at] = memplan_dim_mul(data.at[at], times);
    }
  } else if (data.rank >= 0) {
    if (repeats.count >= 0 && repeats.count != data.rank) {
      return memplan_call_fail(call, "%lld repeats for %d dimensions", (long long)repeats.count, (int)data.rank);
    }
    for (int32_t d = 0; d < data.rank; d++) {
      int64_t times = -1;
      MEMPLAN_TRY(memplan_call_entry(call, &repeats, d, 0, &times));
      out.at[d] = memplan_dim_mul(data.at[d], times);
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_center_crop_pad(memplan_call *call) {
  memplan_dims data;
  memplan_list shape;
  memplan_list axes;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_list(call, 1, &shape));
  MEMPLAN_TRY(memplan_call_ints(call, "axes", &axes));
  memplan_dims out = data;
  if (data.rank >= 0) {
    int64_t n = axes.present ? axes.count : data.rank;
    if (n > data.rank || (shape.count >= 0 && shape.count != n)) {
      return memplan_call_fail(call, "%lld sizes for %lld axes", (long long)shape.count, (long long)n);
    }
    for (int32_t i = 0; i < (int32_t)n; i++) {
      int32_t at = i;
      if (axes.present) {
        MEMPLAN_TRY(memplan_call_axis(call, axes.values[i], data.rank, &at));
      }
      MEMPLAN_TRY(memplan_call_entry(call, &shape, i, 0, &out.at[at]));
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// UnfoldTensor: windows of `size` at every `step` along `dim`, the window's elements last.
memplan_status memplan_shape_unfold(memplan_call *call) {
  memplan_dims data;
  int64_t axis = -1;
  int64_t size = 0;
  int64_t step = 1;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_int(call, "dim", &axis));
  MEMPLAN_TRY(memplan_call_int_required(call, "size", &size));
  MEMPLAN_TRY(memplan_call_int(call, "step", &step));
  if (size < 1 || step < 1) {
    return memplan_call_fail(call, "windows of %lld at every %lld", (long long)size, (long long)step);
  }
  if (data.rank >= 0) {
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
    if (data.at[at] >= 0 && data.at[at] < size) {
      return memplan_call_fail(call, "a window of %lld over %lld", (long long)size, (long long)data.at[at]);
    }
    data.at[at] = data.at[at] < 0 ? -1 : (data.at[at] - size) / step + 1;
    MEMPLAN_TRY(memplan_call_append(call, &data, size));
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}
