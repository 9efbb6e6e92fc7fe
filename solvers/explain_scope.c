// SPDX-License-Identifier: Apache-2.0
// A core belongs to one order and one in-place choice of a graph. Loads reach further: the load of an order with its
// best choice bounds every choice, and joint bounds hold for every order.
#include "solvers/explain_capacity.h"

#include <string.h>

const char *memplan_scope_name(memplan_scope scope) {
  static const char *const names[] = {"problem", "order", "choice"};
  return names[scope];
}

static memplan_status find_joint(const memplan_problem *problem, const memplan_solve_options *solve, int64_t capacity,
                                 memplan_bound *bound, memplan_error *error) {
  memplan_bounds bounds = {0};
  memplan_status status = memplan_find_bounds(problem, solve, &bounds, error);
  for (int32_t k = 0; status == MEMPLAN_OK && k < bounds.n_bounds; k++) {
    if (bounds.bounds[k].joint && bounds.bounds[k].pool == NULL && bounds.bounds[k].bytes > capacity &&
        bounds.bounds[k].bytes > bound->bytes) {
      *bound = bounds.bounds[k];
    }
  }
  memplan_bounds_free(&bounds);
  return status;
}

// Of several pools each has a bound: that of the pool which the answer names, or else of another one that is too small.
static memplan_status find_joint_of_pool(const memplan_problem *problem, const memplan_solve_options *solve,
                                         const memplan_capacity_answer *answer, memplan_bound *bound,
                                         memplan_error *error) {
  const memplan_graph *graph = &problem->graph;
  bool named = false;
  memplan_bounds bounds = {0};
  memplan_status status = memplan_find_bounds(problem, solve, &bounds, error);
  for (int32_t k = 0; status == MEMPLAN_OK && k < bounds.n_bounds && !named; k++) {
    const memplan_bound *one = &bounds.bounds[k];
    for (int32_t pool = 0; pool < graph->n_pools && one->joint && one->pool != NULL; pool++) {
      int64_t capacity = pool == answer->pool ? answer->capacity : graph->pools[pool].capacity;
      bool small = strcmp(one->pool, graph->pools[pool].id) == 0 && capacity >= 0 && one->bytes > capacity;
      named = named || (small && pool == answer->pool);
      if (small && (named || bound->kind == MEMPLAN_BOUND_NONE)) {
        *bound = *one;
      }
    }
  }
  memplan_bounds_free(&bounds);
  return status;
}

memplan_status memplan_capacity_scope(const memplan_subject *subject, memplan_capacity_answer *answer,
                                      const memplan_solve_options *solve, memplan_scope *scope, memplan_bound *bound,
                                      memplan_error *error) {
  *scope = MEMPLAN_SCOPE_PROBLEM;
  *bound = (memplan_bound){.kind = MEMPLAN_BOUND_NONE, .step = -1};
  if (!subject->problem->has_graph) {
    return MEMPLAN_OK;
  }
  // Bounds without a pool's name are about all of them together.
  bool several = subject->instance->n_pools > 1, whole = answer->pool < 0 || !several;
  if (whole) {
    MEMPLAN_TRY(find_joint(subject->problem, solve, answer->capacity, bound, error));
  }
  if (several && bound->kind == MEMPLAN_BOUND_NONE) {
    MEMPLAN_TRY(find_joint_of_pool(subject->problem, solve, answer, bound, error));
  }
  bool same =
      bound->pool == NULL || (answer->pool >= 0 && strcmp(bound->pool, subject->instance->pools[answer->pool].id) == 0);
  answer->needs = same && bound->bytes > answer->needs ? bound->bytes : answer->needs;
  if (bound->kind == MEMPLAN_BOUND_NONE) {
    bool order = (whole && subject->order_bound > answer->capacity) || subject->ordering->n_pairs == 0;
    *scope = order ? MEMPLAN_SCOPE_ORDER : MEMPLAN_SCOPE_CHOICE;
  }
  return MEMPLAN_OK;
}
