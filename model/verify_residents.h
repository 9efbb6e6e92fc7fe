// SPDX-License-Identifier: Apache-2.0
// The weights that lie in the bodies of a graph, as the verification sees them: resident ones are in its arena.
#ifndef MEMPLAN_VERIFY_RESIDENTS_H
#define MEMPLAN_VERIFY_RESIDENTS_H

#include "model/graph.h"

typedef struct memplan_resident {
  const char *id; // "OP#BODY#TENSOR", of a body in a body "OP#BODY#OP#BODY#TENSOR"
  int64_t bytes;
} memplan_resident;

// One tensor of it asks for that alignment, `shift` bytes after the resident's own offset.
typedef struct memplan_resident_demand {
  int32_t resident;
  const char *tensor;
  int64_t shift, align;
} memplan_resident_demand;

typedef struct memplan_residents {
  memplan_resident *items;
  memplan_resident_demand *demands;
  int64_t n_items, n_demands;
} memplan_residents;

// In order of bodies and their tensors; those that no operator of their body touches are left out, and so is what a
// body captures. Memory from `arena`. O(size of the bodies x their depth).
memplan_status memplan_residents_find(const memplan_graph *graph, memplan_arena *arena, memplan_residents *residents,
                                      memplan_error *error);

#endif
