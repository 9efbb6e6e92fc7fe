// SPDX-License-Identifier: Apache-2.0
// Bounds on the peak of an instance with one pool.
#include "model/base/number.h"
#include "solvers/bounds.h"

// First offset after `offset` that gets the block off a reserved range, or -1: it is on none. Members count, not the
// block: a reserved range may lie between them.
static int64_t leave_reserved(const memplan_instance *instance, const memplan_block *block, int64_t offset) {
  const memplan_pool *pool = &instance->pools[0];
  for (int32_t m = 0; m < block->n_members; m++) {
    const memplan_member *member = &instance->members[block->first_member + m];
    int64_t low = offset + member->delta, high = low + instance->buffers[member->buffer].bytes;
    for (int32_t k = 0; k < pool->n_reserved; k++) {
      const memplan_interval *range = &pool->reserved[k];
      if (low < high && range->start < range->end && range->start < high && low < range->end) {
        return range->end - member->delta;
      }
    }
  }
  return -1;
}

// The lowest offset at which the block could stand if it were alone: its pin, or the first aligned one at which none of
// its members meets a reserved range.
static int64_t lowest_offset(const memplan_instance *instance, const memplan_block *block) {
  if (block->pin >= 0) {
    return block->pin;
  }
  int64_t base = instance->pools[0].base, next = 0, offset = 0;
  while (next >= 0) {
    offset = memplan_align_up(base + next, block->align, block->residue) - base;
    next = leave_reserved(instance, block, offset);
  }
  return offset;
}

// The highest end of a block that stands alone. It exceeds the load where pins, reserved ranges or the base keep the
// block away from 0.
static memplan_bound single_block(const memplan_instance *instance) {
  memplan_bound best = {.kind = MEMPLAN_BOUND_BUFFER, .step = -1};
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->bytes == 0) {
      continue;
    }
    int64_t end = lowest_offset(instance, block) + block->bytes;
    if (end > best.bytes) {
      best.bytes = end;
      best.step = block->n_parts > 0 ? instance->times[block->start] : -1;
    }
  }
  return best;
}

memplan_status memplan_bound_placement(const memplan_instance *instance, memplan_bound_list *list,
                                       memplan_error *error) {
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
  memplan_bound_list_add(list, single_block(instance));
  return MEMPLAN_OK;
}
