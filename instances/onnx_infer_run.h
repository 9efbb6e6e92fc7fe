// SPDX-License-Identifier: Apache-2.0
// One run of shape inference, shared by its parts: binding of symbols, visiting of nodes, bodies, and the final report.
#ifndef MEMPLAN_INSTANCES_ONNX_INFER_RUN_H
#define MEMPLAN_INSTANCES_ONNX_INFER_RUN_H

#include "instances/onnx_model.h"

typedef struct memplan_infer {
  memplan_onnx_model *model;
  const int32_t *const *order;
  const memplan_problem_options *options;
  memplan_error *error;
  memplan_arena scratch;
  bool lenient;                // what fails leaves values unknown
  memplan_onnx_type *declared; // of each value: what the file says, with symbols bound
  // Graphs in depth-first order, so that a body and the bodies in it are neighbours.
  int32_t *place;             // of each graph in that order
  int32_t *graph_at;          // the graph at each place
  int32_t *n_inside;          // of each graph: itself and the graphs in it
  int64_t *nodes_upto;        // [n_graphs + 1] by place: nodes of the graphs before
  int32_t *values;            // value indices, sorted by the place of their graph
  int32_t *first_value;       // [n_graphs + 1] by place: into `values`
  bool *random;               // of each graph: a random operator is in it or in its bodies
  const char **contradiction; // of each graph: why the branch cannot run, or NULL
  int64_t data_budget;        // elements of data that may still be made
  int64_t work_budget;        // node visits that bodies may still be repeated for
} memplan_infer;

// Fills place, n_inside, nodes_upto, values and first_value.
memplan_status memplan_infer_index(memplan_infer *infer);

// Fills `declared` and sets the types of the values to it: --dim and --shape bound, and symbols that --shape
// determines. Errors: see memplan_onnx_infer; a lenient run leaves open inputs open.
memplan_status memplan_infer_bind(memplan_infer *infer);

// Visits the nodes of a graph and, with them, of its bodies. The inputs of the graph have their types.
memplan_status memplan_infer_graph(memplan_infer *infer, int32_t graph);

// What is left unknown: MEMPLAN_UNSUPPORTED with the operators and tensors, if it matters. Warns where the file's
// declarations disagree.
memplan_status memplan_infer_report(memplan_infer *infer);

// Whether all of a value's shape and element type is known; true for what has no shape (maps, optionals, sequences).
bool memplan_infer_complete(const memplan_onnx_type *type);

// Fills in from `declared` what `type` leaves unknown. False if memory is out.
bool memplan_infer_fill_in(memplan_onnx_type *type, const memplan_onnx_type *declared, memplan_arena *arena);

#endif
