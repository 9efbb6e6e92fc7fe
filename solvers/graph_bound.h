// SPDX-License-Identifier: Apache-2.0
// Bounds of the arena of one graph, as the search for its plan knows them.
#ifndef MEMPLAN_SOLVERS_GRAPH_BOUND_H
#define MEMPLAN_SOLVERS_GRAPH_BOUND_H

#include "solvers/graph_search.h"

// The bounds of the arena and of the order peak from `least` (the order problem for bounds), into the search and the
// solution, and whether they refute the capacity asked for. On the given order, its own order peak is the bound.
memplan_status memplan_graph_find_bound(memplan_graph_search *state, const memplan_ordering *least,
                                        memplan_error *error);

// What an exhausted search of orders has proven holds for every placement in one pool.
void memplan_graph_raise_order_bound(memplan_graph_search *state, int64_t bytes);

// What a search has proven for the arena of every plan in one pool.
void memplan_graph_raise_bound(memplan_graph_search *state, int64_t bytes);

// The same from a window of operators, which the bound names then; `ops` NULL: from another search.
memplan_status memplan_graph_raise_window_bound(memplan_graph_search *state, int64_t bytes, const int32_t *ops,
                                                int32_t n_ops, memplan_error *error);

// What a search has proven for the largest peak of every plan in several pools.
void memplan_graph_raise_largest(memplan_graph_search *state, int64_t bytes);

// A peak that is as good as was asked for, and whether the incumbent has one.
int64_t memplan_graph_goal(const memplan_graph_search *state);
bool memplan_graph_goal_met(const memplan_graph_search *state);

#endif
