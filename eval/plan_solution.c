// SPDX-License-Identifier: Apache-2.0
// A graph's plan is lowered as the search lowered it: on its order, with its in-place pairs, and with the peaks of its
// body plans as workspace.
#include "eval/plan_solution.h"

#include "model/planned_order.h"

static memplan_status lower_on(const memplan_problem *problem, const memplan_plan *plan, memplan_ordering *ordering,
                               memplan_solution *solution, memplan_error *error) {
  memplan_planned_order found;
  MEMPLAN_TRY(memplan_plan_find_order(problem, plan, ordering, &found, &solution->arena, error));
  MEMPLAN_TRY(memplan_ordering_lower(ordering, found.order, found.choice, found.n_choices, &solution->instance, NULL,
                                     NULL, error));
  solution->has_instance = true;
  solution->order = found.order;
  solution->naive_bytes = ordering->naive_bytes;
  solution->naive_saturated = ordering->naive_saturated;
  solution->weight_bytes = ordering->weight_bytes;
  solution->external_bytes = ordering->external_bytes;
  return MEMPLAN_OK;
}

static memplan_status lower_plan(const memplan_problem *problem, const memplan_plan *plan, memplan_solution *solution,
                                 memplan_error *error) {
  memplan_ordering ordering = {0};
  memplan_status status = lower_on(problem, plan, &ordering, solution, error);
  memplan_ordering_free(&ordering);
  return status;
}

memplan_status memplan_plan_solution(const memplan_problem *problem, memplan_plan *plan, memplan_solution *solution,
                                     memplan_error *error) {
  if (problem->has_graph) {
    MEMPLAN_TRY(lower_plan(problem, plan, solution, error));
  } else {
    solution->naive_bytes = problem->instance.naive_bytes;
    solution->naive_saturated = solution->naive_bytes == INT64_MAX;
  }
  const memplan_instance *instance = memplan_solution_instance(problem, solution);
  memplan_load load;
  MEMPLAN_TRY(memplan_plan_find_offsets(instance, plan, &solution->offset, &solution->pool, &solution->arena, error));
  MEMPLAN_TRY(memplan_instance_load(instance, false, &load, error));
  solution->order_peak = load.bytes;
  solution->outcome = plan->outcome;
  solution->plan = *plan;
  memplan_plan_init(plan);
  solution->has_plan = true;
  return MEMPLAN_OK;
}
