// SPDX-License-Identifier: Apache-2.0
// Operators that give the same elements another shape or order: reshaping, axes, transposition, blocks of space and
// depth.
#include "instances/onnx_shape_families.h"

// Finds what the entry -1 of a target shape stands for, and the one unknown entry if everything else is known.
static memplan_status complete_reshape(memplan_call *call, const memplan_dims *data, int32_t inferred,
                                       memplan_dims *out) {
  int64_t count = memplan_dims_count(data);
  int64_t others = 1;
  int32_t open = -1;
  int32_t n_open = 0;
  for (int32_t d = 0; d < out->rank; d++) {
    if (out->at[d] < 0) {
      open = d;
      n_open++;
    } else {
      others = memplan_dim_mul(others, out->at[d]);
    }
  }
  if (count < 0 || n_open > 1) {
    return MEMPLAN_OK;
  }
  if (n_open == 0) {
    if (others != count) {
      return memplan_call_fail(call, "%lld elements cannot become %lld", (long long)count, (long long)others);
    }
    return MEMPLAN_OK;
  }
  if (others == 0) {
    if (count != 0) {
      return memplan_call_fail(call, "%lld elements cannot become none", (long long)count);
    }
    out->at[open] = open == inferred ? 0 : -1;
    return MEMPLAN_OK;
  }
  if (count % others != 0) {
    return memplan_call_fail(call, "%lld elements are no multiple of %lld", (long long)count, (long long)others);
  }
  out->at[open] = count / others;
  return MEMPLAN_OK;
}

// A -1 beside dimensions that the input shares stands for the quotient of what is left, even if the shared ones are
// unknown.
static int64_t quotient_of_shared(const memplan_dims *data, const memplan_dims *out, int32_t inferred) {
  int64_t ours = 1;
  int64_t theirs = 1;
  for (int32_t d = 0; d < data->rank; d++) {
    bool copied = d < out->rank && d != inferred && data->at[d] < 0 && out->at[d] < -1;
    if (!copied) {
      ours = memplan_dim_mul(ours, data->at[d]);
    }
  }
  for (int32_t d = 0; d < out->rank; d++) {
    if (d != inferred && out->at[d] >= -1) {
      theirs = memplan_dim_mul(theirs, out->at[d]);
    }
  }
  return ours > 0 && theirs > 0 && ours % theirs == 0 ? ours / theirs : -1;
}

