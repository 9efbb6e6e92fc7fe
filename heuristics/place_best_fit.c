// SPDX-License-Identifier: Apache-2.0
// Best-fit, online: the buffers in the order of their starts, each in the smallest free gap that holds it between
// the buffers in its way, at the bottom of that gap; if there is no such gap, on top. Equal gaps: the lowest.
// A block with several lifetimes or byte windows has several bottoms and tops: its gap is as far as it could move.
#include "heuristics/heuristic.h"

#include "heuristics/placing.h"

// The best offset for the block that the packing was asked about, -1 if it fits nowhere.
static int64_t find_best(memplan_packing *packing) {
  int64_t best = -1;
  int64_t smallest = INT64_MAX;
  int64_t offset = memplan_packing_lowest(packing, 0);
  while (offset >= 0) {
    int64_t below;
    int64_t above;
    memplan_packing_room(packing, offset, &below, &above);
    if (above == INT64_MAX) {
      return best >= 0 ? best : offset;
    }
    if (below + above < smallest) {
      smallest = below + above;
      best = offset;
    }
    offset = memplan_packing_lowest(packing, offset + above + 1);
  }
  return best;
}

static memplan_status place(memplan_placing *placing, void *context, memplan_error *error) {
  (void)context;
  const memplan_instance *instance = placing->instance;
  memplan_method_result *result = placing->result;
  for (int32_t k = 0; k < placing->n_todo && !memplan_placing_stops(placing); k++) {
    int32_t block = placing->todo[k];
    const memplan_block *entry = &instance->blocks[block];
    int64_t offset = -1;
    for (int32_t p = 0; p < entry->n_pools && offset < 0; p++) {
      int32_t pool = instance->block_pools[entry->first_pool + p];
      if (!memplan_packing_ask(placing->packing, block, pool)) {
        return memplan_fail_nomem(error);
      }
      offset = find_best(placing->packing);
      if (offset >= 0 && !memplan_packing_add(placing->packing, block, pool, offset)) {
        return memplan_fail_nomem(error);
      }
    }
    if (offset < 0) {
      result->failed_block = block;
      break;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  return memplan_placing_run(task->instance, place, NULL, limits, result, error);
}

const memplan_method memplan_place_best_fit = {
    .name = "best-fit",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "in the order of starts, each in the smallest gap that holds it",
    .reference = "best-fit of run-time allocators",
    .complexity = "O(n log n) and the gaps looked at",
    .run = run,
};
