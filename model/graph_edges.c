// SPDX-License-Identifier: Apache-2.0
// Fourth step: what must run before what.
//
// Byte dependencies by one sweep over the operators in given order. Each storage is cut into segments at the ends of
// the tensors that are accessed in it; a segment knows its last writer and the readers since. A reader depends on the
// writer; a writer on the readers and the writer. Older accesses follow by transitivity. An asynchronous operator
// stands for the operator that finishes it: whoever conflicts with it waits for that one.
//
// All edges made here go forward in the given order, except those that end an asynchronous operator, `after` and
// alias outputs; the last check of the step finds the ones that do not.
#include "model/base/grow.h"
#include "model/base/number.h"
#include "model/graph_steps.h"

#include <stdlib.h>
#include <string.h>

typedef enum edge_reason { reason_data = 0, reason_bytes, reason_after, reason_async } edge_reason;

typedef struct edge {
  int32_t from, to;
  edge_reason reason;
} edge;

typedef struct reader {
  int32_t op, next; // next: index into readers, -1 ends the list
} reader;

typedef struct segment {
  int32_t writer;  // last writer or -1
  int32_t readers; // list, -1: none
} segment;

typedef struct sweep {
  memplan_graph *graph;
  edge *edges;
  int64_t n_edges, edge_capacity;
  reader *readers;
  int64_t n_readers, reader_capacity;
  segment *segments;
  int64_t *bounds;        // per storage: sorted distinct ends of accesses
  int64_t *first_segment; // per storage, n_storages + 1; segment s of it is [bounds[s], bounds[s+1])
  int32_t *first_writer;  // per storage, -1 so far
} sweep;

static bool add_edge(sweep *state, int32_t from, int32_t to, edge_reason reason) {
  edge *edges = memplan_grow_heap(state->edges, state->n_edges, &state->edge_capacity, sizeof *edges);
  if (edges == NULL) {
    return false;
  }
  state->edges = edges;
  state->edges[state->n_edges++] = (edge){from, to, reason};
  return true;
}

// `to` conflicts with the earlier access of `from`.
static bool add_conflict(sweep *state, int32_t from, int32_t to) {
  if (from == to) {
    return true;
  }
  int32_t until = state->graph->ops[from].async_until;
  if (until >= 0 && until != to && !add_edge(state, until, to, reason_async)) {
    return false;
  }
  return add_edge(state, from, to, reason_bytes);
}

// Visits the tensors that operators access (inputs and outputs of all of them), counting or storing their ends.
static void collect_bounds(const memplan_graph *graph, int64_t *count, int64_t *bounds, const int64_t *first) {
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_in + op->n_out; k++) {
      const memplan_tensor *tensor = &graph->tensors[k < op->n_in ? op->in[k] : op->out[k - op->n_in]];
      if (bounds != NULL) {
        bounds[first[tensor->storage] + count[tensor->storage]] = tensor->offset;
        bounds[first[tensor->storage] + count[tensor->storage] + 1] = tensor->offset + tensor->bytes;
      }
      count[tensor->storage] += 2;
    }
  }
}

static memplan_status make_segments(sweep *state, memplan_arena *arena, memplan_error *error) {
  memplan_graph *graph = state->graph;
  int64_t *count = MEMPLAN_NEW(arena, int64_t, graph->n_storages);
  int64_t *first = MEMPLAN_NEW(arena, int64_t, graph->n_storages + 1);
  if (count == NULL || first == NULL) {
    return memplan_fail_nomem(error);
  }
  collect_bounds(graph, count, NULL, NULL);
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    first[storage + 1] = first[storage] + count[storage];
    count[storage] = 0;
  }
  int64_t *bounds = MEMPLAN_NEW(arena, int64_t, first[graph->n_storages]);
  state->segments = MEMPLAN_NEW(arena, segment, first[graph->n_storages]);
  state->first_segment = MEMPLAN_NEW(arena, int64_t, graph->n_storages + 1);
  if (bounds == NULL || state->segments == NULL || state->first_segment == NULL) {
    return memplan_fail_nomem(error);
  }
  collect_bounds(graph, count, bounds, first);
  int64_t kept = 0;
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    if (count[storage] > 1) {
      qsort(bounds + first[storage], (size_t)count[storage], sizeof *bounds, memplan_compare_int64);
    }
    state->first_segment[storage] = kept;
    for (int64_t k = first[storage]; k < first[storage + 1]; k++) {
      if (k == first[storage] || bounds[k] != bounds[k - 1]) {
        state->segments[kept] = (segment){-1, -1};
        bounds[kept++] = bounds[k];
      }
    }
  }
  state->first_segment[graph->n_storages] = kept;
  state->bounds = bounds;
  return MEMPLAN_OK;
}

