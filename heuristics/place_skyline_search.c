// SPDX-License-Identifier: Apache-2.0
// The method of skyline_search.h, with the work that suits the size of the instance.
#include "heuristics/heuristic.h"
#include "heuristics/skyline_search.h"

static bool accepts(const memplan_task *task, memplan_error *error) {
  return memplan_skyline_search_accepts(task->instance, error);
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  const memplan_skyline_wishes wishes = {.work = -1, .goal = -1};
  return memplan_skyline_search(task->instance, &wishes, limits, result, NULL, error);
}

const memplan_method memplan_place_skyline_search = {
    .name = "skyline-search",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "the skyline under many rankings, fixed and random, until the load is met or the work is done",
    .reference = "lowest-gap skyline (Burke, Kendall, Whitwell, 2004), randomised",
    .complexity = "O(n log n) a ranking, at most about 30 million buffers placed",
    .seeded = true,
    .anytime = true,
    .declines = "several pools",
    .accepts = accepts,
    .run = run,
};
