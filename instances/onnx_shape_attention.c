// SPDX-License-Identifier: Apache-2.0
// Attention: ONNX's own (opset 23) and those of com.microsoft. Letters: B batch, S query length, L key length, N heads,
// H head size.
#include "instances/onnx_shape_body.h"
#include "instances/onnx_shape_families.h"

#include <string.h>

static int64_t dim_at(const memplan_dims *dims, int32_t d) { return dims->rank > d ? dims->at[d] : -1; }

static int64_t quotient(int64_t size, int64_t divisor) {
  return size >= 0 && divisor > 0 && size % divisor == 0 ? size / divisor : -1;
}

static memplan_status optional_dims(memplan_call *call, int32_t k, memplan_dims *dims) {
  *dims = memplan_dims_none();
  return memplan_call_has(call, k) ? memplan_call_dims(call, k, dims) : MEMPLAN_OK;
}

// Heads and head size of a tensor [B, N, L, H] or [B, L, N * H].
typedef struct heads {
  int64_t batch, length, n, size;
} heads;

static memplan_status read_heads(memplan_call *call, int32_t k, const char *name, heads *out) {
  memplan_dims dims;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, k, 3, 4, &dims));
  *out = (heads){-1, -1, -1, -1};
  out->batch = dim_at(&dims, 0);
  if (dims.rank == 4) {
    *out = (heads){dims.at[0], dims.at[2], dims.at[1], dims.at[3]};
  } else if (dims.rank == 3) {
    MEMPLAN_TRY(memplan_call_int_required(call, name, &out->n));
    if (out->n < 1 || (dims.at[2] >= 0 && dims.at[2] % out->n != 0)) {
      return memplan_call_fail(call, "%lld columns in %lld heads", (long long)dims.at[2], (long long)out->n);
    }
    out->length = dims.at[1];
    out->size = quotient(dims.at[2], out->n);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_shape_attention(memplan_call *call) {
  heads q;
  heads k;
  heads v;
  memplan_dims query;
  memplan_dims past;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 4, &query));
  MEMPLAN_TRY(read_heads(call, 0, "q_num_heads", &q));
  MEMPLAN_TRY(read_heads(call, 1, "kv_num_heads", &k));
  MEMPLAN_TRY(read_heads(call, 2, "kv_num_heads", &v));
  MEMPLAN_TRY(optional_dims(call, 4, &past));
  memplan_dims out = memplan_dims_none();
  if (query.rank == 4) {
    out = (memplan_dims){.rank = 4, .at = {q.batch, q.n, q.length, v.size}};
  } else if (query.rank == 3) {
    out = (memplan_dims){.rank = 3, .at = {q.batch, q.length, memplan_dim_mul(q.n, v.size)}};
  }
  int64_t total = memplan_call_has(call, 4) ? memplan_dim_add(dim_at(&past, 2), k.length) : k.length;
  memplan_dims present_key = {.rank = 4, .at = {q.batch, k.n, total, k.size}};
  memplan_dims present_value = {.rank = 4, .at = {q.batch, v.n, total, v.size}};
  memplan_dims product = {.rank = 4, .at = {q.batch, q.n, q.length, total}};
  int32_t elem_type = memplan_call_elem(call, 0);
  MEMPLAN_TRY(memplan_call_set(call, 0, elem_type, &out));
  MEMPLAN_TRY(memplan_call_set(call, 1, memplan_call_elem(call, 1), &present_key));
  MEMPLAN_TRY(memplan_call_set(call, 2, memplan_call_elem(call, 2), &present_value));
  return memplan_call_set(call, 3, elem_type, &product);
}

static memplan_status shares_buffer(memplan_call *call, bool *shares) {
  int64_t flag = 0;
  MEMPLAN_TRY(memplan_call_int(call, "past_present_share_buffer", &flag));
  *shares = flag != 0;
  return MEMPLAN_OK;
}

