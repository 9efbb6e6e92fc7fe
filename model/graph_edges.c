// SPDX-License-Identifier: Apache-2.0
// Fourth step: what must run before what.
//
// Byte dependencies by one sweep over the operators in given order. For each run of bytes with one history
// (graph_runs.h) the last writer and the readers since are known: a reader depends on the writer; a writer on the
// readers, or without any on the writer. Older accesses follow by transitivity, and so do the readers of a list that an
// operator before has waited for, if this one waits for that operator. An asynchronous operator stands for the operator
// that finishes it: whoever conflicts with it waits for that one.
//
// A tensor without bytes meets none: whoever reads one waits for every operator before that writes its buffer.
//
// All edges made here go forward in the given order, except those that end an asynchronous operator, `after` and
// alias outputs; the last check of the step finds the ones that do not.
#include "model/base/grow.h"
#include "model/base/number.h"
#include "model/graph_runs.h"
#include "model/graph_steps.h"

#include <stdlib.h>
#include <string.h>

typedef enum edge_reason { reason_data = 0, reason_bytes, reason_after, reason_async } edge_reason;

typedef struct edge {
  int32_t from, to;
  edge_reason reason;
} edge;

enum { most_empty_edges = 1 << 24 };

typedef struct sweep {
  memplan_graph *graph;
  edge *edges;
  int64_t n_edges, edge_capacity;
  memplan_runs runs;
  int32_t *waits;         // by operator: 1 + the last one that was found to come after it
  int32_t *writes_there;  // by storage: 1 + the last operator looked at that writes it
  int32_t *last_writer;   // by storage: the last operator that writes it, -1: none
  bool *has_empty_reads;  // by storage
  int32_t *first_writers; // by storage with empty reads: list of the writers so far, latest first, in runs.readers; -1
  int64_t n_empty_edges;
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

static bool waits_for(const sweep *state, int32_t op, int32_t before) {
  return before == op || state->waits[before] == op + 1;
}

// `to` conflicts with the earlier access of `from`.
static bool add_conflict(sweep *state, int32_t from, int32_t to) {
  if (waits_for(state, to, from)) {
    return true;
  }
  state->waits[from] = to + 1;
  int32_t until = state->graph->ops[from].async_until;
  if (until >= 0 && until != to && !add_edge(state, until, to, reason_async)) {
    return false;
  }
  return add_edge(state, from, to, reason_bytes);
}

static memplan_status fail_reader(const memplan_tensor *tensor, int32_t result, memplan_error *error) {
  if (result == -1) {
    return memplan_fail_nomem(error);
  }
  return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': its buffer has more than 2^31 overlapping accesses",
                      tensor->id);
}

// Puts the operator among the readers of the runs [first, end), which become one where their histories are the same.
static memplan_status note_reader(sweep *state, int32_t op, const memplan_tensor *tensor, int64_t first, int64_t end,
                                  memplan_error *error) {
  memplan_runs *runs = &state->runs;
  memplan_run before = {.end = -1};
  int64_t start = first;
  for (int64_t at = first, next; at < end; at = next) {
    memplan_run *run = &runs->runs[at];
    next = run->end;
    if (run->readers >= 0 && runs->readers[run->readers].op == op) {
      before.end = -1;
      continue;
    }
    if (before.end == at && before.writer == run->writer && before.readers == run->readers) {
      before.end = next;
      memplan_runs_join(runs, start, next);
      continue;
    }
    before = *run;
    start = at;
    int32_t list = memplan_runs_add_reader(runs, op, run->readers);
    if (list < 0) {
      return fail_reader(tensor, list, error);
    }
    run->readers = list;
  }
  return MEMPLAN_OK;
}

