// SPDX-License-Identifier: Apache-2.0
// Which in-place pairs of a choice can be colocated at all. An output is born at its pair's step, so that in step order
// it is always alone when its pair comes: chains grow at their end, and each chain keeps one condition on the offset of
// its first storage.
#include "model/base/number.h"
#include "model/ordering.h"

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
static bool start_chain(const memplan_ordering *ordering, int32_t index, chain *link) {
  const memplan_storage *storage = &ordering->graph->storages[index];
  *link = (chain){.root = index, .pin = storage->pin, .pools = pools_of(ordering->graph, index)};
  return memplan_ordering_alignment(ordering, index, &link->offset);
}

static bool append(const memplan_ordering *ordering, chain *chains, const memplan_pair *pair) {
  chain *input = &chains[pair->input_storage], *output = &chains[pair->output_storage];
  chain *root = &chains[input->root];
  int64_t delta = input->delta + pair->delta;
  int64_t residue = (output->offset.residue - delta) % output->offset.align;
  memplan_congruence moved = {output->offset.align, residue < 0 ? residue + output->offset.align : residue}, joined;
  if (memplan_congruence_join(root->offset, moved, &joined) != MEMPLAN_CONGRUENCE_OK) {
    return false;
  }
  int64_t pin = root->pin;
  if (output->pin >= 0) {
    if (output->pin < delta || (pin >= 0 && pin != output->pin - delta)) {
      return false;
    }
    pin = output->pin - delta;
  }
  if (pin >= 0) {
    int64_t base = ordering->graph->n_pools == 1 ? ordering->graph->pools[0].base : 0;
    if ((pin + base) % joined.align != joined.residue) {
      return false;
    }
  }
  if ((root->pools & output->pools) == 0) {
    return false;
  }
  root->offset = joined;
  root->pin = pin;
  root->pools &= output->pools;
  output->root = input->root;
  output->delta = delta;
  return true;
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
    if (!start_chain(ordering, storage, &chains[storage])) {
      memplan_arena_free(&scratch);
      return memplan_fail(error, MEMPLAN_INPUT,
                          "tensor '%s': its alignments contradict the alignment asked of every buffer",
                          graph->tensors[graph->storages[storage].root].id);
    }
  }
  int32_t kept = 0;
  for (int32_t k = 0; k < *n_choices; k++) {
    if (append(ordering, chains, &ordering->pairs[choice[k]])) {
      choice[kept++] = choice[k];
    }
  }
  *n_choices = kept;
  memplan_arena_free(&scratch);
  return MEMPLAN_OK;
}