static int64_t segment_at(const sweep *state, int32_t storage, int64_t byte) {
  int64_t low = state->first_segment[storage], high = state->first_segment[storage + 1] - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (state->bounds[middle] < byte) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// A read of bytes that nobody wrote is an error unless the storage holds something from the start.
static memplan_status read_tensor(sweep *state, int32_t op, int32_t index, bool writes_there, memplan_error *error) {
  const memplan_tensor *tensor = &state->graph->tensors[index];
  const memplan_storage *storage = &state->graph->storages[tensor->storage];
  int64_t from = segment_at(state, tensor->storage, tensor->offset);
  int64_t to = segment_at(state, tensor->storage, tensor->offset + tensor->bytes);
  bool written = writes_there || (storage->roles & ~MEMPLAN_ROLE_OUTPUT) != 0;
  for (int64_t k = from; k < to; k++) {
    segment *part = &state->segments[k];
    if (part->writer >= 0) {
      written = true;
      if (!add_conflict(state, part->writer, op)) {
        return memplan_fail_nomem(error);
      }
    }
    if (part->readers >= 0 && state->readers[part->readers].op == op) {
      continue;
    }
    reader *readers = memplan_grow_heap(state->readers, state->n_readers, &state->reader_capacity, sizeof *readers);
    if (readers == NULL) {
      return memplan_fail_nomem(error);
    }
    state->readers = readers;
    readers[state->n_readers] = (reader){op, part->readers};
    part->readers = (int32_t)state->n_readers++;
    if (state->n_readers > INT32_MAX - 1) {
      return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': its buffer has more than 2^31 overlapping accesses",
                          tensor->id);
    }
  }
  if (from == to && !written && state->first_writer[tensor->storage] >= 0) {
    written = true;
    if (!add_conflict(state, state->first_writer[tensor->storage], op)) {
      return memplan_fail_nomem(error);
    }
  }
  if (!written) {
    return memplan_fail(
        error, MEMPLAN_INPUT,
        "operator '%s' reads tensor '%s' before any operator writes it, and no role gives it bytes before; "
        "give it the role input, weight or variable, or put its writer first",
        state->graph->ops[op].id, tensor->id);
  }
  return MEMPLAN_OK;
}

static bool write_tensor(sweep *state, int32_t op, int32_t index) {
  const memplan_tensor *tensor = &state->graph->tensors[index];
  int64_t from = segment_at(state, tensor->storage, tensor->offset);
  int64_t to = segment_at(state, tensor->storage, tensor->offset + tensor->bytes);
  if (state->first_writer[tensor->storage] < 0) {
    state->first_writer[tensor->storage] = op;
  }
  for (int64_t k = from; k < to; k++) {
    segment *part = &state->segments[k];
    for (int32_t at = part->readers; at >= 0; at = state->readers[at].next) {
      if (!add_conflict(state, state->readers[at].op, op)) {
        return false;
      }
    }
    if (part->writer >= 0 && !add_conflict(state, part->writer, op)) {
      return false;
    }
    *part = (segment){op, -1};
  }
  return true;
}

static bool op_writes_storage(const memplan_graph *graph, const memplan_op *op, int32_t storage) {
  for (int32_t k = 0; k < op->n_out; k++) {
    if (graph->tensors[op->out[k]].storage == storage && memplan_graph_op_writes(graph, op, op->out[k])) {
      return true;
    }
  }
  return false;
}

// Reads (and alias outputs, which touch their bytes as readers do) first, then writes, so that an update depends on
// what was there before it.
static memplan_status visit_op(sweep *state, int32_t index, memplan_error *error) {
  const memplan_graph *graph = state->graph;
  const memplan_op *op = &graph->ops[index];
  for (int32_t k = 0; k < op->n_in; k++) {
    bool writes_there = op_writes_storage(graph, op, graph->tensors[op->in[k]].storage);
    MEMPLAN_TRY(read_tensor(state, index, op->in[k], writes_there, error));
  }
  for (int32_t k = 0; k < op->n_out; k++) {
    if (!memplan_graph_op_writes(graph, op, op->out[k])) {
      MEMPLAN_TRY(read_tensor(state, index, op->out[k], true, error));
    }
  }
  for (int32_t k = 0; k < op->n_out; k++) {
    if (memplan_graph_op_writes(graph, op, op->out[k]) && !write_tensor(state, index, op->out[k])) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

// A reader of a tensor that a view operator makes comes after that operator, though no byte is written.
static memplan_status add_alias_edges(sweep *state, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = state->graph;
  int32_t *maker = MEMPLAN_NEW(arena, int32_t, graph->n_tensors);
  if (maker == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_out; k++) {
      if (maker[op->out[k]] == 0) {
        maker[op->out[k]] = index + 1;
      }
    }
  }
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_in; k++) {
      int32_t from = maker[op->in[k]] - 1;
      if (from < 0 || from == index) {
        continue;
      }
      const memplan_tensor *tensor = &graph->tensors[op->in[k]];
      bool holds_from_start = (graph->storages[tensor->storage].roles & ~MEMPLAN_ROLE_OUTPUT) != 0;
      bool reads_old_value = from > index && memplan_graph_op_writes(graph, &graph->ops[from], op->in[k]) &&
                             (holds_from_start || tensor->bytes > 0);
      if (!reads_old_value && !add_edge(state, from, index, reason_data)) {
        return memplan_fail_nomem(error);
      }
    }
  }
  return MEMPLAN_OK;
}

