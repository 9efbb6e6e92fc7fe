// SPDX-License-Identifier: Apache-2.0
// Images: resizing, sampling, regions, detection.
//
// Scaled sizes are computed in float, as the runtimes do it, so that 3 * 0.6f gives what runs.
#include "instances/onnx_shape_families.h"

#include <math.h>
#include <string.h>

static memplan_status scaled(memplan_call *call, int64_t size, float scale, int64_t *out) {
  *out = -1;
  if (!(scale > 0.0f)) {
    return memplan_call_fail(call, "a scale of %g", (double)scale);
  }
  if (size >= 0) {
    float result = floorf((float)size * scale);
    if (!(result < 4e18f)) {
      return memplan_call_fail(call, "a scale of %g", (double)scale);
    }
    *out = (int64_t)result;
  }
  return MEMPLAN_OK;
}

// Which dimension entry i of scales, sizes and roi belongs to.
typedef struct resize_axes {
  int32_t n;
  int32_t at[MEMPLAN_ONNX_MAX_RANK];
} resize_axes;

static memplan_status read_resize_axes(memplan_call *call, int32_t rank, resize_axes *axes) {
  memplan_list list;
  MEMPLAN_TRY(memplan_call_ints(call, "axes", &list));
  axes->n = rank;
  if (list.present && list.count > 0) {
    bool marks[MEMPLAN_ONNX_MAX_RANK];
    MEMPLAN_TRY(memplan_call_axes(call, &list, rank, marks));
    axes->n = (int32_t)list.count;
  }
  for (int32_t i = 0; i < axes->n; i++) {
    axes->at[i] = i;
    if (list.present && list.count > 0) {
      MEMPLAN_TRY(memplan_call_axis(call, list.values[i], rank, &axes->at[i]));
    }
  }
  return MEMPLAN_OK;
}

static memplan_status resize_by_scales(memplan_call *call, const memplan_dims *data, const resize_axes *axes,
                                       const memplan_onnx_data *scales, const memplan_onnx_data *regions,
                                       memplan_dims *out) {
  const char *mode = "";
  MEMPLAN_TRY(memplan_call_text(call, "coordinate_transformation_mode", &mode));
  bool crop = strcmp(mode, "tf_crop_and_resize") == 0;
  for (int32_t i = 0; i < axes->n; i++) {
    int32_t at = axes->at[i];
    float scale = (float)scales->reals[i];
    if (scales->known != NULL && scales->known[i] == 0) {
      out->at[at] = -1;
      continue;
    }
    if (crop) {
      if (regions == NULL || regions->reals == NULL || regions->known != NULL || regions->count != 2 * axes->n) {
        out->at[at] = -1;
        continue;
      }
      double share = regions->reals[axes->n + i] - regions->reals[i];
      double size = data->at[at] < 0 ? -1 : floor((double)data->at[at] * share * (double)scale);
      if (!(size < 4e18) || !(size >= -1)) {
        return memplan_call_fail(call, "a region of %g at scale %g", share, (double)scale);
      }
      out->at[at] = (int64_t)size;
      continue;
    }
    MEMPLAN_TRY(scaled(call, data->at[at], scale, &out->at[at]));
  }
  return MEMPLAN_OK;
}

static memplan_status resize_to_sizes(memplan_call *call, const memplan_dims *data, const resize_axes *axes,
                                      const memplan_list *sizes, memplan_dims *out) {
  const char *policy = "stretch";
  MEMPLAN_TRY(memplan_call_text(call, "keep_aspect_ratio_policy", &policy));
  bool smaller = strcmp(policy, "not_smaller") == 0;
  bool larger = strcmp(policy, "not_larger") == 0;
  float ratio = 0.0f;
  bool ratio_known = true;
  for (int32_t i = 0; i < axes->n; i++) {
    int32_t at = axes->at[i];
    MEMPLAN_TRY(memplan_call_entry(call, sizes, i, 0, &out->at[at]));
    if (out->at[at] < 0 || data->at[at] <= 0) {
      ratio_known = false;
      continue;
    }
    float own = (float)out->at[at] / (float)data->at[at];
    if (i == 0 || (smaller ? own > ratio : own < ratio)) {
      ratio = own;
    }
  }
  if (!smaller && !larger) {
    return MEMPLAN_OK;
  }
  for (int32_t i = 0; i < axes->n; i++) {
    int32_t at = axes->at[i];
    float size = ratio_known ? floorf(ratio * (float)data->at[at] + 0.5f) : -1.0f;
    out->at[at] = size < 4e18f ? (int64_t)size : MEMPLAN_DIM_LIMIT;
  }
  return MEMPLAN_OK;
}

