// SPDX-License-Identifier: Apache-2.0
// Writes ONNX files for tests: protobuf fields by number, and above them nodes, graphs and models. Good and bad files
// alike: nothing is checked. Memory failures end the test program.
#ifndef MEMPLAN_TESTS_ONNX_WRITER_H
#define MEMPLAN_TESTS_ONNX_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Bytes of a message; `{0}` is an empty one. Functions that take a message by value also free it.
typedef struct onnx_bytes {
  unsigned char *data;
  size_t size, capacity;
} onnx_bytes;

void onnx_bytes_free(onnx_bytes *bytes);
void onnx_put_raw(onnx_bytes *bytes, const void *data, size_t size);
void onnx_put_varint(onnx_bytes *bytes, uint64_t value);
void onnx_put_tag(onnx_bytes *bytes, uint32_t field, uint32_t wire_type);
void onnx_put_int(onnx_bytes *bytes, uint32_t field, int64_t value);
void onnx_put_float(onnx_bytes *bytes, uint32_t field, float value);
void onnx_put_block(onnx_bytes *bytes, uint32_t field, const void *data, size_t size);
void onnx_put_text(onnx_bytes *bytes, uint32_t field, const char *text);
void onnx_put_message(onnx_bytes *bytes, uint32_t field, onnx_bytes inner);

// TensorProto without data.
onnx_bytes onnx_tensor(const char *name, int32_t elem_type, int32_t rank, const int64_t *dims);
// TensorProto with int64_data; rank 0 if count is negative.
onnx_bytes onnx_ints(const char *name, int64_t count, const int64_t *values);
// ValueInfoProto of a tensor. dims: -1 takes the symbol of that dimension (NULL: none); rank -1: no shape.
onnx_bytes onnx_value(const char *name, int32_t elem_type, int32_t rank, const int64_t *dims,
                      const char *const *symbols);
// ValueInfoProto of a tensor of one dimension of floats.
onnx_bytes onnx_floats(const char *name, int64_t count);

// NodeProto; names separated by blanks, "-" for an absent one.
onnx_bytes onnx_node(const char *op_type, const char *name, const char *in, const char *out);
void onnx_add_int(onnx_bytes *node, const char *name, int64_t value);
void onnx_add_ints(onnx_bytes *node, const char *name, int64_t count, const int64_t *values);
void onnx_add_tensor(onnx_bytes *node, const char *name, onnx_bytes tensor);
void onnx_add_graph(onnx_bytes *node, const char *name, onnx_bytes graph);

// Fields of GraphProto.
void onnx_graph_node(onnx_bytes *graph, onnx_bytes node);
void onnx_graph_initializer(onnx_bytes *graph, onnx_bytes tensor);
void onnx_graph_input(onnx_bytes *graph, onnx_bytes value);
void onnx_graph_output(onnx_bytes *graph, onnx_bytes value);
// A node without attributes.
void onnx_graph_op(onnx_bytes *graph, const char *op_type, const char *name, const char *in, const char *out);

// ModelProto with that graph, IR version 8 and the given version of the default domain.
onnx_bytes onnx_model(int64_t opset, onnx_bytes graph);

// A stream that reads the bytes; they must outlive it.
FILE *onnx_open(const onnx_bytes *bytes);

#endif
