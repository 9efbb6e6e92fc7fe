// SPDX-License-Identifier: Apache-2.0
#include "solvers/order_extend.h"

#include <stdlib.h>

static int compare_edges(const void *a, const void *b) {
  const memplan_order_edge *x = a, *y = b;
  if (x->before != y->before) {
    return x->before > y->before ? 1 : -1;
  }
  return (x->after > y->after) - (x->after < y->after);
}

// Lists by `before`, of the sorted edges.
static bool make_lists(const memplan_order_edge *edges, int32_t count, int32_t n_ops, memplan_order_lists *lists,
                       memplan_arena *arena) {
  int32_t *first = MEMPLAN_NEW(arena, int32_t, (int64_t)n_ops + 1), *list = MEMPLAN_NEW(arena, int32_t, count);
  if (first == NULL || list == NULL) {
    return false;
  }
  for (int32_t k = 0; k < count; k++) {
    first[edges[k].before + 1]++;
    list[k] = edges[k].after;
  }
  for (int32_t op = 0; op < n_ops; op++) {
    first[op + 1] += first[op];
  }
  *lists = (memplan_order_lists){first, list};
  return true;
}

static int32_t sort_edges(memplan_order_edge *edges, int32_t count) {
  int32_t kept = 0;
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int32_t k = 0; k < count; k++) {
    if (kept == 0 || compare_edges(&edges[kept - 1], &edges[k]) != 0) {
      edges[kept++] = edges[k];
    }
  }
  return kept;
}

memplan_status memplan_order_extend(const memplan_order_problem *problem, const memplan_order_edge *edges,
                                    int32_t n_edges, memplan_arena *arena, memplan_order_problem *extended,
                                    memplan_error *error) {
  int64_t most = (int64_t)problem->succ.first[problem->n_ops] + n_edges;
  memplan_order_edge *all = most < INT32_MAX ? MEMPLAN_NEW(arena, memplan_order_edge, most) : NULL;
  if (all == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t count = 0;
  for (int32_t op = 0; op < problem->n_ops; op++) {
    for (int32_t k = problem->succ.first[op]; k < problem->succ.first[op + 1]; k++) {
      all[count++] = (memplan_order_edge){op, problem->succ.list[k]};
    }
  }
  for (int32_t k = 0; k < n_edges; k++) {
    all[count++] = problem->reversed ? (memplan_order_edge){edges[k].after, edges[k].before} : edges[k];
  }
  *extended = *problem;
  count = sort_edges(all, count);
  if (!make_lists(all, count, problem->n_ops, &extended->succ, arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < count; k++) {
    all[k] = (memplan_order_edge){all[k].after, all[k].before};
  }
  count = sort_edges(all, count);
  return make_lists(all, count, problem->n_ops, &extended->pred, arena) ? MEMPLAN_OK : memplan_fail_nomem(error);
}
