// SPDX-License-Identifier: Apache-2.0
// Operators on constants that only move entries: each entry of the result is copied from one place of an input.
#include "instances/onnx_fold.h"

#include "instances/onnx_shape_families.h"

#include <string.h>

// Result and first input, both with data and a known shape.
typedef struct movement {
  memplan_folding fold;
  memplan_dims out;
  memplan_dims in;
  const memplan_onnx_data *data;
} movement;

// m->fold.wanted stays false if there is nothing to do.
static memplan_status begin(memplan_call *call, movement *m) {
  m->fold = (memplan_folding){.wanted = false};
  m->data = memplan_call_data(call, 0);
  if (m->data == NULL) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_call_dims(call, 0, &m->in));
  m->out = memplan_dims_of(&call->out[0]);
  return memplan_fold_begin(call, 0, &m->fold);
}

memplan_status memplan_fold_same(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  if (data != NULL && memplan_call_wants(call, 0)) {
    memplan_dims out = memplan_dims_of(&call->out[0]);
    if (memplan_dims_count(&out) == data->count && memplan_call_elem(call, 0) == call->out[0].elem_type) {
      call->out_data[0] = *data;
    }
  }
  return MEMPLAN_OK;
}

// Copies the entry at `base` + index . strides for each index of the result.
static void copy_strided(movement *m, int64_t base, const int64_t *strides) {
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  for (int64_t i = 0; i < m->fold.count; i++) {
    memplan_fold_copy(&m->fold, i, m->data, base + memplan_index_offset(index, strides, m->out.rank));
    (void)memplan_index_next(&m->out, index);
  }
}

