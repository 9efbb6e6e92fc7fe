// SPDX-License-Identifier: Apache-2.0
// From a placement by index to a plan by ids.
#ifndef MEMPLAN_SOLVERS_ASSEMBLE_H
#define MEMPLAN_SOLVERS_ASSEMBLE_H

#include "model/memplan.h"

// One placement of an instance, by block.
typedef struct memplan_placement {
  const int64_t *offset;
  const int32_t *pool;
  const int32_t *slot; // NULL or n_slots == 0: no slots
  int32_t n_slots;
} memplan_placement;

// Replaces the arrays by copies in `arena`.
memplan_status memplan_placement_copy(memplan_placement *placement, int32_t n_blocks, memplan_arena *arena,
                                      memplan_error *error);

// Fills plan->placed (sorted by id), slots and peak. Ids are copied into the plan's arena.
memplan_status memplan_assemble_offsets(const memplan_instance *instance, const memplan_placement *placement,
                                        memplan_plan *plan, memplan_error *error);

// Fills plan->order and plan->inplace.
memplan_status memplan_assemble_order(const memplan_ordering *ordering, const int32_t *order, const int32_t *choice,
                                      int32_t n_choices, memplan_plan *plan, memplan_error *error);

#endif
