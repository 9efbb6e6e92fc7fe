// SPDX-License-Identifier: Apache-2.0
// Why its plans need no more: take a plan of the graph, and of it the order and what has to lie in the pool, at the
// offsets that it has there. That is a plan of the pool alone. Of a chosen pair, both buffers lie in one pool; if only
// one of them has to, it is whole here: an output then has its bytes, some of which were the input's, and whoever lay
// apart from both before lies apart from it now.
//
// Weights of bodies may lie in any pool, and so do not count.
#include "model/graph_pool.h"

#include <string.h>

// What is asked of a pool.
typedef struct question {
  const memplan_graph *graph;
  int32_t pool;
  const int64_t *limits;
} question;

static bool admits(const int32_t *pools, int32_t n_pools, int32_t pool) {
  bool listed = n_pools == 0;
  for (int32_t k = 0; k < n_pools; k++) {
    listed = listed || pools[k] == pool;
  }
  return listed;
}

// Has something that ends at `end` or above, and admits these pools, to lie in the one asked about?
static bool lies_in(const question *asked, const int32_t *pools, int32_t n_pools, int64_t end) {
  if (asked->limits == NULL) {
    return n_pools == 1 && pools[0] == asked->pool;
  }
  bool elsewhere = false;
  for (int32_t pool = 0; pool < asked->graph->n_pools; pool++) {
    int64_t limit = asked->limits[pool];
    elsewhere = elsewhere || (pool != asked->pool && admits(pools, n_pools, pool) && (limit < 0 || end <= limit));
  }
  return !elsewhere && admits(pools, n_pools, asked->pool);
}

static bool storage_lies_in(const question *asked, const memplan_storage *storage) {
  return lies_in(asked, storage->pools, storage->n_pools, (storage->pin > 0 ? storage->pin : 0) + storage->bytes);
}

static bool workspace_lies_in(const question *asked, const memplan_op *op) {
  return lies_in(asked, op->workspace_pools, op->n_workspace_pools, op->workspace);
}

static void keep_storages(const question *asked, memplan_storage *storages) {
  const memplan_graph *graph = asked->graph;
  for (int32_t k = 0; k < graph->n_storages; k++) {
    const memplan_storage *from = &graph->storages[k];
    storages[k] = *from;
    storages[k].pools = NULL;
    storages[k].n_pools = 0;
    if (!storage_lies_in(asked, from)) {
      storages[k].bytes = 0;
      storages[k].align = 1;
      storages[k].residue = 0;
      storages[k].pin = -1;
    }
  }
}

static void keep_workspaces(const question *asked, memplan_op *ops) {
  const memplan_graph *graph = asked->graph;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    ops[op] = graph->ops[op];
    ops[op].workspace = workspace_lies_in(asked, &graph->ops[op]) ? ops[op].workspace : 0;
    ops[op].workspace_pools = NULL;
    ops[op].n_workspace_pools = 0;
  }
}

static void keep_pairs(const question *asked, memplan_graph *alone) {
  const memplan_graph *graph = asked->graph;
  alone->n_pairs = 0;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    alone->pair_first[op] = alone->n_pairs;
    for (int32_t k = graph->pair_first[op]; k < graph->pair_first[op + 1]; k++) {
      const memplan_storage *output = &graph->storages[graph->pairs[k].output_storage];
      const memplan_storage *input = &graph->storages[graph->pairs[k].input_storage];
      if (storage_lies_in(asked, output) && storage_lies_in(asked, input)) {
        alone->pairs[alone->n_pairs++] = graph->pairs[k];
      }
    }
  }
  alone->pair_first[graph->n_ops] = alone->n_pairs;
}

bool memplan_graph_of_pool(const memplan_graph *graph, int32_t pool, memplan_arena *arena, memplan_graph *alone) {
  return memplan_graph_of_pool_within(graph, pool, NULL, arena, alone);
}

bool memplan_graph_of_pool_within(const memplan_graph *graph, int32_t pool, const int64_t *limits, memplan_arena *arena,
                                  memplan_graph *alone) {
  const question asked = {graph, pool, limits};
  *alone = *graph;
  alone->storages = MEMPLAN_NEW(arena, memplan_storage, graph->n_storages);
  alone->ops = MEMPLAN_NEW(arena, memplan_op, graph->n_ops);
  alone->pairs = MEMPLAN_NEW(arena, memplan_pair, graph->n_pairs);
  alone->pair_first = MEMPLAN_NEW(arena, int32_t, (int64_t)graph->n_ops + 1);
  if (alone->storages == NULL || alone->ops == NULL || alone->pairs == NULL || alone->pair_first == NULL) {
    return false;
  }
  alone->pools = &graph->pools[pool];
  alone->n_pools = 1;
  alone->n_inner_weights = 0;
  keep_storages(&asked, alone->storages);
  keep_workspaces(&asked, alone->ops);
  keep_pairs(&asked, alone);
  return true;
}

void memplan_graph_pool_workspace(const memplan_graph *graph, int32_t pool, int64_t *workspace) {
  const question asked = {graph, pool, NULL};
  for (int32_t op = 0; op < graph->n_ops; op++) {
    const memplan_op *entry = &graph->ops[op];
    workspace[op] = workspace_lies_in(&asked, entry) ? workspace[op] : 0;
  }
}

bool memplan_graph_is_of_pool(const memplan_graph *graph, int32_t pool, const int64_t *limits) {
  const question asked = {graph, pool, limits};
  bool all = graph->n_inner_weights == 0;
  for (int32_t k = 0; k < graph->n_storages && all; k++) {
    const memplan_storage *storage = &graph->storages[k];
    all = storage->bytes > 0 ? storage_lies_in(&asked, storage) : admits(storage->pools, storage->n_pools, pool);
  }
  for (int32_t op = 0; op < graph->n_ops && all; op++) {
    all = graph->ops[op].workspace == 0 || workspace_lies_in(&asked, &graph->ops[op]);
  }
  return all;
}
