// SPDX-License-Identifier: Apache-2.0
// At each step the operator that leads to the smallest peak: smallest max(peak so far, its own load), then smallest
// load afterwards, then first in the given order. Own load = live + what it begins + workspace - best in-place saving.
//
// All operators whose load stays at or below the peak so far are equal in the first key. Since live is common to all,
// these are the ones with (begun + workspace - saving) <= peak - live: a threshold on a weight that does not move.
#include "heuristics/heuristic.h"

#include "heuristics/list_schedule.h"

typedef struct greedy_peak {
  int64_t *net; // by operator: change of the load between the steps
} greedy_peak;

static int64_t rank(void *context, const memplan_schedule *schedule, int32_t op) {
  greedy_peak *greedy = context;
  memplan_gain gain = memplan_schedule_gain(schedule, op);
  greedy->net[op] = gain.born - gain.freed - gain.spent;
  return gain.born + gain.workspace - gain.saving;
}

static bool before(const void *context, int32_t a, int32_t b) {
  const greedy_peak *greedy = context;
  if (greedy->net[a] != greedy->net[b]) {
    return greedy->net[a] < greedy->net[b];
  }
  return a < b;
}

static int64_t threshold(const void *context, const memplan_schedule *schedule) {
  (void)context;
  int64_t first_step = schedule->n_steps == 0 ? schedule->ordering->first_step : 0;
  return schedule->peak - schedule->live - first_step;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  memplan_arena arena = {0};
  greedy_peak greedy = {.net = MEMPLAN_NEW(&arena, int64_t, task->ordering->n_ops)};
  const memplan_list_rule rule = {.rank = rank, .before = before, .threshold = threshold};
  memplan_status status = greedy.net == NULL
                              ? memplan_fail_nomem(error)
                              : memplan_list_schedule(task->ordering, &rule, &greedy, limits, &arena, result, error);
  memplan_arena_free(&arena);
  return status;
}

const memplan_method memplan_order_greedy_peak = {
    .name = "greedy-peak",
    .kind = MEMPLAN_METHOD_ORDER,
    .summary = "at each step the operator that leads to the smallest peak, in-place and workspace counted",
    .reference = "list scheduling; the key of LPMF (TorchInductor) with the exact load of a step",
    .complexity = "O((n + edges) log n)",
    .run = run,
};
