// SPDX-License-Identifier: Apache-2.0
// No reuse over time: each block, a buffer or several that in-place pairs or colocations tie together, begins at the
// end of the one before it, rounded up to its alignment, in canonical order. With several pools each has its own end.
// Pinned buffers and reserved ranges are stepped over. The cheapest method, so that it runs to its end whatever the
// limits: there is always a plan.
#include "heuristics/heuristic.h"

#include "heuristics/placing.h"

// The packing learns of pinned blocks alone: the others lie one above the other anyway.
static memplan_status place(memplan_placing *placing, void *context, memplan_error *error) {
  (void)context;
  const memplan_instance *instance = placing->instance;
  memplan_method_result *result = placing->result;
  int64_t *end = MEMPLAN_NEW(placing->arena, int64_t, instance->n_pools);
  if (end == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < placing->n_todo && result->failed_block < 0; k++) {
    int32_t block = placing->todo[k];
    int32_t pool;
    int64_t offset;
    MEMPLAN_TRY(memplan_placing_find(placing, block, end, &pool, &offset, error));
    if (result->failed_block < 0) {
      result->offset[block] = offset;
      result->pool[block] = pool;
      end[pool] = offset + instance->blocks[block].bytes;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  (void)limits;
  return memplan_placing_run(task->instance, place, NULL, NULL, result, error);
}

const memplan_method memplan_place_naive = {
    .name = "naive",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "one buffer after the other, no reuse but by in-place pairs (--inplace none: the naive size)",
    .reference = "the baseline of reuse ratios",
    .complexity = "O(n log n)",
    .run = run,
};
