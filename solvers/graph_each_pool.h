// SPDX-License-Identifier: Apache-2.0
// One graph, several pools, and each of them alone: what has to lie in a pool is a graph with one pool, for which all
// searches of orders and placements are there.
#ifndef MEMPLAN_SOLVERS_GRAPH_EACH_POOL_H
#define MEMPLAN_SOLVERS_GRAPH_EACH_POOL_H

#include "solvers/graph_search.h"

// Plans the pools alone, from the last one to the first (a pool that is to be made small before them), each in an
// equal part of `work` ticks: raises `bounds` (by pool) to what each needs in every plan; the orders found become
// candidates. Pools whose peaks are settled are limits for those that follow. If all peaks of the incumbent meet their
// bounds, it is settled (state->settled); what needs more than a capacity refutes the problem (infeasible). Nothing of
// graphs with bodies.
memplan_status memplan_graph_plan_pools(memplan_graph_search *state, int64_t work, int64_t *bounds,
                                        memplan_error *error);

#endif
