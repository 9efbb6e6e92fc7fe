// SPDX-License-Identifier: Apache-2.0
// Second step: each tensor finds its storage and its offset there. A view's alignment and pin bind its place in the
// arena, so they become conditions on the storage's offset: offset + d = 0 (mod a) is offset = -d (mod a), joined by
// the Chinese remainder theorem.
#include "model/base/number.h"
#include "model/graph_steps.h"

#include <inttypes.h>

enum { unseen = -1, on_path = -2 };

// Follows views from `start` to a resolved tensor or a root, then resolves the path backwards. Each tensor is walked
// once.
static memplan_status resolve_chain(memplan_graph *graph, int32_t start, int32_t *path, memplan_error *error) {
  int32_t length = 0;
  int32_t tensor = start;
  while (graph->tensors[tensor].storage == unseen && graph->tensors[tensor].view_of >= 0) {
    graph->tensors[tensor].storage = on_path;
    path[length++] = tensor;
    tensor = graph->tensors[tensor].view_of;
  }
  if (graph->tensors[tensor].storage == on_path) {
    return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s' is a view of itself through other views",
                        graph->tensors[tensor].id);
  }
  if (graph->tensors[tensor].storage == unseen) {
    return memplan_fail(error, MEMPLAN_INTERNAL, "root tensor '%s' has no storage", graph->tensors[tensor].id);
  }
  while (length > 0) {
    memplan_tensor *view = &graph->tensors[path[--length]];
    const memplan_tensor *base = &graph->tensors[view->view_of];
    if (view->view_offset < 0 || view->view_offset > base->bytes || view->bytes > base->bytes - view->view_offset) {
      return memplan_fail(
          error, MEMPLAN_INPUT, "view '%s' covers bytes %" PRId64 " ... %" PRId64 " of '%s', which has %" PRId64,
          view->id, view->view_offset,
          memplan_add_saturated(view->view_offset < 0 ? 0 : view->view_offset, view->bytes), base->id, base->bytes);
    }
    view->storage = base->storage;
    view->offset = base->offset + view->view_offset;
  }
  return MEMPLAN_OK;
}

static memplan_status add_alignment(const memplan_graph *graph, memplan_storage *storage, const memplan_tensor *tensor,
                                    memplan_error *error) {
  if (tensor->align == 1) {
    return MEMPLAN_OK;
  }
  int64_t residue = tensor->offset % tensor->align;
  memplan_congruence joined;
  memplan_congruence_result result =
      memplan_congruence_join((memplan_congruence){storage->align, storage->residue},
                              (memplan_congruence){tensor->align, residue == 0 ? 0 : tensor->align - residue}, &joined);
  if (result != MEMPLAN_CONGRUENCE_OK) {
    return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': alignment %" PRId64 " at byte %" PRId64 " of '%s' %s",
                        tensor->id, tensor->align, tensor->offset, graph->tensors[storage->root].id,
                        result == MEMPLAN_CONGRUENCE_CONTRADICTION
                            ? "contradicts the alignments of the tensors beside it"
                            : "makes a common alignment above 2^62");
  }
  storage->align = joined.align;
  storage->residue = joined.residue;
  return MEMPLAN_OK;
}

static memplan_status add_pin(const memplan_graph *graph, memplan_storage *storage, const memplan_tensor *tensor,
                              memplan_error *error) {
  if (tensor->pin < 0) {
    return MEMPLAN_OK;
  }
  int64_t pin = tensor->pin - tensor->offset;
  if (pin < 0 || (storage->pin >= 0 && storage->pin != pin)) {
    return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': pin %" PRId64 " would put its buffer '%s' at %" PRId64 "%s",
                        tensor->id, tensor->pin, graph->tensors[storage->root].id, pin,
                        pin < 0 ? ", below 0" : ", but another pin says otherwise");
  }
  storage->pin = pin;
  return MEMPLAN_OK;
}

static bool admits(const memplan_tensor *tensor, int32_t pool) {
  for (int32_t k = 0; k < tensor->n_pools; k++) {
    if (tensor->pools[k] == pool) {
      return true;
    }
  }
  return false;
}

// A storage lies in one pool, which every tensor of it that states pools has to admit.
static memplan_status add_pools(memplan_graph *graph, memplan_storage *storage, const memplan_tensor *tensor,
                                memplan_error *error) {
  if (tensor->n_pools == 0) {
    return MEMPLAN_OK;
  }
  if (storage->n_pools == 0) {
    storage->pools = tensor->pools;
    storage->n_pools = tensor->n_pools;
    return MEMPLAN_OK;
  }
  int32_t *common = MEMPLAN_NEW(&graph->arena, int32_t, storage->n_pools);
  if (common == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t count = 0;
  for (int32_t k = 0; k < storage->n_pools; k++) {
    if (admits(tensor, storage->pools[k])) {
      common[count++] = storage->pools[k];
    }
  }
  if (count == 0) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "tensor '%s' admits no pool that the other tensors of its buffer '%s' admit", tensor->id,
                        graph->tensors[storage->root].id);
  }
  storage->pools = common;
  storage->n_pools = count;
  return MEMPLAN_OK;
}

static memplan_status add_tensor(memplan_graph *graph, int32_t index, memplan_error *error) {
  const memplan_tensor *tensor = &graph->tensors[index];
  memplan_storage *storage = &graph->storages[tensor->storage];
  if ((tensor->roles & MEMPLAN_ROLE_INPUT) != 0 && !tensor->donatable) {
    storage->donatable = false;
  }
  storage->roles |= tensor->roles;
  MEMPLAN_TRY(add_pools(graph, storage, tensor, error));
  MEMPLAN_TRY(add_alignment(graph, storage, tensor, error));
  return add_pin(graph, storage, tensor, error);
}

memplan_status memplan_graph_make_storages(memplan_graph *graph, memplan_error *error) {
  int32_t *path = MEMPLAN_NEW(&graph->arena, int32_t, graph->n_tensors);
  graph->storages = MEMPLAN_NEW(&graph->arena, memplan_storage, graph->n_tensors);
  if (path == NULL || graph->storages == NULL) {
    return memplan_fail_nomem(error);
  }
  graph->n_storages = 0;
  for (int32_t index = 0; index < graph->n_tensors; index++) {
    memplan_tensor *tensor = &graph->tensors[index];
    tensor->storage = unseen;
    tensor->offset = 0;
    if (tensor->view_of < 0) {
      tensor->storage = graph->n_storages++;
      graph->storages[tensor->storage] =
          (memplan_storage){.root = index, .bytes = tensor->bytes, .align = 1, .pin = -1, .donatable = true};
    }
  }
  for (int32_t index = 0; index < graph->n_tensors; index++) {
    MEMPLAN_TRY(resolve_chain(graph, index, path, error));
  }
  for (int32_t index = 0; index < graph->n_tensors; index++) {
    MEMPLAN_TRY(add_tensor(graph, index, error));
  }
  for (int32_t index = 0; index < graph->n_storages; index++) {
    memplan_storage *storage = &graph->storages[index];
    // With pools a base may come before the alignment; the lowered instance checks that case.
    if (graph->n_pools == 0 && storage->pin >= 0 && storage->pin % storage->align != storage->residue) {
      return memplan_fail(error, MEMPLAN_INPUT, "tensor '%s': pin %" PRId64 " breaks its alignment %" PRId64,
                          graph->tensors[storage->root].id, storage->pin, storage->align);
    }
  }
  return MEMPLAN_OK;
}
