// SPDX-License-Identifier: Apache-2.0
#include "solvers/ilp_start.h"

#include "model/memplan.h"

enum { most_heuristics = 64 };

memplan_status memplan_ilp_start(memplan_method_kind kind, const memplan_task *task, const memplan_limits *limits,
                                 memplan_arena *arena, const memplan_portfolio_task **best, memplan_error *error) {
  int32_t count = 0;
  memplan_stop stop;
  memplan_portfolio_task *tasks = MEMPLAN_NEW(arena, memplan_portfolio_task, most_heuristics);
  *best = NULL;
  if (tasks == NULL) {
    return memplan_fail_nomem(error);
  }
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == kind && !(*entry)->anytime && count < most_heuristics) {
      tasks[count].method = *entry;
      tasks[count++].task = *task;
    }
  }
  MEMPLAN_TRY(memplan_portfolio_run(tasks, count, limits, arena, &stop, error));
  int32_t index = memplan_portfolio_best(tasks, count);
  *best = index >= 0 ? &tasks[index] : NULL;
  return MEMPLAN_OK;
}