static memplan_status add_stated_edges(sweep *state, memplan_error *error) {
  const memplan_graph *graph = state->graph;
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_after; k++) {
      if (!add_edge(state, op->after[k], index, reason_after)) {
        return memplan_fail_nomem(error);
      }
    }
    if (op->async_until >= 0 && !add_edge(state, index, op->async_until, reason_async)) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

static int compare_edges(const void *a, const void *b) {
  const edge *x = a, *y = b;
  if (x->from != y->from) {
    return (x->from > y->from) - (x->from < y->from);
  }
  if (x->to != y->to) {
    return (x->to > y->to) - (x->to < y->to);
  }
  return (int)x->reason - (int)y->reason;
}

static memplan_status check_given_order(const sweep *state, memplan_error *error) {
  static const char *const why[] = {"it reads what that one makes", "both touch the same bytes", "of its 'after'",
                                    "it must wait for an asynchronous operator to finish"};
  const memplan_graph *graph = state->graph;
  for (int64_t k = 0; k < state->n_edges; k++) {
    const edge *arrow = &state->edges[k];
    if (arrow->from > arrow->to) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "the given order is not topological: operator '%s' (number %d) must run after '%s' (number "
                          "%d), because %s; sort the operators",
                          graph->ops[arrow->to].id, arrow->to, graph->ops[arrow->from].id, arrow->from,
                          why[arrow->reason]);
    }
  }
  int32_t *last = MEMPLAN_NEW(&state->graph->arena, int32_t, graph->n_groups);
  if (last == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < graph->n_ops; index++) {
    int32_t group = graph->ops[index].group;
    if (group >= 0) {
      if (last[group] != 0 && last[group] != index) {
        return memplan_fail(
            error, MEMPLAN_INPUT,
            "operators '%s' and '%s' belong to group '%s' but do not stand together; the operators of a group "
            "must be consecutive in the given order",
            graph->ops[last[group] - 1].id, graph->ops[index].id, graph->groups[group]);
      }
      last[group] = index + 1;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status store_edges(sweep *state, memplan_error *error) {
  memplan_graph *graph = state->graph;
  if (state->n_edges > 1) {
    qsort(state->edges, (size_t)state->n_edges, sizeof *state->edges, compare_edges);
  }
  int64_t kept = 0;
  for (int64_t k = 0; k < state->n_edges; k++) {
    if (kept == 0 || state->edges[k].from != state->edges[kept - 1].from ||
        state->edges[k].to != state->edges[kept - 1].to) {
      state->edges[kept++] = state->edges[k];
    }
  }
  state->n_edges = kept;
  if (kept > INT32_MAX - 1) {
    return memplan_fail(error, MEMPLAN_INPUT, "the graph has more than 2^31 dependencies");
  }
  MEMPLAN_TRY(check_given_order(state, error));
  graph->pred_first = MEMPLAN_NEW(&graph->arena, int32_t, graph->n_ops + 1);
  graph->succ_first = MEMPLAN_NEW(&graph->arena, int32_t, graph->n_ops + 1);
  graph->pred = MEMPLAN_NEW(&graph->arena, int32_t, kept);
  graph->succ = MEMPLAN_NEW(&graph->arena, int32_t, kept);
  if (graph->pred_first == NULL || graph->succ_first == NULL || graph->pred == NULL || graph->succ == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int64_t k = 0; k < kept; k++) {
    graph->succ_first[state->edges[k].from + 1]++;
    graph->pred_first[state->edges[k].to + 1]++;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    graph->succ_first[op + 1] += graph->succ_first[op];
    graph->pred_first[op + 1] += graph->pred_first[op];
  }
  // Edges are sorted by (from, to): successors fall into place, predecessors come sorted as well. pred_first is shifted
  // by the filling and restored afterwards.
  for (int64_t k = 0; k < kept; k++) {
    graph->succ[k] = state->edges[k].to;
    graph->pred[graph->pred_first[state->edges[k].to]++] = state->edges[k].from;
  }
  for (int32_t op = graph->n_ops; op > 0; op--) {
    graph->pred_first[op] = graph->pred_first[op - 1];
  }
  graph->pred_first[0] = 0;
  return MEMPLAN_OK;
}

static memplan_status make_edges(sweep *state, memplan_arena *scratch, memplan_error *error) {
  memplan_graph *graph = state->graph;
  MEMPLAN_TRY(make_segments(state, scratch, error));
  state->first_writer = MEMPLAN_NEW(scratch, int32_t, graph->n_storages);
  if (state->first_writer == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    state->first_writer[storage] = -1;
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    MEMPLAN_TRY(visit_op(state, op, error));
  }
  MEMPLAN_TRY(add_alias_edges(state, scratch, error));
  MEMPLAN_TRY(add_stated_edges(state, error));
  return store_edges(state, error);
}

memplan_status memplan_graph_make_edges(memplan_graph *graph, memplan_error *error) {
  sweep state = {.graph = graph};
  memplan_arena scratch = {0};
  memplan_status status = make_edges(&state, &scratch, error);
  memplan_arena_free(&scratch);
  free(state.edges);
  free(state.readers);
  return status;
}
