// SPDX-License-Identifier: Apache-2.0
// With operator v in focus, a cut within the target is an ideal after which v may run. An operator u that lies outside
// of every such cut runs after v, one that lies inside of all of them before v. A cut that has u inside (outside) bears
// witness that u need not run after (before) v; the smallest and the largest minimum cut, and each cut found with
// another operator forced, do so for most. Only operators without witness are forced themselves, each from a copy of
// the flow, augmented until the target is passed. If u must run before v, so must its ancestors; if after v, its
// descendants.
//
// Each new edge can raise the bounds of other operators; so rounds go on, by falling bound, until one brings nothing.
#include "solvers/order_probe.h"

#include "model/base/grow.h"
#include "solvers/cut_network.h"

#include <stdlib.h>
#include <string.h>

enum { most_overrun = 8 }; // slices that a single operator may take

typedef struct entry {
  int64_t bytes;
  int32_t step, op;
} entry;

typedef struct memplan_order_prober {
  const memplan_order_problem *problem;
  memplan_cut_network *network; // NULL: too large
  memplan_order_probe *probe;
  memplan_order_probe found; // by a prober that works in slices
  int64_t target, soft_work, most_work;
  const memplan_limits *limits;
  memplan_arena *arena;  // of what is found
  memplan_arena own;     // the same, of a prober that works in slices
  memplan_arena scratch; // of the rest
  int64_t edge_room, focus_room;
  entry *entries;  // operators by falling bound
  bool *inside;    // by node
  bool *may[2];    // by operator: a cut with it outside (0), inside (1)
  bool *forced[2]; // by operator: outside, inside of all cuts
  int32_t *candidates, *stack;
  bool full, patient;
  // where it stands
  int32_t patience, idle, at; // at: operator of the round
  bool bounding, news;        // bounding: the round's bounds are being found
  bool finished;
} prober;

static bool is_over(const prober *state) {
  int64_t most = state->patient ? state->most_work : state->soft_work;
  return state->probe->refuted || state->full || memplan_flow_work(state->network->flow) >= most ||
         (state->limits != NULL && memplan_limits_reached(state->limits) != MEMPLAN_STOP_DONE);
}

// Focus and flow of an operator. False if the target is refuted, or work is out.
static bool solve(prober *state, int32_t op, int64_t *bytes) {
  memplan_cut_network *network = state->network;
  memplan_cut_network_focus(network, op);
  int64_t routed = memplan_flow_run(network->flow, INT64_MAX, state->most_work);
  *bytes = memplan_cut_network_bound(network);
  state->probe->refuted = routed == MEMPLAN_FLOW_INFINITE || *bytes > state->target;
  state->probe->op = op;
  return !state->probe->refuted && memplan_flow_is_maximum(network->flow);
}

// The cut in `inside` as a witness.
static void witness(prober *state) {
  for (int32_t op = 0; op < state->problem->n_ops; op++) {
    state->may[state->inside[op] ? 1 : 0][op] = true;
  }
}

static void force_neighbour(prober *state, int32_t op, int32_t which, int32_t *count) {
  if (state->network->side[op] == MEMPLAN_FLOW_FREE && !state->forced[which][op]) {
    state->forced[which][op] = true;
    state->stack[(*count)++] = op;
  }
}

// Marks the operator, with its free ancestors (which 1) or descendants (0).
static void mark_forced(prober *state, int32_t op, int32_t which) {
  int32_t count = 0;
  force_neighbour(state, op, which, &count);
  while (count > 0) {
    int32_t at = state->stack[--count];
    const memplan_order_lists *lists = which == 1 ? &state->problem->pred : &state->problem->succ;
    for (int32_t k = lists->first[at]; k < lists->first[at + 1]; k++) {
      force_neighbour(state, lists->list[k], which, &count);
    }
    memplan_cut_edges walk = memplan_cut_network_added(state->network, at, which == 1);
    for (int32_t other = memplan_cut_edges_next(&walk); other >= 0; other = memplan_cut_edges_next(&walk)) {
      force_neighbour(state, other, which, &count);
    }
  }
}

// Is there a cut within the target with the operator on the other side? If not, it is forced.
static void force(prober *state, int32_t op, int32_t which, int64_t slack) {
  memplan_flow *flow = state->network->flow;
  memplan_flow_put(flow, op, which == 1 ? MEMPLAN_FLOW_SINK : MEMPLAN_FLOW_SOURCE);
  int64_t grown = memplan_flow_run(flow, slack, state->most_work);
  if (grown > slack) {
    mark_forced(state, op, which);
  } else if (memplan_flow_is_maximum(flow)) {
    if (which == 1) {
      memplan_flow_smallest(flow, state->inside);
    } else {
      memplan_flow_largest(flow, state->inside);
    }
    witness(state);
  }
  memplan_flow_restore(flow);
}

