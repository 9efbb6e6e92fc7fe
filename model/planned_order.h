// SPDX-License-Identifier: Apache-2.0
// What a plan says about its graph, by index: the order problem with the workspace that the plan's bodies need, the
// order, and the in-place pairs. From these the graph is lowered as the search lowered it.
#ifndef MEMPLAN_PLANNED_ORDER_H
#define MEMPLAN_PLANNED_ORDER_H

#include "model/ordering.h"
#include "model/plan.h"

typedef struct memplan_planned_order {
  const int32_t *order;  // operators by step: a legal order
  const int32_t *choice; // pairs of the ordering, by step of their operators
  int32_t n_choices;
} memplan_planned_order;

// `ordering` must be empty ({0}) and is freed by the caller, also after a failure; the arrays belong to `arena`.
// MEMPLAN_INPUT: the plan does not belong to the problem; whether its pairs may be chosen together, and its offsets,
// are not looked at. O(n log n) and hash tables.
memplan_status memplan_plan_find_order(const memplan_problem *problem, const memplan_plan *plan,
                                       memplan_ordering *ordering, memplan_planned_order *found, memplan_arena *arena,
                                       memplan_error *error);

// By operator: its own workspace with what the plan's bodies take, by their peaks; orders and offsets are not looked
// at. MEMPLAN_INPUT as above.
memplan_status memplan_plan_find_workspace(const memplan_problem *problem, const memplan_plan *plan, int64_t *workspace,
                                           memplan_error *error);

// The placement problem of the plan's order and pairs, into an initialised `instance`. MEMPLAN_INPUT as above, and
// where the pairs or rules contradict each other on that order.
memplan_status memplan_plan_lower(const memplan_problem *problem, const memplan_plan *plan, memplan_instance *instance,
                                  memplan_error *error);

// memplan_plan_find_order on an ordering that is there, whatever workspace it has.
memplan_status memplan_plan_resolve_order(const memplan_ordering *ordering, const memplan_plan *plan,
                                          memplan_planned_order *found, memplan_arena *arena, memplan_error *error);

// Offsets and pools of the plan by block of an instance that was lowered on its order and pairs. MEMPLAN_INPUT: the
// plan does not place a buffer. The arrays belong to `arena`.
memplan_status memplan_plan_find_offsets(const memplan_instance *instance, const memplan_plan *plan,
                                         const int64_t **offsets, const int32_t **pools, memplan_arena *arena,
                                         memplan_error *error);

#endif
