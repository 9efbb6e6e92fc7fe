// SPDX-License-Identifier: Apache-2.0
// The messages of an ONNX file as they stand there, before names are resolved (onnx_link.h does that).
//
// Only what planning needs is kept: no doc strings, no metadata, no weight data beyond small constants. Repeated
// singular fields follow protobuf: messages are merged, numbers and strings replaced by the last (and so are tensors,
// which no writer repeats). Strings and arrays belong to the wire's arena. Field numbers: onnx.proto.
#ifndef MEMPLAN_INSTANCES_ONNX_PROTO_H
#define MEMPLAN_INSTANCES_ONNX_PROTO_H

#include "instances/onnx_model.h"
#include "instances/onnx_wire.h"

typedef struct memplan_proto_graph memplan_proto_graph;

typedef struct memplan_proto_attribute {
  memplan_onnx_attribute value; // .graph not set
  memplan_proto_graph *graph;   // of a GRAPH, else NULL
  const char *reference;        // ref_attr_name, "" if none
} memplan_proto_attribute;

// A tensor, sparse tensor or ValueInfoProto: a name with its type; tensors with data if there is little of it.
typedef struct memplan_proto_value {
  const char *name;
  memplan_onnx_type type;
  const char *const *symbols; // by dimension, NULL entries: none; or NULL
  memplan_onnx_data data;
} memplan_proto_value;

typedef struct memplan_proto_strings {
  const char **items;
  int64_t count, capacity;
} memplan_proto_strings;

typedef struct memplan_proto_attributes {
  memplan_proto_attribute *items;
  int64_t count, capacity;
} memplan_proto_attributes;

typedef struct memplan_proto_values {
  memplan_proto_value *items;
  int64_t count, capacity;
} memplan_proto_values;

typedef struct memplan_proto_node {
  const char *name, *op_type, *domain, *overload; // never NULL; domain "" for ai.onnx
  memplan_proto_strings in, out;
  memplan_proto_attributes attributes;
} memplan_proto_node;

typedef struct memplan_proto_nodes {
  memplan_proto_node *items;
  int64_t count, capacity;
} memplan_proto_nodes;

struct memplan_proto_graph {
  const char *name;
  memplan_proto_nodes nodes;
  memplan_proto_values initializers, inputs, outputs, value_info;
};

typedef struct memplan_proto_opset {
  const char *domain;
  int64_t version;
} memplan_proto_opset;

typedef struct memplan_proto_opsets {
  memplan_proto_opset *items;
  int64_t count, capacity;
} memplan_proto_opsets;

typedef struct memplan_proto_function {
  const char *name, *domain, *overload;
  memplan_proto_strings in, out;
  memplan_proto_attributes defaults; // attribute_proto
  memplan_proto_nodes nodes;
  memplan_proto_opsets opsets;
} memplan_proto_function;

typedef struct memplan_proto_functions {
  memplan_proto_function *items;
  int64_t count, capacity;
} memplan_proto_functions;

typedef struct memplan_proto_model {
  int64_t ir_version;
  const char *producer, *producer_version;
  memplan_proto_graph graph;
  memplan_proto_functions functions;
  memplan_proto_opsets opsets;
  bool has_graph, has_training;
} memplan_proto_model;

// Reads the whole message. What they fill must be zeroed (or hold an earlier part of the same message).
memplan_status memplan_proto_read_model(memplan_wire_message *message, memplan_proto_model *model);
memplan_status memplan_proto_read_tensor(memplan_wire_message *message, memplan_proto_value *tensor);
memplan_status memplan_proto_read_sparse(memplan_wire_message *message, memplan_proto_value *tensor);
memplan_status memplan_proto_read_type(memplan_wire_message *message, memplan_onnx_type *type,
                                       const char *const **symbols);
memplan_status memplan_proto_read_value_info(memplan_wire_message *message, memplan_proto_value *value);

#endif
