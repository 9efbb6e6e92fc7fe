// SPDX-License-Identifier: Apache-2.0
// The plan that the search for the plan of one graph begins with.
#ifndef MEMPLAN_SOLVERS_GRAPH_START_H
#define MEMPLAN_SOLVERS_GRAPH_START_H

#include "model/planned_order.h"
#include "solvers/graph_search.h"

// Makes state->solve->start, if there is one, the incumbent. MEMPLAN_INPUT: its order is not the fixed one.
memplan_status memplan_graph_take_start(memplan_graph_search *state, memplan_error *error);

// Where a plan's buffers lie, by block of what its order and choice lower to; memory of the search's arena.
memplan_status memplan_graph_find_placement(const memplan_graph_search *state, const memplan_plan *plan,
                                            const memplan_planned_order *planned, memplan_placement *placement,
                                            memplan_error *error);

#endif
