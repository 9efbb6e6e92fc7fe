// SPDX-License-Identifier: Apache-2.0
// A plan to begin with is lowered by its own order and choice and placed as it says; from then on it is an incumbent
// like any other, and a candidate that searches go on from.
#include "solvers/graph_start.h"

#include "model/planned_order.h"
#include "solvers/graph_incumbent.h"
#include "solvers/warm_start.h"

#include <string.h>

static bool is_fixed_order(const memplan_graph_search *state, const int32_t *order) {
  size_t n = (size_t)state->ordering->n_ops;
  return state->fixed == NULL || n == 0 || memcmp(state->fixed, order, n * sizeof *order) == 0;
}

memplan_status memplan_graph_find_placement(const memplan_graph_search *state, const memplan_plan *plan,
                                            const memplan_planned_order *planned, memplan_placement *placement,
                                            memplan_error *error) {
  memplan_place_result found = {.placement = {.offset = NULL}};
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = memplan_ordering_lower(state->ordering, planned->order, planned->choice, planned->n_choices,
                                                 &instance, NULL, NULL, error);
  if (status == MEMPLAN_OK) {
    status = memplan_start_place(&instance, plan, state->arena, &found, error);
  }
  *placement = found.placement;
  memplan_instance_free(&instance);
  return status;
}

memplan_status memplan_graph_take_start(memplan_graph_search *state, memplan_error *error) {
  memplan_planned_order planned;
  memplan_graph_plan found = {.method = &memplan_start_method};
  if (state->solve->start == NULL) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_plan_resolve_order(state->ordering, state->solve->start, &planned, state->arena, error));
  if (!is_fixed_order(state, planned.order)) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "the plan to begin with has another order than --order %s: leave one of the two out",
                        state->solve->order);
  }
  found.order = planned.order;
  found.choice = planned.choice;
  found.n_choices = planned.n_choices;
  MEMPLAN_TRY(memplan_graph_find_placement(state, state->solve->start, &planned, &found.placement, error));
  MEMPLAN_TRY(memplan_graph_take_plan(state, &found, error));
  state->start = state->best.candidate;
  return MEMPLAN_OK;
}
