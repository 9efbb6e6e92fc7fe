// SPDX-License-Identifier: Apache-2.0
// Bounds on the peak of an instance with one pool.
#include "solvers/bounds.h"

memplan_status memplan_bound_placement(const memplan_instance *instance, const memplan_limits *limits,
                                       memplan_arena *arena, memplan_bound_list *list, memplan_error *error) {
  if (instance->n_pools > 1) {
    return MEMPLAN_OK;
  }
  memplan_load load, aligned;
  MEMPLAN_TRY(memplan_instance_load(instance, false, &load, error));
  MEMPLAN_TRY(memplan_instance_load(instance, true, &aligned, error));
  memplan_bound_list_add(list, (memplan_bound){.kind = MEMPLAN_BOUND_LOAD, .bytes = load.bytes, .step = load.time});
  if (aligned.bytes > load.bytes) {
    memplan_bound_list_add(
        list, (memplan_bound){.kind = MEMPLAN_BOUND_ALIGNED_LOAD, .bytes = aligned.bytes, .step = aligned.time});
  }
  MEMPLAN_TRY(memplan_bound_single_block(instance, list, error));
  return memplan_bound_clique(instance, limits, arena, list, error);
}
