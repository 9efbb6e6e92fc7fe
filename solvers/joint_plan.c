// SPDX-License-Identifier: Apache-2.0
// Of two items that an in-place pair ties, both buffers are in one block, at distances of their own.
#include "solvers/joint_plan.h"

bool memplan_joint_plan_chooses(const memplan_joint_plan *plan, int32_t pair) {
  for (int32_t k = 0; k < plan->n_choices; k++) {
    if (plan->choice[k] == pair) {
      return true;
    }
  }
  return false;
}

memplan_status memplan_joint_lower(const memplan_joint_graph *graph, const memplan_joint_plan *plan,
                                   memplan_joint_lowered *lowered, memplan_error *error) {
  *lowered = (memplan_joint_lowered){.graph = graph};
  memplan_instance_init(&lowered->instance);
  int32_t *storage_buffer = MEMPLAN_NEW(&lowered->arena, int32_t, graph->ordering->graph->n_storages);
  int32_t *op_buffer = MEMPLAN_NEW(&lowered->arena, int32_t, graph->n_ops);
  lowered->buffer = MEMPLAN_NEW(&lowered->arena, int32_t, graph->n_items);
  if (storage_buffer == NULL || op_buffer == NULL || lowered->buffer == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_ordering_lower(graph->ordering, plan->order, plan->choice, plan->n_choices, &lowered->instance,
                                     storage_buffer, op_buffer, error));
  for (int32_t item = 0; item < graph->n_items; item++) {
    lowered->buffer[item] = memplan_joint_graph_buffer(graph, item, &lowered->instance, storage_buffer, op_buffer);
  }
  return MEMPLAN_OK;
}

void memplan_joint_lowered_free(memplan_joint_lowered *lowered) {
  memplan_instance_free(&lowered->instance);
  memplan_arena_free(&lowered->arena);
}

int64_t memplan_joint_lowered_offset(const memplan_joint_lowered *lowered, const memplan_placement *placement,
                                     int32_t item) {
  const memplan_instance *instance = &lowered->instance;
  int32_t buffer = lowered->buffer[item];
  return buffer < 0 ? lowered->graph->items[item].pin * lowered->graph->unit
                    : placement->offset[instance->block_of[buffer]] + instance->delta_of[buffer];
}

memplan_status memplan_joint_lowered_place(const memplan_joint_lowered *lowered, const int64_t *offset, int64_t unit,
                                           memplan_arena *arena, memplan_joint_plan *plan, memplan_error *error) {
  const memplan_instance *instance = &lowered->instance;
  int64_t *by_block = MEMPLAN_NEW(arena, int64_t, instance->n_blocks);
  int32_t *pool = MEMPLAN_NEW(arena, int32_t, instance->n_blocks);
  if (by_block == NULL || pool == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) { // of empty blocks only the pin counts
    by_block[block] = instance->blocks[block].pin >= 0 ? instance->blocks[block].pin : 0;
  }
  for (int32_t item = 0; item < lowered->graph->n_items; item++) {
    int32_t buffer = lowered->buffer[item];
    if (buffer >= 0) {
      by_block[instance->block_of[buffer]] = offset[item] * unit - instance->delta_of[buffer];
    }
  }
  plan->placement = (memplan_placement){.offset = by_block, .pool = pool};
  plan->n_blocks = instance->n_blocks;
  plan->peak = memplan_instance_peak(instance, by_block);
  return MEMPLAN_OK;
}
