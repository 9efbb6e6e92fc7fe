// SPDX-License-Identifier: Apache-2.0
#include "model/types.h"

#include "model/base/words.h"

#include <stddef.h>
#include <string.h>

typedef struct dtype_row {
  const char *name;
  const char *longer; // other accepted names, separated by spaces
  int32_t bits;
} dtype_row;

static const dtype_row rows[MEMPLAN_DTYPE_COUNT] = {
    [MEMPLAN_DTYPE_NONE] = {NULL, "", 0},
    [MEMPLAN_DTYPE_F16] = {"f16", "float16 half fp16", 16},
    [MEMPLAN_DTYPE_BF16] = {"bf16", "bfloat16", 16},
    [MEMPLAN_DTYPE_F32] = {"f32", "float32 float fp32", 32},
    [MEMPLAN_DTYPE_F64] = {"f64", "float64 double fp64", 64},
    [MEMPLAN_DTYPE_F8E4M3FN] = {"f8e4m3fn", "float8e4m3fn float8_e4m3fn", 8},
    [MEMPLAN_DTYPE_F8E4M3FNUZ] = {"f8e4m3fnuz", "float8e4m3fnuz float8_e4m3fnuz", 8},
    [MEMPLAN_DTYPE_F8E5M2] = {"f8e5m2", "float8e5m2 float8_e5m2", 8},
    [MEMPLAN_DTYPE_F8E5M2FNUZ] = {"f8e5m2fnuz", "float8e5m2fnuz float8_e5m2fnuz", 8},
    [MEMPLAN_DTYPE_F8E8M0] = {"f8e8m0", "float8e8m0 float8e8m0fnu float8_e8m0fnu", 8},
    [MEMPLAN_DTYPE_F4E2M1] = {"f4e2m1", "float4e2m1 float4_e2m1fn", 4},
    [MEMPLAN_DTYPE_I2] = {"i2", "int2", 2},
    [MEMPLAN_DTYPE_I4] = {"i4", "int4", 4},
    [MEMPLAN_DTYPE_I8] = {"i8", "int8", 8},
    [MEMPLAN_DTYPE_I16] = {"i16", "int16", 16},
    [MEMPLAN_DTYPE_I32] = {"i32", "int32", 32},
    [MEMPLAN_DTYPE_I64] = {"i64", "int64", 64},
    [MEMPLAN_DTYPE_U2] = {"u2", "uint2", 2},
    [MEMPLAN_DTYPE_U4] = {"u4", "uint4", 4},
    [MEMPLAN_DTYPE_U8] = {"u8", "uint8", 8},
    [MEMPLAN_DTYPE_U16] = {"u16", "uint16", 16},
    [MEMPLAN_DTYPE_U32] = {"u32", "uint32", 32},
    [MEMPLAN_DTYPE_U64] = {"u64", "uint64", 64},
    [MEMPLAN_DTYPE_BOOL] = {"bool", "boolean", 8},
    [MEMPLAN_DTYPE_C64] = {"c64", "complex64", 64},
    [MEMPLAN_DTYPE_C128] = {"c128", "complex128", 128},
    [MEMPLAN_DTYPE_STRING] = {"string", "str", 0},
};

static const dtype_row *find_row(memplan_dtype dtype) {
  return &rows[(int)dtype >= 0 && dtype < MEMPLAN_DTYPE_COUNT ? dtype : MEMPLAN_DTYPE_NONE];
}

const char *memplan_dtype_name(memplan_dtype dtype) { return find_row(dtype)->name; }

memplan_dtype memplan_dtype_parse(const char *text) {
  for (int dtype = MEMPLAN_DTYPE_NONE + 1; dtype < MEMPLAN_DTYPE_COUNT; dtype++) {
    if (strcmp(rows[dtype].name, text) == 0 || memplan_words_hold(rows[dtype].longer, text)) {
      return (memplan_dtype)dtype;
    }
  }
  return MEMPLAN_DTYPE_NONE;
}

int32_t memplan_dtype_bits(memplan_dtype dtype) { return find_row(dtype)->bits; }

int64_t memplan_dtype_tensor_bytes(memplan_dtype dtype, int32_t rank, const int64_t *shape) {
  int64_t bits = memplan_dtype_bits(dtype);
  if (bits == 0 || rank < 0) {
    return -1;
  }
  bool empty = false;
  for (int32_t i = 0; i < rank; i++) {
    if (shape[i] < 0) {
      return -1;
    }
    empty = empty || shape[i] == 0;
  }
  if (empty) {
    return 0; // whatever the other dimensions, which may overflow
  }
  int64_t elements = 1;
  for (int32_t i = 0; i < rank; i++) {
    if (elements > INT64_MAX / shape[i]) {
      return -1;
    }
    elements *= shape[i];
  }
  if (bits % 8 == 0) {
    return elements <= INT64_MAX / (bits / 8) ? elements * (bits / 8) : -1;
  }
  int64_t per_byte = 8 / bits;
  return elements / per_byte + (elements % per_byte != 0 ? 1 : 0);
}

memplan_problem_options memplan_problem_options_default(void) {
  memplan_problem_options options = {0};
  options.capacity = -1;
  options.align = 1;
  return options;
}
