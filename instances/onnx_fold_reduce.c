// SPDX-License-Identifier: Apache-2.0
// Reductions of constants. Each entry of the input belongs to one entry of the result, at the offset that strides of 0
// along the reduced axes give.
#include "instances/onnx_fold.h"

#include "instances/onnx_registry.h"
#include "instances/onnx_shape_families.h"

#include <string.h>

// Strides into the result for an index of the input.
static void result_strides(const memplan_dims *in, const bool *marks, int64_t *strides) {
  int64_t stride = 1;
  for (int32_t d = in->rank - 1; d >= 0; d--) {
    strides[d] = marks[d] ? 0 : stride;
    stride *= marks[d] ? 1 : in->at[d];
  }
}

static bool accumulate(memplan_folding *fold, memplan_function function, int64_t to, const memplan_onnx_data *data,
                       int64_t from) {
  if (fold->ints != NULL && data->ints != NULL) {
    int64_t number = data->ints[from];
    if (fold->known[to] != 0 &&
        !memplan_function_ints(function, fold->elem_type, fold->ints[to], data->ints[from], &number)) {
      return false;
    }
    memplan_fold_set_int(fold, to, number);
    return true;
  }
  if (fold->reals != NULL && data->reals != NULL) {
    double real = data->reals[from];
    if (fold->known[to] != 0 && !memplan_function_reals(function, fold->reals[to], data->reals[from], &real)) {
      return false;
    }
    memplan_fold_set_real(fold, to, real);
    return true;
  }
  return false;
}

static void divide(memplan_folding *fold, int64_t by) {
  for (int64_t i = 0; i < fold->count; i++) {
    if (fold->ints != NULL) {
      memplan_fold_set_int(fold, i, fold->ints[i] / by);
    } else {
      memplan_fold_set_real(fold, i, fold->reals[i] / (double)by);
    }
  }
}

memplan_status memplan_fold_reduce(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  if (!memplan_data_complete(data) || data->count == 0) {
    return MEMPLAN_OK;
  }
  memplan_dims in;
  memplan_folding fold;
  bool marks[MEMPLAN_ONNX_MAX_RANK];
  int64_t n_axes = 0;
  bool sum = strcmp(call->node->op_type, "ReduceSum") == 0;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &in));
  MEMPLAN_TRY(memplan_shape_reduced_axes(call, in.rank, sum ? 13 : 18, marks, &n_axes));
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (!fold.wanted || n_axes < 0 || fold.count == 0) {
    return MEMPLAN_OK;
  }
  int64_t strides[MEMPLAN_ONNX_MAX_RANK];
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  result_strides(&in, marks, strides);
  bool mean = call->op->function == MEMPLAN_FUNCTION_MEAN;
  for (int64_t i = 0; i < data->count; i++) {
    if (!accumulate(&fold, mean ? MEMPLAN_FUNCTION_ADD : call->op->function,
                    memplan_index_offset(index, strides, in.rank), data, i)) {
      return MEMPLAN_OK;
    }
    (void)memplan_index_next(&in, index);
  }
  if (mean) {
    divide(&fold, data->count / fold.count);
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

// ArgMax and ArgMin.
memplan_status memplan_fold_arg(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  memplan_dims in;
  memplan_folding fold;
  int64_t axis = 0;
  int64_t last = 0;
  int32_t at = 0;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &in));
  MEMPLAN_TRY(memplan_call_int(call, "axis", &axis));
  MEMPLAN_TRY(memplan_call_int(call, "select_last_index", &last));
  if (!memplan_data_complete(data) || in.rank < 1 || data->count == 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_call_axis(call, axis, in.rank, &at));
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  int64_t inner = memplan_dims_product(&in, at + 1, in.rank);
  int64_t n = in.at[at];
  memplan_function better =
      call->op->function == MEMPLAN_FUNCTION_MAX ? MEMPLAN_FUNCTION_GREATER : MEMPLAN_FUNCTION_LESS;
  for (int64_t i = 0; fold.wanted && i < fold.count; i++) {
    int64_t base = i / inner * n * inner + i % inner;
    int64_t best = 0;
    for (int64_t j = 1; j < n; j++) {
      int64_t wins = 0;
      int64_t ties = 0;
      int64_t a = base + j * inner;
      int64_t b = base + best * inner;
      if (data->ints != NULL) {
        (void)memplan_function_ints(better, memplan_call_elem(call, 0), data->ints[a], data->ints[b], &wins);
        ties = data->ints[a] == data->ints[b];
      } else {
        wins = better == MEMPLAN_FUNCTION_GREATER ? data->reals[a] > data->reals[b] : data->reals[a] < data->reals[b];
        ties = data->reals[a] == data->reals[b];
      }
      best = wins != 0 || (ties != 0 && last != 0) ? j : best;
    }
    memplan_fold_set_int(&fold, i, best);
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_cumsum(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  memplan_dims in;
  memplan_folding fold;
  int64_t axis = 0;
  int64_t exclusive = 0;
  int64_t reverse = 0;
  int32_t at = 0;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &in));
  MEMPLAN_TRY(memplan_call_int(call, "exclusive", &exclusive));
  MEMPLAN_TRY(memplan_call_int(call, "reverse", &reverse));
  if (!memplan_data_complete(data) || in.rank < 1 || data->count == 0 || !memplan_call_scalar(call, 1, &axis)) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_call_axis(call, axis, in.rank, &at));
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (!fold.wanted) {
    return MEMPLAN_OK;
  }
  int64_t inner = memplan_dims_product(&in, at + 1, in.rank);
  int64_t n = in.at[at];
  for (int64_t line = 0; line < data->count / n; line++) {
    int64_t base = line / inner * n * inner + line % inner;
    uint64_t sum = 0;
    double real = 0.0;
    for (int64_t j = 0; j < n; j++) {
      int64_t i = base + (reverse != 0 ? n - 1 - j : j) * inner;
      uint64_t next = sum + (data->ints != NULL ? (uint64_t)data->ints[i] : 0);
      double next_real = memplan_round_real(fold.elem_type, real + (data->reals != NULL ? data->reals[i] : 0.0));
      if (fold.ints != NULL) {
        memplan_fold_set_int(&fold, i, (int64_t)(exclusive != 0 ? sum : next));
      } else {
        memplan_fold_set_real(&fold, i, exclusive != 0 ? real : next_real);
      }
      sum = next;
      real = next_real;
    }
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}
