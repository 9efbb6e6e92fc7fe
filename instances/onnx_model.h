// SPDX-License-Identifier: Apache-2.0
// An ONNX model as memplan sees it: nodes, values and the few constants that shapes depend on. Weight data is never
// loaded.
//
// Values of the main graph and of all bodies lie in one array, and a node names them by index, so that a body that
// captures an outer value simply holds its index. Model-local functions have been inlined. Field numbers of the wire
// format: onnx.proto. Everything belongs to model.arena.
#ifndef MEMPLAN_INSTANCES_ONNX_MODEL_H
#define MEMPLAN_INSTANCES_ONNX_MODEL_H

#include "model/base/arena.h"
#include "model/base/status.h"
#include "model/types.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Element types by ONNX's numbers (TensorProto.DataType).
enum {
  MEMPLAN_ONNX_FLOAT = 1,
  MEMPLAN_ONNX_UINT8 = 2,
  MEMPLAN_ONNX_INT8 = 3,
  MEMPLAN_ONNX_UINT16 = 4,
  MEMPLAN_ONNX_INT16 = 5,
  MEMPLAN_ONNX_INT32 = 6,
  MEMPLAN_ONNX_INT64 = 7,
  MEMPLAN_ONNX_STRING = 8,
  MEMPLAN_ONNX_BOOL = 9,
  MEMPLAN_ONNX_FLOAT16 = 10,
  MEMPLAN_ONNX_DOUBLE = 11,
  MEMPLAN_ONNX_UINT32 = 12,
  MEMPLAN_ONNX_UINT64 = 13,
  MEMPLAN_ONNX_COMPLEX64 = 14,
  MEMPLAN_ONNX_COMPLEX128 = 15,
  MEMPLAN_ONNX_BFLOAT16 = 16
};

memplan_dtype memplan_onnx_dtype(int32_t elem_type); // NONE for 0 or unknown numbers

// Types of attributes by ONNX's numbers (AttributeProto.AttributeType).
enum {
  MEMPLAN_ONNX_ATTRIBUTE_FLOAT = 1,
  MEMPLAN_ONNX_ATTRIBUTE_INT = 2,
  MEMPLAN_ONNX_ATTRIBUTE_STRING = 3,
  MEMPLAN_ONNX_ATTRIBUTE_TENSOR = 4,
  MEMPLAN_ONNX_ATTRIBUTE_GRAPH = 5,
  MEMPLAN_ONNX_ATTRIBUTE_FLOATS = 6,
  MEMPLAN_ONNX_ATTRIBUTE_INTS = 7,
  MEMPLAN_ONNX_ATTRIBUTE_STRINGS = 8,
  MEMPLAN_ONNX_ATTRIBUTE_TENSORS = 9,
  MEMPLAN_ONNX_ATTRIBUTE_GRAPHS = 10,
  MEMPLAN_ONNX_ATTRIBUTE_SPARSE_TENSOR = 11,
  MEMPLAN_ONNX_ATTRIBUTE_SPARSE_TENSORS = 12,
  MEMPLAN_ONNX_ATTRIBUTE_TYPE_PROTO = 13,
  MEMPLAN_ONNX_ATTRIBUTE_TYPE_PROTOS = 14
};

enum {
  MEMPLAN_ONNX_MAX_RANK = 64,
  MEMPLAN_ONNX_MAX_DATA = 4096,                  // elements of a constant whose data is kept or computed
  MEMPLAN_ONNX_MAX_NESTING = MEMPLAN_MAX_NESTING // bodies in bodies, function calls in functions
};

typedef enum memplan_onnx_kind {
  MEMPLAN_ONNX_KIND_UNKNOWN = 0,
  MEMPLAN_ONNX_KIND_TENSOR,
  MEMPLAN_ONNX_KIND_SEQUENCE,
  MEMPLAN_ONNX_KIND_OPTIONAL,
  MEMPLAN_ONNX_KIND_MAP,
  MEMPLAN_ONNX_KIND_SPARSE
} memplan_onnx_kind;

// Type and shape. Of a sequence or optional: those of its elements (all alike, as far as known).
typedef struct memplan_onnx_type {
  memplan_onnx_kind kind;
  memplan_onnx_kind element_kind; // of a sequence's or optional's element
  int32_t elem_type;              // 0 unknown
  int32_t rank;                   // -1 unknown
  const int64_t *dims;            // rank entries, -1 unknown
  int64_t length;                 // elements of a sequence, -1 unknown
  const struct memplan_onnx_item
      *items; // set by inference: `length` elements, where they are known one by one; else NULL
} memplan_onnx_type;

