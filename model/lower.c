// SPDX-License-Identifier: Apache-2.0
// From an order and its in-place choice to the placement problem. Lifetimes by
// a backward scan: the first toucher met from behind ends a storage, the last
// one met starts it.
//
// A chosen pair (q, p) at step t is a colocation off(q) = off(p) + d. At step t
// the two overlap on purpose: q then occupies only the bytes that lie outside
// p's storage, from step t + 1 on all of its bytes. So the instance needs no
// exception.
#include "model/ordering.h"

#include <string.h>

typedef struct lowering {
  const memplan_ordering *ordering;
  memplan_instance *instance;
  int32_t *storage_buffer, *op_buffer;
  int32_t *step;        // by operator
  int32_t *start, *end; // by storage
  int32_t horizon;      // steps, at least 1
} lowering;

// The last step at which the operator is unfinished.
static int32_t finish_step(const lowering *state, int32_t op) {
  int32_t until = state->ordering->graph->ops[op].async_until;
  return until >= 0 ? state->step[until] : state->step[op];
}

static void find_lifetimes(lowering *state, const int32_t *order) {
  const memplan_graph *graph = state->ordering->graph;
  for (int32_t t = state->ordering->n_ops - 1; t >= 0; t--) {
    int32_t op = order[t];
    for (int32_t k = graph->op_touch_first[op]; k < graph->op_touch_first[op + 1]; k++) {
      int32_t storage = graph->touches[graph->op_touches[k]].storage;
      int32_t finish = finish_step(state, op) + 1;
      if (finish > state->end[storage]) {
        state->end[storage] = finish;
      }
      state->start[storage] = t;
    }
  }
  for (int32_t index = 0; index < graph->n_storages; index++) {
    const memplan_storage *storage = &graph->storages[index];
    int32_t cell = state->ordering->cell_of_storage[index];
    if (cell < 0) {
      state->end[index] =
          storage->n_touches == 0 && state->ordering->options.io == MEMPLAN_IO_ARENA &&
                  (storage->roles & (MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE | MEMPLAN_ROLE_OUTPUT)) == 0
              ? 1
              : state->horizon;
      state->start[index] = 0;
      continue;
    }
    if (state->ordering->cells[cell].init) {
      state->start[index] = 0;
    }
    if (state->ordering->cells[cell].keep) {
      state->end[index] = state->horizon;
    }
  }
}

static memplan_status set_live(lowering *state, memplan_buffer *buffer, int64_t start, int64_t end,
                               memplan_error *error) {
  memplan_interval *live = MEMPLAN_NEW(&state->instance->arena, memplan_interval, 1);
  if (live == NULL) {
    return memplan_fail_nomem(error);
  }
  *live = (memplan_interval){start, end};
  buffer->live = live;
  buffer->n_live = 1;
  return MEMPLAN_OK;
}

static memplan_status add_storages(lowering *state, memplan_error *error) {
  const memplan_graph *graph = state->ordering->graph;
  for (int32_t index = 0; index < graph->n_storages; index++) {
    state->storage_buffer[index] = -1;
    if (!memplan_ordering_in_arena(graph, &state->ordering->options, index)) {
      continue;
    }
    const memplan_storage *storage = &graph->storages[index];
    const memplan_tensor *root = &graph->tensors[storage->root];
    memplan_buffer *buffer = &state->instance->buffers[state->instance->n_buffers];
    *buffer = (memplan_buffer){.id = root->id,
                               .bytes = storage->bytes,
                               .align = storage->align,
                               .residue = storage->residue,
                               .pin = storage->pin,
                               .offset = -1,
                               .hint = -1,
                               .pools = storage->pools,
                               .n_pools = storage->n_pools};
    MEMPLAN_TRY(set_live(state, buffer, state->start[index], state->end[index], error));
    state->storage_buffer[index] = state->instance->n_buffers++;
  }
  return MEMPLAN_OK;
}

static int64_t workspace_bytes(const memplan_ordering *ordering, int32_t op) {
  int32_t cell = ordering->workspace_cell[op];
  return cell >= 0 ? ordering->cells[cell].bytes : ordering->workspace[op];
}

static memplan_status add_workspaces(lowering *state, memplan_error *error) {
  const memplan_graph *graph = state->ordering->graph;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    state->op_buffer[op] = -1;
    int64_t bytes = workspace_bytes(state->ordering, op);
    if (bytes == 0) {
      continue;
    }
    memplan_buffer *buffer = &state->instance->buffers[state->instance->n_buffers];
    // The instance may outlive the order problem.
    const char *name = state->ordering->workspace_name[op];
    const char *id = memplan_arena_text(&state->instance->arena, name, strlen(name));
    if (id == NULL) {
      return memplan_fail_nomem(error);
    }
    *buffer = (memplan_buffer){.id = id,
                               .bytes = bytes,
                               .align = graph->ops[op].workspace_align,
                               .pin = -1,
                               .offset = -1,
                               .hint = -1,
                               .pools = graph->ops[op].workspace_pools,
                               .n_pools = graph->ops[op].n_workspace_pools};
    MEMPLAN_TRY(set_live(state, buffer, state->step[op], finish_step(state, op) + 1, error));
    state->op_buffer[op] = state->instance->n_buffers++;
  }
  return MEMPLAN_OK;
}

