// SPDX-License-Identifier: Apache-2.0
// Signal processing: window functions and Fourier transforms.
#include "instances/onnx_shape_families.h"

// HannWindow, HammingWindow, BlackmanWindow: as long as the data of the input says.
memplan_status memplan_shape_window(memplan_call *call) {
  memplan_dims out = memplan_dims_unknown(1);
  int64_t elem_type = MEMPLAN_ONNX_FLOAT;
  int64_t size = 0;
  MEMPLAN_TRY(memplan_call_int(call, "output_datatype", &elem_type));
  if (memplan_call_scalar(call, 0, &size)) {
    if (size < 0) {
      return memplan_call_fail(call, "a size of %lld", (long long)size);
    }
    out.at[0] = size;
  }
  return memplan_call_set(call, 0, memplan_elem_type_checked(elem_type), &out);
}

memplan_status memplan_shape_mel_weights(memplan_call *call) {
  memplan_dims out = memplan_dims_unknown(2);
  int64_t elem_type = MEMPLAN_ONNX_FLOAT;
  int64_t length = 0;
  int64_t bins = 0;
  MEMPLAN_TRY(memplan_call_int(call, "output_datatype", &elem_type));
  if (memplan_call_scalar(call, 1, &length)) {
    out.at[0] = length < 0 ? -1 : length / 2 + 1;
  }
  if (memplan_call_scalar(call, 0, &bins)) {
    out.at[1] = bins;
  }
  if (length < 0 || bins < 0) {
    return memplan_call_fail(call, "a size below 0");
  }
  return memplan_call_set(call, 0, memplan_elem_type_checked(elem_type), &out);
}

// [..., signal, 1 or 2] becomes [..., signal or dft_length or half of it + 1, 2 (inverse onesided: 1)].
memplan_status memplan_shape_dft(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  int64_t axis = call->opset >= 20 ? -2 : 1;
  int64_t onesided = 0;
  int64_t inverse = 0;
  bool axis_known = true;
  MEMPLAN_TRY(memplan_call_int(call, "onesided", &onesided));
  MEMPLAN_TRY(memplan_call_int(call, "inverse", &inverse));
  if (call->opset < 20) {
    MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  } else if (memplan_call_has(call, 2)) {
    axis_known = memplan_call_scalar(call, 2, &axis);
  }
  memplan_dims out = data;
  if (data.rank >= 0 && !axis_known) {
    out = memplan_dims_unknown(data.rank);
  } else if (data.rank >= 0) {
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, data.rank, &at));
    if (at == data.rank - 1) {
      return memplan_call_fail(call, "the axis holds real and imaginary part");
    }
    if (memplan_call_has(call, 1)) {
      int64_t length = -1;
      if (memplan_call_scalar(call, 1, &length) && length < 0) {
        return memplan_call_fail(call, "a length of %lld", (long long)length);
      }
      out.at[at] = length;
    }
    if (onesided != 0 && out.at[at] >= 0) {
      if (inverse == 0) {
        out.at[at] = out.at[at] / 2 + 1;
      } else if (!memplan_call_has(call, 1)) {
        out.at[at] = out.at[at] > 0 ? memplan_dim_mul(out.at[at] - 1, 2) : 0;
      }
    }
  }
  if (out.rank >= 0) {
    out.at[out.rank - 1] = onesided != 0 && inverse != 0 ? 1 : 2;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// [batch, signal, 1 or 2] becomes [batch, frames, bins, 2].
memplan_status memplan_shape_stft(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 3, &data));
  int64_t onesided = 1;
  MEMPLAN_TRY(memplan_call_int(call, "onesided", &onesided));
  int64_t length = -1;
  if (memplan_call_has(call, 3)) {
    if (!memplan_call_scalar(call, 3, &length)) {
      length = -1;
    }
  } else if (memplan_call_has(call, 2)) {
    memplan_dims window;
    MEMPLAN_TRY(memplan_call_dims_ranked(call, 2, 1, 1, &window));
    length = window.rank < 0 ? -1 : window.at[0];
  } else {
    return memplan_call_fail(call, "neither window nor frame_length is given");
  }
  int64_t step = -1;
  bool step_known = memplan_call_scalar(call, 1, &step);
  memplan_dims out = memplan_dims_unknown(4);
  out.at[0] = data.rank < 0 ? -1 : data.at[0];
  out.at[3] = 2;
  if (length >= 0) {
    out.at[2] = onesided != 0 ? length / 2 + 1 : length;
  }
  if (length >= 0 && step_known && data.rank >= 0 && data.at[1] >= 0) {
    if (step <= 0 || length > data.at[1]) {
      return memplan_call_fail(call, "frames of %lld at every %lld in a signal of %lld", (long long)length,
                               (long long)step, (long long)data.at[1]);
    }
    out.at[1] = (data.at[1] - length) / step + 1;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// com.microsoft: the last signal_ndim dimensions; complex results have a dimension of 2 at the end.
memplan_status memplan_shape_rfft(memplan_call *call) {
  memplan_dims data;
  int64_t onesided = 1;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 1, MEMPLAN_ONNX_MAX_RANK, &data));
  MEMPLAN_TRY(memplan_call_int(call, "onesided", &onesided));
  if (data.rank >= 0) {
    int64_t *last = &data.at[data.rank - 1];
    *last = *last < 0 || onesided == 0 ? *last : *last / 2 + 1;
    MEMPLAN_TRY(memplan_call_append(call, &data, 2));
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}

memplan_status memplan_shape_irfft(memplan_call *call) {
  memplan_dims data;
  int64_t onesided = 1;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  MEMPLAN_TRY(memplan_call_int(call, "onesided", &onesided));
  if (data.rank >= 0) {
    data.rank--;
    int64_t *last = &data.at[data.rank - 1];
    if (onesided != 0 && *last > 0) {
      *last = memplan_dim_mul(*last - 1, 2);
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}
