// SPDX-License-Identifier: Apache-2.0
// The incumbent of the search for the plan of one graph.
#ifndef MEMPLAN_SOLVERS_GRAPH_INCUMBENT_H
#define MEMPLAN_SOLVERS_GRAPH_INCUMBENT_H

#include "solvers/graph_search.h"

// A placement of `instance`, which `entry` lowers to, becomes the incumbent; the instance goes over to the search.
memplan_status memplan_graph_set_incumbent(memplan_graph_search *state, const memplan_candidate *entry,
                                           memplan_instance *instance, const memplan_place_result *found,
                                           memplan_error *error);

// The same if there is a placement and it is better than the incumbent, with several pools by the objective.
memplan_status memplan_graph_take_better(memplan_graph_search *state, const memplan_candidate *entry,
                                         memplan_instance *instance, const memplan_place_result *found,
                                         memplan_error *error);

// A plan that has been found or given, by block of what its order and choice lower to: the incumbent, with a candidate
// of its own, if its peak, measured anew, is less. `method`: of order and placement. Order and choice stay where they
// are; the placement is copied.
memplan_status memplan_graph_take_plan(memplan_graph_search *state, const memplan_method *method, const int32_t *order,
                                       const int32_t *choice, int32_t n_choices, const memplan_placement *placement,
                                       memplan_error *error);

#endif
