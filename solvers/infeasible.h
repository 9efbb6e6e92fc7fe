// SPDX-License-Identifier: Apache-2.0
// Why no plan can fit into the capacities of pools, as one sentence that names pool, time and buffers.
#ifndef MEMPLAN_SOLVERS_INFEASIBLE_H
#define MEMPLAN_SOLVERS_INFEASIBLE_H

#include "model/memplan.h"

// A proof that the instance does not fit, or NULL if the bounds leave it open (or memory is out). `bound`: a lower
// bound of an instance with one pool. The text belongs to `arena`. O(pools x (blocks + parts)).
const char *memplan_infeasible_instance(const memplan_instance *instance, const memplan_bound *bound,
                                        memplan_arena *arena);

// Of an instance that is known not to fit: the pools and the buffers that are enough for that, as far as short searches
// find them. `why`: a sentence that they continue, or NULL if only a search has refuted it. *reason belongs to `arena`,
// or is `why` or a constant. `solve`: limits started.
memplan_status memplan_infeasible_core(const memplan_instance *instance, const memplan_solve_options *solve,
                                       const char *why, memplan_arena *arena, const char **reason,
                                       memplan_error *error);

// The same for a graph, whatever the order: `bound` holds for the sum over its pools.
const char *memplan_infeasible_graph(const memplan_graph *graph, const memplan_bound *bound, memplan_arena *arena);

#endif
