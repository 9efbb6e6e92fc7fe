// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic on constants.
//
// Integers of all widths are kept as int64 and wrapped after each operation, uint64 by its bits; where its order
// matters (division, comparison) it is read as unsigned.
#include "instances/onnx_fold.h"

#include "instances/onnx_registry.h"

#include <math.h>

static bool is_unsigned64(int32_t elem_type) { return memplan_onnx_dtype(elem_type) == MEMPLAN_DTYPE_U64; }

static bool less_ints(int32_t elem_type, int64_t a, int64_t b) {
  return is_unsigned64(elem_type) ? (uint64_t)a < (uint64_t)b : a < b;
}

static bool divide_ints(int32_t elem_type, int64_t a, int64_t b, int64_t *out) {
  if (b == 0) {
    return false;
  }
  if (is_unsigned64(elem_type)) {
    *out = (int64_t)((uint64_t)a / (uint64_t)b);
  } else if (b == -1) {
    *out = (int64_t)(0 - (uint64_t)a);
  } else {
    *out = a / b;
  }
  return true;
}

// The remainder has the sign of the divisor.
static bool modulo_ints(int32_t elem_type, int64_t a, int64_t b, int64_t *out) {
  if (b == 0) {
    return false;
  }
  if (is_unsigned64(elem_type)) {
    *out = (int64_t)((uint64_t)a % (uint64_t)b);
    return true;
  }
  int64_t rest = b == -1 ? 0 : a % b;
  *out = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  return true;
}

static bool power_ints(int64_t base, int64_t exponent, int64_t *out) {
  if (exponent < 0) {
    if (base == 0) {
      return false;
    }
    *out = base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    return true;
  }
  uint64_t result = 1;
  uint64_t factor = (uint64_t)base;
  for (uint64_t rest = (uint64_t)exponent; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) {
      result *= factor;
    }
    factor *= factor;
  }
  *out = (int64_t)result;
  return true;
}

bool memplan_function_ints(memplan_function function, int32_t elem_type, int64_t a, int64_t b, int64_t *out) {
  bool less = less_ints(elem_type, a, b);
  switch (function) {
  case MEMPLAN_FUNCTION_ADD:
    *out = (int64_t)((uint64_t)a + (uint64_t)b);
    return true;
  case MEMPLAN_FUNCTION_SUB:
    *out = (int64_t)((uint64_t)a - (uint64_t)b);
    return true;
  case MEMPLAN_FUNCTION_MUL:
    *out = (int64_t)((uint64_t)a * (uint64_t)b);
    return true;
  case MEMPLAN_FUNCTION_DIV:
    return divide_ints(elem_type, a, b, out);
  case MEMPLAN_FUNCTION_MOD:
    return modulo_ints(elem_type, a, b, out);
  case MEMPLAN_FUNCTION_POW:
    return power_ints(a, b, out);
  case MEMPLAN_FUNCTION_MIN:
    *out = less ? a : b;
    return true;
  case MEMPLAN_FUNCTION_MAX:
    *out = less ? b : a;
    return true;
  case MEMPLAN_FUNCTION_AND:
    *out = a != 0 && b != 0;
    return true;
  case MEMPLAN_FUNCTION_OR:
    *out = a != 0 || b != 0;
    return true;
  case MEMPLAN_FUNCTION_XOR:
    *out = (a != 0) != (b != 0);
    return true;
  case MEMPLAN_FUNCTION_EQUAL:
    *out = a == b;
    return true;
  case MEMPLAN_FUNCTION_LESS:
    *out = less;
    return true;
  case MEMPLAN_FUNCTION_LESS_OR_EQUAL:
    *out = less || a == b;
    return true;
  case MEMPLAN_FUNCTION_GREATER:
    *out = !less && a != b;
    return true;
  case MEMPLAN_FUNCTION_GREATER_OR_EQUAL:
    *out = !less;
    return true;
  default:
    return false;
  }
}

