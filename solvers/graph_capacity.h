// SPDX-License-Identifier: Apache-2.0
// One graph, several pools, and a capacity that none of their peaks may pass.
#ifndef MEMPLAN_SOLVERS_GRAPH_CAPACITY_H
#define MEMPLAN_SOLVERS_GRAPH_CAPACITY_H

#include "solvers/graph_search.h"

// Is it asked whether each pool's peak can stay within a capacity?
bool memplan_graph_asks_pools(const memplan_graph_search *state);

// Whether no order, choice and placement can, into the solution (infeasible).
memplan_status memplan_graph_refute_pools(memplan_graph_search *state, const memplan_ordering *least,
                                          memplan_error *error);

// Places a lowered candidate so that each does, by heuristics, and unless they are asked for by the exact search in the
// candidate's share of the work. found->method stays NULL if it finds none; if that is proven and no other problem is
// left, the solution says so (infeasible).
memplan_status memplan_graph_place_within(memplan_graph_search *state, const memplan_instance *instance,
                                          const memplan_place_news *news, memplan_arena *scratch,
                                          memplan_place_result *found, memplan_error *error);

#endif
