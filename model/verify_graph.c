// SPDX-License-Identifier: Apache-2.0
// From the plan's order to spans of buffers, from these and the plan's offsets to rectangles of time and bytes that
// must be disjoint. A legal takeover (q, p) at step v lets two buffers overlap at v alone: there q's rectangle is cut
// to the bytes that stick out of p's buffer. The bytes cut off are still guarded, by the rectangle of p's buffer.
#include "model/verify_graph.h"

#include "model/base/names.h"
#include "model/base/number.h"
#include "model/verify_bodies.h"
#include "model/verify_check.h"
#include "model/verify_inplace.h"
#include "model/verify_layout.h"
#include "model/verify_order.h"
#include "model/verify_overlap.h"
#include "model/verify_residents.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct graph_check {
  memplan_check check;
  memplan_layout layout;
  int32_t *step; // by operator
  bool ordered;  // step is a permutation
  memplan_span *spans;
  memplan_takeover *takeovers;
  int32_t *item_of_buffer; // or -1
  int32_t *item_of_op;     // its workspace, or -1
  memplan_residents residents;
  int32_t first_resident; // item of the first of them
  memplan_check_demand *demands;
  int32_t n_demands;
  memplan_rectangle *rectangles;
  int32_t n_rectangles;
} graph_check;

static int32_t finish_step(const graph_check *state, int32_t op) {
  int32_t until = memplan_layout_until(state->layout.graph, op);
  int32_t own = state->step[op];
  return until >= 0 && state->step[until] > own ? state->step[until] : own;
}

// Without operators there is one step, at which everything is in memory.
static int32_t horizon_of(const graph_check *state) {
  int32_t n_ops = state->layout.graph->n_ops;
  return n_ops > 0 ? n_ops : 1;
}

// Roles count in this order: weight, variable, then input and output.
static memplan_span residence(const graph_check *state, int32_t buffer) {
  const memplan_problem_options *options = state->check.options;
  const memplan_layout *layout = &state->layout;
  uint8_t roles = layout->roles[buffer];
  bool touched = layout->first_access[buffer] < layout->first_access[buffer + 1];
  memplan_span span = {.in_arena = true, .start = 0, .end = horizon_of(state)};
  if (!touched && (roles & MEMPLAN_ROLE_INPUT) == 0) {
    span.in_arena = false;
  } else if ((roles & MEMPLAN_ROLE_WEIGHT) != 0) {
    span.in_arena = options->weights == MEMPLAN_WEIGHTS_RESIDENT;
    span.persistent = true;
  } else if ((roles & MEMPLAN_ROLE_VARIABLE) != 0) {
    span.persistent = true;
  } else if ((roles & (MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_OUTPUT)) != 0) {
    span.in_arena = options->io != MEMPLAN_IO_EXTERNAL;
    span.persistent = options->io == MEMPLAN_IO_PERSISTENT;
  }
  return span;
}

static void find_span(graph_check *state, int32_t buffer) {
  const memplan_layout *layout = &state->layout;
  memplan_span *span = &state->spans[buffer];
  if (!span->in_arena || span->persistent) {
    return;
  }
  int32_t first = layout->first_access[buffer];
  int32_t last = layout->first_access[buffer + 1];
  uint8_t roles = layout->roles[buffer];
  if ((roles & MEMPLAN_ROLE_INPUT) == 0) {
    span->start = INT32_MAX;
  }
  if ((roles & MEMPLAN_ROLE_OUTPUT) == 0) {
    span->end = first == last ? 1 : 0;
  }
  for (int32_t i = first; i < last; i++) {
    int32_t op = layout->accesses[i].op;
    int32_t finish = finish_step(state, op) + 1;
    span->start = state->step[op] < span->start ? state->step[op] : span->start;
    span->end = finish > span->end ? finish : span->end;
  }
}

