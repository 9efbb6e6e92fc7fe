// SPDX-License-Identifier: Apache-2.0
#include "tests/support/onnx_writer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void onnx_bytes_free(onnx_bytes *bytes) {
  free(bytes->data);
  *bytes = (onnx_bytes){0};
}

void onnx_put_raw(onnx_bytes *bytes, const void *data, size_t size) {
  if (bytes->capacity - bytes->size < size) {
    bytes->capacity = 2 * bytes->capacity + size;
    bytes->data = realloc(bytes->data, bytes->capacity);
    if (bytes->data == NULL) {
      abort();
    }
  }
  if (size > 0) {
    memcpy(bytes->data + bytes->size, data, size);
  }
  bytes->size += size;
}

void onnx_put_varint(onnx_bytes *bytes, uint64_t value) {
  do {
    unsigned char byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
    onnx_put_raw(bytes, &byte, 1);
    value >>= 7;
  } while (value > 0);
}

void onnx_put_tag(onnx_bytes *bytes, uint32_t field, uint32_t wire_type) {
  onnx_put_varint(bytes, (uint64_t)field << 3 | wire_type);
}

void onnx_put_int(onnx_bytes *bytes, uint32_t field, int64_t value) {
  onnx_put_tag(bytes, field, 0);
  onnx_put_varint(bytes, (uint64_t)value);
}

void onnx_put_float(onnx_bytes *bytes, uint32_t field, float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  onnx_put_tag(bytes, field, 5);
  for (int shift = 0; shift < 32; shift += 8) {
    unsigned char byte = (unsigned char)(bits >> shift & 255);
    onnx_put_raw(bytes, &byte, 1);
  }
}

void onnx_put_block(onnx_bytes *bytes, uint32_t field, const void *data, size_t size) {
  onnx_put_tag(bytes, field, 2);
  onnx_put_varint(bytes, size);
  onnx_put_raw(bytes, data, size);
}

void onnx_put_text(onnx_bytes *bytes, uint32_t field, const char *text) {
  onnx_put_block(bytes, field, text, strlen(text));
}

void onnx_put_message(onnx_bytes *bytes, uint32_t field, onnx_bytes inner) {
  onnx_put_block(bytes, field, inner.data, inner.size);
  onnx_bytes_free(&inner);
}

onnx_bytes onnx_tensor(const char *name, int32_t elem_type, int32_t rank, const int64_t *dims) {
  onnx_bytes tensor = {0};
  for (int32_t i = 0; i < rank; i++) {
    onnx_put_int(&tensor, 1, dims[i]);
  }
  onnx_put_int(&tensor, 2, elem_type);
  onnx_put_text(&tensor, 8, name);
  return tensor;
}

onnx_bytes onnx_ints(const char *name, int64_t count, const int64_t *values) {
  onnx_bytes tensor = onnx_tensor(name, 7, count < 0 ? 0 : 1, &count);
  for (int64_t i = 0; i < (count < 0 ? 1 : count); i++) {
    onnx_put_int(&tensor, 7, values[i]);
  }
  return tensor;
}

onnx_bytes onnx_value(const char *name, int32_t elem_type, int32_t rank, const int64_t *dims,
                      const char *const *symbols) {
  onnx_bytes value = {0}, type = {0}, tensor = {0}, shape = {0};
  onnx_put_int(&tensor, 1, elem_type);
  for (int32_t i = 0; i < rank; i++) {
    onnx_bytes dim = {0};
    if (dims[i] >= 0) {
      onnx_put_int(&dim, 1, dims[i]);
    } else if (symbols != NULL && symbols[i] != NULL) {
      onnx_put_text(&dim, 2, symbols[i]);
    }
    onnx_put_message(&shape, 1, dim);
  }
  if (rank >= 0) {
    onnx_put_message(&tensor, 2, shape);
  }
  onnx_put_message(&type, 1, tensor);
  onnx_put_text(&value, 1, name);
  onnx_put_message(&value, 2, type);
  return value;
}

onnx_bytes onnx_floats(const char *name, int64_t count) { return onnx_value(name, 1, 1, &count, NULL); }

static void put_names(onnx_bytes *node, uint32_t field, const char *names) {
  while (*names != '\0') {
    size_t length = strcspn(names, " ");
    bool absent = length == 1 && names[0] == '-';
    onnx_put_block(node, field, names, absent ? 0 : length);
    names += length;
    names += strspn(names, " ");
  }
}

onnx_bytes onnx_node(const char *op_type, const char *name, const char *in, const char *out) {
  onnx_bytes node = {0};
  put_names(&node, 1, in);
  put_names(&node, 2, out);
  onnx_put_text(&node, 3, name);
  onnx_put_text(&node, 4, op_type);
  return node;
}

static onnx_bytes start_attribute(const char *name, int64_t type) {
  onnx_bytes attribute = {0};
  onnx_put_text(&attribute, 1, name);
  onnx_put_int(&attribute, 20, type);
  return attribute;
}

void onnx_add_int(onnx_bytes *node, const char *name, int64_t value) {
  onnx_bytes attribute = start_attribute(name, 2);
  onnx_put_int(&attribute, 3, value);
  onnx_put_message(node, 5, attribute);
}

void onnx_add_ints(onnx_bytes *node, const char *name, int64_t count, const int64_t *values) {
  onnx_bytes attribute = start_attribute(name, 7);
  for (int64_t i = 0; i < count; i++) {
    onnx_put_int(&attribute, 8, values[i]);
  }
  onnx_put_message(node, 5, attribute);
}

void onnx_add_tensor(onnx_bytes *node, const char *name, onnx_bytes tensor) {
  onnx_bytes attribute = start_attribute(name, 4);
  onnx_put_message(&attribute, 5, tensor);
  onnx_put_message(node, 5, attribute);
}

void onnx_add_graph(onnx_bytes *node, const char *name, onnx_bytes graph) {
  onnx_bytes attribute = start_attribute(name, 5);
  onnx_put_message(&attribute, 6, graph);
  onnx_put_message(node, 5, attribute);
}

void onnx_graph_node(onnx_bytes *graph, onnx_bytes node) { onnx_put_message(graph, 1, node); }
void onnx_graph_initializer(onnx_bytes *graph, onnx_bytes tensor) { onnx_put_message(graph, 5, tensor); }
void onnx_graph_input(onnx_bytes *graph, onnx_bytes value) { onnx_put_message(graph, 11, value); }
void onnx_graph_output(onnx_bytes *graph, onnx_bytes value) { onnx_put_message(graph, 12, value); }

void onnx_graph_op(onnx_bytes *graph, const char *op_type, const char *name, const char *in, const char *out) {
  onnx_graph_node(graph, onnx_node(op_type, name, in, out));
}

onnx_bytes onnx_model(int64_t opset, onnx_bytes graph) {
  onnx_bytes model = {0}, import = {0};
  onnx_put_int(&model, 1, 8);
  onnx_put_text(&model, 2, "tests");
  onnx_put_text(&import, 1, "");
  onnx_put_int(&import, 2, opset);
  onnx_put_message(&model, 8, import);
  onnx_put_message(&model, 7, graph);
  return model;
}

FILE *onnx_open(const onnx_bytes *bytes) {
  FILE *file = fmemopen(bytes->data, bytes->size, "rb");
  if (file == NULL) {
    abort();
  }
  return file;
}
