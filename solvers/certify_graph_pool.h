// SPDX-License-Identifier: Apache-2.0
// Certificates of one of several pools of a graph that hold on every order: of what has to lie in it alone
// (model/graph_pool.h). No plan is needed. Each writes the certificate of the writer, or leaves it without a text;
// `missing` then says why only where it would have been too large. The writer's problem is the graph with all pools.
#ifndef MEMPLAN_SOLVERS_CERTIFY_GRAPH_POOL_H
#define MEMPLAN_SOLVERS_CERTIFY_GRAPH_POOL_H

#include "solvers/certify_writer.h"

// That the peak of the pool is no less than so many bytes (> 0), by a bound or else by a search, which has the pool's
// share of the work of the writer's limits. `weaker`: or else the largest bound that has a proof. Memory of `arena`.
memplan_status memplan_certify_graph_pool(memplan_certify_writer *w, int32_t pool, int64_t bytes, bool weaker,
                                          memplan_arena *arena, memplan_error *error);

// That a pool does not hold what has to lie in it alone, within its capacity and the one that is asked about: the first
// one by its bounds, or else by a search.
memplan_status memplan_certify_graph_pool_refutation(memplan_certify_writer *w, memplan_error *error);

#endif
