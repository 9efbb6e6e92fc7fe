// SPDX-License-Identifier: Apache-2.0
// First-fit, the largest bytes x time first; equal ones: the larger buffer first.
#include "heuristics/heuristic.h"

#include "heuristics/place_first_fit.h"

static void rank(const memplan_instance *instance, int32_t block, memplan_fit_key *key) {
  key->first = memplan_block_area(instance, block);
  key->second = instance->blocks[block].bytes;
  key->third = memplan_block_duration(instance, block);
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  return memplan_place_first_fit(task->instance, rank, limits, result, error);
}

const memplan_method memplan_place_first_fit_area = {
    .name = "first-fit-area",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "the largest bytes x time first, each at the lowest offset at which it fits",
    .reference = "first-fit by area, as in dynamic storage allocation",
    .complexity = "O(n log n) and the obstacles passed",
    .run = run,
};
