// SPDX-License-Identifier: Apache-2.0
// Why no plan can fit into the capacities of pools, as one sentence that names pool, time and buffers.
#ifndef MEMPLAN_SOLVERS_INFEASIBLE_H
#define MEMPLAN_SOLVERS_INFEASIBLE_H

#include "model/memplan.h"

// A proof that the instance does not fit, or NULL if the bounds leave it open (or memory is out). `bound`: a lower
// bound of an instance with one pool. The text belongs to `arena`. O(pools x (blocks + parts)).
const char *memplan_infeasible_instance(const memplan_instance *instance, const memplan_bound *bound,
                                        memplan_arena *arena);

// The same for a graph, whatever the order: `bound` holds for the sum over its pools.
const char *memplan_infeasible_graph(const memplan_graph *graph, const memplan_bound *bound, memplan_arena *arena);

#endif