// Whoever reads nothing waits for all that has written the buffer.
static memplan_status read_nothing(sweep *state, int32_t op, const memplan_tensor *tensor, bool *written,
                                   memplan_error *error) {
  for (int32_t at = state->first_writers[tensor->storage]; at >= 0; at = state->runs.readers[at].next) {
    int32_t writer = state->runs.readers[at].op;
    *written = true;
    if (!waits_for(state, op, writer) && ++state->n_empty_edges > most_empty_edges) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "tensor '%s' is empty, and too many operators write its buffer and read it: more than 2^24 "
                          "pairs; leave it out",
                          tensor->id);
    }
    if (!add_conflict(state, writer, op)) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status read_bytes(sweep *state, int32_t op, const memplan_tensor *tensor, bool *written,
                                 memplan_error *error) {
  int64_t first, end;
  memplan_runs_range(&state->runs, tensor, &first, &end);
  if (state->last_writer[tensor->storage] < 0) {
    return MEMPLAN_OK;
  }
  memplan_runs_split(&state->runs, tensor, first);
  memplan_runs_split(&state->runs, tensor, end);
  if (state->last_writer[tensor->storage] > op) {
    MEMPLAN_TRY(note_reader(state, op, tensor, first, end, error));
  }
  for (int64_t at = first; at < end; at = state->runs.runs[at].end) {
    int32_t writer = state->runs.runs[at].writer;
    if (writer >= 0) {
      *written = true;
      if (!add_conflict(state, writer, op)) {
        return memplan_fail_nomem(error);
      }
    }
  }
  return MEMPLAN_OK;
}

// A read of bytes that nobody wrote is an error unless the storage holds something from the start.
static memplan_status read_tensor(sweep *state, int32_t op, int32_t index, bool writes_there, memplan_error *error) {
  const memplan_tensor *tensor = &state->graph->tensors[index];
  const memplan_storage *storage = &state->graph->storages[tensor->storage];
  bool written = writes_there || (storage->roles & ~MEMPLAN_ROLE_OUTPUT) != 0;
  MEMPLAN_TRY(tensor->bytes > 0 ? read_bytes(state, op, tensor, &written, error)
                                : read_nothing(state, op, tensor, &written, error));
  if (!written) {
    return memplan_fail(
        error, MEMPLAN_INPUT,
        "operator '%s' reads tensor '%s' before any operator writes it, and no role gives it bytes before; "
        "give it the role input, weight or variable, or put its writer first",
        state->graph->ops[op].id, tensor->id);
  }
  return MEMPLAN_OK;
}

// Waits for the readers of a list, unless it waits for an operator that has waited for them.
static bool wait_for_readers(sweep *state, int32_t op, int32_t list) {
  memplan_run_reader *readers = state->runs.readers;
  int32_t barrier = list >= 0 ? readers[list].barrier : -1;
  if (list < 0 || (barrier >= 0 && waits_for(state, op, barrier))) {
    return true;
  }
  for (int32_t at = list; at >= 0; at = readers[at].next) {
    if (!add_conflict(state, readers[at].op, op)) {
      return false;
    }
    // What stands behind has a barrier of its own where it was a list before.
    int32_t next = readers[at].next;
    if (next >= 0 && readers[next].barrier >= 0 && waits_for(state, op, readers[next].barrier)) {
      break;
    }
  }
  readers[list].barrier = op;
  return true;
}

static memplan_status write_tensor(sweep *state, int32_t op, int32_t index, memplan_error *error) {
  const memplan_tensor *tensor = &state->graph->tensors[index];
  memplan_runs *runs = &state->runs;
  if (state->has_empty_reads[tensor->storage]) {
    int32_t *writers = &state->first_writers[tensor->storage];
    if (*writers < 0 || runs->readers[*writers].op != op) {
      int32_t list = memplan_runs_add_reader(runs, op, *writers);
      if (list < 0) {
        return fail_reader(tensor, list, error);
      }
      *writers = list;
    }
  }
  int64_t first, end;
  memplan_runs_range(runs, tensor, &first, &end);
  if (first == end) {
    return MEMPLAN_OK;
  }
  memplan_runs_split(runs, tensor, first);
  memplan_runs_split(runs, tensor, end);
  for (int64_t at = first; at < end; at = runs->runs[at].end) {
    const memplan_run *run = &runs->runs[at];
    if (run->writer >= 0 && run->readers >= 0) {
      state->waits[run->writer] = op + 1; // the readers have waited for it
    } else if (run->writer >= 0 && !add_conflict(state, run->writer, op)) {
      return memplan_fail_nomem(error);
    }
  }
  for (int64_t at = first; at < end; at = runs->runs[at].end) {
    if (!wait_for_readers(state, op, runs->runs[at].readers)) {
      return memplan_fail_nomem(error);
    }
  }
  memplan_runs_join(runs, first, end);
  runs->runs[first].writer = op;
  runs->runs[first].readers = -1;
  return MEMPLAN_OK;
}

