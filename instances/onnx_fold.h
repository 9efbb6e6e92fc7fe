// SPDX-License-Identifier: Apache-2.0
// Evaluation of small constants: the arithmetic by which exporters compute shapes.
//
// A fold function runs after the shape function of its node and may give data to outputs whose shapes are known.
// Entries may be unknown one by one. Nothing here fails but for want of memory: what cannot be computed (too large, a
// division by zero, a conversion out of range) simply stays unknown. Integers wrap as in two's complement; floating
// types are computed in double and rounded to their own precision after each operator.
#ifndef MEMPLAN_INSTANCES_ONNX_FOLD_H
#define MEMPLAN_INSTANCES_ONNX_FOLD_H

#include "instances/onnx_shape.h"

// Data in the making, of `count` entries; one of ints and reals is set. All entries start as unknown.
typedef struct memplan_folding {
  bool wanted; // false: too large or of an unsuitable type; leave the output alone
  int64_t count;
  int64_t *ints;
  double *reals;
  uint8_t *known;
  int32_t elem_type;
} memplan_folding;

typedef enum memplan_element_class {
  MEMPLAN_ELEMENT_NONE = 0, // strings, complex numbers, floating types of 8 bits and less
  MEMPLAN_ELEMENT_INT,      // integers and booleans
  MEMPLAN_ELEMENT_REAL
} memplan_element_class;

memplan_element_class memplan_element_class_of(int32_t elem_type);

// Prepares data for output k, whose type has been set.
memplan_status memplan_fold_begin(memplan_call *call, int32_t k, memplan_folding *fold);
// Hands the data over, unless nothing in it is known.
void memplan_fold_end(memplan_call *call, int32_t k, const memplan_folding *fold);

void memplan_fold_set_int(memplan_folding *fold, int64_t i, int64_t value); // wraps to the element type
void memplan_fold_set_real(memplan_folding *fold, int64_t i, double value); // rounds to the element type
void memplan_fold_copy(memplan_folding *fold, int64_t i, const memplan_onnx_data *from, int64_t j);

bool memplan_data_known(const memplan_onnx_data *data, int64_t i);
bool memplan_data_complete(const memplan_onnx_data *data); // data, and all entries known

double memplan_round_real(int32_t elem_type, double value);
// False if the value does not fit.
bool memplan_real_to_int(int32_t elem_type, double value, int64_t *out);

// Visits the entries of a shape in storage order: start with all zeros; false after the last one.
bool memplan_index_next(const memplan_dims *dims, int64_t *index);
// Strides of a contiguous tensor; with `broadcast_to`, of one read as if it had that shape (0 where it is stretched).
void memplan_strides(const memplan_dims *dims, int64_t *strides);
void memplan_strides_broadcast(const memplan_dims *dims, const memplan_dims *broadcast_to, int64_t *strides);
int64_t memplan_index_offset(const int64_t *index, const int64_t *strides, int32_t rank);

// What an elementwise operator computes; the `function` of its registry entry.
typedef enum memplan_function {
  MEMPLAN_FUNCTION_NONE = 0,
  MEMPLAN_FUNCTION_NEG,
  MEMPLAN_FUNCTION_ABS,
  MEMPLAN_FUNCTION_SIGN,
  MEMPLAN_FUNCTION_NOT,
  MEMPLAN_FUNCTION_FLOOR,
  MEMPLAN_FUNCTION_CEIL,
  MEMPLAN_FUNCTION_ROUND,
  MEMPLAN_FUNCTION_SQRT,
  MEMPLAN_FUNCTION_RECIPROCAL,
  MEMPLAN_FUNCTION_EXP,
  MEMPLAN_FUNCTION_LOG,
  MEMPLAN_FUNCTION_SIN,
  MEMPLAN_FUNCTION_COS,
  MEMPLAN_FUNCTION_TANH,
  MEMPLAN_FUNCTION_RELU,
  MEMPLAN_FUNCTION_SIGMOID,
  MEMPLAN_FUNCTION_ADD,
  MEMPLAN_FUNCTION_SUB,
  MEMPLAN_FUNCTION_MUL,
  MEMPLAN_FUNCTION_DIV,
  MEMPLAN_FUNCTION_MOD,
  MEMPLAN_FUNCTION_POW,
  MEMPLAN_FUNCTION_MIN,
  MEMPLAN_FUNCTION_MAX,
  MEMPLAN_FUNCTION_MEAN,
  MEMPLAN_FUNCTION_AND,
  MEMPLAN_FUNCTION_OR,
  MEMPLAN_FUNCTION_XOR,
  MEMPLAN_FUNCTION_EQUAL,
  MEMPLAN_FUNCTION_LESS,
  MEMPLAN_FUNCTION_LESS_OR_EQUAL,
  MEMPLAN_FUNCTION_GREATER,
  MEMPLAN_FUNCTION_GREATER_OR_EQUAL
} memplan_function;

// One value of a binary function for operands of one type; false if it is undefined. Comparisons give 0 or 1.
bool memplan_function_ints(memplan_function function, int32_t elem_type, int64_t a, int64_t b, int64_t *out);
bool memplan_function_reals(memplan_function function, double a, double b, double *out);

// Fold functions (see onnx_registry.h for the operators).
memplan_status memplan_fold_unary(memplan_call *call);
memplan_status memplan_fold_binary(memplan_call *call);
memplan_status memplan_fold_variadic(memplan_call *call);
memplan_status memplan_fold_clip(memplan_call *call);
memplan_status memplan_fold_cast(memplan_call *call);
memplan_status memplan_fold_where(memplan_call *call);
memplan_status memplan_fold_same(memplan_call *call); // the same entries in the same order
memplan_status memplan_fold_transpose(memplan_call *call);
memplan_status memplan_fold_slice(memplan_call *call);
memplan_status memplan_fold_concat(memplan_call *call);
memplan_status memplan_fold_split(memplan_call *call);
memplan_status memplan_fold_expand(memplan_call *call);
memplan_status memplan_fold_tile(memplan_call *call);
memplan_status memplan_fold_trilu(memplan_call *call);
memplan_status memplan_fold_gather(memplan_call *call);
memplan_status memplan_fold_gather_elements(memplan_call *call);
memplan_status memplan_fold_gather_nd(memplan_call *call);
memplan_status memplan_fold_scatter_elements(memplan_call *call);
memplan_status memplan_fold_scatter_nd(memplan_call *call);
memplan_status memplan_fold_constant(memplan_call *call);
memplan_status memplan_fold_constant_of_shape(memplan_call *call);
memplan_status memplan_fold_shape(memplan_call *call);
memplan_status memplan_fold_size(memplan_call *call);
memplan_status memplan_fold_range(memplan_call *call);
memplan_status memplan_fold_nonzero(memplan_call *call);
memplan_status memplan_fold_sequence_length(memplan_call *call);
memplan_status memplan_fold_concat_from_sequence(memplan_call *call);
memplan_status memplan_fold_reduce(memplan_call *call);
memplan_status memplan_fold_arg(memplan_call *call);
memplan_status memplan_fold_cumsum(memplan_call *call);

#endif
