// SPDX-License-Identifier: Apache-2.0
// At each step the operator with the highest score
//   released weight x released + path weight x longest remaining path + added weight x added    (500, 300, -200)
// released: bytes whose last remaining reader it is; longest remaining path: cost of the dearest chain of successors,
// its own cost included; added: outputs it begins + workspace - released. All in integers; ties by index.
//
// Paths saturate at the limit of sizes, so that each product of three stays below 2^125 and their sum is exact.
#include "heuristics/heuristic.h"

#include "heuristics/list_schedule.h"
#include "model/base/number.h"

typedef struct scoring {
  const memplan_params *params;
  int64_t *path;         // by operator: longest remaining path
  memplan_int128 *score; // by operator
} scoring;

static void find_paths(const memplan_ordering *ordering, int64_t *path) {
  for (int32_t op = ordering->n_ops - 1; op >= 0; op--) {
    int64_t longest = 0;
    for (int32_t k = ordering->succ_first[op]; k < ordering->succ_first[op + 1]; k++) {
      int64_t next = path[ordering->succ[k]];
      longest = next > longest ? next : longest;
    }
    longest = memplan_add_saturated(longest, ordering->cost[op]);
    path[op] = longest < MEMPLAN_SIZE_LIMIT ? longest : MEMPLAN_SIZE_LIMIT - 1;
  }
}

static int64_t rank(void *context, const memplan_schedule *schedule, int32_t op) {
  scoring *state = context;
  memplan_gain gain = memplan_schedule_gain(schedule, op);
  int64_t added = gain.born + gain.workspace - gain.freed;
  state->score[op] = (memplan_int128)state->params->score_released * gain.freed +
                     (memplan_int128)state->params->score_path * state->path[op] +
                     (memplan_int128)state->params->score_added * added;
  return 0;
}

static bool before(const void *context, int32_t a, int32_t b) {
  const scoring *state = context;
  if (state->score[a] != state->score[b]) {
    return state->score[a] > state->score[b];
  }
  return a < b;
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  memplan_params defaults = memplan_params_default();
  memplan_arena arena = {0};
  scoring state = {.params = task->params != NULL ? task->params : &defaults,
                   .path = MEMPLAN_NEW(&arena, int64_t, task->ordering->n_ops),
                   .score = MEMPLAN_NEW(&arena, memplan_int128, task->ordering->n_ops)};
  const memplan_list_rule rule = {.rank = rank, .before = before};
  memplan_status status;
  if (state.path == NULL || state.score == NULL) {
    status = memplan_fail_nomem(error);
  } else {
    find_paths(task->ordering, state.path);
    status = memplan_list_schedule(task->ordering, &rule, &state, limits, &arena, result, error);
  }
  memplan_arena_free(&arena);
  return status;
}

const memplan_method memplan_order_weighted_score = {
    .name = "weighted-score",
    .kind = MEMPLAN_METHOD_ORDER,
    .summary = "highest 500 x released bytes + 300 x longest remaining path - 200 x added bytes (weights can be set)",
    .reference = "list scheduling with a linear score",
    .complexity = "O((n + edges) log n)",
    .run = run,
};
