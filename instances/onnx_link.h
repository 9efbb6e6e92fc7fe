// SPDX-License-Identifier: Apache-2.0
// From messages to a model: names become values, function calls the nodes of the function.
//
// A scope maps the names of one graph (or of one function call) to values; a body looks outward where it does not find
// a name, a function call does not. A graph handed to a function as an attribute keeps the scope it was written in.
#ifndef MEMPLAN_INSTANCES_ONNX_LINK_H
#define MEMPLAN_INSTANCES_ONNX_LINK_H

#include "instances/onnx_model.h"
#include "instances/onnx_proto.h"
#include "model/base/names.h"

enum { MEMPLAN_LINK_MAX_INLINED_BYTES = 1 << 28 }; // of nodes and values that inlining may make

typedef struct memplan_link_scope {
  const struct memplan_link_scope *outer; // NULL: nothing beyond
  memplan_names names;                    // name -> value + 1; 0: a function's argument that the call leaves out
} memplan_link_scope;

// An attribute with its reference resolved, and of a graph the surroundings in which it was written.
typedef struct memplan_link_attribute {
  memplan_onnx_attribute value;
  const memplan_proto_graph *graph;
  const memplan_link_scope *scope;
  const struct memplan_link_call *call;
} memplan_link_attribute;

// A function call that is being inlined.
typedef struct memplan_link_call {
  const struct memplan_link_call *outer;
  const memplan_proto_function *function;
  const memplan_link_attribute *attributes;
  int64_t n_attributes;
  const char *name; // put before the names of what it makes
} memplan_link_call;

// Where nodes are put and how their names are read.
typedef struct memplan_link_place {
  int32_t graph;
  const memplan_link_scope *scope;
  const memplan_link_call *call; // NULL outside functions
  int32_t listed;                // 1 + index in the graph's list of the node at work; 0: none is yet
  bool inlined;                  // that node calls a function, whose nodes are put there
} memplan_link_place;

typedef struct memplan_link_nodes {
  memplan_onnx_node *items;
  int64_t count, capacity;
} memplan_link_nodes;

typedef struct memplan_linker {
  memplan_onnx_model *model;
  const memplan_proto_model *proto;
  memplan_arena *scratch;
  memplan_error *error;
  memplan_names functions;   // domain, name and overload -> function
  memplan_names used;        // names of values -> number of the last one made from that name
  memplan_link_nodes *nodes; // by graph
  int64_t value_capacity, graph_capacity, nodes_capacity;
  int64_t inlined_bytes;
  int32_t nesting, inlining; // graphs and calls that are open; calls that are open
} memplan_linker;

// Fills the graphs and values of `model`, whose arena already holds the strings of `proto`. Errors as of
// memplan_onnx_model_read, without the path. Time: O(names) expected, times the depth of the bodies.
memplan_status memplan_link_model(const memplan_proto_model *proto, memplan_arena *scratch, memplan_onnx_model *model,
                                  memplan_error *error);

// ---- between onnx_link.c, onnx_link_node.c and onnx_functions.c

// Links a graph and its nodes. `outer`: the graph in which the body's operator stands (-1 for the main graph), and the
// scope and call in which the body was written.
memplan_status memplan_link_graph(memplan_linker *linker, const memplan_proto_graph *proto, memplan_link_place outer,
                                  int32_t outer_node, int32_t *index);

// The value of a name, -1 if it is an argument left out; -2 if nothing defines it.
int32_t memplan_link_resolve(const memplan_link_scope *scope, const char *name);

// Puts the nodes of a list at `place`, whose scope knows all names.
memplan_status memplan_link_node_list(memplan_linker *linker, const memplan_proto_nodes *nodes,
                                      memplan_link_place place);

// Adds a value of that name to a graph; *value becomes its index. `name` is copied only if it has to be changed.
memplan_status memplan_link_add_value(memplan_linker *linker, const char *name, int32_t graph, int32_t *value);

// Adds an operator with the given values to the graph of `place`; its bodies are linked with it.
memplan_status memplan_link_add_node(memplan_linker *linker, memplan_link_place place, memplan_onnx_node node,
                                     const memplan_link_attribute *attributes, int64_t n_attributes);

// Counts what inlining makes; fails beyond MEMPLAN_LINK_MAX_INLINED_BYTES. Free outside of calls.
memplan_status memplan_link_charge(memplan_linker *linker, int64_t bytes);

// Enters a body or call; the caller takes it off linker->nesting at its end. MEMPLAN_INPUT, naming `what` and `name`,
// beyond MEMPLAN_ONNX_MAX_NESTING.
memplan_status memplan_link_nest(memplan_linker *linker, const char *what, const char *name);

// Index of the functions by their key. Two with the same key: an error.
memplan_status memplan_link_index_functions(memplan_linker *linker);

// The function that a node calls, or NULL. `status` tells failures.
const memplan_proto_function *memplan_link_find_function(memplan_linker *linker, const memplan_proto_node *node,
                                                         memplan_status *status);

// Puts the function's nodes where the call stands. `in` and `out`: the call's values, -1 absent.
memplan_status memplan_link_inline(memplan_linker *linker, const memplan_proto_function *function,
                                   const memplan_onnx_node *call, const memplan_link_attribute *attributes,
                                   int64_t n_attributes, memplan_link_place place);

// "node 'n' (Conv)" or "an unnamed Conv node (output 'y')", for messages.
typedef struct memplan_link_label {
  char text[256];
} memplan_link_label;
memplan_link_label memplan_link_describe(const memplan_proto_node *node);

#endif
