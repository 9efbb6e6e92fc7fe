// SPDX-License-Identifier: Apache-2.0
// In which order the nodes of a model's file have to stand so that its given order is that of a plan.
#ifndef MEMPLAN_INSTANCES_ONNX_ARRANGE_H
#define MEMPLAN_INSTANCES_ONNX_ARRANGE_H

#include "instances/onnx_model.h"
#include "model/plan.h"

typedef struct memplan_onnx_arranged_body {
  int32_t node;          // in the file's list
  const char *attribute; // that holds the body
  const struct memplan_onnx_arrangement *inner;
} memplan_onnx_arranged_body;

typedef struct memplan_onnx_arrangement {
  const int32_t *from; // by place: the node of the file's list that comes to stand there
  int32_t n_nodes;
  const memplan_onnx_arranged_body *bodies; // by node
  int32_t n_bodies;
} memplan_onnx_arrangement;

// For a model that is read, sorted (`order`, of memplan_onnx_sort) and inferred under the options that the plan was
// made with. Nodes that planning left out stand as early as where they stood, but after what they read and before what
// reads them. MEMPLAN_UNSUPPORTED where no list of nodes has the plan's order: the operators of a function that do not
// run together, a body within one, a node that was left out and would have to run between. The arrangement belongs to
// `arena`. O((nodes + inputs) log nodes) and hash tables.
memplan_status memplan_onnx_arrange(const memplan_onnx_model *model, const int32_t *const *order,
                                    const memplan_problem_options *options, const memplan_plan *plan,
                                    memplan_arena *arena, memplan_onnx_arrangement *arrangement, memplan_error *error);

#endif
