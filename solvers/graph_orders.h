// SPDX-License-Identifier: Apache-2.0
// The orders that the search for the plan of one graph places.
#ifndef MEMPLAN_SOLVERS_GRAPH_ORDERS_H
#define MEMPLAN_SOLVERS_GRAPH_ORDERS_H

#include "solvers/graph_search.h"

// Runs the order methods that the options ask for, and fills and sorts the candidates.
memplan_status memplan_graph_find_candidates(memplan_graph_search *state, memplan_error *error);

// Goes on with the exact order search, from the best candidate and with so much work; what it finds is added to the
// candidates.
memplan_status memplan_graph_search_order(memplan_graph_search *state, int64_t work, memplan_error *error);

// Has the exact order search been cut short although another order could help: is the best one above the bound?
bool memplan_graph_wants_order(const memplan_graph_search *state);

#endif
