// SPDX-License-Identifier: Apache-2.0
// Operators of onnxruntime's domains that belong to no other family.
#include "instances/onnx_shape_families.h"

// BiasSplitGelu, SwiGLU of one packed input: the last dimension holds value and gate.
memplan_status memplan_shape_half_last(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 1, MEMPLAN_ONNX_MAX_RANK, &data));
  if (data.rank > 0 && data.at[data.rank - 1] >= 0) {
    if (data.at[data.rank - 1] % 2 != 0) {
      return memplan_call_fail(call, "%lld columns cannot be halved", (long long)data.at[data.rank - 1]);
    }
    data.at[data.rank - 1] /= 2;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &data);
}

// BitmaskDropout: the mask holds 32 elements to a word.
memplan_status memplan_shape_bitmask_dropout(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  int64_t count = memplan_dims_count(&data);
  memplan_dims mask = {.rank = 1, .at = {count < 0 ? -1 : count / 32 + (count % 32 != 0 ? 1 : 0)}};
  call->random = true;
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &data));
  return memplan_call_set(call, 1, MEMPLAN_ONNX_UINT32, &mask);
}

memplan_status memplan_shape_bias_dropout(memplan_call *call) {
  call->random = true;
  MEMPLAN_TRY(memplan_call_same(call, 0, 0));
  return memplan_call_same_as(call, 1, 0, MEMPLAN_ONNX_BOOL);
}

// ReorderOutput: from blocks back to [N, C, ...] or [N, ..., C] with the channels that are really there.
memplan_status memplan_shape_reorder_output(memplan_call *call) {
  memplan_dims data;
  int64_t channels = 0;
  int64_t last = 0;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  MEMPLAN_TRY(memplan_call_int_required(call, "channels", &channels));
  MEMPLAN_TRY(memplan_call_int(call, "channels_last", &last));
  if (channels < 1) {
    return memplan_call_fail(call, "attribute 'channels' is %lld", (long long)channels);
  }
  memplan_dims out = data;
  if (data.rank >= 2 && last != 0) {
    for (int32_t d = 1; d + 1 < data.rank; d++) {
      out.at[d] = data.at[d + 1];
    }
    out.at[data.rank - 1] = channels;
  } else if (data.rank >= 2) {
    out.at[1] = channels;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_reorder_input(memplan_call *call) {
  memplan_dims data;
  int64_t last = 0;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  MEMPLAN_TRY(memplan_call_int(call, "channels_last", &last));
  memplan_dims out = data;
  if (data.rank >= 2 && last != 0) {
    out.at[1] = data.at[data.rank - 1];
    for (int32_t d = 2; d < data.rank; d++) {
      out.at[d] = data.at[d - 1];
    }
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_murmur_hash(memplan_call *call) {
  int64_t positive = 1;
  MEMPLAN_TRY(memplan_call_int(call, "positive", &positive));
  return memplan_call_same_as(call, 0, 0, positive != 0 ? MEMPLAN_ONNX_UINT32 : MEMPLAN_ONNX_INT32);
}

// GemmaRotaryEmbedding: q and k of input 1 rotated, one output each.
memplan_status memplan_shape_rotary_pair(memplan_call *call) {
  MEMPLAN_TRY(memplan_call_same(call, 0, 1));
  return memplan_call_same(call, 1, 3);
}

// RestorePadding: [tokens, hidden] back to [batch, sequence, hidden], whose first two the offsets have.
memplan_status memplan_shape_restore_padding(memplan_call *call) {
  memplan_dims data;
  memplan_dims offsets;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 2, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 2, 2, &offsets));
  memplan_dims out = memplan_dims_unknown(3);
  for (int32_t d = 0; d < 2 && offsets.rank == 2; d++) {
    out.at[d] = offsets.at[d];
  }
  out.at[2] = data.rank == 2 ? data.at[1] : -1;
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// RemovePadding: the number of tokens is data.
memplan_status memplan_shape_remove_padding(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 3, &data));
  memplan_dims out = {.rank = 2, .at = {-1, data.rank == 3 ? data.at[2] : -1}};
  memplan_dims offsets = {.rank = 2, .at = {data.rank == 3 ? data.at[0] : -1, data.rank == 3 ? data.at[1] : -1}};
  memplan_dims lengths = {.rank = 1, .at = {memplan_dim_add(offsets.at[0], 1)}};
  memplan_dims one = {.rank = 1, .at = {1}};
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &out));
  MEMPLAN_TRY(memplan_call_set(call, 1, MEMPLAN_ONNX_INT32, &offsets));
  MEMPLAN_TRY(memplan_call_set(call, 2, MEMPLAN_ONNX_INT32, &lengths));
  return memplan_call_set(call, 3, MEMPLAN_ONNX_INT32, &one);
}
