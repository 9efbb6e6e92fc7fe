// SPDX-License-Identifier: Apache-2.0
// Builds the graph that is planned from a model whose shapes are known. The rules stand in read_onnx.h.
#ifndef MEMPLAN_INSTANCES_ONNX_GRAPH_H
#define MEMPLAN_INSTANCES_ONNX_GRAPH_H

#include "instances/onnx_model.h"
#include "instances/remarks.h"
#include "model/base/names.h"

// What all graphs of one model share.
typedef struct memplan_onnx_build {
  const memplan_onnx_model *model;
  const int32_t *const *order;
  const memplan_problem_options *options;
  memplan_remarks *remarks; // on the main graph
  memplan_arena *scratch;
  int32_t *tensor_of; // by value: its tensor, valid where tensor_graph is the graph at work
  int32_t *tensor_graph;
} memplan_onnx_build;

// One graph at work.
typedef struct memplan_onnx_work {
  memplan_onnx_build *build;
  int32_t index; // of the model's graph
  memplan_graph *graph;
  memplan_names tensor_ids, op_ids;
  const memplan_onnx_node **kept; // those that become operators, in order
  int32_t n_kept;
  int64_t tensor_capacity;
  int32_t *outputs; // tensors of the graph's outputs
  memplan_error *error;
} memplan_onnx_work;

// Fills and resolves `graph` (initialised) from model.graphs[index], and its bodies.
memplan_status memplan_onnx_build_graph(memplan_onnx_build *build, int32_t index, memplan_graph *graph,
                                        memplan_error *error);

// Size of a value in the arena. MEMPLAN_UNSUPPORTED if it has none, naming it and its operator.
memplan_status memplan_onnx_value_bytes(const memplan_onnx_model *model, const memplan_onnx_value *value,
                                        int64_t *bytes, memplan_error *error);

// The nodes of a graph that become operators, in order, and of these the ids alone: n_ops and ops[…].id of `graph`
// (initialised). `kept` belongs to build->scratch.
memplan_status memplan_onnx_name_kept(memplan_onnx_build *build, int32_t index, memplan_graph *graph,
                                      const memplan_onnx_node ***kept, memplan_error *error);

// ---- parts

// The tensor of a value, added if it is new, with the roles that follow from where the value comes from.
memplan_status memplan_onnx_find_tensor(memplan_onnx_work *work, int32_t value, int32_t *tensor);

// memplan_names_unique of a copy of `base`.
const char *memplan_onnx_unique(memplan_arena *arena, memplan_names *names, const char *base);

// Adds a tensor with an id of its own, made from `id`.
memplan_status memplan_onnx_add_tensor(memplan_onnx_work *work, const char *id, memplan_tensor tensor, int32_t *index);

// Output k and input first_input + k of the body of a loop are one carried value, k < count. `count` is 0 for other
// graphs.
void memplan_onnx_find_carried(const memplan_onnx_work *work, int32_t *count, int32_t *first_input);

// Gives carried values buffers of their own, by copies, where the next iteration needs them elsewhere. Adds at most one
// operator for each to graph.ops.
memplan_status memplan_onnx_separate_carried(memplan_onnx_work *work);

// By the kind of operator: may output 0 of the node take over the buffer of input k, if the two have the same number
// of elements of the same size?
bool memplan_onnx_may_overwrite(const memplan_onnx_node *node, int32_t k);

#endif
