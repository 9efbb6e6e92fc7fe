// SPDX-License-Identifier: Apache-2.0
#include "solvers/ilp_start.h"

#include "model/memplan.h"

static bool is_run(const memplan_method *method, memplan_method_kind kind) {
  return method->kind == kind && !method->anytime;
}

static int32_t count_heuristics(memplan_method_kind kind) {
  int32_t count = 0;
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    count += is_run(*entry, kind);
  }
  return count;
}

memplan_status memplan_ilp_start(memplan_method_kind kind, const memplan_task *task, const memplan_limits *limits,
                                 memplan_arena *arena, const memplan_portfolio_task **best, memplan_error *error) {
  int32_t count = 0;
  memplan_stop stop;
  memplan_portfolio_task *tasks = MEMPLAN_NEW(arena, memplan_portfolio_task, count_heuristics(kind));
  *best = NULL;
  if (tasks == NULL) {
    return memplan_fail_nomem(error);
  }
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if (is_run(*entry, kind)) {
      tasks[count].method = *entry;
      tasks[count++].task = *task;
    }
  }
  MEMPLAN_TRY(memplan_portfolio_run(tasks, count, limits, arena, &stop, error));
  int32_t index = memplan_portfolio_best(tasks, count);
  *best = index >= 0 ? &tasks[index] : NULL;
  return MEMPLAN_OK;
}

int64_t memplan_ilp_start_work(memplan_method_kind kind, int32_t n) {
  return count_heuristics(kind) * (n + (int64_t)n * (n > 0 ? n - 1 : 0) / 2);
}