static memplan_status find_spans(graph_check *state, memplan_error *error) {
  state->spans = MEMPLAN_NEW(state->check.arena, memplan_span, state->layout.n_buffers);
  if (state->spans == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t buffer = 0; buffer < state->layout.n_buffers; buffer++) {
    state->spans[buffer] = residence(state, buffer);
    if (state->ordered) {
      find_span(state, buffer);
    }
  }
  return MEMPLAN_OK;
}

static void add_demand(graph_check *state, int32_t item, const char *id, int64_t shift, int64_t align, int64_t pin) {
  state->demands[state->n_demands++] =
      (memplan_check_demand){.item = item, .id = id, .shift = shift, .align = align, .pin = pin};
}

// The options' alignment for the item itself, unless its own one holds it already.
static void add_common_alignment(graph_check *state, int32_t item, const char *id, int64_t own) {
  int64_t align = state->check.options->align;
  if (align > 1 && own % align != 0) {
    add_demand(state, item, id, 0, align, -1);
  }
}

static void add_buffer_items(graph_check *state) {
  const memplan_graph *graph = state->layout.graph;
  memplan_check *check = &state->check;
  for (int32_t buffer = 0; buffer < state->layout.n_buffers; buffer++) {
    state->item_of_buffer[buffer] = -1;
    if (state->spans[buffer].in_arena) {
      const memplan_tensor *root = &graph->tensors[state->layout.root[buffer]];
      state->item_of_buffer[buffer] = check->n_items;
      check->items[check->n_items] = (memplan_check_item){.id = root->id, .bytes = root->bytes};
      add_common_alignment(state, check->n_items++, root->id, root->align);
    }
  }
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    const memplan_tensor *tensor = &graph->tensors[i];
    int32_t item = state->item_of_buffer[state->layout.buffer[i]];
    if (item >= 0) {
      add_demand(state, item, tensor->id, state->layout.offset[i], tensor->align, tensor->pin);
      state->demands[state->n_demands - 1].pools = tensor->pools;
      state->demands[state->n_demands - 1].n_pools = tensor->n_pools;
      check->items[item].tied |= tensor->pin >= 0;
      check->items[item].apart |= tensor->pin >= 0;
    }
  }
}

// The text and its suffix, with more '#' behind them as long as a tensor or something named before is called so.
static const char *make_unique(const graph_check *state, memplan_names *names, const char *text, const char *suffix) {
  size_t length = strlen(text) + strlen(suffix);
  for (size_t extra = 0;; extra++) {
    char *name = MEMPLAN_NEW(state->check.arena, char, length + extra + 1);
    if (name == NULL) {
      return NULL;
    }
    (void)snprintf(name, length + 1, "%s%s", text, suffix);
    memset(name + length, '#', extra);
    int32_t before = memplan_names_add(names, name, 0);
    if (before < 0) {
      return before == -1 ? name : NULL;
    }
  }
}

static memplan_status add_workspace_items(graph_check *state, const int64_t *workspace, memplan_names *names,
                                          memplan_error *error) {
  const memplan_graph *graph = state->layout.graph;
  memplan_check *check = &state->check;
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (memplan_names_add(names, graph->tensors[i].id, 0) == -2) {
      return memplan_fail_nomem(error);
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    state->item_of_op[op] = -1;
    if (workspace[op] == 0) {
      continue;
    }
    const char *name = make_unique(state, names, graph->ops[op].id, "#workspace");
    if (name == NULL) {
      return memplan_fail_nomem(error);
    }
    state->item_of_op[op] = check->n_items;
    check->items[check->n_items] = (memplan_check_item){.id = name, .bytes = workspace[op]};
    add_common_alignment(state, check->n_items, name, graph->ops[op].workspace_align);
    add_demand(state, check->n_items, name, 0, graph->ops[op].workspace_align, -1);
    state->demands[state->n_demands - 1].pools = graph->ops[op].workspace_pools;
    state->demands[state->n_demands - 1].n_pools = graph->ops[op].n_workspace_pools;
    check->n_items++;
  }
  return MEMPLAN_OK;
}

