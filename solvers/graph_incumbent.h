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

// A plan that has been found or given, by block of what its order and choice lower to.
typedef struct memplan_graph_plan {
  const memplan_method *method; // of the placement
  const char *order_method;     // NULL: the same
  const int32_t *order, *choice;
  int32_t n_choices;
  memplan_placement placement;
} memplan_graph_plan;

// It becomes the incumbent, with a candidate of its own, if its peaks, measured anew, are better as above. Order and
// choice stay where they are; the placement is copied.
memplan_status memplan_graph_take_plan(memplan_graph_search *state, const memplan_graph_plan *plan,
                                       memplan_error *error);

#endif