bool memplan_function_reals(memplan_function function, double a, double b, double *out) {
  switch (function) {
  case MEMPLAN_FUNCTION_ADD:
    *out = a + b;
    return true;
  case MEMPLAN_FUNCTION_SUB:
    *out = a - b;
    return true;
  case MEMPLAN_FUNCTION_MUL:
    *out = a * b;
    return true;
  case MEMPLAN_FUNCTION_DIV:
    *out = a / b;
    return b != 0.0;
  case MEMPLAN_FUNCTION_MOD:
    *out = b != 0.0 ? fmod(a, b) : 0.0;
    return b != 0.0;
  case MEMPLAN_FUNCTION_POW:
    *out = pow(a, b);
    return true;
  case MEMPLAN_FUNCTION_MIN:
    *out = a < b ? a : b;
    return true;
  case MEMPLAN_FUNCTION_MAX:
    *out = a < b ? b : a;
    return true;
  case MEMPLAN_FUNCTION_EQUAL:
    *out = a == b;
    return true;
  case MEMPLAN_FUNCTION_LESS:
    *out = a < b;
    return true;
  case MEMPLAN_FUNCTION_LESS_OR_EQUAL:
    *out = a <= b;
    return true;
  case MEMPLAN_FUNCTION_GREATER:
    *out = a > b;
    return true;
  case MEMPLAN_FUNCTION_GREATER_OR_EQUAL:
    *out = a >= b;
    return true;
  default:
    return false;
  }
}

static bool unary_real(memplan_function function, double x, double *out) {
  switch (function) {
  case MEMPLAN_FUNCTION_NEG:
    *out = -x;
    return true;
  case MEMPLAN_FUNCTION_ABS:
    *out = fabs(x);
    return true;
  case MEMPLAN_FUNCTION_SIGN:
    *out = x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
    return true;
  case MEMPLAN_FUNCTION_FLOOR:
    *out = floor(x);
    return true;
  case MEMPLAN_FUNCTION_CEIL:
    *out = ceil(x);
    return true;
  case MEMPLAN_FUNCTION_ROUND:
    *out = nearbyint(x);
    return true;
  case MEMPLAN_FUNCTION_SQRT:
    *out = x < 0.0 ? 0.0 : sqrt(x);
    return x >= 0.0;
  case MEMPLAN_FUNCTION_RECIPROCAL:
    *out = 1.0 / x;
    return x != 0.0;
  case MEMPLAN_FUNCTION_EXP:
    *out = exp(x);
    return true;
  case MEMPLAN_FUNCTION_LOG:
    *out = x > 0.0 ? log(x) : 0.0;
    return x > 0.0;
  case MEMPLAN_FUNCTION_SIN:
    *out = sin(x);
    return true;
  case MEMPLAN_FUNCTION_COS:
    *out = cos(x);
    return true;
  case MEMPLAN_FUNCTION_TANH:
    *out = tanh(x);
    return true;
  case MEMPLAN_FUNCTION_RELU:
    *out = x > 0.0 ? x : 0.0;
    return true;
  case MEMPLAN_FUNCTION_SIGMOID:
    *out = 1.0 / (1.0 + exp(-x));
    return true;
  default:
    return false;
  }
}

static bool unary_int(memplan_function function, int32_t elem_type, int64_t x, int64_t *out) {
  bool negative = x < 0 && !is_unsigned64(elem_type);
  switch (function) {
  case MEMPLAN_FUNCTION_NEG:
    *out = (int64_t)(0 - (uint64_t)x);
    return true;
  case MEMPLAN_FUNCTION_ABS:
    *out = negative ? (int64_t)(0 - (uint64_t)x) : x;
    return true;
  case MEMPLAN_FUNCTION_SIGN:
    *out = negative ? -1 : x != 0 ? 1 : 0;
    return true;
  case MEMPLAN_FUNCTION_NOT:
    *out = x == 0;
    return true;
  case MEMPLAN_FUNCTION_RELU:
    *out = negative ? 0 : x;
    return true;
  case MEMPLAN_FUNCTION_FLOOR:
  case MEMPLAN_FUNCTION_CEIL:
  case MEMPLAN_FUNCTION_ROUND:
    *out = x;
    return true;
  default:
    return false;
  }
}

