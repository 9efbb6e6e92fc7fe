// SPDX-License-Identifier: Apache-2.0
// Last step: the in-place pairs that the model admits whatever the order and the options, each with the bytes that it
// saves.
#include "model/graph_steps.h"

// The operator touches the storage through `input` alone.
static bool touches_only_through(const memplan_graph *graph, const memplan_op *op, int32_t storage, int32_t input) {
  for (int32_t k = 0; k < op->n_in; k++) {
    if (op->in[k] != input && graph->tensors[op->in[k]].storage == storage) {
      return false;
    }
  }
  for (int32_t k = 0; k < op->n_out; k++) {
    if (graph->tensors[op->out[k]].storage == storage) {
      return false;
    }
  }
  return true;
}

// An asynchronous operator that touches the storage and is unfinished until the end of the step of `op`.
static bool held_until(const memplan_graph *graph, int32_t storage, int32_t op) {
  const memplan_storage *entry = &graph->storages[storage];
  for (int32_t k = 0; k < entry->n_touches; k++) {
    if (graph->ops[graph->touches[entry->first_touch + k].op].async_until == op) {
      return true;
    }
  }
  return false;
}

static bool is_legal(const memplan_graph *graph, int32_t index, memplan_inplace wish) {
  const memplan_op *op = &graph->ops[index];
  const memplan_tensor *output = &graph->tensors[wish.output];
  int32_t input_storage = graph->tensors[wish.input].storage;
  const memplan_storage *target = &graph->storages[output->storage], *source = &graph->storages[input_storage];
  const uint8_t fixed = MEMPLAN_ROLE_INPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE;
  if (op->async_until >= 0 || output->view_of >= 0 || output->storage == input_storage ||
      !memplan_graph_op_writes(graph, op, wish.output)) {
    return false;
  }
  if ((target->roles & fixed) != 0 ||
      (source->roles & (MEMPLAN_ROLE_OUTPUT | MEMPLAN_ROLE_WEIGHT | MEMPLAN_ROLE_VARIABLE)) != 0) {
    return false;
  }
  return touches_only_through(graph, op, input_storage, wish.input) && !held_until(graph, input_storage, index);
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
  for (int32_t index = 0; index < graph->n_ops; index++) {
    graph->pair_first[index] = graph->n_pairs;
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_inplace; k++) {
      const memplan_tensor *output = &graph->tensors[op->inplace[k].output];
      const memplan_tensor *input = &graph->tensors[op->inplace[k].input];
      int64_t room = graph->storages[input->storage].bytes - input->offset;
      int64_t saving = output->bytes < room ? output->bytes : room;
      if (saving > 0 && is_legal(graph, index, op->inplace[k])) {
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
  graph->pair_first[graph->n_ops] = graph->n_pairs;
  return MEMPLAN_OK;
}
