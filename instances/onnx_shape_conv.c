// SPDX-License-Identifier: Apache-2.0
// Operators that slide a window over the spatial dimensions: convolutions, poolings and their inverses.
//
// With padded size n, window w (dilated) and stride s, a window fits floor((n - w) / s) + 1 times; ceil_mode rounds up,
// but a window that would start in the padding behind the data does not count (as onnxruntime and PyTorch have it).
#include "instances/onnx_shape_families.h"

#include <math.h>
#include <string.h>

typedef struct window {
  int32_t n; // spatial dimensions
  int64_t kernel[MEMPLAN_ONNX_MAX_RANK];
  int64_t stride[MEMPLAN_ONNX_MAX_RANK];
  int64_t dilation[MEMPLAN_ONNX_MAX_RANK];
  int64_t begin[MEMPLAN_ONNX_MAX_RANK];
  int64_t end[MEMPLAN_ONNX_MAX_RANK];
  bool same; // auto_pad SAME_UPPER or SAME_LOWER
  bool round_up;
} window;

// Larger numbers in attributes are certainly wrong; below it nothing here can overflow.
static const int64_t largest_attribute = INT64_C(1) << 31;

static memplan_status read_numbers(memplan_call *call, const char *name, int64_t least, int32_t n, int64_t *values) {
  memplan_list list;
  MEMPLAN_TRY(memplan_call_ints(call, name, &list));
  if (!list.present || list.count == 0) {
    return MEMPLAN_OK;
  }
  if (list.count != n) {
    return memplan_call_fail(call, "attribute '%s' has %lld entries, not %d", name, (long long)list.count, (int)n);
  }
  for (int32_t d = 0; d < n; d++) {
    if (list.values[d] < least || list.values[d] > largest_attribute) {
      return memplan_call_fail(call, "attribute '%s' holds %lld", name, (long long)list.values[d]);
    }
    values[d] = list.values[d];
  }
  return MEMPLAN_OK;
}

static memplan_status read_window(memplan_call *call, int32_t n, window *w) {
  *w = (window){.n = n};
  for (int32_t d = 0; d < n; d++) {
    w->kernel[d] = -1;
    w->stride[d] = 1;
    w->dilation[d] = 1;
  }
  MEMPLAN_TRY(read_numbers(call, "kernel_shape", 1, n, w->kernel));
  MEMPLAN_TRY(read_numbers(call, "strides", 1, n, w->stride));
  MEMPLAN_TRY(read_numbers(call, "dilations", 1, n, w->dilation));
  const char *pad = "NOTSET";
  MEMPLAN_TRY(memplan_call_text(call, "auto_pad", &pad));
  w->same = strcmp(pad, "SAME_UPPER") == 0 || strcmp(pad, "SAME_LOWER") == 0;
  if (strcmp(pad, "NOTSET") == 0 || pad[0] == '\0') {
    int64_t pads[2 * MEMPLAN_ONNX_MAX_RANK] = {0};
    MEMPLAN_TRY(read_numbers(call, "pads", -largest_attribute, 2 * n, pads));
    for (int32_t d = 0; d < n; d++) {
      w->begin[d] = pads[d];
      w->end[d] = pads[n + d];
    }
  } else if (!w->same && strcmp(pad, "VALID") != 0) {
    return memplan_call_fail(call, "attribute 'auto_pad' is '%.40s'", pad);
  }
  return MEMPLAN_OK;
}

