// SPDX-License-Identifier: Apache-2.0
// Bounds on the peak of an instance with one pool.
#include "model/base/number.h"
#include "solvers/bounds.h"

// Lowest offset at which the block alone may stand: its pin, or the lowest aligned one beside the reserved ranges.
static int64_t lowest_offset(const memplan_pool *pool, const memplan_block *block) {
  if (block->pin >= 0) {
    return block->pin;
  }
  int64_t offset = memplan_align_up(pool->base, block->align, block->residue) - pool->base;
  for (bool moved = true; moved;) {
    moved = false;
    for (int32_t k = 0; k < pool->n_reserved; k++) {
      const memplan_interval *range = &pool->reserved[k];
      if (range->start < range->end && range->start < offset + block->bytes && offset < range->end) {
        offset = memplan_align_up(pool->base + range->end, block->align, block->residue) - pool->base;
        moved = true;
      }
    }
  }
  return offset;
}

// Reserved ranges and bases matter, so blocks are tried alone only where there are some, or pins.
static memplan_bound single_block(const memplan_instance *instance) {
  memplan_bound best = {.kind = MEMPLAN_BOUND_BUFFER, .step = -1};
  for (int32_t index = 0; index < instance->n_blocks; index++) {
    const memplan_block *block = &instance->blocks[index];
    if (block->bytes == 0) {
      continue;
    }
    int64_t end = lowest_offset(&instance->pools[0], block) + block->bytes;
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
