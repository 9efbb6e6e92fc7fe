// SPDX-License-Identifier: Apache-2.0
// Which in-place pairs of a choice can be colocated at all. An output is born at its pair's step, so that in step order
// it is always alone when its pair comes: chains grow at their end, and each chain keeps one condition on the offset of
// its first storage. A pair that only offsets past 2^62 allow is left out of a choice, but it is no pair that cannot
// lie: that would be a proof.
#include "model/base/number.h"
#include "model/ordering_steps.h"

typedef struct chain {
  int32_t root;              // storage the chain starts with
  int64_t delta;             // offset of this storage relative to the root's
  memplan_congruence offset; // of the root, kept at the root
  int64_t pin;               // of the root, or -1
  uint64_t pools;            // admissible ones by bit, kept at the root
} chain;

static uint64_t pools_of(const memplan_graph *graph, int32_t index) {
  const memplan_storage *storage = &graph->storages[index];
  if (storage->n_pools == 0 || graph->n_pools > 64) {
    return UINT64_MAX;
  }
  uint64_t mask = 0;
  for (int32_t k = 0; k < storage->n_pools; k++) {
    mask |= (uint64_t)1 << storage->pools[k];
  }
  return mask;
}

// The storage's own condition, with the alignment that the options ask of every buffer.
static memplan_congruence_result start_chain(const memplan_ordering *ordering, int32_t index, chain *link) {
  const memplan_storage *storage = &ordering->graph->storages[index];
  const memplan_congruence own = {storage->align, storage->residue}, all = {ordering->options.align, 0};
  *link = (chain){.root = index, .pin = storage->pin, .pools = pools_of(ordering->graph, index)};
  return memplan_congruence_meet(own, all, &link->offset);
}

// Is the pinned offset aligned in one of the pools? The base comes before the alignment.
static bool admits_pin(const memplan_graph *graph, uint64_t pools, memplan_congruence offset, int64_t pin) {
  bool admits = graph->n_pools > 64 || (graph->n_pools == 0 && pin % offset.align == offset.residue);
  for (int32_t pool = 0; pool < graph->n_pools && !admits; pool++) {
    admits = (pools >> pool & 1) != 0 && (graph->pools[pool].base + pin) % offset.align == offset.residue;
  }
  return admits;
}

// Is the only offset that an alignment above 2^62 leaves within the limit in some pool?
static bool admits_offset(const memplan_graph *graph, uint64_t pools, memplan_congruence offset) {
  bool admits = offset.align < MEMPLAN_SIZE_LIMIT || graph->n_pools > 64 ||
                (graph->n_pools == 0 && offset.residue <= MEMPLAN_OFFSET_LIMIT);
  for (int32_t pool = 0; pool < graph->n_pools && !admits; pool++) {
    int64_t own = offset.residue - graph->pools[pool].base;
    admits = (pools >> pool & 1) != 0 && own >= 0 && own <= MEMPLAN_OFFSET_LIMIT;
  }
  return admits;
}

// Ties the output's storage, which is alone, to the input's, a member of the chain that starts with `root`. False, and
// nothing is tied, if it cannot lie there; *far: below 2^62 at least.
static bool append(const memplan_ordering *ordering, chain *root, chain *output, const chain *input,
                   const memplan_pair *pair, bool *far) {
  int64_t delta = input->delta + pair->delta;
  int64_t residue = (output->offset.residue - delta) % output->offset.align;
  memplan_congruence moved = {output->offset.align, residue < 0 ? residue + output->offset.align : residue}, joined;
  memplan_congruence_result result = memplan_congruence_meet(root->offset, moved, &joined);
  *far = result == MEMPLAN_CONGRUENCE_TOO_LARGE;
  if (result != MEMPLAN_CONGRUENCE_OK) {
    return false;
  }
  int64_t pin = root->pin;
  if (output->pin >= 0) {
    if (output->pin < delta || (pin >= 0 && pin != output->pin - delta)) {
      return false;
    }
    pin = output->pin - delta;
  }
  uint64_t pools = root->pools & output->pools;
  if (pools == 0 || (pin >= 0 && !admits_pin(ordering->graph, pools, joined, pin))) {
    return false;
  }
  *far = pin < 0 && !admits_offset(ordering->graph, pools, joined);
  if (*far) {
    return false;
  }
  root->offset = joined;
  root->pin = pin;
  root->pools = pools;
  output->root = input->root;
  output->delta = delta;
  return true;
}

bool memplan_pair_can_lie(const memplan_ordering *ordering, const memplan_pair *pair) {
  chain input, output;
  memplan_congruence_result first = start_chain(ordering, pair->input_storage, &input);
  memplan_congruence_result second = start_chain(ordering, pair->output_storage, &output);
  if (first != MEMPLAN_CONGRUENCE_OK || second != MEMPLAN_CONGRUENCE_OK) {
    return first != MEMPLAN_CONGRUENCE_CONTRADICTION && second != MEMPLAN_CONGRUENCE_CONTRADICTION;
  }
  chain root = input;
  bool far;
  return append(ordering, &root, &output, &input, pair, &far) || far;
}

memplan_status memplan_ordering_filter(const memplan_ordering *ordering, int32_t *choice, int32_t *n_choices,
                                       memplan_error *error) {
  const memplan_graph *graph = ordering->graph;
  if (*n_choices == 0) {
    return MEMPLAN_OK;
  }
  memplan_arena scratch = {0};
  chain *chains = MEMPLAN_NEW(&scratch, chain, graph->n_storages);
  if (chains == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    // What is no cell is in no pair.
    if (ordering->cell_of_storage[storage] >= 0 &&
        start_chain(ordering, storage, &chains[storage]) != MEMPLAN_CONGRUENCE_OK) {
      memplan_arena_free(&scratch);
      return memplan_fail(error, MEMPLAN_INPUT,
                          "tensor '%s': its alignments contradict the alignment asked of every buffer",
                          graph->tensors[graph->storages[storage].root].id);
    }
  }
  int32_t kept = 0;
  for (int32_t k = 0; k < *n_choices; k++) {
    const memplan_pair *pair = &ordering->pairs[choice[k]];
    chain *input = &chains[pair->input_storage];
    bool far;
    if (append(ordering, &chains[input->root], &chains[pair->output_storage], input, pair, &far)) {
      choice[kept++] = choice[k];
    }
  }
  *n_choices = kept;
  memplan_arena_free(&scratch);
  return MEMPLAN_OK;
}
