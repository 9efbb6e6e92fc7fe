// SPDX-License-Identifier: Apache-2.0
// The graph: operators, tensors, and the storages (buffers) that tensors lie in.
//
// A reader fills `tensors`, `ops` and the names, then calls memplan_graph_resolve once, which checks the whole graph
// and computes everything below "derived". After that the graph is passed as const. All memory belongs to `arena`.
// Semantics: the model's chapters "Graph" and "Semantics"; sizes in bytes, indices are array positions, -1 = none.
#ifndef MEMPLAN_GRAPH_H
#define MEMPLAN_GRAPH_H

#include "model/base/arena.h"
#include "model/base/status.h"
#include "model/instance.h"
#include "model/types.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum memplan_role {
  MEMPLAN_ROLE_INPUT = 1,
  MEMPLAN_ROLE_OUTPUT = 2,
  MEMPLAN_ROLE_WEIGHT = 4,
  MEMPLAN_ROLE_VARIABLE = 8
} memplan_role;

typedef struct memplan_tensor {
  const char *id;   // unique among tensors
  const char *name; // free text or NULL
  int64_t bytes;    // of a view: extent from its first to its last byte
  int64_t align;    // >= 1
  int64_t pin;      // fixed offset in the arena or -1
  int64_t view_offset;
  int32_t view_of; // tensor that it is a view of, or -1
  uint8_t roles;   // memplan_role bits
  bool donatable;
  bool captured;        // in a body: a value of the graph around it, which lies in that graph's buffers (role weight)
  memplan_dtype dtype;  // MEMPLAN_DTYPE_NONE if unknown
  int32_t rank;         // -1 if the shape is unknown
  const int64_t *shape; // rank dimensions
  const int32_t *pools; // admissible pools, the preferred first
  int32_t n_pools;      // 0: any pool
  // derived
  int32_t storage;
  int64_t offset; // in its storage
} memplan_tensor;

// The output may take over the input's buffer.
typedef struct memplan_inplace {
  int32_t output, input; // tensors
} memplan_inplace;

typedef struct memplan_op {
  const char *id;   // unique among operators
  const char *type; // or NULL
  const int32_t *in, *out;
  const int32_t *writes; // those of `out` that are written although the operator also reads their buffer
  const int32_t *after;  // operators
  const memplan_inplace *inplace;
  const int32_t *workspace_pools;
  int32_t n_in, n_out, n_writes, n_after, n_inplace, n_workspace_pools;
  int64_t workspace, workspace_align, cost;
  int32_t async_until; // operator, or -1
  int32_t group;       // 0 … n_groups-1, or -1
  int32_t stream;
} memplan_op;

// A body of a control-flow operator. What it captures from outside has the role weight in it and is marked `captured`:
// it lies in the buffers of the outer graph.
typedef struct memplan_body {
  int32_t op;       // the operator that runs it
  const char *name; // "then_branch", "body", …
  struct memplan_graph *graph;
  bool io_external; // its inputs and outputs lie in the operator's own inputs and outputs (If)
} memplan_body;

// One access of an operator to a storage, with the bytes it touches: the union over its tensors there.
typedef struct memplan_touch {
  int32_t op;
  int32_t storage;
  bool reads, writes;
} memplan_touch;

typedef struct memplan_storage {
  int32_t root;           // tensor
  int64_t bytes;          // of the root
  int64_t align, residue; // offset = residue (modulo align): the root's alignment and those of its views
  int64_t pin;            // or -1
  const int32_t *pools;   // that all its tensors admit, in the order of preference of the first one that states some
  int32_t n_pools;        // 0: any pool
  uint8_t roles;          // of all its tensors
  bool donatable;         // every tensor of it with the role input is donatable
  int32_t first_touch, n_touches; // in graph.touches, in given order, one for each operator
} memplan_storage;

// A pair of `inplace` with what in-place needs to know; legal whatever the order. Which of them an order and the
// options admit: memplan_ordering.
typedef struct memplan_pair {
  int32_t op;
  int32_t output, input;                 // tensors
  int32_t output_storage, input_storage; // storages
  int64_t delta;                         // offset of the input tensor in its storage
  int64_t saving;                        // bytes the two storages share at the operator's step
} memplan_pair;

// A weight of a body, or of a body within it: a weight of the whole model, which the outermost graph holds.
typedef struct memplan_inner_weight {
  const char *id;                // "OP#BODY#TENSOR"; of a body in a body "OP#BODY#OP#BODY#TENSOR", and so on
  int32_t op;                    // operator of this graph in whose bodies it lies
  int64_t bytes, align, residue; // as of a storage
  bool touched;                  // an operator of its body reads it
} memplan_inner_weight;

typedef struct memplan_graph {
  memplan_arena arena;
  const char *name, *source; // never NULL
  memplan_tensor *tensors;
  memplan_op *ops;
  memplan_pool *pools;
  memplan_body *bodies;
  const char **groups;
  int32_t n_tensors, n_ops, n_pools, n_bodies, n_groups;
  // derived
  memplan_storage *storages;  // in order of their root tensors
  memplan_touch *touches;     // by storage
  memplan_pair *pairs;        // by operator, in the order of its `inplace`
  int32_t *pair_first;        // n_ops + 1
  int32_t *out_first;         // n_ops + 1, into out_writes
  bool *out_writes;           // by operator and output: is it a write, or an alias?
  int32_t *op_touch_first;    // n_ops + 1, into op_touches
  int32_t *op_touches;        // indices of touches by operator
  int32_t *pred_first, *pred; // n_ops + 1; operators that must run before: data, bytes, after, async
  int32_t *succ_first, *succ;
  memplan_inner_weight *inner_weights; // in order of bodies and tensors
  int32_t n_storages, n_touches, n_pairs, n_inner_weights;
  int32_t nesting; // of bodies in bodies: 0 without bodies, at most MEMPLAN_MAX_NESTING
  int32_t n_warnings;
  const char **warnings; // one line each
} memplan_graph;

void memplan_graph_init(memplan_graph *graph);
// Frees the graph and its bodies.
void memplan_graph_free(memplan_graph *graph);

// Checks the graph and computes the derived part. MEMPLAN_INPUT with the offending tensor or operator if ids repeat,
// sizes are negative or overflow, a view leaves its base or views form a cycle, an alignment is < 1 or contradicts
// another one of its storage, an index is wrong, something is read that nothing writes, or the given order is not
// topological (groups: not consecutive). Repeated inputs are merged. Bodies must be resolved before.
// Time: O(tensors + accesses + edges) up to sorting.
memplan_status memplan_graph_resolve(memplan_graph *graph, memplan_error *error);

// The operator that runs at a step of an order; NULL: none does, as where a graph without operators has inputs, which
// are live at step 0 all the same.
const memplan_op *memplan_graph_op_at(const memplan_graph *graph, const int32_t *order, int64_t step);

// Adds a warning line. Call before or in resolve. False if memory is out.
bool memplan_graph_warn(memplan_graph *graph, const char *format, ...) MEMPLAN_PRINTF(2, 3);

#endif