static memplan_status add_resident_items(graph_check *state, memplan_names *names, memplan_error *error) {
  memplan_check *check = &state->check;
  state->first_resident = check->n_items;
  for (int64_t k = 0; k < state->residents.n_items; k++) {
    const memplan_resident *resident = &state->residents.items[k];
    const char *name = make_unique(state, names, resident->id, "");
    if (name == NULL) {
      return memplan_fail_nomem(error);
    }
    check->items[check->n_items] = (memplan_check_item){.id = name, .bytes = resident->bytes};
    add_common_alignment(state, check->n_items++, name, 1);
  }
  for (int64_t k = 0; k < state->residents.n_demands; k++) {
    const memplan_resident_demand *demand = &state->residents.demands[k];
    int32_t item = state->first_resident + demand->resident;
    add_demand(state, item, check->items[item].id, demand->shift, demand->align, -1);
  }
  return MEMPLAN_OK;
}

// What lies on a pinned buffer, or below one that does, has a fixed place too. Which pairs are legal is not known yet.
static memplan_status note_pairs(graph_check *state, memplan_error *error) {
  const memplan_graph *graph = state->layout.graph;
  const memplan_plan *plan = state->check.plan;
  bool pinned = false;
  for (int32_t i = 0; i < state->check.n_items; i++) {
    pinned = pinned || state->check.items[i].apart;
  }
  memplan_names names;
  memplan_names_init(&names);
  bool fits = true;
  for (int32_t i = 0; i < graph->n_tensors && fits && pinned && plan->n_inplace > 0; i++) {
    fits = memplan_names_add(&names, graph->tensors[i].id, i) != -2;
  }
  for (int32_t i = 0; i < plan->n_inplace && fits && pinned; i++) {
    const char *ids[] = {plan->inplace[i].output, plan->inplace[i].input};
    for (int32_t k = 0; k < 2; k++) {
      int32_t tensor = memplan_names_find(&names, ids[k]);
      int32_t item = tensor >= 0 ? state->item_of_buffer[state->layout.buffer[tensor]] : -1;
      if (item >= 0) {
        state->check.items[item].apart = true;
      }
    }
  }
  memplan_names_free(&names);
  return fits ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static memplan_status make_items(graph_check *state, const int64_t *workspace, memplan_error *error) {
  const memplan_graph *graph = state->layout.graph;
  memplan_arena *arena = state->check.arena;
  const memplan_problem_options *options = state->check.options;
  if (options->weights == MEMPLAN_WEIGHTS_RESIDENT && options->bodies != MEMPLAN_BODIES_IGNORE) {
    MEMPLAN_TRY(memplan_residents_find(graph, arena, &state->residents, error));
  }
  size_t most = (size_t)state->layout.n_buffers + (size_t)graph->n_ops + (size_t)state->residents.n_items;
  if (most > INT32_MAX) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "more than 2^31 buffers");
  }
  state->check.items = MEMPLAN_NEW(arena, memplan_check_item, most);
  state->demands = MEMPLAN_NEW(arena, memplan_check_demand,
                               2 * most + (size_t)graph->n_tensors + (size_t)state->residents.n_demands);
  state->item_of_buffer = MEMPLAN_NEW(arena, int32_t, state->layout.n_buffers);
  state->item_of_op = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  if (state->check.items == NULL || state->demands == NULL || state->item_of_buffer == NULL ||
      state->item_of_op == NULL) {
    return memplan_fail_nomem(error);
  }
  add_buffer_items(state);
  MEMPLAN_TRY(note_pairs(state, error));
  memplan_names names;
  memplan_names_init(&names);
  memplan_status status = add_workspace_items(state, workspace, &names, error);
  if (status == MEMPLAN_OK) {
    status = add_resident_items(state, &names, error);
  }
  memplan_names_free(&names);
  return status;
}