// The window's size from the weights, where no attribute gives it; where both do, they must agree.
static memplan_status kernel_from_weights(memplan_call *call, const memplan_dims *weights, int32_t first, window *w) {
  for (int32_t d = 0; d < w->n; d++) {
    int64_t size = weights->rank < 0 ? -1 : weights->at[first + d];
    if (w->kernel[d] < 0) {
      w->kernel[d] = size;
    } else if (size >= 0 && size != w->kernel[d]) {
      return memplan_call_fail(call, "kernel_shape says %lld, the weights have %lld", (long long)w->kernel[d],
                               (long long)size);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status slide(memplan_call *call, const window *w, int32_t d, int64_t size, int64_t *out) {
  *out = -1;
  if (size < 0) {
    return MEMPLAN_OK;
  }
  if (w->same) {
    *out = size / w->stride[d] + (size % w->stride[d] != 0 ? 1 : 0);
    return MEMPLAN_OK;
  }
  if (w->kernel[d] < 0) {
    return MEMPLAN_OK;
  }
  if (w->kernel[d] == 0 || w->kernel[d] > largest_attribute || size >= MEMPLAN_DIM_LIMIT / 2) {
    return memplan_call_fail(call, "a window of %lld over a dimension of %lld", (long long)w->kernel[d],
                             (long long)size);
  }
  int64_t extent = (w->kernel[d] - 1) * w->dilation[d] + 1;
  int64_t room = size + w->begin[d] + w->end[d] - extent;
  if (room < 0) {
    // One step short of the first position is an empty result where the data is empty.
    if (size == 0 && room >= -w->stride[d]) {
      *out = 0;
      return MEMPLAN_OK;
    }
    return memplan_call_fail(call, "a window of %lld does not fit into a padded dimension of %lld", (long long)extent,
                             (long long)(room + extent));
  }
  int64_t positions = room / w->stride[d];
  if (w->round_up && room % w->stride[d] != 0) {
    positions++;
    if (positions * w->stride[d] >= size + w->begin[d]) {
      positions--;
    }
  }
  *out = positions + 1;
  return MEMPLAN_OK;
}

// Where channels stand in data and weights: behind the batch, or last.
typedef enum layout { channels_first, channels_last } layout;

static int32_t channel_axis(layout order, int32_t rank) { return order == channels_first ? 1 : rank - 1; }

static int32_t first_spatial(layout order) { return order == channels_first ? 2 : 1; }

typedef struct conv_inputs {
  int32_t data, weights;
  layout order;
  layout weights_order;
  bool padded; // data may have more channels than the weights say (blocked layouts)
} conv_inputs;

static memplan_status read_layout(memplan_call *call, layout *order) {
  int64_t last = 0;
  MEMPLAN_TRY(memplan_call_int(call, "channels_last", &last));
  *order = last != 0 ? channels_last : channels_first;
  return MEMPLAN_OK;
}

static memplan_status conv(memplan_call *call, const conv_inputs *where, int32_t elem_type) {
  memplan_dims data;
  memplan_dims weights;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, where->data, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, where->weights, 2, MEMPLAN_ONNX_MAX_RANK, &weights));
  int32_t rank = data.rank >= 0 ? data.rank : weights.rank;
  memplan_dims out = memplan_dims_none();
  if (rank < 0) {
    return memplan_call_set(call, 0, elem_type, &out);
  }
  if (weights.rank >= 0 && weights.rank != rank) {
    return memplan_call_fail(call, "data of rank %d and weights of rank %d", (int)rank, (int)weights.rank);
  }
  int64_t group = 1;
  MEMPLAN_TRY(memplan_call_int(call, "group", &group));
  if (group < 1 || group > largest_attribute) {
    return memplan_call_fail(call, "attribute 'group' is %lld", (long long)group);
  }
  window w;
  MEMPLAN_TRY(read_window(call, rank - 2, &w));
  MEMPLAN_TRY(kernel_from_weights(call, &weights, first_spatial(where->weights_order), &w));
  if (data.rank < 0) {
    data = memplan_dims_unknown(rank);
  }
  int32_t channel = channel_axis(where->order, data.rank);
  if (weights.rank >= 0 && data.at[channel] >= 0 && !where->padded) {
    int64_t per_group = weights.at[channel_axis(where->weights_order, rank)];
    if (per_group >= 0 && memplan_dim_mul(per_group, group) != data.at[channel]) {
      return memplan_call_fail(call, "%lld channels of data, but the weights take %lld in %lld groups",
                               (long long)data.at[channel], (long long)per_group, (long long)group);
    }
  }
  out = memplan_dims_unknown(rank);
  out.at[0] = data.at[0];
  out.at[channel] = weights.rank < 0 ? -1 : weights.at[0];
  if (out.at[channel] > 0 && out.at[channel] % group != 0) {
    return memplan_call_fail(call, "%lld channels cannot be made in %lld groups", (long long)out.at[channel],
                             (long long)group);
  }
  int32_t first = first_spatial(where->order);
  for (int32_t d = 0; d < w.n; d++) {
    MEMPLAN_TRY(slide(call, &w, d, data.at[first + d], &out.at[first + d]));
  }
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_conv(memplan_call *call) {
  return conv(call, &(conv_inputs){0, 1, channels_first, channels_first, false}, memplan_call_elem(call, 0));
}

// com.microsoft.nchwc: channels are padded to the block of the machine that wrote the file.
memplan_status memplan_shape_conv_blocked(memplan_call *call) {
  return conv(call, &(conv_inputs){0, 1, channels_first, channels_first, true}, memplan_call_elem(call, 0));
}

memplan_status memplan_shape_conv_integer(memplan_call *call) {
  return conv(call, &(conv_inputs){0, 1, channels_first, channels_first, false}, MEMPLAN_ONNX_INT32);
}

memplan_status memplan_shape_qlinear_conv(memplan_call *call) {
  layout order = channels_first;
  MEMPLAN_TRY(read_layout(call, &order));
  int32_t elem_type = memplan_call_elem(call, memplan_call_has(call, 7) ? 7 : 0);
  return conv(call, &(conv_inputs){0, 3, order, channels_first, false}, elem_type);
}

memplan_status memplan_shape_qlinear_conv_nhwc(memplan_call *call) {
  return conv(call, &(conv_inputs){0, 3, channels_last, channels_first, false},
              memplan_call_elem(call, memplan_call_has(call, 7) ? 7 : 0));
}

// com.ms.internal.nhwc keeps the weights in ONNX's order.
memplan_status memplan_shape_conv_nhwc(memplan_call *call) {
  return conv(call, &(conv_inputs){0, 1, channels_last, channels_first, false}, memplan_call_elem(call, 0));
}

// NhwcConv and NhwcFusedConv have their weights as [M, kernel..., C / group].
memplan_status memplan_shape_conv_nhwc_weights(memplan_call *call) {
  return conv(call, &(conv_inputs){0, 1, channels_last, channels_last, false}, memplan_call_elem(call, 0));
}

// Spatial sizes of a transposed convolution: from output_shape if given, else the inverse of a convolution.
static memplan_status stretch(memplan_call *call, const memplan_dims *data, int32_t first, const window *w,
                              memplan_dims *out) {
  memplan_list wanted;
  MEMPLAN_TRY(memplan_call_ints(call, "output_shape", &wanted));
  int64_t extra[MEMPLAN_ONNX_MAX_RANK] = {0};
  MEMPLAN_TRY(read_numbers(call, "output_padding", 0, w->n, extra));
  if (wanted.present && wanted.count != w->n && wanted.count != w->n + 2) {
    return memplan_call_fail(call, "attribute 'output_shape' has %lld entries, not %d", (long long)wanted.count,
                             (int)w->n);
  }
  for (int32_t d = 0; d < w->n; d++) {
    int64_t size = data->at[first + d];
    int64_t result = -1;
    if (wanted.present) {
      result = wanted.values[wanted.count == w->n ? d : d + 2];
      if (result < 0) {
        return memplan_call_fail(call, "attribute 'output_shape' holds %lld", (long long)result);
      }
    } else if (size >= 0 && w->same) {
      result = memplan_dim_mul(size, w->stride[d]);
    } else if (size >= 0 && w->kernel[d] >= 0) {
      int64_t spread = memplan_dim_mul(w->stride[d], size > 0 ? size - 1 : 0);
      int64_t extent = memplan_dim_add(memplan_dim_mul(w->kernel[d] > 0 ? w->kernel[d] - 1 : 0, w->dilation[d]), 1);
      result = memplan_dim_add(memplan_dim_add(spread, extent), extra[d]);
      if (result < MEMPLAN_DIM_LIMIT) {
        result -= w->begin[d] + w->end[d];
      }
      if (result < 0 || size == 0) {
        return memplan_call_fail(call, "spatial dimension %d comes out as %lld", (int)d, (long long)result);
      }
    }
    out->at[first + d] = result;
  }
  return MEMPLAN_OK;
}

static memplan_status conv_transpose(memplan_call *call, const conv_inputs *where, int32_t elem_type, bool pads_known) {
  memplan_dims data;
  memplan_dims weights;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, where->data, 3, MEMPLAN_ONNX_MAX_RANK, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, where->weights, 3, MEMPLAN_ONNX_MAX_RANK, &weights));
  memplan_dims out = memplan_dims_none();
  if (data.rank < 0) {
    return memplan_call_set(call, 0, elem_type, &out);
  }
  if (weights.rank >= 0 && weights.rank != data.rank) {
    return memplan_call_fail(call, "data of rank %d and weights of rank %d", (int)data.rank, (int)weights.rank);
  }
  int64_t group = 1;
  MEMPLAN_TRY(memplan_call_int(call, "group", &group));
  if (group < 1 || group > largest_attribute) {
    return memplan_call_fail(call, "attribute 'group' is %lld", (long long)group);
  }
  window w;
  MEMPLAN_TRY(read_window(call, data.rank - 2, &w));
  MEMPLAN_TRY(kernel_from_weights(call, &weights, 2, &w));
  int32_t channel = channel_axis(where->order, data.rank);
  if (weights.rank >= 0 && data.at[channel] >= 0 && weights.at[0] >= 0 && data.at[channel] != weights.at[0]) {
    return memplan_call_fail(call, "%lld channels of data, but the weights take %lld", (long long)data.at[channel],
                             (long long)weights.at[0]);
  }
  out = memplan_dims_unknown(data.rank);
  out.at[0] = data.at[0];
  out.at[channel] = weights.rank < 0 ? -1 : memplan_dim_mul(weights.at[1], group);
  if (pads_known) {
    MEMPLAN_TRY(stretch(call, &data, first_spatial(where->order), &w, &out));
  }
  return memplan_call_set(call, 0, elem_type, &out);
}

