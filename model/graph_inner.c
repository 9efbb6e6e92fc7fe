// SPDX-License-Identifier: Apache-2.0
// The weights that lie in bodies. Bodies are resolved before the graph around them, so that each of them has gathered
// those of its own bodies already, and one level is left to do: the body's own weights, and what it has gathered under
// longer names.
#include "model/graph_steps.h"

#include <stdio.h>
#include <string.h>

static bool is_own_weight(const memplan_graph *body, const memplan_storage *storage) {
  return (storage->roles & MEMPLAN_ROLE_WEIGHT) != 0 && !body->tensors[storage->root].captured;
}

static const char *name_weight(memplan_graph *graph, const memplan_body *body, const char *tensor) {
  const char *op = graph->ops[body->op].id;
  size_t size = strlen(op) + strlen(body->name) + strlen(tensor) + 3;
  char *id = MEMPLAN_NEW(&graph->arena, char, size);
  if (id != NULL) {
    (void)snprintf(id, size, "%s#%s#%s", op, body->name, tensor);
  }
  return id;
}

static memplan_status add_weight(memplan_graph *graph, const memplan_body *body, memplan_inner_weight weight,
                                 memplan_error *error) {
  weight.id = name_weight(graph, body, weight.id);
  weight.op = body->op;
  graph->inner_weights[graph->n_inner_weights++] = weight;
  return weight.id != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static memplan_status gather(memplan_graph *graph, const memplan_body *body, memplan_error *error) {
  const memplan_graph *inner = body->graph;
  for (int32_t index = 0; index < inner->n_storages; index++) {
    const memplan_storage *storage = &inner->storages[index];
    if (is_own_weight(inner, storage)) {
      memplan_inner_weight weight = {.id = inner->tensors[storage->root].id,
                                     .bytes = storage->bytes,
                                     .align = storage->align,
                                     .residue = storage->residue,
                                     .touched = storage->n_touches > 0};
      MEMPLAN_TRY(add_weight(graph, body, weight, error));
    }
  }
  for (int32_t k = 0; k < inner->n_inner_weights; k++) {
    MEMPLAN_TRY(add_weight(graph, body, inner->inner_weights[k], error));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_graph_make_inner_weights(memplan_graph *graph, memplan_error *error) {
  int64_t most = 0;
  for (int32_t k = 0; k < graph->n_bodies; k++) {
    const memplan_graph *inner = graph->bodies[k].graph;
    for (int32_t index = 0; index < inner->n_storages; index++) {
      most += is_own_weight(inner, &inner->storages[index]) ? 1 : 0;
    }
    most += inner->n_inner_weights;
  }
  if (most > INT32_MAX / 2) {
    return memplan_fail(error, MEMPLAN_INPUT, "the bodies hold more than 2^30 weights");
  }
  graph->inner_weights = MEMPLAN_NEW(&graph->arena, memplan_inner_weight, most);
  if (graph->inner_weights == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < graph->n_bodies; k++) {
    MEMPLAN_TRY(gather(graph, &graph->bodies[k], error));
  }
  return MEMPLAN_OK;
}
