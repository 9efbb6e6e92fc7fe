// SPDX-License-Identifier: Apache-2.0
// The incumbent's parts move into the solution: offsets by name, the order, the choice, and whether its peak is the
// bound. Plans of bodies were made before, and move too.
#include "solvers/graph_store.h"

#include "solvers/bounds.h"

#include <string.h>

// The witness of an operator bound is a step of the plan's order.
static void locate_witness(const memplan_graph_search *state, memplan_bound *bound) {
  if (bound->op == NULL || state->best.candidate == NULL) {
    return;
  }
  for (int32_t t = 0; t < state->graph->n_ops; t++) {
    if (strcmp(state->graph->ops[state->best.candidate->order[t]].id, bound->op) == 0) {
      bound->step = t;
      return;
    }
  }
}

memplan_status memplan_graph_store_plan(memplan_graph_search *state, memplan_error *error) {
  memplan_solution *solution = state->solution;
  const memplan_candidate *best = state->best.candidate;
  memplan_plan *plan = &solution->plan;
  MEMPLAN_TRY(memplan_assemble_offsets(&state->best.instance, &state->best.placement, plan, error));
  MEMPLAN_TRY(memplan_assemble_order(state->ordering, best->order, best->choice, best->n_choices, plan, error));
  bool proven = plan->peak == plan->lower_bound;
  if (state->graph->n_pools > 1) {
    proven = state->best.proven || state->settled;
    solution->of_order =
        proven && !state->best.proven && state->fixed != NULL && !memplan_bound_has_one_order(state->ordering);
  }
  locate_witness(state, &plan->bound);
  solution->has_plan = true;
  solution->order = best->order;
  solution->load = best->load;
  solution->order_peak = best->order_peak;
  solution->order_method = best->method;
  solution->place_method = state->best.method->name;
  solution->instance = state->best.instance;
  memplan_instance_init(&state->best.instance);
  solution->has_instance = true;
  solution->offset = state->best.placement.offset;
  solution->pool = state->best.placement.pool;
  solution->outcome = proven ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  solution->order_outcome = solution->order_peak == solution->order_lower_bound ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  return MEMPLAN_OK;
}

memplan_status memplan_graph_store_bodies(const memplan_graph *graph, memplan_prepared *prepared, memplan_plan *plan,
                                          memplan_error *error) {
  plan->bodies = MEMPLAN_NEW(&plan->arena, memplan_body_plan, prepared->n_bodies);
  if (plan->bodies == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t body = 0; body < prepared->n_bodies; body++) {
    const char *op = graph->ops[graph->bodies[body].op].id, *name = graph->bodies[body].name;
    memplan_body_plan *entry = &plan->bodies[plan->n_bodies];
    entry->op = memplan_arena_text(&plan->arena, op, strlen(op));
    entry->body = memplan_arena_text(&plan->arena, name, strlen(name));
    entry->plan = MEMPLAN_NEW(&plan->arena, memplan_plan, 1);
    if (entry->op == NULL || entry->body == NULL || entry->plan == NULL) {
      return memplan_fail_nomem(error);
    }
    *entry->plan = prepared->bodies[body]->plan;
    memplan_plan_init(&prepared->bodies[body]->plan);
    plan->n_bodies++;
  }
  return MEMPLAN_OK;
}
