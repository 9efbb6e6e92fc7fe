// SPDX-License-Identifier: Apache-2.0
// Third step: which operator touches which storage, and whether it reads or writes there.
#include "model/graph_steps.h"

// What the operator at hand (its number + 1 is the mark) does.
typedef struct marks {
  int32_t *reads;         // by tensor
  int32_t *reads_storage; // by storage
  int32_t *listed;        // by tensor: in `writes`
} marks;

static void mark_op(const memplan_graph *graph, int32_t index, const marks *state) {
  const memplan_op *op = &graph->ops[index];
  for (int32_t k = 0; k < op->n_in; k++) {
    state->reads[op->in[k]] = index + 1;
    state->reads_storage[graph->tensors[op->in[k]].storage] = index + 1;
  }
  for (int32_t k = 0; k < op->n_writes; k++) {
    state->listed[op->writes[k]] = index + 1;
  }
}

// The alias rule: an output whose storage the operator also reads is no write, unless it is an input too or listed in
// `writes`.
static memplan_status find_writes(memplan_graph *graph, memplan_error *error) {
  int64_t count = 0;
  for (int32_t index = 0; index < graph->n_ops; index++) {
    count += graph->ops[index].n_out;
  }
  memplan_arena scratch = {0};
  marks state = {.reads = MEMPLAN_NEW(&scratch, int32_t, graph->n_tensors),
                 .reads_storage = MEMPLAN_NEW(&scratch, int32_t, graph->n_storages),
                 .listed = MEMPLAN_NEW(&scratch, int32_t, graph->n_tensors)};
  graph->out_first = MEMPLAN_NEW(&graph->arena, int32_t, (int64_t)graph->n_ops + 1);
  graph->out_writes = MEMPLAN_NEW(&graph->arena, bool, count);
  bool fits = state.reads != NULL && state.reads_storage != NULL && state.listed != NULL && graph->out_first != NULL &&
              graph->out_writes != NULL;
  int32_t next = 0;
  for (int32_t index = 0; fits && index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    mark_op(graph, index, &state);
    for (int32_t k = 0; k < op->n_out; k++) {
      int32_t output = op->out[k], mark = index + 1;
      graph->out_writes[next++] = state.reads_storage[graph->tensors[output].storage] != mark ||
                                  state.reads[output] == mark || state.listed[output] == mark;
    }
    graph->out_first[index + 1] = next;
  }
  memplan_arena_free(&scratch);
  return fits ? MEMPLAN_OK : memplan_fail_nomem(error);
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
      touches[at].writes |= graph->out_writes[graph->out_first[index] + k];
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
  MEMPLAN_TRY(find_writes(graph, error));
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
