// SPDX-License-Identifier: Apache-2.0
#include "solvers/prepare.h"

#include "model/base/number.h"

#include <stdlib.h>
#include <string.h>

// A body goes by its own part of a plan that orders the model, or that is begun with.
static void choose_part(const memplan_graph *graph, const memplan_body *body, memplan_listed_order *listed,
                        memplan_solve_options *solve) {
  const char *op = graph->ops[body->op].id;
  solve->start = memplan_plan_find_body(solve->start, op, body->name);
  if (solve->listed != NULL && memplan_listed_order_of_body(solve->listed, op, body->name, listed)) {
    solve->listed = listed;
  } else if (solve->listed != NULL) {
    solve->listed = NULL;
    solve->order = NULL;
    solve->fixed_order = false;
  }
}

static memplan_status plan_body(const memplan_graph *graph, const memplan_body *body,
                                const memplan_problem_options *options, const memplan_solve_options *solve,
                                memplan_solution **result, memplan_error *error) {
  memplan_problem_options inner = *options;
  inner.io = body->io_external ? MEMPLAN_IO_EXTERNAL : MEMPLAN_IO_ARENA;
  inner.weights = MEMPLAN_WEIGHTS_EXTERNAL;
  inner.capacity = -1;
  memplan_solve_options quiet = *solve; // progress speaks of the outer graph's plans alone
  quiet.limits.progress = NULL;
  quiet.minimize = MEMPLAN_MINIMIZE_PEAK; // a body has one arena
  memplan_listed_order listed;
  choose_part(graph, body, &listed, &quiet);
  memplan_solution *solution = malloc(sizeof *solution);
  if (solution == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_solution_init(solution);
  *result = solution;
  memplan_status status = memplan_solve_graph(body->graph, &inner, &quiet, solution, error);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "body '%s'", body->name);
  }
  return status;
}

// Workspaces with what the bodies need: their peaks, or for bounds their lower bounds. The bodies of one operator never
// run at the same time, so that they share it unless the options say otherwise.
static memplan_status add_bodies(const memplan_graph *graph, const memplan_problem_options *options,
                                 const memplan_prepared *prepared, bool least, int64_t *workspace,
                                 memplan_error *error) {
  memplan_arena scratch = {0};
  int64_t *extra = MEMPLAN_NEW(&scratch, int64_t, graph->n_ops);
  if (extra == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t body = 0; body < prepared->n_bodies; body++) {
    int32_t op = graph->bodies[body].op;
    const memplan_plan *plan = &prepared->bodies[body]->plan;
    int64_t bytes = least ? plan->lower_bound : plan->peak;
    if (options->no_branch_sharing) {
      extra[op] = memplan_add_saturated(extra[op], bytes);
    } else {
      extra[op] = bytes > extra[op] ? bytes : extra[op];
    }
  }
  memplan_status status = MEMPLAN_OK;
  for (int32_t op = 0; op < graph->n_ops && status == MEMPLAN_OK; op++) {
    workspace[op] = memplan_add_saturated(graph->ops[op].workspace, extra[op]);
    if (workspace[op] > MEMPLAN_SIZE_LIMIT) {
      status =
          memplan_fail(error, MEMPLAN_INPUT, "operator '%s': its bodies need more than 2^62 bytes", graph->ops[op].id);
    }
  }
  memplan_arena_free(&scratch);
  return status;
}

static memplan_status plan_bodies(const memplan_graph *graph, const memplan_problem_options *options,
                                  const memplan_solve_options *solve, memplan_prepared *prepared,
                                  memplan_error *error) {
  if (options->bodies != MEMPLAN_BODIES_PLAN) {
    return MEMPLAN_OK;
  }
  prepared->n_bodies = graph->n_bodies;
  memplan_solve_options shared = *solve; // all bodies together may do as much as the graph itself
  if (solve->limits.work > 0 && graph->n_bodies > 0) {
    shared.limits.work = solve->limits.work / graph->n_bodies + 1;
  }
  for (int32_t body = 0; body < graph->n_bodies; body++) {
    MEMPLAN_TRY(plan_body(graph, &graph->bodies[body], options, &shared, &prepared->bodies[body], error));
    const memplan_solution *solution = prepared->bodies[body];
    prepared->has_least |= solution->plan.lower_bound < solution->plan.peak;
    prepared->stop = prepared->stop == MEMPLAN_STOP_DONE ? solution->stop : prepared->stop;
  }
  return MEMPLAN_OK;
}