memplan_status memplan_shape_reshape(memplan_call *call) {
  memplan_dims data;
  memplan_list shape;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_list_since(call, "shape", 1, 5, &shape));
  if (!shape.present) {
    return memplan_call_fail(call, "the target shape is missing");
  }
  int64_t allowzero = 0;
  MEMPLAN_TRY(memplan_call_int(call, "allowzero", &allowzero));
  memplan_dims out = memplan_dims_none();
  if (shape.count > MEMPLAN_ONNX_MAX_RANK) {
    return memplan_call_fail(call, "more than %d dimensions", MEMPLAN_ONNX_MAX_RANK);
  }
  if (shape.count >= 0) {
    out = memplan_dims_unknown((int32_t)shape.count);
    int32_t inferred = -1;
    for (int32_t d = 0; d < out.rank; d++) {
      int64_t entry = -1;
      MEMPLAN_TRY(memplan_call_entry(call, &shape, d, -1, &entry));
      if (entry == 0 && allowzero == 0) {
        if (data.rank >= 0 && d >= data.rank) {
          return memplan_call_fail(call, "entry %d copies a dimension that the input does not have", (int)d);
        }
        // -2: the input's dimension d, whatever it is.
        entry = data.rank < 0 || data.at[d] < 0 ? -2 : data.at[d];
      } else if (entry == -1 && memplan_list_known(&shape, d)) {
        if (inferred >= 0) {
          return memplan_call_fail(call, "the target shape holds -1 twice");
        }
        inferred = d;
      }
      out.at[d] = entry;
    }
    if (inferred >= 0 && memplan_dims_count(&data) < 0 && data.rank >= 0) {
      out.at[inferred] = quotient_of_shared(&data, &out, inferred);
    }
    out = memplan_dims_make(out.rank, out.at);
    MEMPLAN_TRY(complete_reshape(call, &data, inferred, &out));
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_flatten(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  int64_t axis = 1;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  memplan_dims out = memplan_dims_unknown(2);
  if (data.rank >= 0) {
    if (axis < -(int64_t)data.rank || axis > data.rank) {
      return memplan_call_fail(call, "axis %lld is outside a tensor of rank %d", (long long)axis, (int)data.rank);
    }
    int32_t at = (int32_t)(axis < 0 ? axis + data.rank : axis);
    out.at[0] = memplan_dims_product(&data, 0, at);
    out.at[1] = memplan_dims_product(&data, at, data.rank);
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_squeeze(memplan_call *call) {
  memplan_dims data;
  memplan_list axes;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_list_since(call, "axes", 1, 13, &axes));
  memplan_dims out = memplan_dims_none();
  bool marks[MEMPLAN_ONNX_MAX_RANK] = {false};
  bool decided = data.rank >= 0;
  if (data.rank >= 0 && axes.present && memplan_list_complete(&axes)) {
    MEMPLAN_TRY(memplan_call_axes(call, &axes, data.rank, marks));
  } else if (data.rank >= 0 && axes.present) {
    decided = false;
    if (axes.count >= 0 && axes.count <= data.rank) {
      out = memplan_dims_unknown(data.rank - (int32_t)axes.count);
    }
  } else if (data.rank >= 0) {
    for (int32_t d = 0; d < data.rank; d++) {
      marks[d] = data.at[d] == 1;
      decided = decided && data.at[d] >= 0;
    }
  }
  if (decided) {
    out = (memplan_dims){.rank = 0};
    for (int32_t d = 0; d < data.rank; d++) {
      if (!marks[d]) {
        out.at[out.rank++] = data.at[d];
      } else if (data.at[d] >= 0 && data.at[d] != 1) {
        return memplan_call_fail(call, "dimension %d is %lld and cannot be squeezed", (int)d, (long long)data.at[d]);
      }
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

static memplan_status unsqueeze(memplan_call *call, const memplan_list *axes) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  memplan_dims out = memplan_dims_none();
  if (!axes->present) {
    return memplan_call_fail(call, "the axes are missing");
  }
  if (data.rank >= 0 && axes->count >= 0) {
    if (axes->count > MEMPLAN_ONNX_MAX_RANK - data.rank) {
      return memplan_call_fail(call, "more than %d dimensions", MEMPLAN_ONNX_MAX_RANK);
    }
    int32_t rank = data.rank + (int32_t)axes->count;
    out = memplan_dims_unknown(rank);
    if (memplan_list_complete(axes)) {
      bool marks[MEMPLAN_ONNX_MAX_RANK];
      MEMPLAN_TRY(memplan_call_axes(call, axes, rank, marks));
      int32_t from = 0;
      for (int32_t d = 0; d < rank; d++) {
        out.at[d] = marks[d] ? 1 : data.at[from++];
      }
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_unsqueeze(memplan_call *call) {
  memplan_list axes;
  MEMPLAN_TRY(memplan_call_list_since(call, "axes", 1, 13, &axes));
  return unsqueeze(call, &axes);
}

memplan_status memplan_shape_expand_dims(memplan_call *call) {
  memplan_list axes;
  MEMPLAN_TRY(memplan_call_list(call, 1, &axes));
  return unsqueeze(call, &axes);
}

memplan_status memplan_shape_transpose(memplan_call *call) {
  memplan_dims data;
  memplan_list order;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_ints(call, "perm", &order));
  memplan_dims out = data;
  if (data.rank < 0 && order.present && order.count <= MEMPLAN_ONNX_MAX_RANK) {
    out = memplan_dims_unknown((int32_t)order.count);
  }
  if (data.rank >= 0 && order.present && (order.count > 0 || data.rank == 0)) {
    bool marks[MEMPLAN_ONNX_MAX_RANK];
    if (order.count != data.rank) {
      return memplan_call_fail(call, "attribute 'perm' has %lld entries", (long long)order.count);
    }
    MEMPLAN_TRY(memplan_call_axes(call, &order, data.rank, marks));
    for (int32_t d = 0; d < data.rank; d++) {
      out.at[d] = data.at[order.values[d] < 0 ? order.values[d] + data.rank : order.values[d]];
    }
  } else {
    for (int32_t d = 0; d < data.rank; d++) {
      out.at[d] = data.at[data.rank - 1 - d];
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

static memplan_status block_size(memplan_call *call, int64_t *size) {
  MEMPLAN_TRY(memplan_call_int_required(call, "blocksize", size));
  if (*size < 1 || *size > INT32_MAX) {
    return memplan_call_fail(call, "attribute 'blocksize' is %lld", (long long)*size);
  }
  return MEMPLAN_OK;
}

static memplan_status exact_quotient(memplan_call *call, int64_t size, int64_t divisor, int64_t *out) {
  if (size >= 0 && size % divisor != 0) {
    return memplan_call_fail(call, "%lld is no multiple of %lld", (long long)size, (long long)divisor);
  }
  *out = size < 0 ? -1 : size / divisor;
  return MEMPLAN_OK;
}

static memplan_status depth_to_space(memplan_call *call, int32_t channel, int32_t first) {
  memplan_dims data;
  int64_t block = 1;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 4, 4, &data));
  MEMPLAN_TRY(block_size(call, &block));
  memplan_dims out = memplan_dims_unknown(4);
  if (data.rank == 4) {
    out.at[0] = data.at[0];
    MEMPLAN_TRY(exact_quotient(call, data.at[channel], block * block, &out.at[channel]));
    out.at[first] = memplan_dim_mul(data.at[first], block);
    out.at[first + 1] = memplan_dim_mul(data.at[first + 1], block);
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_depth_to_space(memplan_call *call) { return depth_to_space(call, 1, 2); }

memplan_status memplan_shape_depth_to_space_nhwc(memplan_call *call) { return depth_to_space(call, 3, 1); }

static memplan_status space_to_depth(memplan_call *call, int32_t channel, int32_t first) {
  memplan_dims data;
  int64_t block = 1;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 4, 4, &data));
  MEMPLAN_TRY(block_size(call, &block));
  memplan_dims out = memplan_dims_unknown(4);
  if (data.rank == 4) {
    out.at[0] = data.at[0];
    out.at[channel] = memplan_dim_mul(data.at[channel], memplan_dim_mul(block, block));
    MEMPLAN_TRY(exact_quotient(call, data.at[first], block, &out.at[first]));
    MEMPLAN_TRY(exact_quotient(call, data.at[first + 1], block, &out.at[first + 1]));
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_space_to_depth(memplan_call *call) { return space_to_depth(call, 1, 2); }

memplan_status memplan_shape_space_to_depth_nhwc(memplan_call *call) { return space_to_depth(call, 3, 1); }
