// SPDX-License-Identifier: Apache-2.0
// One of several pools of a graph as a graph of its own.
#ifndef MEMPLAN_GRAPH_POOL_H
#define MEMPLAN_GRAPH_POOL_H

#include "model/graph.h"

// That one certificate may speak of, so that its check costs no more than that many certificates of one pool.
enum { MEMPLAN_MOST_CERTIFIED_POOLS = 256 };

// The graph with this pool alone and what has to lie in it; everything else is still there, so that numbers stay, but
// has no bytes, and is in no in-place pair. What every plan of it needs, every plan of the graph needs in the pool.
// `alone` shares what it does not change with the graph, the rest belongs to `arena`; it is not to be freed. False if
// memory is out. O(storages, operators and pairs).
bool memplan_graph_of_pool(const memplan_graph *graph, int32_t pool, memplan_arena *arena, memplan_graph *alone);

// The same of plans in which each pool's peak stays within a limit (by pool, -1: any): what does not fit in the other
// pools that it admits has to lie here too. O(storages, operators and pairs) x pools.
bool memplan_graph_of_pool_within(const memplan_graph *graph, int32_t pool, const int64_t *limits, memplan_arena *arena,
                                  memplan_graph *alone);

// Would that graph hold all that takes bytes, and may all the rest lie in the pool too?
bool memplan_graph_is_of_pool(const memplan_graph *graph, int32_t pool, const int64_t *limits);

// Sets to 0 what workspaces, by operator of the graph, do not have to take in the pool. O(operators).
void memplan_graph_pool_workspace(const memplan_graph *graph, int32_t pool, int64_t *workspace);

#endif