memplan_status memplan_fold_transpose(memplan_call *call) {
  movement m;
  MEMPLAN_TRY(begin(call, &m));
  if (!m.fold.wanted) {
    return MEMPLAN_OK;
  }
  memplan_list order;
  int64_t own[MEMPLAN_ONNX_MAX_RANK];
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  MEMPLAN_TRY(memplan_call_ints(call, "perm", &order));
  memplan_strides(&m.in, own);
  for (int32_t d = 0; d < m.in.rank; d++) {
    int32_t at = m.in.rank - 1 - d;
    if (order.present && order.count == m.in.rank) {
      MEMPLAN_TRY(memplan_call_axis(call, order.values[d], m.in.rank, &at));
    }
    strides[d] = own[at];
  }
  copy_strided(&m, 0, strides);
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_slice(memplan_call *call) {
  movement m;
  MEMPLAN_TRY(begin(call, &m));
  if (!m.fold.wanted) {
    return MEMPLAN_OK;
  }
  memplan_list starts;
  memplan_list ends;
  memplan_list axes;
  memplan_list steps = {.count = -1};
  MEMPLAN_TRY(memplan_call_list_since(call, "starts", 1, 10, &starts));
  MEMPLAN_TRY(memplan_call_list_since(call, "ends", 2, 10, &ends));
  MEMPLAN_TRY(memplan_call_list_since(call, "axes", 3, 10, &axes));
  if (call->opset >= 10) {
    MEMPLAN_TRY(memplan_call_list(call, 4, &steps));
  }
  if (!memplan_list_complete(&starts) || !memplan_list_complete(&ends) ||
      (axes.present && !memplan_list_complete(&axes)) || (steps.present && !memplan_list_complete(&steps))) {
    return MEMPLAN_OK;
  }
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  int64_t base = 0;
  memplan_strides(&m.in, strides);
  for (int32_t i = 0; i < (int32_t)starts.count; i++) {
    int32_t at = i;
    int64_t step = steps.present ? steps.values[i] : 1;
    int64_t start = starts.values[i];
    int64_t count = 0;
    if (axes.present) {
      MEMPLAN_TRY(memplan_call_axis(call, axes.values[i], m.in.rank, &at));
    }
    (void)memplan_shape_slice_range(m.in.at[at], &start, ends.values[i], step, &count);
    base += start * strides[at];
    // A step beyond the data is never taken twice, so that it may as well be none.
    strides[at] = count > 1 ? strides[at] * step : 0;
  }
  copy_strided(&m, base, strides);
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_expand(memplan_call *call) {
  movement m;
  MEMPLAN_TRY(begin(call, &m));
  if (!m.fold.wanted || m.in.rank > m.out.rank) {
    return MEMPLAN_OK;
  }
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  memplan_strides_broadcast(&m.in, &m.out, strides);
  copy_strided(&m, 0, strides);
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_tile(memplan_call *call) {
  movement m;
  MEMPLAN_TRY(begin(call, &m));
  if (!m.fold.wanted) {
    return MEMPLAN_OK;
  }
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  memplan_strides(&m.in, strides);
  for (int64_t i = 0; i < m.fold.count; i++) {
    int64_t from = 0;
    for (int32_t d = 0; d < m.out.rank; d++) {
      from += index[d] % m.in.at[d] * strides[d];
    }
    memplan_fold_copy(&m.fold, i, m.data, from);
    (void)memplan_index_next(&m.out, index);
  }
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_trilu(memplan_call *call) {
  movement m;
  MEMPLAN_TRY(begin(call, &m));
  int64_t upper = 1;
  int64_t shift = 0;
  MEMPLAN_TRY(memplan_call_int(call, "upper", &upper));
  if (!m.fold.wanted || m.out.rank < 2 || (memplan_call_has(call, 1) && !memplan_call_scalar(call, 1, &shift))) {
    return MEMPLAN_OK;
  }
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  for (int64_t i = 0; i < m.fold.count; i++) {
    int64_t distance = index[m.out.rank - 1] - index[m.out.rank - 2];
    bool keep = upper != 0 ? distance >= shift : distance <= shift;
    if (keep) {
      memplan_fold_copy(&m.fold, i, m.data, i);
    } else if (m.fold.ints != NULL) {
      memplan_fold_set_int(&m.fold, i, 0);
    } else {
      memplan_fold_set_real(&m.fold, i, 0.0);
    }
    (void)memplan_index_next(&m.out, index);
  }
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_concat(memplan_call *call) {
  memplan_folding fold;
  int64_t axis = 1;
  int32_t at = 0;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (!fold.wanted) {
    return MEMPLAN_OK;
  }
  memplan_dims out = memplan_dims_of(&call->out[0]);
  MEMPLAN_TRY(memplan_call_axis(call, axis, out.rank, &at));
  int64_t inner = memplan_dims_product(&out, at + 1, out.rank);
  int64_t outer = memplan_dims_product(&out, 0, at);
  int64_t row = out.at[at] * inner;
  int64_t base = 0;
  for (int32_t k = 0; k < call->node->n_in; k++) {
    memplan_dims dims;
    MEMPLAN_TRY(memplan_call_dims(call, k, &dims));
    const memplan_onnx_data *data = memplan_call_data(call, k);
    int64_t part = dims.at[at] * inner;
    for (int64_t i = 0; data != NULL && i < outer * part; i++) {
      memplan_fold_copy(&fold, i / part * row + base + i % part, data, i);
    }
    base += part;
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_split(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  int64_t axis = 0;
  int32_t at = 0;
  memplan_dims in;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  MEMPLAN_TRY(memplan_call_dims(call, 0, &in));
  if (data == NULL || in.rank < 1) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_call_axis(call, axis, in.rank, &at));
  int64_t inner = memplan_dims_product(&in, at + 1, in.rank);
  int64_t row = in.at[at] * inner;
  int64_t base = 0;
  for (int32_t k = 0; k < call->node->n_out; k++) {
    memplan_folding fold;
    if (!memplan_call_wants(call, k) || call->out[k].rank != in.rank || call->out[k].dims[at] < 0) {
      return MEMPLAN_OK;
    }
    int64_t part = call->out[k].dims[at] * inner;
    MEMPLAN_TRY(memplan_fold_begin(call, k, &fold));
    for (int64_t i = 0; fold.wanted && i < fold.count; i++) {
      memplan_fold_copy(&fold, i, data, i / part * row + base + i % part);
    }
    memplan_fold_end(call, k, &fold);
    base += part;
  }
  return MEMPLAN_OK;
}

// A position that counts from the end if negative; -1 if it is outside or unknown.
static int64_t index_at(const memplan_onnx_data *indices, int64_t i, int64_t size) {
  if (!memplan_data_known(indices, i) || indices->ints == NULL) {
    return -1;
  }
  int64_t value = indices->ints[i];
  if (value < -size || value >= size) {
    return -1;
  }
  return value < 0 ? value + size : value;
}

memplan_status memplan_fold_gather(memplan_call *call) {
  movement m;
  MEMPLAN_TRY(begin(call, &m));
  const memplan_onnx_data *indices = memplan_call_data(call, 1);
  if (!m.fold.wanted || indices == NULL) {
    return MEMPLAN_OK;
  }
  int64_t axis = 0;
  int32_t at = 0;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  MEMPLAN_TRY(memplan_call_axis(call, axis, m.in.rank, &at));
  int64_t inner = memplan_dims_product(&m.in, at + 1, m.in.rank);
  int64_t block = indices->count * inner;
  for (int64_t i = 0; i < m.fold.count; i++) {
    int64_t pick = index_at(indices, i % block / inner, m.in.at[at]);
    if (pick >= 0) {
      memplan_fold_copy(&m.fold, i, m.data, (i / block * m.in.at[at] + pick) * inner + i % inner);
    }
  }
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_gather_elements(memplan_call *call) {
  movement m;
  MEMPLAN_TRY(begin(call, &m));
  const memplan_onnx_data *indices = memplan_call_data(call, 1);
  if (!m.fold.wanted || indices == NULL || m.in.rank != m.out.rank || m.in.rank < 1) {
    return MEMPLAN_OK;
  }
  int64_t axis = 0;
  int32_t at = 0;
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  MEMPLAN_TRY(memplan_call_axis(call, axis, m.in.rank, &at));
  memplan_strides(&m.in, strides);
  for (int64_t i = 0; i < m.fold.count; i++) {
    int64_t pick = index_at(indices, i, m.in.at[at]);
    bool inside = pick >= 0;
    int64_t from = 0;
    for (int32_t d = 0; d < m.in.rank; d++) {
      int64_t place = d == at ? pick : index[d];
      inside = inside && place < m.in.at[d];
      from += place * strides[d];
    }
    if (inside) {
      memplan_fold_copy(&m.fold, i, m.data, from);
    }
    (void)memplan_index_next(&m.out, index);
  }
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

// Offset in the data that tuple `t` of the indices points to; -1 if unknown.
static int64_t tuple_offset(const memplan_dims *in, const int64_t *strides, const memplan_onnx_data *indices, int64_t t,
                            int64_t depth) {
  int64_t offset = 0;
  for (int32_t d = 0; d < (int32_t)depth; d++) {
    int64_t pick = index_at(indices, t * depth + d, in->at[d]);
    if (pick < 0) {
      return -1;
    }
    offset += pick * strides[d];
  }
  return offset;
}

memplan_status memplan_fold_gather_nd(memplan_call *call) {
  movement m;
  memplan_dims tuples;
  int64_t batch = 0;
  MEMPLAN_TRY(begin(call, &m));
  MEMPLAN_TRY(memplan_call_dims(call, 1, &tuples));
  MEMPLAN_TRY(memplan_call_int(call, "batch_dims", &batch));
  const memplan_onnx_data *indices = memplan_call_data(call, 1);
  if (!m.fold.wanted || indices == NULL || tuples.rank < 1 || batch != 0) {
    return MEMPLAN_OK;
  }
  int64_t depth = tuples.at[tuples.rank - 1];
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  memplan_strides(&m.in, strides);
  int64_t inner = memplan_dims_product(&m.in, (int32_t)depth, m.in.rank);
  for (int64_t i = 0; i < m.fold.count; i++) {
    int64_t offset = tuple_offset(&m.in, strides, indices, i / inner, depth);
    if (offset >= 0) {
      memplan_fold_copy(&m.fold, i, m.data, offset + i % inner);
    }
  }
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

static memplan_status read_reduction(memplan_call *call, memplan_function *function) {
  const char *name = "none";
  MEMPLAN_TRY(memplan_call_text(call, "reduction", &name));
  *function = strcmp(name, "add") == 0   ? MEMPLAN_FUNCTION_ADD
              : strcmp(name, "mul") == 0 ? MEMPLAN_FUNCTION_MUL
              : strcmp(name, "min") == 0 ? MEMPLAN_FUNCTION_MIN
              : strcmp(name, "max") == 0 ? MEMPLAN_FUNCTION_MAX
                                         : MEMPLAN_FUNCTION_NONE;
  return MEMPLAN_OK;
}

static void scatter_entry(memplan_folding *fold, memplan_function function, int64_t to,
                          const memplan_onnx_data *updates, int64_t from) {
  int64_t number = 0;
  double real = 0.0;
  if (!memplan_data_known(updates, from) || (function != MEMPLAN_FUNCTION_NONE && fold->known[to] == 0)) {
    fold->known[to] = 0;
  } else if (function == MEMPLAN_FUNCTION_NONE) {
    memplan_fold_copy(fold, to, updates, from);
  } else if (fold->ints != NULL && updates->ints != NULL &&
             memplan_function_ints(function, fold->elem_type, fold->ints[to], updates->ints[from], &number)) {
    memplan_fold_set_int(fold, to, number);
  } else if (fold->reals != NULL && updates->reals != NULL &&
             memplan_function_reals(function, fold->reals[to], updates->reals[from], &real)) {
    memplan_fold_set_real(fold, to, real);
  } else {
    fold->known[to] = 0;
  }
}

// Copies the data, which the updates then change. False if the result cannot be known.
static memplan_status begin_scatter(memplan_call *call, movement *m, memplan_dims *places, bool *ready) {
  *ready = false;
  MEMPLAN_TRY(begin(call, m));
  MEMPLAN_TRY(memplan_call_dims(call, 1, places));
  if (m->fold.wanted && memplan_data_complete(memplan_call_data(call, 1)) && memplan_call_data(call, 2) != NULL) {
    for (int64_t i = 0; i < m->fold.count; i++) {
      memplan_fold_copy(&m->fold, i, m->data, i);
    }
    *ready = true;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_fold_scatter_elements(memplan_call *call) {
  movement m;
  memplan_dims places;
  bool ready = false;
  memplan_function function;
  int64_t axis = 0;
  int32_t at = 0;
  MEMPLAN_TRY(begin_scatter(call, &m, &places, &ready));
  MEMPLAN_TRY(read_reduction(call, &function));
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  const memplan_onnx_data *indices = memplan_call_data(call, 1);
  const memplan_onnx_data *updates = memplan_call_data(call, 2);
  if (!ready || places.rank != m.in.rank || m.in.rank < 1 || updates->count != indices->count) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_call_axis(call, axis, m.in.rank, &at));
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  memplan_strides(&m.in, strides);
  for (int64_t i = 0; i < indices->count; i++) {
    int64_t pick = index_at(indices, i, m.in.at[at]);
    int64_t to = 0;
    for (int32_t d = 0; d < m.in.rank; d++) {
      int64_t place = d == at ? pick : index[d];
      if (place < 0 || place >= m.in.at[d]) {
        return MEMPLAN_OK;
      }
      to += place * strides[d];
    }
    scatter_entry(&m.fold, function, to, updates, i);
    (void)memplan_index_next(&places, index);
  }
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_scatter_nd(memplan_call *call) {
  movement m;
  memplan_dims places;
  bool ready = false;
  memplan_function function;
  MEMPLAN_TRY(begin_scatter(call, &m, &places, &ready));
  MEMPLAN_TRY(read_reduction(call, &function));
  const memplan_onnx_data *indices = memplan_call_data(call, 1);
  const memplan_onnx_data *updates = memplan_call_data(call, 2);
  if (!ready || places.rank < 1 || places.at[places.rank - 1] > m.in.rank) {
    return MEMPLAN_OK;
  }
  int64_t depth = places.at[places.rank - 1];
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  memplan_strides(&m.in, strides);
  int64_t inner = memplan_dims_product(&m.in, (int32_t)depth, m.in.rank);
  int64_t n_tuples = memplan_dims_product(&places, 0, places.rank - 1);
  if (updates->count != n_tuples * inner) {
    return MEMPLAN_OK;
  }
  for (int64_t i = 0; i < updates->count; i++) {
    int64_t offset = tuple_offset(&m.in, strides, indices, i / inner, depth);
    if (offset < 0) {
      return MEMPLAN_OK;
    }
    scatter_entry(&m.fold, function, offset + i % inner, updates, i);
  }
  memplan_fold_end(call, 0, &m.fold);
  return MEMPLAN_OK;
}