memplan_status memplan_shape_conv_transpose(memplan_call *call) {
  return conv_transpose(call, &(conv_inputs){0, 1, channels_first, channels_first, false}, memplan_call_elem(call, 0),
                        true);
}

memplan_status memplan_shape_conv_transpose_nhwc(memplan_call *call) {
  return conv_transpose(call, &(conv_inputs){0, 1, channels_last, channels_first, false}, memplan_call_elem(call, 0),
                        true);
}

memplan_status memplan_shape_qlinear_conv_transpose_nhwc(memplan_call *call) {
  int32_t elem_type = memplan_call_elem(call, memplan_call_has(call, 7) ? 7 : 0);
  return conv_transpose(call, &(conv_inputs){0, 3, channels_last, channels_first, false}, elem_type, true);
}

// The pads are an input; without it they are the attributes'.
memplan_status memplan_shape_conv_transpose_pads(memplan_call *call) {
  return conv_transpose(call, &(conv_inputs){0, 1, channels_first, channels_first, false}, memplan_call_elem(call, 0),
                        !memplan_call_has(call, 2));
}

static memplan_status pool(memplan_call *call, layout order, int32_t elem_type) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  memplan_list kernel;
  MEMPLAN_TRY(memplan_call_ints_required(call, "kernel_shape", &kernel));
  memplan_dims out = memplan_dims_none();
  if (data.rank >= 0) {
    window w;
    MEMPLAN_TRY(read_window(call, data.rank - 2, &w));
    int64_t ceil_mode = 0;
    MEMPLAN_TRY(memplan_call_int(call, "ceil_mode", &ceil_mode));
    w.round_up = ceil_mode != 0;
    if (kernel.count != w.n) {
      return memplan_call_fail(call, "attribute 'kernel_shape' has %lld entries, not %d", (long long)kernel.count,
                               (int)w.n);
    }
    out = data;
    int32_t first = first_spatial(order);
    for (int32_t d = 0; d < w.n; d++) {
      MEMPLAN_TRY(slide(call, &w, d, data.at[first + d], &out.at[first + d]));
    }
  }
  MEMPLAN_TRY(memplan_call_set(call, 0, elem_type, &out));
  return memplan_call_set(call, 1, MEMPLAN_ONNX_INT64, &out);
}