// Input [B, S, D] times packed weights [D, Q + K + V]; present is [2, B, N, past + S, H].
static memplan_status packed_attention(memplan_call *call, int32_t weights_input, int32_t past_input,
                                       int32_t elem_type) {
  memplan_dims data;
  memplan_dims weights;
  memplan_dims past;
  memplan_list sizes;
  bool shares = false;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 3, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, weights_input, 2, 2, &weights));
  MEMPLAN_TRY(optional_dims(call, past_input, &past));
  MEMPLAN_TRY(memplan_call_ints(call, "qkv_hidden_sizes", &sizes));
  MEMPLAN_TRY(shares_buffer(call, &shares));
  int64_t n = -1;
  MEMPLAN_TRY(memplan_call_int(call, "num_heads", &n));
  if (sizes.present && sizes.count != 3) {
    return memplan_call_fail(call, "attribute 'qkv_hidden_sizes' needs three entries");
  }
  int64_t hidden = -1;
  if (sizes.present) {
    MEMPLAN_TRY(memplan_call_entry(call, &sizes, 2, 1, &hidden));
  } else {
    hidden = quotient(dim_at(&weights, 1), 3);
  }
  memplan_dims out = data;
  if (data.rank >= 0) {
    out.at[data.rank - 1] = hidden;
  }
  MEMPLAN_TRY(memplan_call_set(call, 0, elem_type, &out));
  memplan_dims present = {.rank = 5, .at = {2, dim_at(&data, 0), n, dim_at(&data, 1), quotient(hidden, n)}};
  if (past.rank == 5) {
    present.at[2] = past.at[2];
    present.at[3] = shares ? past.at[3] : memplan_dim_add(past.at[3], present.at[3]);
    present.at[4] = past.at[4];
  } else if (memplan_call_has(call, past_input)) {
    present = memplan_dims_unknown(5);
  }
  return memplan_call_set(call, 1, elem_type, &present);
}

memplan_status memplan_shape_attention_packed(memplan_call *call) {
  return packed_attention(call, 1, 4, memplan_call_elem(call, 0));
}

memplan_status memplan_shape_attention_quantized(memplan_call *call) {
  return packed_attention(call, 1, 8, memplan_call_elem(call, 3));
}

// Columns of the value, whichever way query, key and value are packed.
static int64_t value_columns(const memplan_dims *query, const memplan_dims *value, bool value_absent) {
  if (query->rank == 5) {
    return memplan_dim_mul(query->at[2], query->at[4]);
  }
  if (value_absent) {
    return dim_at(query, 2);
  }
  if (value->rank == 4) {
    return memplan_dim_mul(value->at[1], value->at[3]);
  }
  return dim_at(value, 2);
}

static int64_t key_length(const memplan_dims *query, const memplan_dims *key, bool key_absent) {
  if (query->rank == 5 || key_absent) {
    return dim_at(query, 1);
  }
  return key->rank == 4 ? key->at[2] : dim_at(key, 1);
}

memplan_status memplan_shape_attention_multi_head(memplan_call *call) {
  memplan_dims query;
  memplan_dims key;
  memplan_dims value;
  memplan_dims past;
  int64_t n = 0;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 5, &query));
  MEMPLAN_TRY(optional_dims(call, 1, &key));
  MEMPLAN_TRY(optional_dims(call, 2, &value));
  bool decoder = strcmp(call->node->op_type, "DecoderMaskedMultiHeadAttention") == 0;
  MEMPLAN_TRY(optional_dims(call, decoder ? 5 : 6, &past));
  MEMPLAN_TRY(memplan_call_int_required(call, "num_heads", &n));
  bool shares = false;
  MEMPLAN_TRY(shares_buffer(call, &shares));
  if (n < 1) {
    return memplan_call_fail(call, "%lld heads", (long long)n);
  }
  int64_t columns = value_columns(&query, &value, !memplan_call_has(call, 2));
  int64_t length = key_length(&query, &key, !memplan_call_has(call, 1));
  if (memplan_call_has(call, decoder ? 5 : 6)) {
    length = shares ? dim_at(&past, 2) : memplan_dim_add(dim_at(&past, 2), length);
  }
  int64_t batch = dim_at(&query, 0);
  memplan_dims out = {.rank = 3, .at = {batch, dim_at(&query, 1), columns}};
  int64_t key_size = query.rank == 5 ? query.at[4] : quotient(dim_at(&query, 2), n);
  memplan_dims present_key = {.rank = 4, .at = {batch, n, length, key_size}};
  memplan_dims present_value = {.rank = 4, .at = {batch, n, length, quotient(columns, n)}};
  memplan_dims product = {.rank = 4, .at = {batch, n, dim_at(&query, 1), length}};
  int32_t elem_type = memplan_call_elem(call, 0);
  MEMPLAN_TRY(memplan_call_set(call, 0, elem_type, &out));
  MEMPLAN_TRY(memplan_call_set(call, 1, elem_type, &present_key));
  MEMPLAN_TRY(memplan_call_set(call, 2, elem_type, &present_value));
  return memplan_call_set(call, 3, elem_type, &product);
}

