// SPDX-License-Identifier: Apache-2.0
// Least peak memory first: at each step the operator with the smallest (max(live + allocated, peak), allocated - freed,
// index), where allocated counts the outputs only. As in its source, workspace and in-place choices are not seen.
// Reference: topological_sort_lpmf in PyTorch, torch/_inductor/memory.py.
#include "heuristics/heuristic.h"

#include "heuristics/list_schedule.h"

typedef struct lpmf {
  int64_t *allocated, *net; // by operator
  int64_t peak;
} lpmf;

static int64_t rank(void *context, const memplan_schedule *schedule, int32_t op) {
  lpmf *state = context;
  memplan_gain gain = memplan_schedule_gain(schedule, op);
  state->allocated[op] = gain.born;
  state->net[op] = gain.born - gain.freed - gain.spent;
  return gain.born;
}

static bool before(const void *context, int32_t a, int32_t b) {
  const lpmf *state = context;
  if (state->net[a] != state->net[b]) {
    return state->net[a] < state->net[b];
  }
  return a < b;
}

static int64_t threshold(const void *context, const memplan_schedule *schedule) {
  const lpmf *state = context;
  return state->peak - schedule->live;
}

static void step(void *context, const memplan_schedule *schedule, int32_t op) {
  lpmf *state = context;
  int64_t load = schedule->live + state->allocated[op];
  state->peak = load > state->peak ? load : state->peak;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  memplan_arena arena = {0};
  lpmf state = {.allocated = MEMPLAN_NEW(&arena, int64_t, task->ordering->n_ops),
                .net = MEMPLAN_NEW(&arena, int64_t, task->ordering->n_ops)};
  const memplan_list_rule rule = {.rank = rank, .before = before, .threshold = threshold, .step = step};
  memplan_status status = state.allocated == NULL || state.net == NULL
                              ? memplan_fail_nomem(error)
                              : memplan_list_schedule(task->ordering, &rule, &state, limits, &arena, result, error);
  memplan_arena_free(&arena);
  return status;
}

const memplan_method memplan_order_lpmf = {
    .name = "lpmf",
    .kind = MEMPLAN_METHOD_ORDER,
    .summary = "least peak memory first: smallest (max(live + allocated, peak), allocated - freed)",
    .reference = "LPMF of PyTorch's TorchInductor",
    .complexity = "O((n + edges) log n)",
    .run = run,
};
