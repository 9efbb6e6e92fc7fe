// SPDX-License-Identifier: Apache-2.0
#include "solvers/graph_search.h"

#include "model/planned_order.h"
#include "solvers/warm_start.h"

#include <string.h>

static bool is_fixed_order(const memplan_graph_search *state, const int32_t *order) {
  size_t n = (size_t)state->ordering->n_ops;
  return state->fixed == NULL || n == 0 || memcmp(state->fixed, order, n * sizeof *order) == 0;
}

static memplan_status place_start(memplan_graph_search *state, memplan_candidate *entry, memplan_instance *instance,
                                  memplan_error *error) {
  memplan_planned_order planned;
  memplan_place_result found;
  MEMPLAN_TRY(memplan_plan_resolve_order(state->ordering, state->solve->start, &planned, state->arena, error));
  if (!is_fixed_order(state, planned.order)) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "the plan to begin with has another order than --order %s: leave one of the two out",
                        state->solve->order);
  }
  MEMPLAN_TRY(memplan_ordering_lower(state->ordering, planned.order, planned.choice, planned.n_choices, instance, NULL,
                                     NULL, error));
  MEMPLAN_TRY(memplan_candidate_make(state->ordering, planned.order, planned.choice, planned.n_choices, instance,
                                     memplan_start_method.name, state->arena, entry, error));
  MEMPLAN_TRY(memplan_start_place(instance, state->solve->start, state->arena, &found, error));
  state->start = entry;
  return memplan_graph_set_incumbent(state, entry, instance, &found, error);
}

memplan_status memplan_graph_take_start(memplan_graph_search *state, memplan_error *error) {
  if (state->solve->start == NULL) {
    return MEMPLAN_OK;
  }
  memplan_candidate *entry = MEMPLAN_NEW(state->arena, memplan_candidate, 1);
  memplan_instance instance;
  memplan_instance_init(&instance);
  memplan_status status = entry == NULL ? memplan_fail_nomem(error) : place_start(state, entry, &instance, error);
  memplan_instance_free(&instance);
  return status;
}
