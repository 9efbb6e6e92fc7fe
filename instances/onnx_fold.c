// SPDX-License-Identifier: Apache-2.0
// Storage, rounding and index arithmetic for the evaluation of constants.
#include "instances/onnx_fold.h"

#include <math.h>
#include <string.h>

memplan_element_class memplan_element_class_of(int32_t elem_type) {
  switch (memplan_onnx_dtype(elem_type)) {
  case MEMPLAN_DTYPE_F16:
  case MEMPLAN_DTYPE_BF16:
  case MEMPLAN_DTYPE_F32:
  case MEMPLAN_DTYPE_F64:
    return MEMPLAN_ELEMENT_REAL;
  case MEMPLAN_DTYPE_I2:
  case MEMPLAN_DTYPE_I4:
  case MEMPLAN_DTYPE_I8:
  case MEMPLAN_DTYPE_I16:
  case MEMPLAN_DTYPE_I32:
  case MEMPLAN_DTYPE_I64:
  case MEMPLAN_DTYPE_U2:
  case MEMPLAN_DTYPE_U4:
  case MEMPLAN_DTYPE_U8:
  case MEMPLAN_DTYPE_U16:
  case MEMPLAN_DTYPE_U32:
  case MEMPLAN_DTYPE_U64:
  case MEMPLAN_DTYPE_BOOL:
    return MEMPLAN_ELEMENT_INT;
  default:
    return MEMPLAN_ELEMENT_NONE;
  }
}

memplan_status memplan_fold_begin(memplan_call *call, int32_t k, memplan_folding *fold) {
  *fold = (memplan_folding){.wanted = false};
  if (!memplan_call_wants(call, k) || call->out[k].kind != MEMPLAN_ONNX_KIND_TENSOR) {
    return MEMPLAN_OK;
  }
  memplan_dims dims = memplan_dims_of(&call->out[k]);
  int64_t count = memplan_dims_count(&dims);
  memplan_element_class class = memplan_element_class_of(call->out[k].elem_type);
  if (count < 0 || count > MEMPLAN_ONNX_MAX_DATA || class == MEMPLAN_ELEMENT_NONE || *call->data_budget < count + 16) {
    return MEMPLAN_OK;
  }
  *call->data_budget -= count + 16;
  memplan_arena *arena = &call->model->arena;
  fold->known = MEMPLAN_NEW(arena, uint8_t, count);
  if (class == MEMPLAN_ELEMENT_INT) {
    fold->ints = MEMPLAN_NEW(arena, int64_t, count);
  } else {
    fold->reals = MEMPLAN_NEW(arena, double, count);
  }
  if (fold->known == NULL || (fold->ints == NULL && fold->reals == NULL)) {
    return memplan_fail_nomem(call->error);
  }
  fold->wanted = true;
  fold->count = count;
  fold->elem_type = call->out[k].elem_type;
  return MEMPLAN_OK;
}

void memplan_fold_end(memplan_call *call, int32_t k, const memplan_folding *fold) {
  if (!fold->wanted) {
    return;
  }
  int64_t n_known = 0;
  for (int64_t i = 0; i < fold->count; i++) {
    n_known += fold->known[i] != 0 ? 1 : 0;
  }
  if (n_known == 0 && fold->count > 0) {
    return;
  }
  call->out_data[k] = (memplan_onnx_data){.ints = fold->ints,
                                          .reals = fold->reals,
                                          .count = fold->count,
                                          .known = n_known == fold->count ? NULL : fold->known};
}

static int64_t sign_extend(int64_t value, int32_t bits) {
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  uint64_t low = (uint64_t)value & mask;
  uint64_t sign = UINT64_C(1) << (bits - 1);
  return (int64_t)((low ^ sign) - sign);
}

static int64_t wrap_int(int32_t elem_type, int64_t value) {
  memplan_dtype dtype = memplan_onnx_dtype(elem_type);
  int32_t bits = memplan_dtype_bits(dtype);
  switch (dtype) {
  case MEMPLAN_DTYPE_BOOL:
    return value != 0 ? 1 : 0;
  case MEMPLAN_DTYPE_U2:
  case MEMPLAN_DTYPE_U4:
  case MEMPLAN_DTYPE_U8:
  case MEMPLAN_DTYPE_U16:
  case MEMPLAN_DTYPE_U32:
    return (int64_t)((uint64_t)value & ((UINT64_C(1) << bits) - 1));
  case MEMPLAN_DTYPE_I2:
  case MEMPLAN_DTYPE_I4:
  case MEMPLAN_DTYPE_I8:
  case MEMPLAN_DTYPE_I16:
  case MEMPLAN_DTYPE_I32:
    return sign_extend(value, bits);
  default:
    return value;
  }
}

