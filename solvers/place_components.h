// SPDX-License-Identifier: Apache-2.0
// Independent parts of a placement problem: blocks that are tied by no chain of common times or rules never influence
// each other's offsets, so that each component is searched alone and the largest of their optima is the optimum.
#ifndef MEMPLAN_SOLVERS_PLACE_COMPONENTS_H
#define MEMPLAN_SOLVERS_PLACE_COMPONENTS_H

#include "model/instance.h"

typedef struct memplan_place_components {
  int32_t n_components;
  const int32_t *first;  // by component, and one more
  const int32_t *blocks; // of each component, ascending; blocks without bytes are in none
} memplan_place_components;

// In canonical order: by their lowest block. Memory belongs to `arena`. O(n log n) in parts and rules.
memplan_status memplan_place_components_find(const memplan_instance *instance, memplan_arena *arena,
                                             memplan_place_components *components, memplan_error *error);

#endif
