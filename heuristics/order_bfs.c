// SPDX-License-Identifier: Apache-2.0
// First in, first out: at each step the ready operator whose predecessors ran the earliest, comparing the sorted lists
// of their steps from the front (a list that ends first comes first), then the index. Short distances between writers
// and readers keep lifetimes short. Reference: topological_sort_bfs in PyTorch, torch/_inductor/memory.py.
#include "heuristics/heuristic.h"
#include "heuristics/list_schedule.h"
#include "model/base/number.h"

#include <stdlib.h>

typedef struct queue {
  const memplan_ordering *ordering;
  int32_t *step_of; // by operator
  int32_t *steps;   // steps of the predecessors of ready operators, sorted; laid out as ordering.pred
  bool *listed;
} queue;

static int64_t rank(void *context, const memplan_schedule *schedule, int32_t op) {
  queue *state = context;
  const memplan_ordering *ordering = schedule->ordering;
  if (!state->listed[op]) {
    int32_t begin = ordering->pred_first[op];
    int32_t end = ordering->pred_first[op + 1];
    for (int32_t k = begin; k < end; k++) {
      state->steps[k] = state->step_of[ordering->pred[k]];
    }
    if (end - begin > 1) {
      qsort(&state->steps[begin], (size_t)(end - begin), sizeof *state->steps, memplan_compare_int32);
    }
    state->listed[op] = true;
  }
  return 0;
}

static bool before(const void *context, int32_t a, int32_t b) {
  const queue *state = context;
  int32_t i = state->ordering->pred_first[a];
  int32_t j = state->ordering->pred_first[b];
  int32_t end_a = state->ordering->pred_first[a + 1];
  int32_t end_b = state->ordering->pred_first[b + 1];
  for (; i < end_a && j < end_b; i++, j++) {
    if (state->steps[i] != state->steps[j]) {
      return state->steps[i] < state->steps[j];
    }
  }
  if (i < end_a || j < end_b) {
    return j < end_b;
  }
  return a < b;
}

static void step(void *context, const memplan_schedule *schedule, int32_t op) {
  queue *state = context;
  state->step_of[op] = schedule->n_steps;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  const memplan_ordering *ordering = task->ordering;
  memplan_arena arena = {0};
  size_t n_edges = ordering->n_ops > 0 ? (size_t)ordering->pred_first[ordering->n_ops] : 0;
  queue state = {.ordering = ordering,
                 .step_of = MEMPLAN_NEW(&arena, int32_t, ordering->n_ops),
                 .steps = MEMPLAN_NEW(&arena, int32_t, n_edges),
                 .listed = MEMPLAN_NEW(&arena, bool, ordering->n_ops)};
  const memplan_list_rule rule = {.rank = rank, .before = before, .step = step};
  memplan_status status = state.step_of == NULL || state.steps == NULL || state.listed == NULL
                              ? memplan_fail_nomem(error)
                              : memplan_list_schedule(ordering, &rule, &state, limits, &arena, result, error);
  memplan_arena_free(&arena);
  return status;
}

const memplan_method memplan_order_bfs = {
    .name = "bfs",
    .kind = MEMPLAN_METHOD_ORDER,
    .summary = "breadth first: the operator whose predecessors ran the earliest",
    .reference = "BFS of PyTorch's TorchInductor",
    .complexity = "O((n + edges) log n)",
    .run = run,
};