// An input that is there and not an empty list.
static bool filled(const memplan_call *call, int32_t k) {
  const memplan_onnx_type *type = memplan_call_type(call, k);
  return type != NULL && !(type->rank == 1 && type->dims[0] == 0);
}

static memplan_status resize(memplan_call *call, int32_t scale_input, int32_t size_input, int32_t region_input) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  memplan_dims out = data;
  if (data.rank >= 0) {
    resize_axes axes;
    MEMPLAN_TRY(read_resize_axes(call, data.rank, &axes));
    for (int32_t i = 0; i < axes.n; i++) {
      out.at[axes.at[i]] = -1;
    }
    if (filled(call, size_input)) {
      memplan_list sizes;
      MEMPLAN_TRY(memplan_call_list(call, size_input, &sizes));
      if (sizes.count >= 0 && sizes.count != axes.n) {
        return memplan_call_fail(call, "%lld sizes for %d axes", (long long)sizes.count, (int)axes.n);
      }
      MEMPLAN_TRY(resize_to_sizes(call, &data, &axes, &sizes, &out));
    } else if (filled(call, scale_input)) {
      const memplan_onnx_data *scales = memplan_call_data(call, scale_input);
      if (scales != NULL && (scales->reals == NULL || scales->count != axes.n)) {
        return memplan_call_fail(call, "%lld scales for %d axes", (long long)scales->count, (int)axes.n);
      }
      if (scales != NULL) {
        MEMPLAN_TRY(resize_by_scales(call, &data, &axes, scales, memplan_call_data(call, region_input), &out));
      }
    } else {
      return memplan_call_fail(call, "neither scales nor sizes are given");
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_resize(memplan_call *call) {
  return call->opset >= 11 || call->node->domain[0] != '\0' ? resize(call, 2, 3, 1) : resize(call, 1, -1, -1);
}

memplan_status memplan_shape_upsample(memplan_call *call) {
  if (call->opset >= 9) {
    return resize(call, 1, -1, -1);
  }
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  if (data.rank < 0) {
    return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
  }
  const float *scales = NULL;
  int64_t n = 0;
  float pair[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  MEMPLAN_TRY(memplan_call_floats(call, "scales", &scales, &n));
  if (scales == NULL) {
    const memplan_onnx_attribute *height = memplan_onnx_attribute_find(call->node, "height_scale");
    const memplan_onnx_attribute *width = memplan_onnx_attribute_find(call->node, "width_scale");
    if (height == NULL || width == NULL) {
      return memplan_call_fail(call, "the scales are missing");
    }
    pair[2] = height->f;
    pair[3] = width->f;
    scales = pair;
    n = 4;
  }
  if (n != data.rank) {
    return memplan_call_fail(call, "%lld scales for rank %d", (long long)n, (int)data.rank);
  }
  memplan_dims out = memplan_dims_unknown(data.rank);
  for (int32_t d = 0; d < data.rank; d++) {
    MEMPLAN_TRY(scaled(call, data.at[d], scales[d], &out.at[d]));
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// com.microsoft.nchwc: integer scales as an attribute.
memplan_status memplan_shape_upsample_blocked(memplan_call *call) {
  memplan_dims data;
  memplan_list scales;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_ints(call, "scales", &scales));
  if (data.rank >= 0 && scales.present) {
    if (scales.count != data.rank) {
      return memplan_call_fail(call, "%lld scales for rank %d", (long long)scales.count, (int)data.rank);
    }
    for (int32_t d = 0; d < data.rank; d++) {
      int64_t scale = 1;
      MEMPLAN_TRY(memplan_call_entry(call, &scales, d, 1, &scale));
      data.at[d] = memplan_dim_mul(data.at[d], scale);
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}

static memplan_status grid_sample(memplan_call *call, bool channels_last) {
  memplan_dims data;
  memplan_dims grid;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, MEMPLAN_ONNX_MAX_RANK, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 3, MEMPLAN_ONNX_MAX_RANK, &grid));
  if (data.rank >= 0 && grid.rank >= 0 && data.rank != grid.rank) {
    return memplan_call_fail(call, "data and grid have different ranks");
  }
  int32_t rank = data.rank >= 0 ? data.rank : grid.rank;
  memplan_dims out = rank < 0 ? memplan_dims_none() : memplan_dims_unknown(rank);
  if (rank >= 0) {
    int32_t channel = channels_last ? rank - 1 : 1;
    out.at[0] = data.rank >= 0 && data.at[0] >= 0 ? data.at[0] : grid.rank >= 0 ? grid.at[0] : -1;
    out.at[channel] = data.rank >= 0 ? data.at[channel] : -1;
    for (int32_t d = 1; grid.rank >= 0 && d + 1 < rank; d++) {
      out.at[channels_last ? d : d + 1] = grid.at[d];
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_grid_sample(memplan_call *call) { return grid_sample(call, false); }

memplan_status memplan_shape_grid_sample_nhwc(memplan_call *call) { return grid_sample(call, true); }

// Size [N, C, H, W] gives a grid [N, H, W, 2]; with a depth [N, D, H, W, 3].
memplan_status memplan_shape_affine_grid(memplan_call *call) {
  memplan_list size;
  MEMPLAN_TRY(memplan_call_list(call, 1, &size));
  memplan_dims out = memplan_dims_none();
  if (size.count >= 0) {
    if (size.count != 4 && size.count != 5) {
      return memplan_call_fail(call, "a size of %lld entries", (long long)size.count);
    }
    int32_t rank = (int32_t)size.count;
    out = memplan_dims_unknown(rank);
    MEMPLAN_TRY(memplan_call_entry(call, &size, 0, 0, &out.at[0]));
    for (int32_t d = 2; d < rank; d++) {
      MEMPLAN_TRY(memplan_call_entry(call, &size, d, 0, &out.at[d - 1]));
    }
    out.at[rank - 1] = rank - 2;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_roi_align(memplan_call *call) {
  memplan_dims data;
  memplan_dims rois;
  int64_t height = 1;
  int64_t width = 1;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 4, 4, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 2, 2, &rois));
  MEMPLAN_TRY(memplan_call_int(call, "output_height", &height));
  MEMPLAN_TRY(memplan_call_int(call, "output_width", &width));
  if (height < 1 || width < 1) {
    return memplan_call_fail(call, "an output of %lld x %lld", (long long)height, (long long)width);
  }
  memplan_dims out = {.rank = 4,
                      .at = {rois.rank < 0 ? -1 : rois.at[0], data.rank < 0 ? -1 : data.at[1], height, width}};
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// CropAndResize of com.microsoft: the size of the crops is data.
memplan_status memplan_shape_crop_and_resize(memplan_call *call) {
  memplan_dims data;
  memplan_dims rois;
  memplan_list size;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 4, 4, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 2, 2, &rois));
  MEMPLAN_TRY(memplan_call_list(call, 3, &size));
  memplan_dims out = memplan_dims_unknown(4);
  out.at[0] = rois.rank < 0 ? -1 : rois.at[0];
  out.at[1] = data.rank < 0 ? -1 : data.at[1];
  MEMPLAN_TRY(memplan_call_entry(call, &size, 0, 0, &out.at[2]));
  MEMPLAN_TRY(memplan_call_entry(call, &size, 1, 0, &out.at[3]));
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// The boxes found are data; none, though, if at most none may be kept.
memplan_status memplan_shape_non_max_suppression(memplan_call *call) {
  memplan_dims out = {.rank = 2, .at = {-1, 3}};
  int64_t most = 0;
  if (!memplan_call_has(call, 2) || (memplan_call_scalar(call, 2, &most) && most == 0)) {
    out.at[0] = 0;
  }
  return memplan_call_set(call, 0, MEMPLAN_ONNX_INT64, &out);
}

memplan_status memplan_shape_image_decoder(memplan_call *call) {
  const char *format = "RGB";
  MEMPLAN_TRY(memplan_call_text(call, "pixel_format", &format));
  memplan_dims out = {.rank = 3, .at = {-1, -1, strcmp(format, "Grayscale") == 0 ? 1 : 3}};
  return memplan_call_set(call, 0, MEMPLAN_ONNX_UINT8, &out);
}

// Crop of the first opsets: border [left, top, right, bottom], or a size from the upper left corner of the border.
memplan_status memplan_shape_crop(memplan_call *call) {
  memplan_dims data;
  memplan_list border;
  memplan_list scale;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 4, 4, &data));
  MEMPLAN_TRY(memplan_call_ints_required(call, "border", &border));
  MEMPLAN_TRY(memplan_call_ints(call, "scale", &scale));
  if (border.count != 4 || (scale.present && scale.count != 2)) {
    return memplan_call_fail(call, "attribute 'border' needs four entries, 'scale' two");
  }
  for (int32_t d = 2; d < data.rank; d++) {
    if (scale.present) {
      MEMPLAN_TRY(memplan_call_entry(call, &scale, d - 2, 0, &data.at[d]));
    } else if (data.at[d] >= 0) {
      int64_t before = border.values[3 - d];
      int64_t after = border.values[5 - d];
      if (before < 0 || after < 0 || before > data.at[d] || after > data.at[d] - before) {
        return memplan_call_fail(call, "a border of %lld and %lld in a dimension of %lld", (long long)before,
                                 (long long)after, (long long)data.at[d]);
      }
      data.at[d] -= before + after;
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}