void memplan_fold_set_int(memplan_folding *fold, int64_t i, int64_t value) {
  fold->ints[i] = wrap_int(fold->elem_type, value);
  fold->known[i] = 1;
}

void memplan_fold_set_real(memplan_folding *fold, int64_t i, double value) {
  fold->reals[i] = memplan_round_real(fold->elem_type, value);
  fold->known[i] = 1;
}

void memplan_fold_copy(memplan_folding *fold, int64_t i, const memplan_onnx_data *from, int64_t j) {
  if (j < 0 || !memplan_data_known(from, j)) {
    return;
  }
  if (fold->ints != NULL && from->ints != NULL) {
    fold->ints[i] = from->ints[j];
    fold->known[i] = 1;
  } else if (fold->reals != NULL && from->reals != NULL) {
    fold->reals[i] = from->reals[j];
    fold->known[i] = 1;
  }
}

bool memplan_data_known(const memplan_onnx_data *data, int64_t i) {
  return data != NULL && i < data->count && (data->ints != NULL || data->reals != NULL) &&
         (data->known == NULL || data->known[i] != 0);
}

bool memplan_data_complete(const memplan_onnx_data *data) {
  return data != NULL && (data->ints != NULL || data->reals != NULL) && data->known == NULL;
}

// Rounds to a format with `digits` binary digits whose smallest unit is 2^least and whose largest value is `largest`.
static double round_digits(double value, int digits, int least, double largest) {
  if (!isfinite(value) || value == 0.0) {
    return value;
  }
  int exponent = 0;
  (void)frexp(value, &exponent);
  int unit = exponent - digits;
  unit = unit < least ? least : unit;
  double rounded = ldexp(nearbyint(ldexp(value, -unit)), unit);
  return fabs(rounded) > largest ? copysign((double)INFINITY, rounded) : rounded;
}

double memplan_round_real(int32_t elem_type, double value) {
  switch (memplan_onnx_dtype(elem_type)) {
  case MEMPLAN_DTYPE_F32:
    return (double)(float)value;
  case MEMPLAN_DTYPE_F16:
    return round_digits(value, 11, -24, 65504.0);
  case MEMPLAN_DTYPE_BF16:
    return round_digits((double)(float)value, 8, -133, 3.3895313892515355e38);
  default:
    return value;
  }
}

bool memplan_real_to_int(int32_t elem_type, double value, int64_t *out) {
  if (memplan_onnx_dtype(elem_type) == MEMPLAN_DTYPE_BOOL) {
    *out = value != 0.0 ? 1 : 0;
    return true;
  }
  if (!(value > -9223372036854775808.0 && value < 9223372036854775808.0)) {
    return false;
  }
  *out = (int64_t)value;
  return wrap_int(elem_type, *out) == *out;
}

bool memplan_index_next(const memplan_dims *dims, int64_t *index) {
  for (int32_t d = dims->rank - 1; d >= 0; d--) {
    index[d]++;
    if (index[d] < dims->at[d]) {
      return true;
    }
    index[d] = 0;
  }
  return false;
}

void memplan_strides(const memplan_dims *dims, int64_t *strides) {
  int64_t stride = 1;
  for (int32_t d = dims->rank - 1; d >= 0; d--) {
    strides[d] = stride;
    stride = memplan_dim_mul(stride, dims->at[d]);
  }
}

void memplan_strides_broadcast(const memplan_dims *dims, const memplan_dims *broadcast_to, int64_t *strides) {
  int64_t own[MEMPLAN_ONNX_MAX_RANK];
  memplan_strides(dims, own);
  int32_t shift = broadcast_to->rank - dims->rank;
  for (int32_t d = 0; d < broadcast_to->rank; d++) {
    strides[d] = d < shift || dims->at[d - shift] == 1 ? 0 : own[d - shift];
  }
}

int64_t memplan_index_offset(const int64_t *index, const int64_t *strides, int32_t rank) {
  int64_t offset = 0;
  for (int32_t d = 0; d < rank; d++) {
    offset += index[d] * strides[d];
  }
  return offset;
}
