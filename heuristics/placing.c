// SPDX-License-Identifier: Apache-2.0
// Pins before everything else, so that no movable block takes a pinned one's place; idle blocks last, so that they
// take no place from live ones.
#include "heuristics/placing.h"

static bool is_idle(const memplan_block *block) { return block->bytes == 0 || block->n_parts == 0; }

static memplan_status place_pinned(memplan_placing *placing, int32_t block, memplan_error *error) {
  const memplan_instance *instance = placing->instance;
  const memplan_block *entry = &instance->blocks[block];
  for (int32_t k = 0; k < entry->n_pools; k++) {
    int32_t pool = instance->block_pools[entry->first_pool + k];
    if (entry->bytes > 0) {
      if (!memplan_packing_ask(placing->packing, block, pool)) {
        return memplan_fail_nomem(error);
      }
      if (memplan_packing_lowest(placing->packing, entry->pin) != entry->pin) {
        continue;
      }
    }
    return memplan_packing_add(placing->packing, block, pool, entry->pin) ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  placing->result->failed_block = block;
  return MEMPLAN_OK;
}

bool memplan_placing_stops(memplan_placing *placing) {
  enum { POLL = 32 }; // a step of best-fit may take a millisecond
  if (!placing->stopped && placing->limits != NULL && ++placing->n_steps % POLL == 0) {
    placing->result->stop = memplan_limits_reached(placing->limits);
    placing->stopped = placing->result->stop != MEMPLAN_STOP_DONE;
  }
  return placing->stopped;
}

static memplan_status begin(memplan_placing *placing, memplan_error *error) {
  const memplan_instance *instance = placing->instance;
  memplan_method_result *result = placing->result;
  result->outcome = MEMPLAN_UNKNOWN;
  result->stop = MEMPLAN_STOP_DONE;
  result->failed_block = -1;
  result->n_slots = 0;
  for (int32_t block = 0; block < instance->n_blocks && result->slot != NULL; block++) {
    result->slot[block] = -1;
  }
  placing->packing = memplan_packing_new(instance, result->offset, result->pool, placing->arena);
  placing->todo = MEMPLAN_NEW(placing->arena, int32_t, instance->n_blocks);
  if (placing->packing == NULL || placing->todo == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks && result->failed_block < 0; block++) {
    if (instance->blocks[block].pin >= 0) {
      if (memplan_placing_stops(placing)) {
        return MEMPLAN_OK;
      }
      MEMPLAN_TRY(place_pinned(placing, block, error));
    } else if (!is_idle(&instance->blocks[block])) {
      placing->todo[placing->n_todo++] = block;
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_placing_find(memplan_placing *placing, int32_t block, const int64_t *from, int32_t *pool,
                                    int64_t *offset, memplan_error *error) {
  const memplan_instance *instance = placing->instance;
  const memplan_block *entry = &instance->blocks[block];
  for (int32_t k = 0; k < entry->n_pools; k++) {
    *pool = instance->block_pools[entry->first_pool + k];
    if (!memplan_packing_ask(placing->packing, block, *pool)) {
      return memplan_fail_nomem(error);
    }
    *offset = memplan_packing_lowest(placing->packing, from != NULL ? from[*pool] : 0);
    if (*offset >= 0) {
      return MEMPLAN_OK;
    }
  }
  placing->result->failed_block = block;
  return MEMPLAN_OK;
}

memplan_status memplan_placing_lowest(memplan_placing *placing, int32_t block, memplan_error *error) {
  int32_t pool;
  int64_t offset;
  MEMPLAN_TRY(memplan_placing_find(placing, block, NULL, &pool, &offset, error));
  if (placing->result->failed_block >= 0 || memplan_packing_add(placing->packing, block, pool, offset)) {
    return MEMPLAN_OK;
  }
  return memplan_fail_nomem(error);
}

static memplan_status finish(memplan_placing *placing, memplan_error *error) {
  const memplan_instance *instance = placing->instance;
  memplan_method_result *result = placing->result;
  for (int32_t block = 0; block < instance->n_blocks && result->failed_block < 0; block++) {
    const memplan_block *entry = &instance->blocks[block];
    if (entry->pin >= 0 || !is_idle(entry)) {
      continue;
    }
    if (entry->bytes > 0) {
      MEMPLAN_TRY(memplan_placing_lowest(placing, block, error));
    } else if (!memplan_packing_add(placing->packing, block, instance->block_pools[entry->first_pool], 0)) {
      return memplan_fail_nomem(error);
    }
  }
  result->outcome = result->failed_block < 0 ? MEMPLAN_FEASIBLE : MEMPLAN_UNKNOWN;
  return MEMPLAN_OK;
}

memplan_status memplan_placing_run(const memplan_instance *instance, memplan_placing_method *method, void *context,
                                   const memplan_limits *limits, memplan_method_result *result, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_placing placing = {.instance = instance, .arena = &arena, .result = result, .limits = limits};
  memplan_status status = begin(&placing, error);
  if (status == MEMPLAN_OK && result->failed_block < 0 && !placing.stopped) {
    status = method(&placing, context, error);
  }
  if (status == MEMPLAN_OK && !placing.stopped) {
    status = finish(&placing, error);
  }
  memplan_arena_free(&arena);
  return status;
}