// Steps are one sequence: what runs beside it on another stream would find its buffers reused.
static memplan_status check_streams(const memplan_graph *graph, memplan_error *error) {
  for (int32_t op = 1; op < graph->n_ops; op++) {
    if (graph->ops[op].stream != graph->ops[0].stream) {
      return memplan_fail(
          error, MEMPLAN_UNSUPPORTED,
          "operators '%s' and '%s' are on streams %d and %d; memplan plans one stream: give all operators "
          "the same one, with 'after' and 'async_until' for what may overlap",
          graph->ops[0].id, graph->ops[op].id, graph->ops[0].stream, graph->ops[op].stream);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_prepare(const memplan_graph *graph, const memplan_problem_options *options,
                               const memplan_solve_options *solve, memplan_prepared *prepared, memplan_error *error) {
  memset(prepared, 0, sizeof *prepared);
  MEMPLAN_TRY(check_streams(graph, error));
  prepared->least_workspace = MEMPLAN_NEW(&prepared->arena, int64_t, graph->n_ops);
  prepared->workspace = MEMPLAN_NEW(&prepared->arena, int64_t, graph->n_ops);
  prepared->bodies = MEMPLAN_NEW(&prepared->arena, memplan_solution *, graph->n_bodies);
  if (prepared->least_workspace == NULL || prepared->workspace == NULL || prepared->bodies == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(plan_bodies(graph, options, solve, prepared, error));
  MEMPLAN_TRY(add_bodies(graph, options, prepared, false, prepared->workspace, error));
  MEMPLAN_TRY(add_bodies(graph, options, prepared, true, prepared->least_workspace, error));
  if (prepared->has_least) {
    MEMPLAN_TRY(memplan_ordering_init(&prepared->least, graph, options, prepared->least_workspace, error));
  }
  return memplan_ordering_init(&prepared->ordering, graph, options, prepared->workspace, error);
}

static bool orders_file(const memplan_solve_options *solve) {
  return solve->listed != NULL && solve->order != NULL && strcmp(solve->order, MEMPLAN_ORDER_FILE) == 0;
}

bool memplan_order_is_fixed(const memplan_solve_options *solve) {
  return solve->fixed_order && solve->order != NULL && (strcmp(solve->order, "given") == 0 || orders_file(solve));
}

memplan_status memplan_fixed_order(const memplan_ordering *ordering, const memplan_solve_options *solve,
                                   memplan_arena *arena, const int32_t **order, memplan_error *error) {
  int32_t *made = MEMPLAN_NEW(arena, int32_t, ordering->n_ops);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  *order = made;
  if (orders_file(solve)) {
    return memplan_listed_order_resolve(solve->listed, ordering, made, error);
  }
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    made[op] = op;
  }
  return MEMPLAN_OK;
}

const memplan_ordering *memplan_prepared_least(const memplan_prepared *prepared) {
  return prepared->has_least ? &prepared->least : &prepared->ordering;
}

void memplan_prepared_free(memplan_prepared *prepared) {
  for (int32_t body = 0; body < prepared->n_bodies; body++) {
    if (prepared->bodies[body] != NULL) {
      memplan_solution_free(prepared->bodies[body]);
      free(prepared->bodies[body]);
    }
  }
  memplan_ordering_free(&prepared->ordering);
  memplan_ordering_free(&prepared->least);
  memplan_arena_free(&prepared->arena);
  memset(prepared, 0, sizeof *prepared);
}
