// SPDX-License-Identifier: Apache-2.0
// One graph and several pools, whose peaks the objective compares: the exact placement of its candidates.
#ifndef MEMPLAN_SOLVERS_GRAPH_POOLS_H
#define MEMPLAN_SOLVERS_GRAPH_POOLS_H

#include "solvers/graph_search.h"
#include "solvers/place_optimal.h"

// Does nothing remain open but the placement: one order, no in-place pair, bodies that cannot be smaller? O(operators
// and precedences).
bool memplan_graph_is_one_problem(const memplan_graph_search *state);

// What the exact search has said of a candidate, taken for the graph where it is the only problem: that the incumbent
// is the best (state->settled), once the search's placement was compared with it, or that there is no plan
// (infeasible). MEMPLAN_NOMEM.
memplan_status memplan_graph_conclude_pools(memplan_graph_search *state, const memplan_instance *instance,
                                            const memplan_optimal_result *result, memplan_error *error);

// Places every candidate that may still hold a better plan exactly, from what the heuristics find, each in its share of
// the work, the incumbent's own first. Nothing unless the methods are left open and several pools ask for no capacity.
memplan_status memplan_graph_settle_pools(memplan_graph_search *state, memplan_error *error);

// The same for one candidate, which the heuristics have placed.
memplan_status memplan_graph_settle_candidate(memplan_graph_search *state, const memplan_candidate *entry,
                                              memplan_error *error);

#endif