// GroupQueryAttention: the cache holds `total` positions, or stays as large as it was if it already does.
memplan_status memplan_shape_attention_group_query(memplan_call *call) {
  memplan_dims query;
  memplan_dims past;
  int64_t n = 0;
  int64_t n_kv = 0;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 3, &query));
  MEMPLAN_TRY(optional_dims(call, 3, &past));
  MEMPLAN_TRY(memplan_call_int_required(call, "num_heads", &n));
  MEMPLAN_TRY(memplan_call_int_required(call, "kv_num_heads", &n_kv));
  if (n < 1 || n_kv < 1 || n > INT32_MAX || n_kv > INT32_MAX) {
    return memplan_call_fail(call, "%lld heads, %lld of them for keys", (long long)n, (long long)n_kv);
  }
  bool packed = !memplan_call_has(call, 1);
  int64_t size = quotient(dim_at(&query, 2), packed ? n + 2 * n_kv : n);
  int64_t total = -1;
  if (memplan_call_scalar(call, 6, &total) && total >= 0) {
    int64_t held = dim_at(&past, 2);
    total = memplan_call_has(call, 3) && held < 0 ? -1 : held > total ? held : total;
  } else {
    total = -1;
  }
  memplan_dims out = {.rank = 3, .at = {dim_at(&query, 0), dim_at(&query, 1), memplan_dim_mul(n, size)}};
  memplan_dims present = {.rank = 4, .at = {dim_at(&query, 0), n_kv, total, past.rank == 4 ? past.at[3] : size}};
  memplan_dims product = {.rank = 4, .at = {dim_at(&query, 0), n, dim_at(&query, 1), total}};
  int32_t elem_type = memplan_call_elem(call, 0);
  int32_t cache_type = memplan_call_has(call, 3) ? memplan_call_elem(call, 3) : elem_type;
  MEMPLAN_TRY(memplan_call_set(call, 0, elem_type, &out));
  MEMPLAN_TRY(memplan_call_set(call, 1, cache_type, &present));
  MEMPLAN_TRY(memplan_call_set(call, 2, cache_type, &present));
  return memplan_call_set(call, 3, elem_type, &product);
}

// SparseAttention works in the buffers of the past.
memplan_status memplan_shape_attention_sparse(memplan_call *call) {
  memplan_dims query;
  int64_t n = 0;
  int64_t n_kv = 0;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 3, &query));
  MEMPLAN_TRY(memplan_call_int_required(call, "num_heads", &n));
  MEMPLAN_TRY(memplan_call_int_required(call, "kv_num_heads", &n_kv));
  if (n < 1 || n_kv < 1 || n > INT32_MAX || n_kv > INT32_MAX) {
    return memplan_call_fail(call, "%lld heads, %lld of them for keys", (long long)n, (long long)n_kv);
  }
  int64_t size = quotient(dim_at(&query, 2), memplan_call_has(call, 1) ? n : n + 2 * n_kv);
  memplan_dims out = {.rank = 3, .at = {dim_at(&query, 0), dim_at(&query, 1), memplan_dim_mul(n, size)}};
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &out));
  MEMPLAN_TRY(memplan_call_same(call, 1, 3));
  return memplan_call_same(call, 2, 4);
}

// PackedMultiHeadAttention: tokens of all sequences without padding; query [T, D] or packed [T, N, 3, H].
memplan_status memplan_shape_attention_tokens(memplan_call *call) {
  memplan_dims query;
  memplan_dims value;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 4, &query));
  MEMPLAN_TRY(optional_dims(call, 2, &value));
  memplan_dims out = {.rank = 2, .at = {dim_at(&query, 0), -1}};
  out.at[1] = query.rank == 4 ? memplan_dim_mul(query.at[1], query.at[3]) : dim_at(&value, 1);
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

