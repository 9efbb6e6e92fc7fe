// SPDX-License-Identifier: Apache-2.0
#include "instances/pin_pools.h"

#include "model/base/quote.h"

#include <string.h>

static const char workspace_suffix[] = "#workspace";

static memplan_status find_pool(const memplan_pool *pools, int32_t n_pools, const memplan_pin_pool *pin, int32_t *index,
                                memplan_error *error) {
  *index = memplan_pool_find(pools, n_pools, pin->pool);
  if (*index >= 0) {
    return MEMPLAN_OK;
  }
  if (n_pools == 0) {
    return memplan_fail(error, MEMPLAN_INPUT, "'%s' cannot be put into pool '%s': the file defines no pools",
                        memplan_quote(pin->buffer).text, memplan_quote(pin->pool).text);
  }
  return memplan_fail(error, MEMPLAN_INPUT,
                      "'%s' cannot be put into pool '%s': there is no such pool; the first one is '%s'",
                      memplan_quote(pin->buffer).text, memplan_quote(pin->pool).text, memplan_quote(pools[0].id).text);
}

static memplan_status fail_buffer(const memplan_pin_pool *pin, const char *what, memplan_error *error) {
  return memplan_fail(error, MEMPLAN_INPUT, "'%s' cannot be put into pool '%s': there is no such %s",
                      memplan_quote(pin->buffer).text, memplan_quote(pin->pool).text, what);
}

// The root of a tensor's views, at most n_tensors steps away even if they form a cycle, which resolving reports.
static memplan_tensor *find_root(memplan_graph *graph, int32_t index) {
  for (int32_t steps = 0; steps < graph->n_tensors && graph->tensors[index].view_of >= 0; steps++) {
    index = graph->tensors[index].view_of;
  }
  return &graph->tensors[index];
}

static bool is_workspace_of(const char *buffer, const char *op) {
  size_t length = strlen(op);
  return strncmp(buffer, op, length) == 0 && strcmp(buffer + length, workspace_suffix) == 0;
}

static memplan_status pin_graph(memplan_graph *graph, const memplan_pin_pool *pin, const int32_t *pool,
                                memplan_error *error) {
  for (int32_t i = 0; i < graph->n_tensors; i++) {
    if (strcmp(graph->tensors[i].id, pin->buffer) == 0) {
      memplan_tensor *root = find_root(graph, i);
      root->pools = pool;
      root->n_pools = 1;
      return MEMPLAN_OK;
    }
  }
  for (int32_t i = 0; i < graph->n_ops; i++) {
    if (is_workspace_of(pin->buffer, graph->ops[i].id)) {
      graph->ops[i].workspace_pools = pool;
      graph->ops[i].n_workspace_pools = 1;
      return MEMPLAN_OK;
    }
  }
  return fail_buffer(pin, "tensor or workspace", error);
}

static memplan_status pin_instance(memplan_instance *instance, const memplan_pin_pool *pin, const int32_t *pool,
                                   memplan_error *error) {
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    if (strcmp(instance->buffers[i].id, pin->buffer) == 0) {
      instance->buffers[i].pools = pool;
      instance->buffers[i].n_pools = 1;
      return MEMPLAN_OK;
    }
  }
  return fail_buffer(pin, "buffer", error);
}

memplan_status memplan_pin_pools_apply(memplan_problem *problem, memplan_graph *graph, memplan_instance *instance,
                                       memplan_error *error) {
  for (int32_t i = 0; i < problem->options.n_pin_pools; i++) {
    const memplan_pin_pool *pin = &problem->options.pin_pools[i];
    int32_t *pool = MEMPLAN_NEW(&problem->arena, int32_t, 1);
    if (pool == NULL) {
      return memplan_fail_nomem(error);
    }
    if (graph != NULL) {
      MEMPLAN_TRY(find_pool(graph->pools, graph->n_pools, pin, pool, error));
      MEMPLAN_TRY(pin_graph(graph, pin, pool, error));
    } else {
      MEMPLAN_TRY(find_pool(instance->pools, instance->n_pools, pin, pool, error));
      MEMPLAN_TRY(pin_instance(instance, pin, pool, error));
    }
  }
  return MEMPLAN_OK;
}
