// SPDX-License-Identifier: Apache-2.0
// First-fit, the largest buffer first; equal sizes: the longer lifetime first.
#include "heuristics/heuristic.h"

#include "heuristics/place_first_fit.h"

static void rank(const memplan_instance *instance, int32_t block, memplan_fit_key *key) {
  key->first = instance->blocks[block].bytes;
  key->second = memplan_block_duration(instance, block);
  key->third = 0;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  return memplan_place_first_fit(task->instance, rank, limits, result, error);
}

const memplan_method memplan_place_first_fit_size = {
    .name = "first-fit-size",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "the largest buffer first, each at the lowest offset at which it fits",
    .reference = "greedy by size of TensorFlow Lite (Pisarchyk, Lee: Efficient memory management for deep neural net "
                 "inference, 2020)",
    .complexity = "O(n log n) and the obstacles passed",
    .run = run,
};
