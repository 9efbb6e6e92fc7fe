// SPDX-License-Identifier: Apache-2.0
// Last step: the in-place pairs that the model admits whatever the order and the options, each with the bytes that it
// saves.
#include "model/graph_steps.h"

// What is known of the operator at hand (its number + 1 is the mark).
typedef struct marks {
  int32_t *written;    // by tensor: it is an output that is written
  int32_t *touched;    // by storage: `tensors` counts
  int32_t *tensors;    // by storage: inputs and outputs of the operator in it
  int32_t *held;       // by storage: an asynchronous operator that touches it is unfinished until the operator's end
  int32_t *next_held;  // by touch: another one that is unfinished until the same operator's end, -1: none
  int32_t *first_held; // by operator: the first of them
} marks;

static memplan_status make_marks(const memplan_graph *graph, memplan_arena *arena, marks *state, memplan_error *error) {
  state->written = MEMPLAN_NEW(arena, int32_t, graph->n_tensors);
  state->touched = MEMPLAN_NEW(arena, int32_t, graph->n_storages);
  state->tensors = MEMPLAN_NEW(arena, int32_t, graph->n_storages);
  state->held = MEMPLAN_NEW(arena, int32_t, graph->n_storages);
  state->next_held = MEMPLAN_NEW(arena, int32_t, graph->n_touches);
  state->first_held = MEMPLAN_NEW(arena, int32_t, graph->n_ops);
  if (state->written == NULL || state->touched == NULL || state->tensors == NULL || state->held == NULL ||
      state->next_held == NULL || state->first_held == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t op = 0; op < graph->n_ops; op++) {
    state->first_held[op] = -1;
  }
  for (int32_t touch = 0; touch < graph->n_touches; touch++) {
    int32_t until = graph->ops[graph->touches[touch].op].async_until;
    if (until >= 0) {
      state->next_held[touch] = state->first_held[until];
      state->first_held[until] = touch;
    }
  }
  return MEMPLAN_OK;
}

static void count_tensor(const memplan_graph *graph, int32_t mark, int32_t tensor, const marks *state) {
  int32_t storage = graph->tensors[tensor].storage;
  state->tensors[storage] = state->touched[storage] == mark ? state->tensors[storage] + 1 : 1;
  state->touched[storage] = mark;
}

static void mark_op(const memplan_graph *graph, int32_t index, const marks *state) {
  const memplan_op *op = &graph->ops[index];
  for (int32_t k = 0; k < op->n_in; k++) {
    count_tensor(graph, index + 1, op->in[k], state);
  }
  for (int32_t k = 0; k < op->n_out; k++) {
    count_tensor(graph, index + 1, op->out[k], state);
    if (graph->out_writes[graph->out_first[index] + k]) {
      state->written[op->out[k]] = index + 1;
    }
  }
  for (int32_t touch = state->first_held[index]; touch >= 0; touch = state->next_held[touch]) {
    state->held[graph->touches[touch].storage] = index + 1;
  }
}

static bool is_legal(const memplan_graph *graph, int32_t index, memplan_inplace wish, const marks *state) {
  const memplan_op *op = &graph->ops[index];
  const memplan_tensor *output = &graph->tensors[wish.output];
  int32_t input_storage = graph->tensors[wish.input].storage;
  const memplan_storage *target = &graph->storages[output->storage], *source = &graph->storages[input_storage];
  const uint8_t fixed = MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE;
  if (op->async_until >= 0 || output->view_of >= 0 || output->storage == input_storage ||
      state->written[wish.output] != index + 1) {
    return false;
  }
  if ((target->roles & fixed) != 0 ||
      (source->roles & (MEMPLAN_ROLE_OUTPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE)) != 0) {
    return false;
  }
  // The operator touches the input's storage through the input alone.
  return state->tensors[input_storage] == 1 && state->held[input_storage] != index + 1;
}

static void add_pairs(memplan_graph *graph, int32_t index, const marks *state) {
  const memplan_op *op = &graph->ops[index];
  for (int32_t k = 0; k < op->n_inplace; k++) {
    const memplan_tensor *output = &graph->tensors[op->inplace[k].output];
    const memplan_tensor *input = &graph->tensors[op->inplace[k].input];
    int64_t room = graph->storages[input->storage].bytes - input->offset;
    int64_t saving = output->bytes < room ? output->bytes : room;
    if (saving > 0 && is_legal(graph, index, op->inplace[k], state)) {
      graph->pairs[graph->n_pairs++] = (memplan_pair){.op = index,
                                                      .output = op->inplace[k].output,
                                                      .input = op->inplace[k].input,
                                                      .output_storage = output->storage,
                                                      .input_storage = input->storage,
                                                      .delta = input->offset,
                                                      .saving = saving};
    }
  }
}

memplan_status memplan_graph_make_pairs(memplan_graph *graph, memplan_error *error) {
  int64_t most = 0;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    most += graph->ops[op].n_inplace;
  }
  graph->pairs = MEMPLAN_NEW(&graph->arena, memplan_pair, most);
  graph->pair_first = MEMPLAN_NEW(&graph->arena, int32_t, graph->n_ops + 1);
  if (graph->pairs == NULL || graph->pair_first == NULL || most > INT32_MAX) {
    return memplan_fail_nomem(error);
  }
  memplan_arena scratch = {0};
  marks state;
  memplan_status status = make_marks(graph, &scratch, &state, error);
  for (int32_t index = 0; status == MEMPLAN_OK && index < graph->n_ops; index++) {
    graph->pair_first[index] = graph->n_pairs;
    if (graph->ops[index].n_inplace > 0) {
      mark_op(graph, index, &state);
      add_pairs(graph, index, &state);
    }
  }
  graph->pair_first[graph->n_ops] = graph->n_pairs;
  memplan_arena_free(&scratch);
  return status;
}