memplan_status memplan_shape_pool(memplan_call *call) { return pool(call, channels_first, memplan_call_elem(call, 0)); }

memplan_status memplan_shape_pool_nhwc(memplan_call *call) {
  return pool(call, channels_last, memplan_call_elem(call, 0));
}

memplan_status memplan_shape_qlinear_pool(memplan_call *call) {
  layout order = channels_first;
  MEMPLAN_TRY(read_layout(call, &order));
  return pool(call, order, memplan_call_elem(call, 0));
}

static memplan_status global_pool(memplan_call *call, layout order) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  int32_t first = first_spatial(order);
  for (int32_t d = 0; d < data.rank - 2; d++) {
    data.at[first + d] = 1;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}

memplan_status memplan_shape_global_pool(memplan_call *call) { return global_pool(call, channels_first); }

memplan_status memplan_shape_global_pool_nhwc(memplan_call *call) { return global_pool(call, channels_last); }

memplan_status memplan_shape_qlinear_global_pool(memplan_call *call) {
  layout order = channels_first;
  MEMPLAN_TRY(read_layout(call, &order));
  return global_pool(call, order);
}

memplan_status memplan_shape_max_unpool(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  if (data.rank < 0) {
    return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
  }
  window w;
  MEMPLAN_TRY(read_window(call, data.rank - 2, &w));
  memplan_list shape;
  MEMPLAN_TRY(memplan_call_list(call, 2, &shape));
  memplan_dims out = memplan_dims_unknown(data.rank);
  out.at[0] = data.at[0];
  out.at[1] = data.at[1];
  if (shape.present) {
    if (shape.count >= 0 && shape.count != data.rank) {
      return memplan_call_fail(call, "output_shape has %lld entries, not %d", (long long)shape.count, (int)data.rank);
    }
    for (int32_t d = 0; d < data.rank; d++) {
      MEMPLAN_TRY(memplan_call_entry(call, &shape, d, 0, &out.at[d]));
    }
  } else {
    for (int32_t d = 0; d < w.n; d++) {
      int64_t size = data.at[2 + d];
      if (size > 0 && w.kernel[d] > 0) {
        int64_t full = memplan_dim_add(memplan_dim_mul(size - 1, w.stride[d]), w.kernel[d]);
        full -= w.begin[d] + w.end[d];
        if (full < 0) {
          return memplan_call_fail(call, "spatial dimension %d comes out as %lld", (int)d, (long long)full);
        }
        out.at[2 + d] = full;
      }
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_max_roi_pool(memplan_call *call) {
  memplan_dims data;
  memplan_dims rois;
  memplan_list pooled;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 4, 4, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 2, 2, &rois));
  MEMPLAN_TRY(memplan_call_ints_required(call, "pooled_shape", &pooled));
  if (pooled.count != 2 || pooled.values[0] < 1 || pooled.values[1] < 1) {
    return memplan_call_fail(call, "attribute 'pooled_shape' must hold two positive numbers");
  }
  memplan_dims out = memplan_dims_unknown(4);
  out.at[0] = rois.rank < 0 ? -1 : rois.at[0];
  out.at[1] = data.rank < 0 ? -1 : data.at[1];
  out.at[2] = pooled.values[0];
  out.at[3] = pooled.values[1];
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_col2im(memplan_call *call) {
  memplan_dims data;
  memplan_list image;
  memplan_list block;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 3, &data));
  MEMPLAN_TRY(memplan_call_list(call, 1, &image));
  MEMPLAN_TRY(memplan_call_list(call, 2, &block));
  int64_t n = image.count >= 0 ? image.count : block.count;
  memplan_dims out = memplan_dims_none();
  if (n >= 0) {
    if (n > MEMPLAN_ONNX_MAX_RANK - 2 || (block.count >= 0 && block.count != n)) {
      return memplan_call_fail(call, "image_shape and block_shape do not agree");
    }
    out = memplan_dims_unknown((int32_t)n + 2);
    out.at[0] = data.rank < 0 ? -1 : data.at[0];
    int64_t size = memplan_list_complete(&block) ? 1 : -1;
    for (int32_t d = 0; d < (int32_t)n; d++) {
      MEMPLAN_TRY(memplan_call_entry(call, &image, d, 0, &out.at[2 + d]));
      size = size < 0 ? -1 : memplan_dim_mul(size, block.values[d] > 0 ? block.values[d] : 0);
    }
    if (size == 0 || (size > 0 && data.rank >= 0 && data.at[1] % size != 0 && data.at[1] >= 0)) {
      return memplan_call_fail(call, "%lld channels are no multiple of the block of %lld",
                               (long long)(data.rank < 0 ? -1 : data.at[1]), (long long)size);
    }
    if (size > 0 && data.rank >= 0 && data.at[1] >= 0) {
      out.at[1] = data.at[1] / size;
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}
