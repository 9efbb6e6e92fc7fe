// SPDX-License-Identifier: Apache-2.0
// The order in which the operators stand in the file; the graph is checked to be topological in it.
#include "heuristics/heuristic.h"

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  (void)limits;
  (void)error;
  for (int32_t op = 0; op < task->ordering->n_ops; op++) {
    result->order[op] = op;
  }
  result->outcome = MEMPLAN_FEASIBLE;
  return MEMPLAN_OK;
}

const memplan_method memplan_order_given = {
    .name = "given",
    .kind = MEMPLAN_METHOD_ORDER,
    .summary = "the order of the file",
    .reference = "what frameworks run when nobody reorders",
    .complexity = "O(n)",
    .run = run,
};
