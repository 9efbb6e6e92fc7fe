// SPDX-License-Identifier: Apache-2.0
// First-fit in the order of allocation; at one time the longer lifetime first, then the larger buffer.
#include "heuristics/heuristic.h"

#include "heuristics/place_first_fit.h"

static void rank(const memplan_instance *instance, int32_t block, memplan_fit_key *key) {
  key->first = -(memplan_int128)instance->blocks[block].start;
  key->second = memplan_block_duration(instance, block);
  key->third = instance->blocks[block].bytes;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  return memplan_place_first_fit(task->instance, rank, limits, result, error);
}

const memplan_method memplan_place_first_fit_start = {
    .name = "first-fit-start",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "the earliest start first, each at the lowest offset at which it fits",
    .reference = "first-fit of run-time allocators, with the frees known beforehand",
    .complexity = "O(n log n) and the obstacles passed",
    .run = run,
};
