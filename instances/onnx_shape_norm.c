// SPDX-License-Identifier: Apache-2.0
// Normalisations and losses: the result has the shape of the data; the statistics are what needs care.
#include "instances/onnx_shape_families.h"

#include <string.h>

static memplan_status batch_norm(memplan_call *call, int32_t channel) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  memplan_dims statistics = memplan_dims_unknown(1);
  if (data.rank >= 2) {
    statistics.at[0] = data.at[channel < 0 ? data.rank - 1 : channel];
  } else if (data.rank == 1) {
    statistics.at[0] = 1;
  }
  // The scale has one entry per channel, too.
  memplan_dims scale;
  MEMPLAN_TRY(memplan_call_dims(call, 1, &scale));
  if (scale.rank == 1 && scale.at[0] >= 0) {
    if (data.rank >= 2 && statistics.at[0] >= 0 && statistics.at[0] != scale.at[0] && call->opset >= 9) {
      return memplan_call_fail(call, "%lld channels, but %lld scales", (long long)statistics.at[0],
                               (long long)scale.at[0]);
    }
    statistics.at[0] = scale.at[0];
  }
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &data));
  for (int32_t k = 1; k < call->node->n_out; k++) {
    int32_t elem_type = call->opset >= 14 ? memplan_call_elem(call, 3) : memplan_call_elem(call, 0);
    MEMPLAN_TRY(memplan_call_set(call, k, elem_type, &statistics));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_batch_norm(memplan_call *call) { return batch_norm(call, 1); }

memplan_status memplan_shape_batch_norm_nhwc(memplan_call *call) { return batch_norm(call, -1); }

// The shape of the data with ones from `axis` on.
static memplan_status statistics_from_axis(memplan_call *call, int64_t axis, memplan_dims *dims) {
  MEMPLAN_TRY(memplan_call_dims(call, 0, dims));
  if (dims->rank >= 0) {
    int32_t at = 0;
    MEMPLAN_TRY(memplan_call_axis(call, axis, dims->rank, &at));
    for (int32_t d = at; d < dims->rank; d++) {
      dims->at[d] = 1;
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_layer_norm(memplan_call *call) {
  int64_t axis = -1;
  int64_t stash = MEMPLAN_ONNX_FLOAT;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  MEMPLAN_TRY(memplan_call_int(call, "stash_type", &stash));
  memplan_dims statistics;
  MEMPLAN_TRY(statistics_from_axis(call, axis, &statistics));
  MEMPLAN_TRY(memplan_call_same(call, 0, 0));
  MEMPLAN_TRY(memplan_call_set(call, 1, memplan_elem_type_checked(stash), &statistics));
  return memplan_call_set(call, 2, memplan_elem_type_checked(stash), &statistics);
}

// SkipLayerNormalization: statistics over the last dimension, and the sum of input, skip and bias.
memplan_status memplan_shape_skip_layer_norm(memplan_call *call) {
  memplan_dims statistics;
  MEMPLAN_TRY(statistics_from_axis(call, -1, &statistics));
  MEMPLAN_TRY(memplan_call_same(call, 0, 0));
  MEMPLAN_TRY(memplan_call_set(call, 1, MEMPLAN_ONNX_FLOAT, &statistics));
  MEMPLAN_TRY(memplan_call_set(call, 2, MEMPLAN_ONNX_FLOAT, &statistics));
  return memplan_call_same(call, 3, 0);
}

memplan_status memplan_shape_skip_group_norm(memplan_call *call) {
  MEMPLAN_TRY(memplan_call_same(call, 0, 0));
  return memplan_call_same(call, 1, 0);
}

// EmbedLayerNormalization: [batch, sequence] ids become [batch, sequence, hidden].
memplan_status memplan_shape_embed_layer_norm(memplan_call *call) {
  memplan_dims ids;
  memplan_dims words;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 2, &ids));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 2, 2, 2, &words));
  memplan_dims out = memplan_dims_unknown(3);
  memplan_dims mask = memplan_dims_unknown(1);
  if (ids.rank == 2) {
    out.at[0] = ids.at[0];
    out.at[1] = ids.at[1];
    mask.at[0] = ids.at[0];
  }
  out.at[2] = words.rank == 2 ? words.at[1] : -1;
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 2), &out));
  MEMPLAN_TRY(memplan_call_set(call, 1, MEMPLAN_ONNX_INT32, &mask));
  return memplan_call_set(call, 2, memplan_call_elem(call, 2), &out);
}

// Negative log likelihood: without reduction one loss per target.
static memplan_status set_loss(memplan_call *call) {
  const char *reduction = "mean";
  MEMPLAN_TRY(memplan_call_text(call, "reduction", &reduction));
  memplan_dims loss = {.rank = 0};
  if (strcmp(reduction, "none") == 0) {
    MEMPLAN_TRY(memplan_call_dims(call, 1, &loss));
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &loss);
}

memplan_status memplan_shape_nll_loss(memplan_call *call) {
  memplan_dims data;
  memplan_dims target;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, MEMPLAN_ONNX_MAX_RANK, &data));
  MEMPLAN_TRY(memplan_call_dims(call, 1, &target));
  if (data.rank >= 0 && target.rank >= 0 && target.rank != data.rank - 1) {
    return memplan_call_fail(call, "the target must have one dimension less than the data");
  }
  return set_loss(call);
}

memplan_status memplan_shape_cross_entropy_loss(memplan_call *call) {
  MEMPLAN_TRY(memplan_shape_nll_loss(call));
  return memplan_call_same(call, 1, 0);
}
