// SPDX-License-Identifier: Apache-2.0
// Placement of an instance by the best of all placement methods, against the placement bounds.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "heuristics/portfolio.h"
#include "model/base/number.h"
#include "solvers/assemble.h"
#include "solvers/bounds.h"
#include "solvers/place.h"
#include "solvers/prepare.h"

// A sentence that says why no placement can fit, or NULL if the bounds leave it open.
static const char *explain_infeasible(const memplan_instance *instance, memplan_arena *arena) {
  char text[512] = "";
  int64_t room = 0;
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    int64_t capacity = instance->pools[pool].capacity;
    room = capacity < 0 ? INT64_MAX : memplan_add_saturated(room, capacity);
  }
  for (int32_t index = 0; index < instance->n_blocks && text[0] == '\0'; index++) {
    const memplan_block *block = &instance->blocks[index];
    bool fits = block->bytes == 0;
    for (int32_t k = 0; k < block->n_pools && !fits; k++) {
      int64_t capacity = instance->pools[instance->block_pools[block->first_pool + k]].capacity;
      fits = capacity < 0 || capacity >= block->bytes;
    }
    if (!fits) {
      const memplan_pool *pool = &instance->pools[instance->block_pools[block->first_pool]];
      (void)snprintf(text, sizeof text, "buffer '%s' needs %" PRId64 " bytes, more than the capacity of pool '%s'%s",
                     instance->buffers[instance->members[block->first_member].buffer].id, block->bytes, pool->id,
                     block->n_pools > 1 ? " and of every other pool that admits it" : "");
    }
  }
  memplan_load load;
  if (text[0] == '\0' && memplan_instance_load(instance, false, &load, NULL) == MEMPLAN_OK && load.bytes > room) {
    (void)snprintf(text, sizeof text,
                   "at %" PRId64 " the buffers live need %" PRId64 " bytes, %" PRId64 " more than the pools hold",
                   load.time, load.bytes, load.bytes - room);
  }
  return text[0] == '\0' ? NULL : memplan_arena_text(arena, text, strlen(text));
}

// With several pools the peaks of the later ones come first: a plan is optimal only if those are unused and the first
// pool's load bound is met.
static memplan_bound pool_bound(const memplan_instance *instance, const memplan_placement *placement, int64_t peak) {
  memplan_bound none = {.kind = MEMPLAN_BOUND_NONE, .step = -1};
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].bytes > 0 && placement->pool[block] != 0) {
      return none;
    }
  }
  memplan_load load;
  if (memplan_instance_load(instance, false, &load, NULL) != MEMPLAN_OK || load.bytes != peak) {
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
  MEMPLAN_TRY(memplan_place_best(instance, solve, &solution->arena, &best, error));
  solution->stop = best.stop;
  solution->nodes = best.nodes;
  if (best.declined) {
    return memplan_fail_declined(solve->place, &best, error);
  }
  if (best.method == NULL) {
    solution->infeasible = explain_infeasible(instance, &solution->arena);
    solution->outcome = solution->infeasible != NULL ? MEMPLAN_INFEASIBLE : MEMPLAN_UNKNOWN;
    solution->plan.bound = bound;
    solution->plan.lower_bound = bound.bytes;
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_assemble_offsets(instance, &best.placement, &solution->plan, error));
  if (instance->n_pools > 1) {
    bound = pool_bound(instance, &best.placement, solution->plan.peak);
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