static memplan_status add_residents(lowering *state, memplan_error *error) {
  memplan_instance *instance = state->instance;
  for (int32_t k = 0; k < state->ordering->n_residents; k++) {
    const memplan_inner_weight *weight = &state->ordering->residents[k];
    memplan_buffer *buffer = &instance->buffers[instance->n_buffers++];
    const char *id = memplan_arena_text(&instance->arena, weight->id, strlen(weight->id));
    if (id == NULL) {
      return memplan_fail_nomem(error);
    }
    *buffer = (memplan_buffer){.id = id,
                               .bytes = weight->bytes,
                               .align = weight->align,
                               .residue = weight->residue,
                               .pin = -1,
                               .offset = -1,
                               .hint = -1};
    MEMPLAN_TRY(set_live(state, buffer, 0, state->horizon, error));
  }
  return MEMPLAN_OK;
}

// At its first step the output occupies only what sticks out of the input's
// storage.
static memplan_status add_choice(lowering *state, const memplan_pair *pair, memplan_error *error) {
  const memplan_graph *graph = state->ordering->graph;
  int32_t first = state->storage_buffer[pair->input_storage], second = state->storage_buffer[pair->output_storage];
  memplan_buffer *output = &state->instance->buffers[second];
  int64_t step = state->step[pair->op];
  int64_t covered = graph->storages[pair->input_storage].bytes - pair->delta;
  if (covered >= output->bytes) {
    MEMPLAN_TRY(set_live(state, output, step + 1, state->end[pair->output_storage], error));
  } else {
    memplan_gap *gap = MEMPLAN_NEW(&state->instance->arena, memplan_gap, 1);
    if (gap == NULL) {
      return memplan_fail_nomem(error);
    }
    *gap = (memplan_gap){step, step + 1, covered, output->bytes};
    output->gaps = gap;
    output->n_gaps = 1;
  }
  state->instance->colocate[state->instance->n_colocate++] = (memplan_rule){first, second, pair->delta};
  return MEMPLAN_OK;
}

static memplan_status fill(lowering *state, const int32_t *order, const int32_t *choice, int32_t n_choices,
                           memplan_error *error) {
  const memplan_graph *graph = state->ordering->graph;
  memplan_instance *instance = state->instance;
  for (int32_t t = 0; t < graph->n_ops; t++) {
    state->step[order[t]] = t;
  }
  find_lifetimes(state, order);
  MEMPLAN_TRY(add_storages(state, error));
  MEMPLAN_TRY(add_workspaces(state, error));
  MEMPLAN_TRY(add_residents(state, error));
  for (int32_t k = 0; k < n_choices; k++) {
    MEMPLAN_TRY(add_choice(state, &state->ordering->pairs[choice[k]], error));
  }
  return memplan_instance_resolve(instance, state->ordering->options.align, error);
}

static memplan_status lower(lowering *state, memplan_arena *scratch, const int32_t *order, const int32_t *choice,
                            int32_t n_choices, int32_t *storage_buffer, int32_t *op_buffer, memplan_error *error) {
  const memplan_graph *graph = state->ordering->graph;
  memplan_instance *instance = state->instance;
  memplan_arena *arena = &instance->arena;
  instance->name = graph->name;
  instance->source = graph->source;
  instance->pools = graph->pools;
  instance->n_pools = graph->n_pools;
  instance->buffers =
      MEMPLAN_NEW(arena, memplan_buffer, (int64_t)graph->n_storages + graph->n_ops + state->ordering->n_residents);
  instance->colocate = MEMPLAN_NEW(arena, memplan_rule, n_choices);
  state->step = MEMPLAN_NEW(scratch, int32_t, graph->n_ops);
  state->start = MEMPLAN_NEW(scratch, int32_t, graph->n_storages);
  state->end = MEMPLAN_NEW(scratch, int32_t, graph->n_storages);
  state->storage_buffer = storage_buffer != NULL ? storage_buffer : MEMPLAN_NEW(scratch, int32_t, graph->n_storages);
  state->op_buffer = op_buffer != NULL ? op_buffer : MEMPLAN_NEW(scratch, int32_t, graph->n_ops);
  if (instance->buffers == NULL || instance->colocate == NULL || state->step == NULL || state->start == NULL ||
      state->end == NULL || state->storage_buffer == NULL || state->op_buffer == NULL) {
    return memplan_fail_nomem(error);
  }
  return fill(state, order, choice, n_choices, error);
}

memplan_status memplan_ordering_lower(const memplan_ordering *ordering, const int32_t *order, const int32_t *choice,
                                      int32_t n_choices, memplan_instance *instance, int32_t *storage_buffer,
                                      int32_t *op_buffer, memplan_error *error) {
  memplan_arena scratch = {0};
  lowering state = {.ordering = ordering, .instance = instance, .horizon = ordering->n_ops > 0 ? ordering->n_ops : 1};
  memplan_status status = lower(&state, &scratch, order, choice, n_choices, storage_buffer, op_buffer, error);
  memplan_arena_free(&scratch);
  return status;
}
