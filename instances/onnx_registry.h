// SPDX-License-Identifier: Apache-2.0
// The one table of ONNX operators that memplan knows: how the shapes and, for small constants, the data of their
// outputs follow.
#ifndef MEMPLAN_INSTANCES_ONNX_REGISTRY_H
#define MEMPLAN_INSTANCES_ONNX_REGISTRY_H

#include "instances/onnx_fold.h"
#include "instances/onnx_shape.h"

typedef memplan_status (*memplan_shape_function)(memplan_call *call);
typedef memplan_status (*memplan_fold_function)(memplan_call *call);

typedef struct memplan_onnx_op {
  const char *domain; // "" for ai.onnx
  const char *type;
  int32_t since;    // first opset of the domain it holds for; it ends where the next line of the operator begins
  int32_t required; // so many inputs must be there
  bool random;      // equal inputs need not give equal outputs
  memplan_shape_function shape;
  memplan_fold_function fold; // or NULL
  memplan_function function;  // what `fold` computes, where it serves several operators
} memplan_onnx_op;

// The operator as of `opset` (0 or less: the newest); the oldest one known if all came later, since optimizers write
// operators into files of older opsets. NULL if there is none.
const memplan_onnx_op *memplan_onnx_op_find(const char *domain, const char *type, int64_t opset);

// All lines, sorted by domain, type and `since`.
const memplan_onnx_op *memplan_onnx_op_table(int32_t *count);

#endif
