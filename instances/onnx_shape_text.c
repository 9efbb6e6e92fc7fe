// SPDX-License-Identifier: Apache-2.0
// Strings: normalising, splitting, matching, n-grams.
#include "instances/onnx_shape_families.h"

memplan_status memplan_shape_string_normalizer(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 1, 2, &data));
  const memplan_onnx_attribute *stop = memplan_onnx_attribute_find(call->node, "stopwords");
  if (stop != NULL && stop->n_strings > 0 && data.rank > 0) {
    data.at[data.rank - 1] = -1;
  }
  return memplan_call_set(call, 0, MEMPLAN_ONNX_STRING, &data);
}

memplan_status memplan_shape_tfidf(memplan_call *call) {
  memplan_dims data;
  memplan_list indexes;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 0, 2, &data));
  MEMPLAN_TRY(memplan_call_ints_required(call, "ngram_indexes", &indexes));
  int64_t largest = -1;
  for (int64_t i = 0; i < indexes.count; i++) {
    int64_t index = 0;
    MEMPLAN_TRY(memplan_call_entry(call, &indexes, i, 0, &index));
    largest = index > largest ? index : largest;
  }
  memplan_dims out = memplan_dims_none();
  if (data.rank >= 0) {
    out = (memplan_dims){.rank = data.rank == 2 ? 2 : 1};
    out.at[0] = data.at[0];
    out.at[out.rank - 1] = memplan_dim_add(largest < 0 ? 0 : largest, largest < 0 ? 0 : 1);
  }
  return memplan_call_set(call, 0, MEMPLAN_ONNX_FLOAT, &out);
}

memplan_status memplan_shape_string_split(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  MEMPLAN_TRY(memplan_call_set(call, 1, MEMPLAN_ONNX_INT64, &data));
  if (data.rank >= 0) {
    MEMPLAN_TRY(memplan_call_append(call, &data, -1));
  }
  return memplan_call_set(call, 0, MEMPLAN_ONNX_STRING, &data);
}

// Tokenizer of com.microsoft: the number of tokens is data.
memplan_status memplan_shape_tokenizer(memplan_call *call) {
  memplan_dims data;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 1, 2, &data));
  if (data.rank >= 0) {
    MEMPLAN_TRY(memplan_call_append(call, &data, -1));
  }
  return memplan_call_set(call, 0, MEMPLAN_ONNX_STRING, &data);
}
