// SPDX-License-Identifier: Apache-2.0
// Views are followed to their roots along a path that is then walked back, so that each tensor is visited once. Of the
// outputs of an operator, those that lie in a buffer which it reads too are aliases, unless they are inputs as well or
// listed in `writes`.
#include "model/verify_layout.h"

#include <string.h>

int32_t memplan_layout_until(const memplan_graph *graph, int32_t op) {
  int32_t until = graph->ops[op].async_until;
  return until >= 0 && until != op ? until : -1;
}

static memplan_status place_tensors(memplan_layout *layout, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = layout->graph;
  int32_t *path = MEMPLAN_NEW(arena, int32_t, graph->n_tensors);
  layout->buffer = MEMPLAN_NEW(arena, int32_t, graph->n_tensors);
  layout->offset = MEMPLAN_NEW(arena, int64_t, graph->n_tensors);
  layout->root = MEMPLAN_NEW(arena, int32_t, graph->n_tensors);
  if (path == NULL || layout->buffer == NULL || layout->offset == NULL || layout->root == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    layout->buffer[i] = -1;
    if (graph->tensors[i].view_of < 0) {
      layout->root[layout->n_buffers] = i;
      layout->buffer[i] = layout->n_buffers++;
    }
  }
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    int32_t length = 0;
    int32_t tensor = i;
    while (layout->buffer[tensor] < 0) {
      if (length == graph->n_tensors) {
        return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s' is a view of itself through other views",
                            graph->tensors[i].id);
      }
      path[length++] = tensor;
      tensor = graph->tensors[tensor].view_of;
    }
    while (length > 0) {
      int32_t view = path[--length];
      layout->buffer[view] = layout->buffer[tensor];
      layout->offset[view] = layout->offset[tensor] + graph->tensors[view].view_offset;
      tensor = view;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status gather_roles(memplan_layout *layout, memplan_arena *arena, memplan_error *error) {
  layout->roles = MEMPLAN_NEW(arena, uint8_t, layout->n_buffers);
  layout->donatable = MEMPLAN_NEW(arena, bool, layout->n_buffers);
  if (layout->roles == NULL || layout->donatable == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < layout->n_buffers; i++) {
    layout->donatable[i] = true;
  }
  for (int32_t i = 0; i < layout->graph->n_tensors; i++) {
    const memplan_tensor *tensor = &layout->graph->tensors[i];
    layout->roles[layout->buffer[i]] |= tensor->roles;
    if ((tensor->roles & MEMPLAN_ROLE_INPUT) != 0 && !tensor->donatable) {
      layout->donatable[layout->buffer[i]] = false;
    }
  }
  return MEMPLAN_OK;
}

// What the operator at hand (its number + 1 is the mark) does with tensors and buffers.
typedef struct marks {
  int32_t *reads_buffer; // by buffer
  int32_t *reads;        // by tensor
  int32_t *forced;       // by tensor: listed in `writes`
} marks;

static void mark(const memplan_layout *layout, const marks *state, int32_t index) {
  const memplan_op *op = &layout->graph->ops[index];
  for (int32_t k = 0; k < op->n_in; k++) {
    state->reads[op->in[k]] = index + 1;
    state->reads_buffer[layout->buffer[op->in[k]]] = index + 1;
  }
  for (int32_t k = 0; k < op->n_writes; k++) {
    state->forced[op->writes[k]] = index + 1;
  }
}

static void add_access(memplan_layout *layout, int32_t *filled, int32_t op, int32_t tensor, bool writes, bool alias) {
  int64_t low = layout->offset[tensor];
  layout->accesses[filled[layout->buffer[tensor]]++] =
      (memplan_layout_access){op, tensor, low, low + layout->graph->tensors[tensor].bytes, writes, alias};
}

static memplan_status gather_accesses(memplan_layout *layout, memplan_arena *arena, memplan_error *error) {
  const memplan_graph *graph = layout->graph;
  layout->first_access = MEMPLAN_NEW(arena, int32_t, layout->n_buffers + 1);
  int32_t *filled = MEMPLAN_NEW(arena, int32_t, layout->n_buffers);
  marks state = {.reads_buffer = MEMPLAN_NEW(arena, int32_t, layout->n_buffers),
                 .reads = MEMPLAN_NEW(arena, int32_t, graph->n_tensors),
                 .forced = MEMPLAN_NEW(arena, int32_t, graph->n_tensors)};
  if (layout->first_access == NULL || filled == NULL || state.reads_buffer == NULL || state.reads == NULL ||
      state.forced == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t *first = layout->first_access;
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_in; k++) {
      first[layout->buffer[op->in[k]] + 1]++;
    }
    for (int32_t k = 0; k < op->n_out; k++) {
      first[layout->buffer[op->out[k]] + 1]++;
    }
  }
  for (int32_t i = 0; i < layout->n_buffers; i++) {
    first[i + 1] += first[i];
    filled[i] = first[i];
  }
  layout->accesses = MEMPLAN_NEW(arena, memplan_layout_access, first[layout->n_buffers]);
  if (layout->accesses == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    mark(layout, &state, index);
    for (int32_t k = 0; k < op->n_in; k++) {
      add_access(layout, filled, index, op->in[k], false, false);
    }
    for (int32_t k = 0; k < op->n_out; k++) {
      int32_t tensor = op->out[k];
      bool alias = state.reads_buffer[layout->buffer[tensor]] == index + 1 && state.reads[tensor] != index + 1 &&
                   state.forced[tensor] != index + 1;
      add_access(layout, filled, index, tensor, !alias, alias);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_layout_init(memplan_layout *layout, const memplan_graph *graph, memplan_arena *arena,
                                   memplan_error *error) {
  memset(layout, 0, sizeof *layout);
  layout->graph = graph;
  MEMPLAN_TRY(place_tensors(layout, arena, error));
  MEMPLAN_TRY(gather_roles(layout, arena, error));
  return gather_accesses(layout, arena, error);
}