// LinearAttention: keys have d_k columns a head, values d_v; the state is [B, heads, d_k, d_v].
memplan_status memplan_shape_attention_linear(memplan_call *call) {
  heads q;
  heads k;
  heads v;
  memplan_dims past;
  MEMPLAN_TRY(read_heads(call, 0, "q_num_heads", &q));
  MEMPLAN_TRY(read_heads(call, 1, "kv_num_heads", &k));
  MEMPLAN_TRY(read_heads(call, 2, "kv_num_heads", &v));
  MEMPLAN_TRY(optional_dims(call, 3, &past));
  memplan_dims out = {.rank = 3, .at = {q.batch, q.length, memplan_dim_mul(q.n, v.size)}};
  memplan_dims state = {.rank = 4, .at = {q.batch, v.n, k.size, v.size}};
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &out));
  return memplan_call_set(call, 1, memplan_call_elem(call, memplan_call_has(call, 3) ? 3 : 0),
                          past.rank == 4 ? &past : &state);
}

// FlexAttention: the bodies change the scores [B, N, S, L] without changing their shape.
memplan_status memplan_shape_attention_flex(memplan_call *call) {
  memplan_dims q;
  memplan_dims k;
  memplan_dims v;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 4, 4, &q));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 4, 4, &k));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 2, 4, 4, &v));
  int32_t elem_type = memplan_call_elem(call, 0);
  int64_t precision = elem_type == MEMPLAN_ONNX_DOUBLE ? MEMPLAN_ONNX_DOUBLE : MEMPLAN_ONNX_FLOAT;
  MEMPLAN_TRY(memplan_call_int(call, "softmax_precision", &precision));
  memplan_dims scores = {.rank = 4, .at = {dim_at(&q, 0), dim_at(&q, 1), dim_at(&q, 2), dim_at(&k, 2)}};
  memplan_onnx_type type;
  if (!memplan_type_tensor(&type, memplan_elem_type_checked(precision), &scores, &call->model->arena)) {
    return memplan_fail_nomem(call->error);
  }
  static const char *const bodies[] = {"score_mod", "prob_mod"};
  for (int32_t i = 0; i < 2; i++) {
    int32_t graph = -1;
    if (memplan_call_has_attribute(call, bodies[i])) {
      MEMPLAN_TRY(memplan_body_find(call, bodies[i], 1, 1, &graph));
      MEMPLAN_TRY(memplan_body_set_input(call, graph, 0, &type, NULL, true));
      MEMPLAN_TRY(memplan_body_run(call, graph));
    }
  }
  memplan_dims out = {.rank = 4, .at = {dim_at(&q, 0), dim_at(&q, 1), dim_at(&q, 2), dim_at(&v, 3)}};
  return memplan_call_set(call, 0, elem_type, &out);
}

// CausalConvWithState: the state keeps the last k - 1 positions.
memplan_status memplan_shape_causal_conv(memplan_call *call) {
  memplan_dims data;
  memplan_dims weights;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 3, 3, &data));
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 1, 3, 3, &weights));
  int64_t kernel = dim_at(&weights, 2);
  if (kernel == 0) {
    return memplan_call_fail(call, "an empty kernel");
  }
  memplan_dims state = {.rank = 3, .at = {dim_at(&data, 0), dim_at(&data, 1), kernel < 0 ? -1 : kernel - 1}};
  MEMPLAN_TRY(memplan_call_set(call, 0, memplan_call_elem(call, 0), &data));
  return memplan_call_set(call, 1, memplan_call_elem(call, memplan_call_has(call, 3) ? 3 : 0), &state);
}

memplan_status memplan_shape_relative_position_bias(memplan_call *call) {
  memplan_dims table;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 2, &table));
  memplan_dims out = {.rank = 4, .at = {1, dim_at(&table, 1), -1, -1}};
  for (int32_t k = 1; k < 3; k++) {
    int64_t length = -1;
    if (memplan_call_scalar(call, k, &length) && length < 0) {
      return memplan_call_fail(call, "a length of %lld", (long long)length);
    }
    out.at[k + 1] = length;
  }
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}

memplan_status memplan_shape_gated_relative_position_bias(memplan_call *call) {
  memplan_dims query;
  int64_t n = 0;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 0, 2, 3, &query));
  MEMPLAN_TRY(memplan_call_int_required(call, "num_heads", &n));
  memplan_dims relative;
  MEMPLAN_TRY(memplan_call_dims_ranked(call, 2, 4, 4, &relative));
  int64_t batch = query.rank == 3 ? query.at[0] : -1;
  memplan_dims out = {.rank = 4, .at = {batch, n < 0 ? -1 : n, dim_at(&relative, 2), dim_at(&relative, 3)}};
  return memplan_call_set(call, 0, memplan_call_elem(call, 0), &out);
}
