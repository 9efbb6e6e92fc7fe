// SPDX-License-Identifier: Apache-2.0
// Reads models from bytes that a test wrote. Everything asserts.
#ifndef MEMPLAN_TESTS_ONNX_READING_H
#define MEMPLAN_TESTS_ONNX_READING_H

#include "instances/onnx_model.h"
#include "tests/support/onnx_writer.h"

memplan_status onnx_read(const onnx_bytes *bytes, memplan_onnx_model *model, memplan_error *error);

// Reads and frees the bytes; the model must be good.
memplan_onnx_model onnx_read_good(onnx_bytes bytes);

// Reads and frees the bytes; the model must be refused with that status and a message that holds `part`.
void onnx_expect_refused(onnx_bytes bytes, memplan_status expected, const char *part);

// Index of the value; there must be one.
int32_t onnx_find_value(const memplan_onnx_model *model, const char *name);

// x (8 floats) -> Relu 'a' -> t -> Neg 'b' -> y.
onnx_bytes onnx_chain(void);

#endif