memplan_status memplan_fold_unary(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  memplan_folding fold = {.wanted = false};
  if (data == NULL) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  for (int64_t i = 0; fold.wanted && i < fold.count && i < data->count; i++) {
    int64_t number = 0;
    double real = 0.0;
    if (!memplan_data_known(data, i)) {
      continue;
    }
    if (data->ints != NULL && fold.ints != NULL &&
        unary_int(call->op->function, memplan_call_elem(call, 0), data->ints[i], &number)) {
      memplan_fold_set_int(&fold, i, number);
    } else if (data->reals != NULL && fold.reals != NULL && unary_real(call->op->function, data->reals[i], &real)) {
      memplan_fold_set_real(&fold, i, real);
    }
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

// Mod with fmod = 1 takes the sign of the dividend, for integers, too.
static bool truncated_modulo(int32_t elem_type, int64_t a, int64_t b, int64_t *out) {
  if (is_unsigned64(elem_type)) {
    return modulo_ints(elem_type, a, b, out);
  }
  *out = b == 0 || b == -1 ? 0 : a % b;
  return b != 0;
}

// One entry of a binary operator; operands of two classes occur in Pow only.
static void binary_entry(const memplan_call *call, memplan_folding *fold, int64_t i, const memplan_onnx_data *a,
                         int64_t at_a, const memplan_onnx_data *b, int64_t at_b, bool truncated) {
  memplan_function function = call->op->function;
  if (!memplan_data_known(a, at_a) || !memplan_data_known(b, at_b)) {
    return;
  }
  if (a->ints != NULL && b->ints != NULL) {
    int64_t number = 0;
    int32_t elem_type = memplan_call_elem(call, 0);
    bool defined = truncated ? truncated_modulo(elem_type, a->ints[at_a], b->ints[at_b], &number)
                             : memplan_function_ints(function, elem_type, a->ints[at_a], b->ints[at_b], &number);
    if (defined && fold->ints != NULL) {
      memplan_fold_set_int(fold, i, number);
    }
    return;
  }
  double x = a->reals != NULL ? a->reals[at_a] : (double)a->ints[at_a];
  double y = b->reals != NULL ? b->reals[at_b] : (double)b->ints[at_b];
  double real = 0.0;
  int64_t number = 0;
  if (!memplan_function_reals(function, x, y, &real)) {
    return;
  }
  if (function == MEMPLAN_FUNCTION_MOD && !truncated && real != 0.0 && (real < 0.0) != (y < 0.0)) {
    real += y;
  }
  if (fold->reals != NULL) {
    memplan_fold_set_real(fold, i, real);
  } else if (memplan_real_to_int(fold->elem_type, real, &number)) {
    memplan_fold_set_int(fold, i, number);
  }
}

static memplan_status fold_pair(memplan_call *call, memplan_folding *fold, const memplan_onnx_data *a,
                                const memplan_dims *a_dims, const memplan_onnx_data *b, const memplan_dims *b_dims,
                                bool truncated) {
  memplan_dims out = memplan_dims_of(&call->out[0]);
  int64_t a_strides[MEMPLAN_ONNX_MAX_RANK];
  int64_t b_strides[MEMPLAN_ONNX_MAX_RANK];
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  if (a_dims->rank > out.rank || b_dims->rank > out.rank) {
    return MEMPLAN_OK;
  }
  memplan_strides_broadcast(a_dims, &out, a_strides);
  memplan_strides_broadcast(b_dims, &out, b_strides);
  for (int64_t i = 0; i < fold->count; i++) {
    binary_entry(call, fold, i, a, memplan_index_offset(index, a_strides, out.rank), b,
                 memplan_index_offset(index, b_strides, out.rank), truncated);
    (void)memplan_index_next(&out, index);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_fold_binary(memplan_call *call) {
  const memplan_onnx_data *a = memplan_call_data(call, 0);
  const memplan_onnx_data *b = memplan_call_data(call, 1);
  if (a == NULL || b == NULL) {
    return MEMPLAN_OK;
  }
  int64_t truncated = 0;
  if (call->op->function == MEMPLAN_FUNCTION_MOD) {
    MEMPLAN_TRY(memplan_call_int(call, "fmod", &truncated));
  }
  memplan_folding fold;
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (fold.wanted) {
    memplan_dims a_dims;
    memplan_dims b_dims;
    MEMPLAN_TRY(memplan_call_dims(call, 0, &a_dims));
    MEMPLAN_TRY(memplan_call_dims(call, 1, &b_dims));
    MEMPLAN_TRY(fold_pair(call, &fold, a, &a_dims, b, &b_dims, truncated != 0));
    memplan_fold_end(call, 0, &fold);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_fold_variadic(memplan_call *call) {
  if (call->node->n_in == 1) {
    return memplan_fold_same(call);
  }
  if (call->node->n_in == 2) {
    return memplan_fold_binary(call);
  }
  const memplan_onnx_data *first = memplan_call_data(call, 0);
  for (int32_t k = 0; k < call->node->n_in; k++) {
    if (memplan_call_data(call, k) == NULL) {
      return MEMPLAN_OK;
    }
  }
  memplan_onnx_data partial = *first;
  memplan_dims dims;
  MEMPLAN_TRY(memplan_call_dims(call, 0, &dims));
  for (int32_t k = 1; k < call->node->n_in; k++) {
    memplan_folding fold;
    memplan_dims other;
    MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
    if (!fold.wanted) {
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(memplan_call_dims(call, k, &other));
    MEMPLAN_TRY(fold_pair(call, &fold, &partial, &dims, memplan_call_data(call, k), &other, false));
    partial = (memplan_onnx_data){.ints = fold.ints, .reals = fold.reals, .count = fold.count, .known = fold.known};
    dims = memplan_dims_of(&call->out[0]);
    if (k + 1 == call->node->n_in) {
      memplan_fold_end(call, 0, &fold);
    }
  }
  return MEMPLAN_OK;
}

// An operand that holds one known number, as a real and as an integer.
static bool single(const memplan_onnx_data *data, double *real, int64_t *number) {
  if (!memplan_data_complete(data) || data->count != 1) {
    return false;
  }
  *real = data->reals != NULL ? data->reals[0] : 0.0;
  *number = data->ints != NULL ? data->ints[0] : 0;
  return true;
}

// Clip with its bounds as inputs.
memplan_status memplan_fold_clip(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  double low = -(double)INFINITY;
  double high = (double)INFINITY;
  int64_t least = INT64_MIN;
  int64_t most = INT64_MAX;
  if (data == NULL || (memplan_call_has(call, 1) && !single(memplan_call_data(call, 1), &low, &least)) ||
      (memplan_call_has(call, 2) && !single(memplan_call_data(call, 2), &high, &most)) ||
      is_unsigned64(memplan_call_elem(call, 0))) {
    return MEMPLAN_OK;
  }
  memplan_folding fold;
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  for (int64_t i = 0; fold.wanted && i < fold.count && i < data->count; i++) {
    if (!memplan_data_known(data, i)) {
      continue;
    }
    if (fold.ints != NULL && data->ints != NULL) {
      int64_t number = data->ints[i] < least ? least : data->ints[i];
      memplan_fold_set_int(&fold, i, number > most ? most : number);
    } else if (fold.reals != NULL && data->reals != NULL) {
      double real = data->reals[i] < low ? low : data->reals[i];
      memplan_fold_set_real(&fold, i, real > high ? high : real);
    }
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_cast(memplan_call *call) {
  const memplan_onnx_data *data = memplan_call_data(call, 0);
  memplan_folding fold = {.wanted = false};
  if (data == NULL) {
    return MEMPLAN_OK;
  }
  bool from_unsigned = is_unsigned64(memplan_call_elem(call, 0));
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  for (int64_t i = 0; fold.wanted && i < fold.count && i < data->count; i++) {
    int64_t number = 0;
    if (!memplan_data_known(data, i)) {
      continue;
    }
    if (fold.ints != NULL && data->ints != NULL) {
      memplan_fold_set_int(&fold, i, data->ints[i]);
    } else if (fold.ints != NULL && memplan_real_to_int(fold.elem_type, data->reals[i], &number)) {
      memplan_fold_set_int(&fold, i, number);
    } else if (fold.reals != NULL && data->reals != NULL) {
      memplan_fold_set_real(&fold, i, data->reals[i]);
    } else if (fold.reals != NULL) {
      memplan_fold_set_real(&fold, i, from_unsigned ? (double)(uint64_t)data->ints[i] : (double)data->ints[i]);
    }
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}

memplan_status memplan_fold_where(memplan_call *call) {
  const memplan_onnx_data *data[3];
  int64_t strides[3][MEMPLAN_ONNX_MAX_RANK];
  int64_t index[MEMPLAN_ONNX_MAX_RANK] = {0};
  memplan_dims out = memplan_dims_of(&call->out[0]);
  memplan_folding fold;
  MEMPLAN_TRY(memplan_fold_begin(call, 0, &fold));
  if (!fold.wanted) {
    return MEMPLAN_OK;
  }
  for (int32_t k = 0; k < 3; k++) {
    memplan_dims dims;
    data[k] = memplan_call_data(call, k);
    MEMPLAN_TRY(memplan_call_dims(call, k, &dims));
    if (!memplan_dims_known(&dims) || (k == 0 && (data[0] == NULL || data[0]->ints == NULL))) {
      return MEMPLAN_OK;
    }
    memplan_strides_broadcast(&dims, &out, strides[k]);
  }
  for (int64_t i = 0; i < fold.count; i++) {
    int64_t condition = memplan_index_offset(index, strides[0], out.rank);
    if (memplan_data_known(data[0], condition)) {
      int32_t k = data[0]->ints[condition] != 0 ? 1 : 2;
      if (data[k] != NULL) {
        memplan_fold_copy(&fold, i, data[k], memplan_index_offset(index, strides[k], out.rank));
      }
    }
    (void)memplan_index_next(&out, index);
  }
  memplan_fold_end(call, 0, &fold);
  return MEMPLAN_OK;
}
