// SPDX-License-Identifier: Apache-2.0
// Order, in-place choices, pools and offsets of one graph with several pools together, where its candidates alone do
// not settle it.
#ifndef MEMPLAN_SOLVERS_GRAPH_JOIN_POOLS_H
#define MEMPLAN_SOLVERS_GRAPH_JOIN_POOLS_H

#include "solvers/graph_search.h"

// Is this the default, for a problem with several pools that can be searched for the best order?
bool memplan_graph_wants_join_pools(const memplan_graph_search *state);

// Searches for what is better than the incumbent, or for any plan where there is none or a capacity is asked about. A
// search that ends settles the incumbent (state->settled), or says in the solution that there is no plan within the
// capacities (infeasible). Nothing where the search does not take the problem.
memplan_status memplan_graph_join_pools(memplan_graph_search *state, memplan_error *error);

// Is it proven, with a part of the work, that an ordering like that of `state`, but with pools of its own, admits no
// plan? For what memplan_graph_join_pools takes.
memplan_status memplan_graph_refute_join_pools(memplan_graph_search *state, const memplan_ordering *ordering,
                                               bool *none, memplan_error *error);

// The default, by turns: a first share of the work for that search, then each pool alone (graph_each_pool.h), exact
// placements of all candidates, and the rest for the search again, with what is known of the pools by then.
memplan_status memplan_graph_search_pools(memplan_graph_search *state, memplan_error *error);

#endif