// Tests the operators that no cut shows on the other side than the minimum cuts do. `which` 1: must they run before? A
// success tells of operators later in the order, a failure of earlier ones; so the middle goes first.
static void force_all(prober *state, int32_t which, int64_t slack) {
  int32_t count = 0, n_ops = state->problem->n_ops;
  const bool *may = state->may[1 - which];
  for (int32_t k = 0; k < n_ops; k++) {
    int32_t op = state->entries[n_ops + k].op;
    if (state->network->side[op] == MEMPLAN_FLOW_FREE && !may[op]) {
      state->candidates[count++] = op;
    }
  }
  int32_t stride = 1;
  while (stride <= count) {
    stride *= 2;
  }
  for (; stride > 1; stride /= 2) {
    for (int32_t k = stride / 2 - 1; k < count && !is_over(state); k += stride) {
      int32_t op = state->candidates[k];
      if (!may[op] && !state->forced[which][op]) {
        force(state, op, which, slack);
      }
    }
  }
}

static bool add_edge(prober *state, int32_t before, int32_t after, int32_t focus) {
  memplan_order_probe *probe = state->probe;
  memplan_order_edge *edges =
      memplan_grow_in(state->arena, probe->edges, probe->n_edges, &state->edge_room, sizeof *edges);
  int32_t *foci = memplan_grow_in(state->arena, probe->focus, probe->n_edges, &state->focus_room, sizeof *foci);
  if (edges == NULL || foci == NULL) {
    return false;
  }
  probe->edges = edges;
  probe->focus = foci;
  if (memplan_cut_network_add(state->network, before, after)) {
    foci[probe->n_edges] = focus;
    edges[probe->n_edges++] = (memplan_order_edge){before, after};
  } else {
    state->full = true;
  }
  return true;
}

static bool has_forced_neighbour(prober *state, int32_t op, int32_t which) {
  const memplan_order_lists *lists = which == 1 ? &state->problem->succ : &state->problem->pred;
  for (int32_t k = lists->first[op]; k < lists->first[op + 1]; k++) {
    if (state->forced[which][lists->list[k]]) {
      return true;
    }
  }
  memplan_cut_edges walk = memplan_cut_network_added(state->network, op, which == 0);
  for (int32_t other = memplan_cut_edges_next(&walk); other >= 0; other = memplan_cut_edges_next(&walk)) {
    if (state->forced[which][other]) {
      return true;
    }
  }
  return false;
}

