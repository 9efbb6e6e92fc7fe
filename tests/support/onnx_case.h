// SPDX-License-Identifier: Apache-2.0
// One-node ONNX models written as text, for tests of shape inference.
//
// Values: "f32[2,?]" (a dimension of ? is unknown), "f32[...]" (unknown rank), "i64[2]={3,4}" (a constant with data; as
// a result: data that must be known so; there an entry may be ?), "seq(f32[2,3])*4" (a sequence of four; "*?": of
// unknown length), "-" (absent). Blanks separate values. Attributes: "axis=1 pads=0,0,1,1 name=\"text\" alpha=0.5
// scales=1.0,2.0 value=i64[1]={7}".
#ifndef MEMPLAN_TESTS_ONNX_CASE_H
#define MEMPLAN_TESTS_ONNX_CASE_H

#include "instances/onnx_infer.h"

typedef struct onnx_case {
  const char *op; // "Conv", or with its domain: "com.microsoft:FusedConv"
  int64_t opset;
  const char *in, *attributes;
  const char *out; // the types expected, or "!part of the error message"
} onnx_case;

// Infers the node and asserts what it expects; failures name the row.
void onnx_case_check(const onnx_case *row);

// Builds the model of a case and infers it; the node's outputs are the last values. The caller frees the model.
memplan_status onnx_case_infer(const onnx_case *row, int32_t n_out, memplan_onnx_model *model, memplan_error *error);

#endif
