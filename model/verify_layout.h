// SPDX-License-Identifier: Apache-2.0
// A graph as the verification sees it: where each tensor lies in its buffer, and which bytes each operator touches,
// recomputed from the fields that a reader fills.
#ifndef MEMPLAN_VERIFY_LAYOUT_H
#define MEMPLAN_VERIFY_LAYOUT_H

#include "model/graph.h"

// One operator touches one tensor: as an input, or as an output that it writes or that is an alias. An alias writes no
// byte, but lies on them.
typedef struct memplan_layout_access {
  int32_t op, tensor;
  int64_t low, high; // bytes in the buffer
  bool writes, alias;
} memplan_layout_access;

typedef struct memplan_layout {
  const memplan_graph *graph;
  int32_t *buffer; // by tensor
  int64_t *offset; // by tensor, in its buffer
  int32_t n_buffers;
  int32_t *root;                   // by buffer: its tensor that is no view
  uint8_t *roles;                  // by buffer: of all its tensors
  bool *donatable;                 // by buffer: all its inputs are
  memplan_layout_access *accesses; // by buffer, then by operator in given order
  int32_t *first_access;           // by buffer, n_buffers + 1
} memplan_layout;

// Memory from `arena`. O(tensors + accesses).
memplan_status memplan_layout_init(memplan_layout *layout, const memplan_graph *graph, memplan_arena *arena,
                                   memplan_error *error);

// The operator that ends what `op` has begun: its async_until, or -1 if it is finished with its own step.
int32_t memplan_layout_until(const memplan_graph *graph, int32_t op);

#endif
