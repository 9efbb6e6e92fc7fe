// SPDX-License-Identifier: Apache-2.0
// The placements of one candidate of a graph.
#ifndef MEMPLAN_SOLVERS_GRAPH_PLACE_H
#define MEMPLAN_SOLVERS_GRAPH_PLACE_H

#include "solvers/graph_search.h"

// Lowers a candidate and places it by the methods asked for; what is better becomes the incumbent. An order on which
// pins, reserved ranges, capacities or sizes contradict each other, or a choice whose colocations do with them, cannot
// be lowered and is left out (state->obstacles): another one may be possible.
memplan_status memplan_graph_place(memplan_graph_search *state, const memplan_candidate *entry, memplan_error *error);

#endif
