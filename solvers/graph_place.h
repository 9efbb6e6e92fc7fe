// SPDX-License-Identifier: Apache-2.0
// The placements of one candidate of a graph.
#ifndef MEMPLAN_SOLVERS_GRAPH_PLACE_H
#define MEMPLAN_SOLVERS_GRAPH_PLACE_H

#include "solvers/graph_search.h"

// Places what a candidate was lowered to; what `scratch` and `instance` hold ends with the call.
typedef memplan_status memplan_graph_placer(memplan_graph_search *state, const memplan_candidate *entry,
                                            memplan_instance *instance, memplan_arena *scratch, memplan_error *error);

// Lowers a candidate and hands it to `placer`. One that contradicts itself, or that a limit of the model is in the way
// of, is left out and noted, once (state->obstacles).
memplan_status memplan_graph_lower(memplan_graph_search *state, const memplan_candidate *entry,
                                   memplan_graph_placer *placer, memplan_error *error);

// Lowers a candidate and places it by the methods asked for; what is better becomes the incumbent. An order on which
// pins, reserved ranges, capacities or sizes contradict each other, or a choice whose colocations do with them, cannot
// be lowered and is left out (state->obstacles): another one may be possible.
memplan_status memplan_graph_place(memplan_graph_search *state, const memplan_candidate *entry, memplan_error *error);

#endif
