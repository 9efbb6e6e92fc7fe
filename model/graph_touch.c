// SPDX-License-Identifier: Apache-2.0
// Third step: which operator touches which storage, and whether it reads or writes there.
#include "model/graph_steps.h"

#include <string.h>

static bool holds(const int32_t *list, int32_t count, int32_t tensor) {
  for (int32_t k = 0; k < count; k++) {
    if (list[k] == tensor) {
      return true;
    }
  }
  return false;
}

static bool reads_storage(const memplan_graph *graph, const memplan_op *op, int32_t storage) {
  for (int32_t k = 0; k < op->n_in; k++) {
    if (graph->tensors[op->in[k]].storage == storage) {
      return true;
    }
  }
  return false;
}

bool memplan_graph_op_writes(const memplan_graph *graph, const memplan_op *op, int32_t tensor) {
  return !reads_storage(graph, op, graph->tensors[tensor].storage) || holds(op->in, op->n_in, tensor) ||
         holds(op->writes, op->n_writes, tensor);
}

// Position of the operator's touch of `storage` among the `count` collected so far, adding it if it is new.
static int32_t find_touch(memplan_touch *touches, int32_t *count, int32_t op, int32_t storage, int32_t *last_op,
                          int32_t *last_touch) {
  if (last_op[storage] != op + 1) {
    last_op[storage] = op + 1;
    last_touch[storage] = *count;
    touches[(*count)++] = (memplan_touch){.op = op, .storage = storage};
  }
  return last_touch[storage];
}

// All touches by operator, in given order.
static int32_t collect(const memplan_graph *graph, memplan_touch *touches, int32_t *first, int32_t *last_op,
                       int32_t *last_touch) {
  int32_t count = 0;
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    first[index] = count;
    for (int32_t k = 0; k < op->n_in; k++) {
      int32_t at = find_touch(touches, &count, index, graph->tensors[op->in[k]].storage, last_op, last_touch);
      touches[at].reads = true;
    }
    for (int32_t k = 0; k < op->n_out; k++) {
      int32_t at = find_touch(touches, &count, index, graph->tensors[op->out[k]].storage, last_op, last_touch);
      touches[at].writes |= memplan_graph_op_writes(graph, op, op->out[k]);
    }
  }
  first[graph->n_ops] = count;
  return count;
}

memplan_status memplan_graph_make_touches(memplan_graph *graph, memplan_error *error) {
  int64_t most = 0;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    most += (int64_t)graph->ops[op].n_in + graph->ops[op].n_out;
  }
  if (most > INT32_MAX / 2) {
    return memplan_fail(error, MEMPLAN_INPUT, "the graph has more than 2^30 tensor accesses");
  }
  memplan_arena *arena = &graph->arena;
  memplan_touch *by_op = MEMPLAN_NEW(arena, memplan_touch, most);
  int32_t *last_op = MEMPLAN_NEW(arena, int32_t, graph->n_storages);
  int32_t *last_touch = MEMPLAN_NEW(arena, int32_t, graph->n_storages);
  graph->touches = MEMPLAN_NEW(arena, memplan_touch, most);
  graph->op_touches = MEMPLAN_NEW(arena, int32_t, most);
  graph->op_touch_first = MEMPLAN_NEW(arena, int32_t, graph->n_ops + 1);
  if (by_op == NULL || last_op == NULL || last_touch == NULL || graph->touches == NULL || graph->op_touches == NULL ||
      graph->op_touch_first == NULL) {
    return memplan_fail_nomem(error);
  }
  graph->n_touches = collect(graph, by_op, graph->op_touch_first, last_op, last_touch);
  for (int32_t k = 0; k < graph->n_touches; k++) {
    graph->storages[by_op[k].storage].n_touches++;
  }
  int32_t first = 0;
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    graph->storages[storage].first_touch = first;
    first += graph->storages[storage].n_touches;
    last_touch[storage] = graph->storages[storage].first_touch;
  }
  for (int32_t k = 0; k < graph->n_touches; k++) {
    int32_t at = last_touch[by_op[k].storage]++;
    graph->touches[at] = by_op[k];
    graph->op_touches[k] = at;
  }
  return MEMPLAN_OK;
}
