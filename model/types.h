// SPDX-License-Identifier: Apache-2.0
// Element types and the options that are part of a problem.
#ifndef MEMPLAN_TYPES_H
#define MEMPLAN_TYPES_H

#include <stdbool.h>
#include <stdint.h>

// Element types by their short names (`f32`). Sizes are kept in bits, for the types below one byte.
typedef enum memplan_dtype {
  MEMPLAN_DTYPE_NONE = 0,
  MEMPLAN_DTYPE_F16,
  MEMPLAN_DTYPE_BF16,
  MEMPLAN_DTYPE_F32,
  MEMPLAN_DTYPE_F64,
  MEMPLAN_DTYPE_F8E4M3FN,
  MEMPLAN_DTYPE_F8E4M3FNUZ,
  MEMPLAN_DTYPE_F8E5M2,
  MEMPLAN_DTYPE_F8E5M2FNUZ,
  MEMPLAN_DTYPE_F8E8M0,
  MEMPLAN_DTYPE_F4E2M1,
  MEMPLAN_DTYPE_I2,
  MEMPLAN_DTYPE_I4,
  MEMPLAN_DTYPE_I8,
  MEMPLAN_DTYPE_I16,
  MEMPLAN_DTYPE_I32,
  MEMPLAN_DTYPE_I64,
  MEMPLAN_DTYPE_U2,
  MEMPLAN_DTYPE_U4,
  MEMPLAN_DTYPE_U8,
  MEMPLAN_DTYPE_U16,
  MEMPLAN_DTYPE_U32,
  MEMPLAN_DTYPE_U64,
  MEMPLAN_DTYPE_BOOL,
  MEMPLAN_DTYPE_C64,
  MEMPLAN_DTYPE_C128,
  MEMPLAN_DTYPE_STRING, // no size
  MEMPLAN_DTYPE_COUNT
} memplan_dtype;

// "f32", …; NULL for MEMPLAN_DTYPE_NONE.
const char *memplan_dtype_name(memplan_dtype dtype);
// Accepts the short names and the long ones (`float32`, `half`, `int8`, …). MEMPLAN_DTYPE_NONE if unknown.
memplan_dtype memplan_dtype_parse(const char *text);
// Bits of one element; 0 if it has no size.
int32_t memplan_dtype_bits(memplan_dtype dtype);
// Bytes of a contiguous tensor: elements x bits, rounded up to bytes. -1 if the type has no size, a dimension is
// negative, or the product overflows.
int64_t memplan_dtype_tensor_bytes(memplan_dtype dtype, int32_t rank, const int64_t *shape);

typedef enum memplan_io { MEMPLAN_IO_ARENA = 0, MEMPLAN_IO_EXTERNAL, MEMPLAN_IO_PERSISTENT } memplan_io;
typedef enum memplan_weights { MEMPLAN_WEIGHTS_EXTERNAL = 0, MEMPLAN_WEIGHTS_RESIDENT } memplan_weights;
typedef enum memplan_inplace_mode { MEMPLAN_INPLACE_SAFE = 0, MEMPLAN_INPLACE_NONE } memplan_inplace_mode;
typedef enum memplan_views { MEMPLAN_VIEWS_RESHAPE = 0, MEMPLAN_VIEWS_NONE } memplan_views;
typedef enum memplan_fold { MEMPLAN_FOLD_SHAPES = 0, MEMPLAN_FOLD_CONSTANTS, MEMPLAN_FOLD_NONE } memplan_fold;
typedef enum memplan_bodies { MEMPLAN_BODIES_PLAN = 0, MEMPLAN_BODIES_IGNORE } memplan_bodies;
typedef enum memplan_lifetimes {
  MEMPLAN_LIFETIMES_AUTO = 0, // as the file's column names say
  MEMPLAN_LIFETIMES_HALF_OPEN,
  MEMPLAN_LIFETIMES_INCLUSIVE
} memplan_lifetimes;

enum { MEMPLAN_MAX_NESTING = 64 }; // control-flow bodies in bodies; no reader, solver or check goes deeper

typedef struct memplan_dim {
  const char *name;
  int64_t value;
} memplan_dim;

// A shape given for an input by name.
typedef struct memplan_shape {
  const char *name;
  int32_t rank;
  const int64_t *dims;
} memplan_shape;

// The buffer (or root tensor, or "OP#workspace") must lie in the pool.
typedef struct memplan_pin_pool {
  const char *buffer, *pool;
} memplan_pin_pool;

// The options that say which problem is solved (not how). They become `problem` in the plan and part of the
// fingerprint, but for strict, rename_dups, pin_offsets, dims_optional, pin_pools, conflicts_path and known_names,
// which say how a file is read: what they change is in the problem itself. A zeroed struct holds the defaults, except
// that `capacity` must be -1 for none and `align` 1.
typedef struct memplan_problem_options {
  memplan_io io;
  memplan_weights weights;
  memplan_inplace_mode inplace;
  memplan_views views;
  memplan_fold fold;
  memplan_bodies bodies;
  memplan_lifetimes lifetimes;
  bool no_branch_sharing;
  bool inputs_writable;
  bool strict;        // warnings of the readers are errors
  bool rename_dups;   // --dup-ids rename
  bool pin_offsets;   // --pin: offsets of a CSV pin its buffers
  bool dims_optional; // dims and shapes that a model has not are no error: they are meant for several models; the
                      // options of the problem that is read leave them out
  int64_t capacity;   // bytes, -1: none
  int64_t align;      // each alignment becomes lcm(alignment, align)
  const memplan_dim *dims;
  int32_t n_dims;
  const memplan_shape *shapes;
  int32_t n_shapes;
  const memplan_pin_pool *pin_pools;
  int32_t n_pin_pools;
  const char *conflicts_path; // --conflicts: a file of pairs of buffers that may not share memory; NULL: none
  bool *known_names; // NULL, or n_dims + n_shapes flags of the caller: a reader sets those whose name the model has
} memplan_problem_options;

memplan_problem_options memplan_problem_options_default(void);

#endif
