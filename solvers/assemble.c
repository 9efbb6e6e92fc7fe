// SPDX-License-Identifier: Apache-2.0
#include "solvers/assemble.h"

#include <stdlib.h>
#include <string.h>

static const int32_t *copy_indices(const int32_t *indices, int32_t count, memplan_arena *arena) {
  int32_t *copy = MEMPLAN_NEW(arena, int32_t, count);
  if (copy != NULL) {
    memcpy(copy, indices, (size_t)count * sizeof *copy);
  }
  return copy;
}

memplan_status memplan_placement_copy(memplan_placement *placement, int32_t n_blocks, memplan_arena *arena,
                                      memplan_error *error) {
  int64_t *offset = MEMPLAN_NEW(arena, int64_t, n_blocks);
  if (offset == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(offset, placement->offset, (size_t)n_blocks * sizeof *offset);
  placement->offset = offset;
  placement->pool = copy_indices(placement->pool, n_blocks, arena);
  placement->slot = placement->slot != NULL ? copy_indices(placement->slot, n_blocks, arena) : NULL;
  return placement->pool != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static int compare_placed(const void *a, const void *b) {
  return strcmp(((const memplan_placed *)a)->id, ((const memplan_placed *)b)->id);
}

// The occupants of a slot may begin at different bytes of it, where their alignments differ.
static memplan_status measure_slots(const memplan_instance *instance, const memplan_placement *placement,
                                    memplan_plan *plan, memplan_error *error) {
  plan->n_slots = placement->n_slots;
  plan->slot_bytes = MEMPLAN_NEW(&plan->arena, int64_t, placement->n_slots);
  int64_t *low = MEMPLAN_NEW(&plan->arena, int64_t, placement->n_slots);
  if (plan->slot_bytes == NULL || low == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t slot = 0; slot < placement->n_slots; slot++) {
    low[slot] = INT64_MAX;
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    int32_t slot = placement->slot[block];
    if (slot >= 0 && instance->blocks[block].bytes > 0 && placement->offset[block] < low[slot]) {
      low[slot] = placement->offset[block];
    }
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    int32_t slot = placement->slot[block];
    if (slot >= 0 && instance->blocks[block].bytes > 0) {
      int64_t bytes = placement->offset[block] + instance->blocks[block].bytes - low[slot];
      plan->slot_bytes[slot] = bytes > plan->slot_bytes[slot] ? bytes : plan->slot_bytes[slot];
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_assemble_offsets(const memplan_instance *instance, const memplan_placement *placement,
                                        memplan_plan *plan, memplan_error *error) {
  plan->placed = MEMPLAN_NEW(&plan->arena, memplan_placed, instance->n_buffers);
  if (plan->placed == NULL) {
    return memplan_fail_nomem(error);
  }
  bool slots = placement->slot != NULL && placement->n_slots > 0;
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    const char *id = instance->buffers[index].id;
    int32_t block = instance->block_of[index];
    memplan_placed *entry = &plan->placed[index];
    entry->id = memplan_arena_text(&plan->arena, id, strlen(id));
    entry->offset = placement->offset[block] + instance->delta_of[index];
    entry->slot = slots ? placement->slot[block] : -1;
    if (entry->id == NULL) {
      return memplan_fail_nomem(error);
    }
    if (!instance->default_pool) {
      const char *pool = instance->pools[placement->pool[block]].id;
      entry->pool = memplan_arena_text(&plan->arena, pool, strlen(pool));
      if (entry->pool == NULL) {
        return memplan_fail_nomem(error);
      }
    }
  }
  plan->n_placed = instance->n_buffers;
  if (plan->n_placed > 1) {
    qsort(plan->placed, (size_t)plan->n_placed, sizeof *plan->placed, compare_placed);
  }
  plan->peak = memplan_instance_peak(instance, placement->offset);
  return slots ? measure_slots(instance, placement, plan, error) : MEMPLAN_OK;
}

memplan_status memplan_assemble_order(const memplan_ordering *ordering, const int32_t *order, const int32_t *choice,
                                      int32_t n_choices, memplan_plan *plan, memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  plan->order = MEMPLAN_NEW(&plan->arena, const char *, ordering->n_ops);
  plan->inplace = MEMPLAN_NEW(&plan->arena, memplan_plan_pair, n_choices);
  if (plan->order == NULL || plan->inplace == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    const char *id = graph->ops[order[t]].id;
    plan->order[t] = memplan_arena_text(&plan->arena, id, strlen(id));
    if (plan->order[t] == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  plan->n_order = ordering->n_ops;
  for (int32_t k = 0; k < n_choices; k++) {
    const memplan_pair *pair = &ordering->pairs[choice[k]];
    const char *output = graph->tensors[pair->output].id, *input = graph->tensors[pair->input].id;
    plan->inplace[k].output = memplan_arena_text(&plan->arena, output, strlen(output));
    plan->inplace[k].input = memplan_arena_text(&plan->arena, input, strlen(input));
    if (plan->inplace[k].output == NULL || plan->inplace[k].input == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  plan->n_inplace = n_choices;
  return MEMPLAN_OK;
}
