// SPDX-License-Identifier: Apache-2.0
#include "solvers/order_optimal.h"

#include <string.h>

memplan_status memplan_order_optimal(const memplan_order_optimal_task *task, memplan_arena *arena,
                                     memplan_order_optimal_result *result, memplan_error *error) {
  size_t n = (size_t)task->ordering->n_ops;
  memplan_order_portfolio *all;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, (int64_t)n);
  if (order == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_order_portfolio_new(task, &all, error));
  memplan_status status = memplan_order_portfolio_run(all, NULL, 0, task->limits->work, result, error);
  if (status == MEMPLAN_OK) {
    if (n > 0) {
      memcpy(order, result->order, n * sizeof *order);
    }
    result->order = order;
  }
  memplan_order_portfolio_free(all);
  return status;
}

bool memplan_order_is_exact(const char *order) {
  return order != NULL && strcmp(order, memplan_order_optimal_method.name) == 0;
}

static bool accepts(const memplan_task *task, memplan_error *error) {
  if (task->ordering->one_order) {
    memplan_fail(error, MEMPLAN_UNSUPPORTED,
                 "all sizes together pass 2^62 bytes, so that loads of other orders than "
                 "the given one could not be added up");
    return false;
  }
  return true;
}

static memplan_status run_method(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                                 memplan_error *error) {
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(limits);
  memplan_order_optimal_task question = {.ordering = task->ordering, .limits = &started};
  memplan_order_optimal_result found;
  memplan_status status = memplan_order_optimal(&question, &arena, &found, error);
  if (status == MEMPLAN_OK) {
    result->outcome = found.outcome;
    result->stop = found.stop;
    result->nodes = found.states;
    memcpy(result->order, found.order, (size_t)task->ordering->n_ops * sizeof *result->order);
  }
  memplan_arena_free(&arena);
  return status;
}

const memplan_method memplan_order_optimal_method = {
    .name = "optimal",
    .kind = MEMPLAN_METHOD_ORDER,
    .summary = "the least order peak, proven: beams and threshold searches in both directions",
    .reference = "dynamic programming over done sets (Serenity), valleys of Liu for arbitrary graphs, minimum cuts",
    .complexity = "exponential at worst",
    .exact = true,
    .anytime = true,
    .declines = "graphs whose sizes together pass 2^62 bytes",
    .accepts = accepts,
    .run = run_method};
