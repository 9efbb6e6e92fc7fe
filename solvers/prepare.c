// SPDX-License-Identifier: Apache-2.0
#include "solvers/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/number.h"

static memplan_status plan_body(const memplan_body *body, const memplan_problem_options *options,
                                const memplan_solve_options *solve, memplan_solution **result, memplan_error *error) {
  memplan_problem_options inner = *options;
  inner.io = body->io_external ? MEMPLAN_IO_EXTERNAL : MEMPLAN_IO_ARENA;
  inner.weights = MEMPLAN_WEIGHTS_EXTERNAL;
  inner.capacity = -1;
  memplan_solution *solution = malloc(sizeof *solution);
  if (solution == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_solution_init(solution);
  *result = solution;
  memplan_status status = memplan_solve_graph(body->graph, &inner, solve, solution, error);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "body '%s'", body->name);
  }
  return status;
}

// The bodies of one operator never run at the same time, so that they share its workspace unless the options say
// otherwise.
static memplan_status add_bodies(const memplan_graph *graph, const memplan_problem_options *options,
                                 memplan_prepared *prepared, memplan_error *error) {
  int64_t *extra = MEMPLAN_NEW(&prepared->arena, int64_t, graph->n_ops);
  if (extra == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t body = 0; body < graph->n_bodies; body++) {
    int32_t op = graph->bodies[body].op;
    int64_t peak = prepared->bodies[body]->plan.peak;
    if (options->no_branch_sharing) {
      extra[op] = memplan_add_saturated(extra[op], peak);
    } else {
      extra[op] = peak > extra[op] ? peak : extra[op];
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    prepared->workspace[op] = memplan_add_saturated(prepared->workspace[op], extra[op]);
    if (prepared->workspace[op] > MEMPLAN_SIZE_LIMIT) {
      return memplan_fail(error, MEMPLAN_INPUT, "operator '%s': its bodies need more than 2^62 bytes",
                          graph->ops[op].id);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_prepare(const memplan_graph *graph, const memplan_problem_options *options,
                               const memplan_solve_options *solve, memplan_prepared *prepared, memplan_error *error) {
  memset(prepared, 0, sizeof *prepared);
  prepared->workspace = MEMPLAN_NEW(&prepared->arena, int64_t, graph->n_ops);
  prepared->bodies = MEMPLAN_NEW(&prepared->arena, memplan_solution *, graph->n_bodies);
  if (prepared->workspace == NULL || prepared->bodies == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    prepared->workspace[op] = graph->ops[op].workspace;
  }
  if (options->bodies == MEMPLAN_BODIES_PLAN) {
    prepared->n_bodies = graph->n_bodies;
    for (int32_t body = 0; body < graph->n_bodies; body++) {
      MEMPLAN_TRY(plan_body(&graph->bodies[body], options, solve, &prepared->bodies[body], error));
    }
    MEMPLAN_TRY(add_bodies(graph, options, prepared, error));
  }
  return memplan_ordering_init(&prepared->ordering, graph, options, prepared->workspace, error);
}

void memplan_prepared_free(memplan_prepared *prepared) {
  for (int32_t body = 0; body < prepared->n_bodies; body++) {
    if (prepared->bodies[body] != NULL) {
      memplan_solution_free(prepared->bodies[body]);
      free(prepared->bodies[body]);
    }
  }
  memplan_ordering_free(&prepared->ordering);
  memplan_arena_free(&prepared->arena);
  memset(prepared, 0, sizeof *prepared);
}
