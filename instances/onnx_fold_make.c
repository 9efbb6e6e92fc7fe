// SPDX-License-Identifier: Apache-2.0
// Constants that are made rather than moved: literals, shapes, ranges, positions, and lists put together from
// sequences.
#include "instances/onnx_fold.h"

#include "instances/onnx_constant.h"

#include <math.h>

static void fill(memplan_folding *fold, const memplan_onnx_data *from) {
  for (int64_t i = 0; i < fold->count; i++) {
    memplan_fold_copy(fold, i, from, 0);
  }
}

memplan_status memplan_fold_constant(memplan_call *call) {
  const memplan_onnx_attribute *value = memplan_onnx_constant_find(call->node);
  if (value == NULL || !memplan_call_wants(call, 0)) {
    return MEMPLAN_OK;
  }
  bool copied = value->type == MEMPLAN_ONNX_ATTRIBUTE_FLOAT || value->type == MEMPLAN_ONNX_ATTRIBUTE_FLOATS;
  int64_t cost = copied ? value->n_floats + 16 : 0;
  if (*call->data_budget < cost) {
    return MEMPLAN_OK;
  }
  *call->data_budget -= cost;
  return memplan_onnx_constant_data(value, &call->model->arena, &call->out_data[0]) ? MEMPLAN_OK
                                                                                    : memplan_fail_nomem(call->error);
}

memplan_status memplan_fold_constant_of_shape(memplan_call *call) {
  const memplan_onnx_attribute *value = memplan_onnx_attribute_find(call->node, "value");
  memplan_folding fold;
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (fold.wanted && value != NULL) {
    fill(&fold, &value->tensor_data);
  }
  for (int64_t i = 0; fold.wanted && value == NULL && i < fold.count; i++) {
    memplan_fold_set_real(&fold, i, 0.0);
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_shape(memplan_call *call) {
  memplan_dims data;
  memplan_folding fold;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  if (data.rank < 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  int64_t start = 0;
  MEMPLAN_TRY(memplan_call_int(call, "start", &start));
  start = start < 0 ? start + data.rank : start;
  start = start < 0 ? 0 : start;
  for (int64_t i = 0; fold.wanted && i < fold.count && start + i < data.rank; i++) {
    if (data.at[start + i] >= 0) {
      memplan_fold_set_int(&fold, i, data.at[start + i]);
    }
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_size(memplan_call *call) {
  memplan_dims data;
  memplan_folding fold;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &data));
  int64_t count = memplan_dims_count(&data);
  if (count < 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (fold.wanted) {
    memplan_fold_set_int(&fold, 0, count);
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_range(memplan_call *call) {
  const memplan_onnx_data *start = memplan_call_data(call, 0);
  const memplan_onnx_data *delta = memplan_call_data(call, 2);
  memplan_folding fold;
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (!fold.wanted || !memplan_data_complete(start) || start->count != 1 ||
      (memplan_call_has(call, 2) && (!memplan_data_complete(delta) || delta->count != 1))) {
    return MEMPLAN_OK;
  }
  for (int64_t i = 0; i < fold.count; i++) {
    if (fold.ints != NULL && start->ints != NULL) {
      uint64_t step = delta != NULL && delta->ints != NULL ? (uint64_t)delta->ints[0] : 1;
      memplan_fold_set_int(&fold, i, (int64_t)((uint64_t)start->ints[0] + (uint64_t)i * step));
    } else if (fold.reals != NULL && start->reals != NULL) {
      double step = delta != NULL && delta->reals != NULL ? delta->reals[0] : 1.0;
      memplan_fold_set_real(&fold, i, start->reals[0] + (double)i * step);
    }
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_nonzero(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  memplan_dims in;
  memplan_folding fold;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &in));
  if (!memplan_data_complete(data)) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (!fold.wanted || in.rank == 0) {
    return MEMPLAN_OK;
  }
  int64_t columns = fold.count / in.rank;
  int64_t found = 0;
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  for (int64_t i = 0; i < data->count && found < columns; i++) {
    bool zero = data->ints != NULL ? data->ints[i] == 0 : data->reals[i] == 0.0;
    if (!zero) {
      for (int32_t d = 0; d < in.rank; d++) {
        memplan_fold_set_int(&fold, d * columns + found, index[d]);
      }
      found++;
    }
    (void)memplan_index_next(&in, index);
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_sequence_length(memplan_call *call) {
  const memplan_onnx_type *type = memplan_call_type(call, 0);
  memplan_folding fold;
  if (type == NULL || type->kind != MEMPLAN_ONNX_KIND_SEQUENCE || type->length < 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (fold.wanted) {
    memplan_fold_set_int(&fold, 0, type->length);
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_concat_from_sequence(memplan_call *call) {
  const memplan_onnx_type *type = memplan_call_type(call, 0);
  int64_t axis = 0;
  int32_t at = 0;
  memplan_folding fold;
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  if (type == NULL || type->items == NULL) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (!fold.wanted) {
    return MEMPLAN_OK;
  }
  memplan_dims out = memplan_dims_of(&call->out[0]);
  MEMPLAN_TRY(memplan_call_axis(call, axis, out.rank, &at));
  int64_t inner = memplan_dims_product(&out, at + 1, out.rank);
  int64_t row = out.at[at] * inner;
  int64_t base = 0;
  for (int64_t k = 0; k < type->length; k++) {
    // With new_axis an item has one dimension less, and fills one place along the axis.
    const memplan_onnx_item *item = &type->items[k];
    int64_t part = item->type.rank == out.rank ? item->type.dims[at] * inner : inner;
    for (int64_t i = 0; i < item->data.count && part > 0; i++) {
      int64_t to = i / part * row + base + i % part;
      if (to < fold.count) {
        memplan_fold_copy(&fold, to, &item->data, i);
      }
    }
    base += part;
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}
