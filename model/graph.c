// SPDX-License-Identifier: Apache-2.0
// Life cycle of a graph and the order of its resolution: ids and numbers, views and storages, accesses, dependencies,
// in-place pairs, weights of bodies. Each step is a file of its own and relies on what the earlier ones have checked.
#include "model/graph.h"

#include "model/graph_steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void memplan_graph_init(memplan_graph *graph) {
  memset(graph, 0, sizeof *graph);
  graph->name = "";
  graph->source = "";
}

void memplan_graph_free(memplan_graph *graph) {
  for (int32_t body = 0; body < graph->n_bodies; body++) {
    if (graph->bodies[body].graph != NULL) {
      memplan_graph_free(graph->bodies[body].graph);
    }
  }
  memplan_arena_free(&graph->arena);
  memplan_graph_init(graph);
}

bool memplan_graph_warn(memplan_graph *graph, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  bool good = memplan_arena_append_line(&graph->arena, &graph->warnings, &graph->n_warnings, format, arguments);
  va_end(arguments);
  return good;
}

// What no operator touches is no part of a plan, unless it is an input, which is there at the first step. Exporters
// leave many weights unread; they are outside the arena anyway.
static memplan_status warn_untouched(memplan_graph *graph, memplan_error *error) {
  int32_t count = 0, first = -1;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    const memplan_storage *storage = &graph->storages[index];
    if (storage->n_touches == 0 && (storage->roles & (MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_WEIGHT)) == 0) {
      first = count == 0 ? storage->root : first;
      count++;
    }
  }
  if (count == 0) {
    return MEMPLAN_OK;
  }
  const char *id = graph->tensors[first].id;
  bool added = count == 1 ? memplan_graph_warn(graph, "no operator touches tensor '%s'; it is ignored", id)
                          : memplan_graph_warn(graph, "no operator touches tensor '%s' and %d more; they are ignored",
                                               id, count - 1);
  return added ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_graph_resolve(memplan_graph *graph, memplan_error *error) {
  MEMPLAN_TRY(memplan_graph_check_names(graph, error));
  MEMPLAN_TRY(memplan_graph_check_ops(graph, error));
  MEMPLAN_TRY(memplan_graph_make_storages(graph, error));
  MEMPLAN_TRY(memplan_graph_make_touches(graph, error));
  MEMPLAN_TRY(memplan_graph_make_edges(graph, error));
  MEMPLAN_TRY(memplan_graph_make_pairs(graph, error));
  MEMPLAN_TRY(memplan_graph_make_inner_weights(graph, error));
  return warn_untouched(graph, error);
}

const memplan_op *memplan_graph_op_at(const memplan_graph *graph, const int32_t *order, int64_t step) {
  return step >= 0 && step < graph->n_ops ? &graph->ops[order[step]] : NULL;
}