// Data of a constant: integers and booleans as int64 (uint64 by its bits), floating types as double. One of them is
// NULL.
typedef struct memplan_onnx_data {
  const int64_t *ints;
  const double *reals;
  int64_t count;
  const uint8_t
      *known; // NULL: all entries are known; set by inference only (Shape of a tensor with an unknown dimension)
} memplan_onnx_data;

// One element of a sequence of tensors.
typedef struct memplan_onnx_item {
  memplan_onnx_type type; // a tensor's
  memplan_onnx_data data;
} memplan_onnx_item;

typedef struct memplan_onnx_value {
  const char *name; // never empty; of an inlined function: "CALL/NAME", made unique
  memplan_onnx_type
      type; // as the file declares it (input, output, value_info, initializer), until inference replaces it
  const char *const *symbols; // dimension names by dimension (NULL entries: none), or NULL
  memplan_onnx_data data;     // ints == reals == NULL: unknown
  bool is_constant;           // initializer or output of Constant; inference adds folded ones
  bool is_initializer;
  bool data_dependent; // set by inference: its shape depends on run-time data
  bool folded_shape;   // set by inference: constant only because Shape or Size of a known shape is (fold = shapes)
  int32_t graph;       // index of the graph that defines it
  int32_t node;        // node that makes it (index into its graph's nodes), or -1
} memplan_onnx_value;

typedef struct memplan_onnx_attribute {
  const char *name;
  int32_t type; // MEMPLAN_ONNX_ATTRIBUTE_…, 0 unknown
  float f;
  int64_t i;
  const char *s; // zero-terminated
  const float *floats;
  const int64_t *ints;
  const char *const *strings;
  int64_t n_floats, n_ints, n_strings;
  memplan_onnx_type tensor; // of a TENSOR (sparse: dense shape)
  memplan_onnx_data tensor_data;
  memplan_onnx_type type_proto; // of a TYPE_PROTO
  int32_t graph;                // of a GRAPH: index into model.graphs, else -1
} memplan_onnx_attribute;

typedef struct memplan_onnx_node {
  const char *name; // "" if the file gives none
  const char *op_type;
  const char *domain;      // "" for ai.onnx
  int64_t opset;           // version of its domain that the model (or function) imports, 0 if none
  const int32_t *in, *out; // values; -1: absent ("")
  const memplan_onnx_attribute *attributes;
  const int32_t *captures; // values of this graph or of outer ones that its bodies read, without repetition, in order
                           // of first use; may also stand in `in`
  int32_t n_in, n_out, n_attributes, n_captures;
  int32_t listed; // the node in the file's list of its graph that it is, or that calls the function it comes from
  bool inlined;   // it comes from a function
} memplan_onnx_node;

typedef struct memplan_onnx_graph {
  const char *name;
  memplan_onnx_node *nodes; // in file order
  int32_t n_nodes;
  int32_t n_listed;      // nodes in the file's list, calls of functions among them
  const int32_t *inputs; // values; without those that are initializers
  const int32_t *outputs;
  int32_t n_inputs, n_outputs;
  int32_t outer;      // enclosing graph, -1 for the main graph
  int32_t outer_node; // node of the enclosing graph whose attribute it is
  bool unreachable;   // set by inference: never runs (branch of an If with a known condition, body of a Loop of no
                      // iterations)
} memplan_onnx_graph;

typedef struct memplan_onnx_model {
  memplan_arena arena;
  memplan_onnx_graph *graphs; // 0: the main graph; an outer graph before its bodies
  memplan_onnx_value *values;
  int32_t n_graphs, n_values;
  int64_t ir_version;
  const char *producer; // "" if none
  const char **warnings;
  int32_t n_warnings;
} memplan_onnx_model;

// Reads a model from a seekable or unseekable stream, in one pass. `path` (or NULL) is put before messages; no
// other file is ever opened. MEMPLAN_INPUT for broken files (with the byte offset), duplicate definitions, undefined
// names, over-deep nesting.
memplan_status memplan_onnx_model_read(FILE *file, const char *path, memplan_onnx_model *model, memplan_error *error);
void memplan_onnx_model_free(memplan_onnx_model *model);
// Adds a warning line; after the first thousand they are dropped. False if memory is out.
bool memplan_onnx_model_warn(memplan_onnx_model *model, const char *format, ...) MEMPLAN_PRINTF(2, 3);

// The attribute, or NULL.
const memplan_onnx_attribute *memplan_onnx_attribute_find(const memplan_onnx_node *node, const char *name);

#endif
