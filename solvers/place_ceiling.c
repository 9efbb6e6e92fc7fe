// SPDX-License-Identifier: Apache-2.0
#include "solvers/place_ceiling.h"

#include "model/base/number.h"

int64_t memplan_place_ceiling(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int32_t pool) {
  const memplan_pool *entry = &instance->pools[pool];
  int32_t count = blocks != NULL ? n_blocks : instance->n_blocks;
  int64_t ceiling = 0;
  for (int32_t k = 0; k < entry->n_reserved; k++) {
    ceiling = entry->reserved[k].end > ceiling ? entry->reserved[k].end : ceiling;
  }
  for (int32_t k = 0; k < count; k++) {
    const memplan_block *block = &instance->blocks[blocks != NULL ? blocks[k] : k];
    ceiling = block->pin >= 0 && block->pin + block->bytes > ceiling ? block->pin + block->bytes : ceiling;
  }
  for (int32_t k = 0; k < count; k++) {
    const memplan_block *block = &instance->blocks[blocks != NULL ? blocks[k] : k];
    ceiling = memplan_add_saturated(ceiling, memplan_add_saturated(block->bytes, block->align - 1));
  }
  return ceiling < MEMPLAN_SIZE_LIMIT ? ceiling : MEMPLAN_SIZE_LIMIT;
}

int64_t memplan_place_limit(const memplan_instance *instance, int32_t pool) {
  int64_t capacity = instance->pools[pool].capacity;
  return capacity >= 0 ? capacity : memplan_place_ceiling(instance, NULL, 0, pool);
}
