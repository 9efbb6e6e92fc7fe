// SPDX-License-Identifier: Apache-2.0
// Why its plans need no more: take a plan of the graph, and of it the order and what has to lie in the pool, at the
// offsets that it has there. That is a plan of the pool alone. Of a chosen pair, both buffers lie in one pool; if only
// one of them has to, it is whole here: an output then has its bytes, some of which were the input's, and whoever lay
// apart from both before lies apart from it now.
//
// Weights of bodies may lie in any pool, and so do not count.
#include "model/graph_pool.h"

#include <string.h>

static bool lies_in(const int32_t *pools, int32_t n_pools, int32_t pool) { return n_pools == 1 && pools[0] == pool; }

static void keep_storages(const memplan_graph *graph, int32_t pool, memplan_storage *storages) {
  for (int32_t k = 0; k < graph->n_storages; k++) {
    const memplan_storage *from = &graph->storages[k];
    storages[k] = *from;
    storages[k].pools = NULL;
    storages[k].n_pools = 0;
    if (!lies_in(from->pools, from->n_pools, pool)) {
      storages[k].bytes = 0;
      storages[k].align = 1;
      storages[k].residue = 0;
      storages[k].pin = -1;
    }
  }
}

static void keep_workspaces(const memplan_graph *graph, int32_t pool, memplan_op *ops) {
  for (int32_t op = 0; op < graph->n_ops; op++) {
    ops[op] = graph->ops[op];
    ops[op].workspace = lies_in(ops[op].workspace_pools, ops[op].n_workspace_pools, pool) ? ops[op].workspace : 0;
    ops[op].workspace_pools = NULL;
    ops[op].n_workspace_pools = 0;
  }
}

static void keep_pairs(const memplan_graph *graph, int32_t pool, memplan_graph *alone) {
  alone->n_pairs = 0;
  for (int32_t op = 0; op < graph->n_ops; op++) {
    alone->pair_first[op] = alone->n_pairs;
    for (int32_t k = graph->pair_first[op]; k < graph->pair_first[op + 1]; k++) {
      const memplan_storage *output = &graph->storages[graph->pairs[k].output_storage];
      const memplan_storage *input = &graph->storages[graph->pairs[k].input_storage];
      if (lies_in(output->pools, output->n_pools, pool) && lies_in(input->pools, input->n_pools, pool)) {
        alone->pairs[alone->n_pairs++] = graph->pairs[k];
      }
    }
  }
  alone->pair_first[graph->n_ops] = alone->n_pairs;
}

bool memplan_graph_of_pool(const memplan_graph *graph, int32_t pool, memplan_arena *arena, memplan_graph *alone) {
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
  keep_storages(graph, pool, alone->storages);
  keep_workspaces(graph, pool, alone->ops);
  keep_pairs(graph, pool, alone);
  return true;
}

void memplan_graph_pool_workspace(const memplan_graph *graph, int32_t pool, int64_t *workspace) {
  for (int32_t op = 0; op < graph->n_ops; op++) {
    const memplan_op *entry = &graph->ops[op];
    workspace[op] = lies_in(entry->workspace_pools, entry->n_workspace_pools, pool) ? workspace[op] : 0;
  }
}