// off(q) = off(p), in one pool. Empty buffers have no byte to share.
static memplan_status check_takeover(graph_check *state, int32_t buffer, memplan_error *error) {
  const memplan_graph *graph = state->layout.graph;
  memplan_takeover *takeover = &state->takeovers[buffer];
  const memplan_check_item *target = &state->check.items[state->item_of_buffer[buffer]];
  const memplan_check_item *source = &state->check.items[state->item_of_buffer[takeover->buffer]];
  if (!memplan_check_takes_bytes(target) || !memplan_check_takes_bytes(source)) {
    takeover->buffer = -1;
    return MEMPLAN_OK;
  }
  int64_t expected = source->offset + takeover->delta;
  if (target->pool == source->pool && target->offset == expected) {
    return MEMPLAN_OK;
  }
  takeover->buffer = -1;
  const char *output = graph->tensors[takeover->output].id;
  const char *input = graph->tensors[takeover->input].id;
  memplan_violation violation = {
      MEMPLAN_VIOLATION_INPLACE, output, input, state->step[takeover->op], expected, target->offset, NULL};
  return memplan_findings_add(state->check.findings, &violation, error,
                              "'%s' takes over '%s', which lies at %" PRId64 "%s, but its own offset is %" PRId64,
                              output, input, expected, target->pool == source->pool ? "" : " of another pool",
                              target->offset);
}

static void add_rectangle(graph_check *state, int32_t item, int64_t start, int64_t end, int64_t low, int64_t high) {
  state->rectangles[state->n_rectangles++] =
      (memplan_rectangle){start, end, low, high, state->check.items[item].pool, item};
}

static void add_buffer_rectangles(graph_check *state, int32_t buffer) {
  int32_t index = state->item_of_buffer[buffer];
  const memplan_check_item *item = &state->check.items[index];
  if (!memplan_check_takes_bytes(item)) {
    return;
  }
  const memplan_span *span = &state->spans[buffer];
  int64_t start = span->start;
  int64_t high = item->offset + item->bytes;
  const memplan_takeover *takeover = &state->takeovers[buffer];
  if (takeover->buffer >= 0) {
    const memplan_check_item *source = &state->check.items[state->item_of_buffer[takeover->buffer]];
    start = state->step[takeover->op] + 1;
    add_rectangle(state, index, start - 1, start, source->offset + source->bytes, high);
  }
  add_rectangle(state, index, start, span->end, item->offset, high);
}

static memplan_status check_overlaps(graph_check *state, const memplan_plan *plan, memplan_error *error) {
  const memplan_check *check = &state->check;
  memplan_overlap *overlaps;
  int32_t n_overlaps;
  MEMPLAN_TRY(memplan_rectangles_overlap(state->rectangles, state->n_rectangles, MEMPLAN_REPORT_KEPT, check->arena,
                                         &overlaps, &n_overlaps, error));
  for (int32_t i = 0; i < n_overlaps; i++) {
    const memplan_overlap *overlap = &overlaps[i];
    const memplan_check_item *first = &check->items[overlap->first];
    const memplan_check_item *second = &check->items[overlap->second];
    memplan_violation violation = {
        MEMPLAN_VIOLATION_OVERLAP, first->id, second->id, overlap->time, overlap->low, overlap->high, NULL};
    bool in_order = overlap->time >= 0 && overlap->time < plan->n_order;
    MEMPLAN_TRY(memplan_findings_add(
        check->findings, &violation, error,
        "'%s' and '%s' both use bytes [%" PRId64 ", %" PRId64 ") at step %" PRId64 "%s%s%s", first->id, second->id,
        overlap->low, overlap->high, overlap->time, in_order ? " (operator '" : "",
        in_order ? plan->order[overlap->time] : "", in_order ? "')" : ""));
  }
  return MEMPLAN_OK;
}