// Edges for the forced operators that are not implied: the last ones before v, the first ones after it.
static memplan_status add_edges(prober *state, int32_t op, memplan_error *error) {
  int32_t count = 0;
  for (int32_t other = 0; other < state->problem->n_ops; other++) {
    for (int32_t which = 0; which < 2; which++) {
      if (state->forced[which][other] && !has_forced_neighbour(state, other, which)) {
        state->candidates[count++] = which == 1 ? other : ~other;
      }
    }
  }
  for (int32_t k = 0; k < count; k++) {
    int32_t other = state->candidates[k];
    if (!(other >= 0 ? add_edge(state, other, op, op) : add_edge(state, op, ~other, op))) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status look_at(prober *state, int32_t op, memplan_error *error) {
  int64_t bytes;
  if (!solve(state, op, &bytes)) {
    return MEMPLAN_OK;
  }
  memplan_flow *flow = state->network->flow;
  size_t n_ops = (size_t)state->problem->n_ops;
  for (int32_t which = 0; which < 2; which++) {
    memset(state->may[which], 0, n_ops * sizeof **state->may);
    memset(state->forced[which], 0, n_ops * sizeof **state->forced);
  }
  memplan_flow_smallest(flow, state->inside);
  witness(state);
  memplan_flow_largest(flow, state->inside);
  witness(state);
  memplan_flow_save(flow);
  force_all(state, 1, state->target - bytes);
  force_all(state, 0, state->target - bytes);
  return add_edges(state, op, error);
}

static int by_bytes(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->bytes != y->bytes) {
    return x->bytes > y->bytes ? -1 : 1;
  }
  return (x->step > y->step) - (x->step < y->step);
}

// An operator is finished though the slice ends, unless it takes far too long.
static void begin_operator(prober *state) { state->patient = true; }

static void end_operator(prober *state) { state->patient = false; }

// The bounds of all operators, by their steps; then they are sorted. The second half of `entries` keeps the order.
static void find_bounds(prober *state) {
  int32_t n_ops = state->problem->n_ops;
  memplan_order_probe *probe = state->probe;
  if (state->at == 0) {
    probe->bound = 0;
  }
  for (; state->at < n_ops && !is_over(state); state->at++) {
    entry *now = &state->entries[state->at];
    *now = state->entries[n_ops + state->at];
    begin_operator(state);
    (void)solve(state, now->op, &now->bytes);
    end_operator(state);
    probe->bound = now->bytes > probe->bound ? now->bytes : probe->bound;
  }
  if (state->at == n_ops && !probe->refuted) {
    qsort(state->entries, (size_t)n_ops, sizeof *state->entries, by_bytes);
    state->bounding = false;
    state->at = state->idle = 0;
  }
}

// Starts the next round, or ends.
static void next_round(prober *state) {
  state->finished = !state->news;
  state->bounding = true;
  state->news = false;
  state->at = 0;
}

static memplan_status probe_on(prober *state, memplan_error *error) {
  while (!state->finished && !is_over(state)) {
    if (state->bounding) {
      find_bounds(state);
      continue;
    }
    int32_t before = state->probe->n_edges;
    begin_operator(state);
    memplan_status status = look_at(state, state->entries[state->at].op, error);
    end_operator(state);
    MEMPLAN_TRY(status);
    state->at++;
    state->idle = state->probe->n_edges > before ? 0 : state->idle + 1;
    state->news = state->news || state->idle == 0;
    if (state->at == state->problem->n_ops || state->idle == state->patience) {
      next_round(state);
    }
  }
  state->probe->done = state->probe->refuted || state->finished;
  return MEMPLAN_OK;
}

static memplan_status allocate(prober *state, const int32_t *order, memplan_error *error) {
  int32_t n_ops = state->problem->n_ops;
  memplan_arena *scratch = &state->scratch;
  state->entries = MEMPLAN_NEW(scratch, entry, 2 * (int64_t)n_ops);
  state->inside = MEMPLAN_NEW(scratch, bool, memplan_flow_nodes(state->network->flow));
  state->candidates = MEMPLAN_NEW(scratch, int32_t, n_ops);
  state->stack = MEMPLAN_NEW(scratch, int32_t, n_ops);
  bool *flags = MEMPLAN_NEW(scratch, bool, 4 * (int64_t)n_ops);
  if (state->entries == NULL || state->inside == NULL || state->candidates == NULL || state->stack == NULL ||
      flags == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t which = 0; which < 2; which++) {
    state->may[which] = flags + (int64_t)which * n_ops;
    state->forced[which] = flags + (int64_t)(2 + which) * n_ops;
  }
  for (int32_t step = 0; step < n_ops; step++) {
    state->entries[n_ops + step] = (entry){0, step, order[step]};
  }
  return MEMPLAN_OK;
}

// What stands in the prober before: problem, probe, target, patience, arena.
static memplan_status start(prober *state, const int32_t *order, const memplan_order_edge *given, int32_t n_given,
                            memplan_error *error) {
  int32_t n_ops = state->problem->n_ops;
  *state->probe = (memplan_order_probe){.done = n_ops == 0, .op = -1};
  state->bounding = true;
  state->finished = n_ops == 0;
  int32_t most_added = n_ops < 1 << 24 ? 16 * n_ops + n_given : 0;
  MEMPLAN_TRY(memplan_cut_network_new(state->problem, most_added, &state->scratch, &state->network, error));
  if (state->network == NULL) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(allocate(state, order, error));
  for (int32_t k = 0; k < n_given; k++) {
    if (!add_edge(state, given[k].before, given[k].after, -1)) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_order_probe_run(const memplan_order_problem *problem, int64_t target, const int32_t *order,
                                       const memplan_order_edge *given, int32_t n_given, int32_t patience, int64_t work,
                                       const memplan_limits *limits, memplan_arena *arena, memplan_order_probe *probe,
                                       memplan_error *error) {
  prober state = {.problem = problem,
                  .probe = probe,
                  .target = target,
                  .patience = patience,
                  .soft_work = work,
                  .most_work = work,
                  .limits = limits,
                  .arena = arena};
  memplan_status status = start(&state, order, given, n_given, error);
  if (status == MEMPLAN_OK && state.network != NULL) {
    status = probe_on(&state, error);
    probe->work = memplan_flow_work(state.network->flow);
  }
  memplan_arena_free(&state.scratch);
  return status;
}

memplan_status memplan_order_prober_new(const memplan_order_problem *problem, int64_t target, const int32_t *order,
                                        const memplan_order_edge *given, int32_t n_given, int32_t patience,
                                        memplan_order_prober **made, memplan_error *error) {
  prober *state = calloc(1, sizeof *state);
  *made = NULL;
  if (state == NULL) {
    return memplan_fail_nomem(error);
  }
  state->problem = problem;
  state->probe = &state->found;
  state->target = target;
  state->patience = patience;
  state->arena = &state->own;
  memplan_status status = start(state, order, given, n_given, error);
  if (status != MEMPLAN_OK || state->network == NULL) {
    memplan_order_prober_free(state);
    return status;
  }
  *made = state;
  return MEMPLAN_OK;
}

void memplan_order_prober_free(memplan_order_prober *state) {
  if (state != NULL) {
    memplan_arena_free(&state->own);
    memplan_arena_free(&state->scratch);
    free(state);
  }
}

memplan_status memplan_order_prober_run(memplan_order_prober *state, int64_t work, const memplan_limits *limits,
                                        memplan_error *error) {
  int64_t before = memplan_flow_work(state->network->flow);
  state->limits = limits;
  state->soft_work = before + work;
  state->most_work = before + most_overrun * work;
  memplan_status status = probe_on(state, error);
  state->found.work = memplan_flow_work(state->network->flow);
  return status;
}

const memplan_order_probe *memplan_order_prober_look(const memplan_order_prober *state) { return &state->found; }
