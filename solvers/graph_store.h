// SPDX-License-Identifier: Apache-2.0
// The solution of one graph from what the search for its plan has found.
#ifndef MEMPLAN_SOLVERS_GRAPH_STORE_H
#define MEMPLAN_SOLVERS_GRAPH_STORE_H

#include "solvers/graph_search.h"
#include "solvers/prepare.h"

// The incumbent as plan of the solution.
memplan_status memplan_graph_store_plan(memplan_graph_search *state, memplan_error *error);

// Body plans move from the prepared bodies into the plan.
memplan_status memplan_graph_store_bodies(const memplan_graph *graph, memplan_prepared *prepared, memplan_plan *plan,
                                          memplan_error *error);

#endif