static memplan_status check_times(graph_check *state, memplan_error *error) {
  const memplan_graph *graph = state->layout.graph;
  memplan_arena *arena = state->check.arena;
  int32_t n_buffers = state->layout.n_buffers;
  state->takeovers = MEMPLAN_NEW(arena, memplan_takeover, n_buffers);
  size_t n_rectangles = 2 * (size_t)n_buffers + (size_t)graph->n_ops + (size_t)state->residents.n_items;
  state->rectangles = MEMPLAN_NEW(arena, memplan_rectangle, n_rectangles);
  if (state->takeovers == NULL || state->rectangles == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_inplace_task task = {&state->layout, state->check.options, state->check.plan, state->step, state->spans};
  MEMPLAN_TRY(memplan_inplace_check(&task, state->check.findings, state->takeovers, arena, error));
  for (int32_t buffer = 0; buffer < n_buffers; buffer++) {
    if (state->takeovers[buffer].buffer >= 0) {
      MEMPLAN_TRY(check_takeover(state, buffer, error));
    }
  }
  for (int32_t buffer = 0; buffer < n_buffers; buffer++) {
    if (state->spans[buffer].in_arena) {
      add_buffer_rectangles(state, buffer);
    }
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    int32_t item = state->item_of_op[op];
    if (item >= 0 && memplan_check_takes_bytes(&state->check.items[item])) {
      int64_t low = state->check.items[item].offset;
      add_rectangle(state, item, state->step[op], finish_step(state, op) + 1, low,
                    low + state->check.items[item].bytes);
    }
  }
  for (int32_t k = 0; k < state->residents.n_items; k++) {
    int32_t item = state->first_resident + k;
    if (memplan_check_takes_bytes(&state->check.items[item])) {
      int64_t low = state->check.items[item].offset;
      add_rectangle(state, item, 0, horizon_of(state), low, low + state->check.items[item].bytes);
    }
  }
  return check_overlaps(state, state->check.plan, error);
}

static memplan_status check_all(graph_check *state, int32_t depth, memplan_error *error) {
  const memplan_graph *graph = state->layout.graph;
  memplan_check *check = &state->check;
  state->step = MEMPLAN_NEW(check->arena, int32_t, graph->n_ops);
  int64_t *workspace = MEMPLAN_NEW(check->arena, int64_t, graph->n_ops);
  if (state->step == NULL || workspace == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_layout_init(&state->layout, graph, check->arena, error));
  MEMPLAN_TRY(memplan_order_read(graph, check->plan, check->findings, state->step, &state->ordered, error));
  if (state->ordered) {
    MEMPLAN_TRY(memplan_order_check(&state->layout, state->step, check->findings, check->arena, error));
  }
  MEMPLAN_TRY(memplan_bodies_check(graph, check->options, check->plan, depth, check->findings, workspace, error));
  MEMPLAN_TRY(find_spans(state, error));
  MEMPLAN_TRY(make_items(state, workspace, error));
  MEMPLAN_TRY(memplan_check_placement(check, error));
  MEMPLAN_TRY(memplan_check_demands(check, state->demands, state->n_demands, error));
  return state->ordered ? check_times(state, error) : MEMPLAN_OK;
}

memplan_status memplan_graph_verify(const memplan_graph *graph, const memplan_problem_options *options,
                                    const memplan_plan *plan, int32_t depth, memplan_findings *findings, int64_t *peak,
                                    memplan_error *error) {
  if (depth > MEMPLAN_MAX_NESTING) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "bodies are nested more than %d deep", (int)MEMPLAN_MAX_NESTING);
  }
  memplan_arena arena = {0};
  graph_check state = {.layout = {.graph = graph}};
  state.check = (memplan_check){.plan = plan,
                                .options = options,
                                .findings = findings,
                                .arena = &arena,
                                .pools = graph->n_pools > 0 ? graph->pools : &memplan_check_whole_arena,
                                .n_pools = graph->n_pools > 0 ? graph->n_pools : 1};
  memplan_status status = check_all(&state, depth, error);
  *peak = state.check.peak;
  memplan_arena_free(&arena);
  return status;
}