// Reads (and alias outputs, which touch their bytes as readers do) first, then writes, so that an update depends on
// what was there before it.
static memplan_status visit_op(sweep *state, int32_t index, memplan_error *error) {
  const memplan_graph *graph = state->graph;
  const memplan_op *op = &graph->ops[index];
  const bool *writes = graph->out_writes + graph->out_first[index];
  for (int32_t k = 0; k < op->n_out; k++) {
    if (writes[k]) {
      state->writes_there[graph->tensors[op->out[k]].storage] = index + 1;
    }
  }
  for (int32_t k = 0; k < op->n_in; k++) {
    bool writes_there = state->writes_there[graph->tensors[op->in[k]].storage] == index + 1;
    MEMPLAN_TRY(read_tensor(state, index, op->in[k], writes_there, error));
  }
  for (int32_t k = 0; k < op->n_out; k++) {
    if (!writes[k] && graph->tensors[op->out[k]].bytes > 0) {
      MEMPLAN_TRY(read_tensor(state, index, op->out[k], true, error));
    }
  }
  for (int32_t k = 0; k < op->n_out; k++) {
    if (writes[k]) {
      MEMPLAN_TRY(write_tensor(state, index, op->out[k], error));
    }
  }
  return MEMPLAN_OK;
}

// A reader of a tensor that a view operator makes comes after that operator, though no byte is written.
static memplan_status add_alias_edges(sweep *state, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = state->graph;
  int32_t *maker = MEMPLAN_NEW(arena, int32_t, graph->n_tensors); // 1 + the first operator that makes the tensor
  bool *writes = MEMPLAN_NEW(arena, bool, graph->n_tensors);      // does that one write it?
  if (maker == NULL || writes == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_out; k++) {
      if (maker[op->out[k]] == 0) {
        maker[op->out[k]] = index + 1;
        writes[op->out[k]] = graph->out_writes[graph->out_first[index] + k];
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
      bool reads_old_value = from > index && writes[op->in[k]] && (holds_from_start || tensor->bytes > 0);
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

static memplan_status allocate(sweep *state, memplan_arena *scratch, memplan_error *error) {
  const memplan_graph *graph = state->graph;
  state->waits = MEMPLAN_NEW(scratch, int32_t, graph->n_ops);
  state->writes_there = MEMPLAN_NEW(scratch, int32_t, graph->n_storages);
  state->last_writer = MEMPLAN_NEW(scratch, int32_t, graph->n_storages);
  state->has_empty_reads = MEMPLAN_NEW(scratch, bool, graph->n_storages);
  state->first_writers = MEMPLAN_NEW(scratch, int32_t, graph->n_storages);
  if (state->waits == NULL || state->writes_there == NULL || state->last_writer == NULL ||
      state->has_empty_reads == NULL || state->first_writers == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    state->last_writer[storage] = state->first_writers[storage] = -1;
  }
  for (int32_t touch = 0; touch < graph->n_touches; touch++) {
    if (graph->touches[touch].writes) {
      state->last_writer[graph->touches[touch].storage] = graph->touches[touch].op;
    }
  }
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_in; k++) {
      const memplan_tensor *tensor = &graph->tensors[op->in[k]];
      state->has_empty_reads[tensor->storage] |= tensor->bytes == 0;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status make_edges(sweep *state, memplan_arena *scratch, memplan_error *error) {
  MEMPLAN_TRY(memplan_runs_init(&state->runs, state->graph, scratch, error));
  MEMPLAN_TRY(allocate(state, scratch, error));
  for (int32_t op = 0; op < state->graph->n_ops; op++) {
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
  memplan_runs_free(&state.runs);
  free(state.edges);
  return status;
}
