// SPDX-License-Identifier: Apache-2.0
// Placement of an instance by the best of all placement methods, against the placement bounds.
#include "solvers/assemble.h"
#include "solvers/bounds.h"
#include "solvers/infeasible.h"
#include "solvers/place.h"
#include "solvers/prepare.h"

#include <string.h>

// With several pools the peaks of the later ones come first: a plan is optimal only if those are unused and the first
// pool's load bound is met.
static memplan_bound pool_bound(const memplan_instance *instance, const memplan_placement *placement, int64_t peak,
                                memplan_load load) {
  memplan_bound none = {.kind = MEMPLAN_BOUND_NONE, .step = -1};
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].bytes > 0 && placement->pool[block] != 0) {
      return none;
    }
  }
  if (load.bytes != peak) {
    return none;
  }
  return (memplan_bound){.kind = MEMPLAN_BOUND_LOAD, .bytes = load.bytes, .step = load.time};
}

memplan_status memplan_solve_instance(const memplan_instance *instance, const memplan_solve_options *solve,
                                      memplan_solution *solution, memplan_error *error) {
  memplan_bound_list bounds = {.count = 0};
  MEMPLAN_TRY(memplan_bound_placement(instance, &bounds, error));
  memplan_bound bound = memplan_bound_list_best(&bounds);
  memplan_load load;
  MEMPLAN_TRY(memplan_instance_load(instance, false, &load, error));
  solution->order_peak = solution->order_lower_bound = load.bytes;
  solution->order_outcome = MEMPLAN_OPTIMAL;
  solution->naive_bytes = instance->naive_bytes;
  solution->naive_saturated = instance->naive_bytes == INT64_MAX;
  memplan_place_result best;
  memplan_place_news news = {.bound = bound.bytes, .peak = INT64_MAX};
  MEMPLAN_TRY(memplan_place_best(instance, solve, &news, &solution->arena, &best, error));
  solution->stop = best.stop;
  solution->nodes = best.nodes;
  if (best.declined) {
    return memplan_fail_declined(solve->place, &best, error);
  }
  if (best.method == NULL) {
    solution->infeasible = memplan_infeasible_instance(instance, &bound, &solution->arena);
    solution->outcome = solution->infeasible != NULL ? MEMPLAN_INFEASIBLE : MEMPLAN_UNKNOWN;
    solution->unplaced = best.unplaced;
    solution->plan.bound = bound;
    solution->plan.lower_bound = bound.bytes;
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_assemble_offsets(instance, &best.placement, &solution->plan, error));
  if (instance->n_pools > 1) {
    bound = pool_bound(instance, &best.placement, solution->plan.peak, load);
  }
  solution->plan.bound = bound;
  solution->plan.lower_bound = bound.bytes;
  solution->has_plan = true;
  solution->place_method = best.method->name;
  solution->offset = best.placement.offset;
  solution->pool = best.placement.pool;
  solution->outcome = solution->plan.peak == bound.bytes ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  return MEMPLAN_OK;
}
