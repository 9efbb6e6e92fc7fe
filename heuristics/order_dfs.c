// SPDX-License-Identifier: Apache-2.0
// Depth first: post-order from the operators that nobody comes after. These roots, and the predecessors of each
// operator, are visited by size (bytes of all that it reads, writes and holds), the smallest first, then by index.
// The members of a group are one node, run in the given order.
//
// The stack holds nodes to be visited; a node may be on it once for each of its successors, and the topmost place
// decides. Reference: topological_sort_dfs in PyTorch, torch/_inductor/memory.py, which takes every operator as a root.
#include "heuristics/heuristic.h"

#include "model/base/number.h"

#include <stdlib.h>

enum { NEW = 0, ENTERED, LEFT };

typedef struct search_node {
  int64_t size;
  int32_t index; // operator, or n_ops + group
} search_node;

typedef struct search {
  const memplan_ordering *ordering;
  int64_t *size;      // by node
  char *state;        // by node
  search_node *stack; // room for one entry for each edge and node
  size_t n_stack;
  int32_t *order;
  int32_t n_steps;
} search;

static int32_t node_of(const memplan_ordering *ordering, int32_t op) {
  int32_t group = ordering->graph->ops[op].group;
  return group >= 0 ? ordering->n_ops + group : op;
}

// Operators of a node.
static const int32_t *members_of(const memplan_ordering *ordering, const int32_t *node, int32_t *count) {
  if (*node < ordering->n_ops) {
    *count = 1;
    return node;
  }
  int32_t group = *node - ordering->n_ops;
  *count = ordering->group_first[group + 1] - ordering->group_first[group];
  return &ordering->group_ops[ordering->group_first[group]];
}

static int compare_nodes(const void *a, const void *b) {
  const search_node *x = a;
  const search_node *y = b;
  if (x->size != y->size) {
    return x->size > y->size ? -1 : 1;
  }
  return (x->index < y->index) - (x->index > y->index);
}

// The largest goes to the bottom, so that the smallest is visited first.
static void sort_from(search *dfs, size_t begin) {
  if (dfs->n_stack - begin > 1) {
    qsort(&dfs->stack[begin], dfs->n_stack - begin, sizeof *dfs->stack, compare_nodes);
  }
}

static void push(search *dfs, int32_t node) { dfs->stack[dfs->n_stack++] = (search_node){dfs->size[node], node}; }

static void push_predecessors(search *dfs, int32_t node) {
  const memplan_ordering *ordering = dfs->ordering;
  size_t begin = dfs->n_stack;
  int32_t count;
  const int32_t *members = members_of(ordering, &node, &count);
  for (int32_t m = 0; m < count; m++) {
    for (int32_t k = ordering->pred_first[members[m]]; k < ordering->pred_first[members[m] + 1]; k++) {
      int32_t before = node_of(ordering, ordering->pred[k]);
      if (dfs->state[before] == NEW) {
        push(dfs, before);
      }
    }
  }
  sort_from(dfs, begin);
}

static void push_roots(search *dfs) {
  const memplan_ordering *ordering = dfs->ordering;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int32_t node = node_of(ordering, op);
    int32_t count;
    const int32_t *members = members_of(ordering, &node, &count);
    bool is_root = members[0] == op;
    for (int32_t m = 0; m < count && is_root; m++) {
      for (int32_t k = ordering->succ_first[members[m]]; k < ordering->succ_first[members[m] + 1]; k++) {
        is_root = is_root && node_of(ordering, ordering->succ[k]) == node;
      }
    }
    if (is_root) {
      push(dfs, node);
    }
  }
  sort_from(dfs, 0);
}

// Until all are visited or a limit is reached.
static memplan_stop visit(search *dfs, const memplan_limits *limits) {
  enum { POLL = 4096 };
  for (int64_t visits = 1; dfs->n_stack > 0; visits++) {
    memplan_stop stop = visits % POLL == 0 ? memplan_limits_reached(limits) : MEMPLAN_STOP_DONE;
    if (stop != MEMPLAN_STOP_DONE) {
      return stop;
    }
    int32_t node = dfs->stack[dfs->n_stack - 1].index;
    if (dfs->state[node] == NEW) {
      dfs->state[node] = ENTERED;
      push_predecessors(dfs, node);
      continue;
    }
    dfs->n_stack--;
    if (dfs->state[node] == ENTERED) {
      dfs->state[node] = LEFT;
      int32_t count;
      const int32_t *members = members_of(dfs->ordering, &node, &count);
      for (int32_t m = 0; m < count; m++) {
        dfs->order[dfs->n_steps++] = members[m];
      }
    }
  }
  return MEMPLAN_STOP_DONE;
}

static void measure(search *dfs) {
  const memplan_ordering *ordering = dfs->ordering;
  for (int32_t op = 0; op < ordering->n_ops; op++) {
    int64_t size = ordering->workspace[op];
    for (int32_t k = ordering->op_cell_first[op]; k < ordering->op_cell_first[op + 1]; k++) {
      size = memplan_add_saturated(size, ordering->cells[ordering->op_cells[k]].bytes);
    }
    int32_t node = node_of(ordering, op);
    dfs->size[node] = memplan_add_saturated(dfs->size[node], size);
  }
}

static memplan_status run(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                          memplan_error *error) {
  const memplan_ordering *ordering = task->ordering;
  size_t n_nodes = (size_t)ordering->n_ops + (size_t)ordering->graph->n_groups;
  size_t n_edges = ordering->n_ops > 0 ? (size_t)ordering->pred_first[ordering->n_ops] : 0;
  memplan_arena arena = {0};
  search dfs = {.ordering = ordering,
                .size = MEMPLAN_NEW(&arena, int64_t, n_nodes),
                .state = MEMPLAN_NEW(&arena, char, n_nodes),
                .stack = MEMPLAN_NEW(&arena, search_node, n_edges + n_nodes),
                .order = result->order};
  memplan_status status = MEMPLAN_OK;
  if (dfs.size == NULL || dfs.state == NULL || dfs.stack == NULL) {
    status = memplan_fail_nomem(error);
  } else {
    measure(&dfs);
    push_roots(&dfs);
    result->stop = visit(&dfs, limits);
    result->outcome = result->stop == MEMPLAN_STOP_DONE ? MEMPLAN_FEASIBLE : MEMPLAN_UNKNOWN;
  }
  memplan_arena_free(&arena);
  return status;
}

const memplan_method memplan_order_dfs = {
    .name = "dfs",
    .kind = MEMPLAN_METHOD_ORDER,
    .summary = "depth first: post-order from the last operators, smallest operands first",
    .reference = "DFS of PyTorch's TorchInductor",
    .complexity = "O(n + edges log edges)",
    .run = run,
};
