// SPDX-License-Identifier: Apache-2.0
// Placement of an instance by the best of all placement methods, against the placement bounds.
#include "heuristics/skyline_search.h"
#include "model/memplan.h"
#include "solvers/assemble.h"
#include "solvers/bound_pools.h"
#include "solvers/bounds.h"
#include "solvers/infeasible.h"
#include "solvers/objective.h"
#include "solvers/place.h"
#include "solvers/place_optimal.h"
#include "solvers/place_reuse.h"
#include "solvers/pool_capacity.h"
#include "solvers/pool_search.h"
#include "solvers/prepare.h"
#include "solvers/warm_start.h"

#include <string.h>

enum {
  few_blocks = 600,
  many_blocks = 65536,
  first_part = 8, // so much of the work of the sampling is done before all methods are asked
  some_blocks = 8192,
  first_part_of_some = 2 // of more blocks than that: when all are asked, the sampling starts from the beginning
};
static const char *const quick_method = "skyline", *const sampling_method = "skyline-search";

typedef struct instance_bounds {
  memplan_bound bound; // of the peak
  memplan_load load;
  memplan_pool_table table; // of several pools
  memplan_objective objective;
} instance_bounds;

static memplan_status find_bounds(const memplan_instance *instance, const memplan_solve_options *solve,
                                  memplan_arena *arena, instance_bounds *found, memplan_error *error) {
  memplan_bound_list list = {.count = 0};
  MEMPLAN_TRY(memplan_instance_load(instance, false, &found->load, error));
  if (instance->n_pools > 1) {
    MEMPLAN_TRY(memplan_objective_find(solve, instance->pools, instance->n_pools, &found->objective, error));
    MEMPLAN_TRY(memplan_pool_table_of_instance(instance, NULL, arena, &found->table, error));
    memplan_pool_table_list(&found->table, false, &list);
    found->bound = list.entries[0];
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_bound_placement(instance, &solve->limits, arena, &list, error));
  found->bound = memplan_bound_list_best(&list);
  return MEMPLAN_OK;
}

// With several pools a plan is optimal if none of its peaks can be smaller, as the objective compares them; a plan that
// the objective calls worse may still have a smaller largest peak, which is what the bound speaks of.
static memplan_status is_proven(const memplan_instance *instance, const memplan_place_result *best,
                                const instance_bounds *found, memplan_arena *arena, bool *proven,
                                memplan_error *error) {
  *proven = best->peak == found->bound.bytes;
  if (instance->n_pools > 1) {
    int64_t *peaks = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
    if (peaks == NULL) {
      return memplan_fail_nomem(error);
    }
    memplan_pool_peaks(instance, best->placement.offset, best->placement.pool, peaks);
    *proven = memplan_pool_table_proves(&found->table, &found->objective, peaks);
  }
  return MEMPLAN_OK;
}

// NULL in *reason: the bounds leave it open.
static memplan_status find_reason(const memplan_instance *instance, const instance_bounds *found,
                                  const memplan_solve_options *solve, memplan_arena *arena, const char **reason,
                                  memplan_error *error) {
  *reason = memplan_infeasible_instance(instance, &found->bound, arena);
  if (*reason != NULL || instance->n_pools == 1) {
    return MEMPLAN_OK;
  }
  const char *why = memplan_pool_table_refutes(&found->table, arena);
  return why == NULL ? MEMPLAN_OK : memplan_infeasible_core(instance, solve, why, arena, reason, error);
}

// The sampling alone, into `best` if it finds a placement: it often meets the goal.
static memplan_status sample_first(const memplan_instance *instance, const memplan_solve_options *solve, int64_t goal,
                                   const memplan_place_news *news, memplan_arena *arena, memplan_place_result *best,
                                   memplan_error *error) {
  int32_t n = instance->n_blocks;
  // What the limits would end there would be made anew after them (place_rescue.h).
  memplan_skyline_wishes wishes = {.work = -1, .goal = goal, .sure = n > many_blocks};
  if (n <= many_blocks) {
    wishes.work = memplan_skyline_search_work(n) / (n > some_blocks ? first_part_of_some : first_part);
  }
  memplan_method_result result = {.offset = MEMPLAN_NEW(arena, int64_t, n), .pool = MEMPLAN_NEW(arena, int32_t, n)};
  if (result.offset == NULL || result.pool == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_skyline_outcome outcome;
  MEMPLAN_TRY(memplan_skyline_search(instance, &wishes, &solve->limits, &result, &outcome, error));
  *best = (memplan_place_result){.stop = result.stop, .nodes = result.nodes, .peak = outcome.peak};
  if (outcome.peak == INT64_MAX) {
    return MEMPLAN_OK;
  }
  best->method = memplan_heuristic_find(MEMPLAN_METHOD_PLACE, sampling_method);
  best->placement = (memplan_placement){.offset = result.offset, .pool = result.pool};
  if (solve->limits.progress != NULL) {
    memplan_progress now = {sampling_method, best->peak, news->bound, 0, 0};
    solve->limits.progress(solve->limits.context, &now);
  }
  return MEMPLAN_OK;
}

// The best placement of the heuristics that suit the problem. Of many blocks nothing comes close to the sampling in as
// much time; of few the exact search needs no good placement to start.
static memplan_status search_placement(const memplan_instance *instance, const memplan_solve_options *solve,
                                       int64_t goal, const memplan_place_news *news, memplan_arena *arena,
                                       memplan_place_result *best, memplan_error *error) {
  bool exact = solve->place == NULL || memplan_is_exact(solve->place);
  memplan_solve_options quick = *solve;
  memplan_place_news rest = *news;
  if (!exact || instance->n_pools > 1) {
    quick.place = exact ? NULL : solve->place;
    return memplan_pool_search(instance, &quick, &rest, arena, best, error);
  }
  if (instance->n_blocks <= few_blocks) {
    quick.place = quick_method;
    MEMPLAN_TRY(memplan_pool_search(instance, &quick, &rest, arena, best, error));
    if (!best->declined && best->method != NULL) {
      return MEMPLAN_OK;
    }
    quick.place = NULL;
    return memplan_pool_search(instance, &quick, &rest, arena, best, error);
  }
  memplan_place_result sampled;
  MEMPLAN_TRY(sample_first(instance, solve, goal, &rest, arena, &sampled, error));
  bool enough = sampled.stop != MEMPLAN_STOP_DONE || instance->n_blocks > many_blocks || sampled.peak <= goal;
  if (sampled.method != NULL && enough) {
    *best = sampled;
    return MEMPLAN_OK;
  }
  rest.peak = sampled.peak;
  quick.place = NULL;
  MEMPLAN_TRY(memplan_pool_search(instance, &quick, &rest, arena, best, error));
  sampled.nodes += best->nodes;
  sampled.stop = best->stop;
  best->nodes = sampled.nodes;
  if (sampled.method != NULL && (best->method == NULL || sampled.peak <= best->peak)) {
    *best = sampled;
  }
  return MEMPLAN_OK;
}

// The start where it is as good as the goal, else the better one of it and what is found.
static memplan_status find_placement(const memplan_instance *instance, const memplan_solve_options *solve, int64_t goal,
                                     memplan_place_news *news, const memplan_objective *objective, memplan_arena *arena,
                                     memplan_place_result *best, memplan_error *error) {
  if (solve->start == NULL) {
    return search_placement(instance, solve, goal, news, arena, best, error);
  }
  memplan_place_result start;
  MEMPLAN_TRY(memplan_start_place(instance, solve->start, arena, &start, error));
  news->peak = start.peak;
  if (start.peak <= goal && instance->n_pools == 1) {
    *best = start;
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(search_placement(instance, solve, goal, news, arena, best, error));
  if (best->declined) {
    return MEMPLAN_OK;
  }
  bool better = best->method == NULL || start.peak < best->peak;
  if (best->method != NULL && instance->n_pools > 1) {
    int64_t *own = MEMPLAN_NEW(arena, int64_t, instance->n_pools),
            *other = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
    if (own == NULL || other == NULL) {
      return memplan_fail_nomem(error);
    }
    memplan_pool_peaks(instance, start.placement.offset, start.placement.pool, own);
    memplan_pool_peaks(instance, best->placement.offset, best->placement.pool, other);
    better = memplan_pool_peaks_better(objective, own, other, instance->n_pools);
  }
  if (better) {
    start.nodes = best->nodes;
    start.stop = best->stop;
    *best = start;
  }
  return MEMPLAN_OK;
}

// The exact search, from the best placement that the heuristics have found.
// One buffer of each block that the bound rests on.
static memplan_status name_core(const memplan_instance *instance, const memplan_optimal_result *result,
                                memplan_arena *arena, memplan_bound *bound, memplan_error *error) {
  const char **ids = result->core != NULL ? MEMPLAN_NEW(arena, const char *, result->n_core) : NULL;
  if (ids == NULL) {
    return result->core == NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < result->n_core; k++) {
    const memplan_block *block = &instance->blocks[result->core[k]];
    ids[k] = instance->buffers[instance->members[block->first_member].buffer].id;
  }
  bound->buffers = ids;
  bound->n_buffers = result->n_core;
  return MEMPLAN_OK;
}

static memplan_status search_optimum(const memplan_instance *instance, const memplan_solve_options *solve,
                                     int64_t capacity, instance_bounds *found, memplan_place_result *best, bool *proven,
                                     memplan_solution *solution, memplan_error *error) {
  memplan_optimal_task task = {.instance = instance,
                               .limits = &solve->limits,
                               .goal = memplan_goal(found->bound.bytes, capacity, solve->gap_millionths),
                               .capacity = capacity,
                               .bound = found->bound.bytes,
                               .objective = found->objective,
                               .without = solve->without};
  memplan_optimal_result result;
  MEMPLAN_TRY(memplan_place_improve(&task, &solution->arena, best, &result, error));
  solution->nodes += result.nodes;
  solution->stop = result.stop;
  if (result.bound > found->bound.bytes) {
    found->bound = (memplan_bound){.kind = MEMPLAN_BOUND_SEARCH, .bytes = result.bound, .step = -1};
    MEMPLAN_TRY(name_core(instance, &result, &solution->arena, &found->bound, error));
  }
  *proven = result.outcome == MEMPLAN_OPTIMAL;
  if (result.outcome == MEMPLAN_INFEASIBLE) {
    MEMPLAN_TRY(memplan_infeasible_core(instance, solve, NULL, &solution->arena, &solution->infeasible, error));
  }
  return MEMPLAN_OK;
}

static memplan_status refuse_capacity(int64_t capacity, const char *why, memplan_solution *solution,
                                      memplan_error *error) {
  solution->infeasible = memplan_pool_capacity_text(capacity, why, &solution->arena);
  return solution->infeasible != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// Is the best placement within the capacity also the best of all? *proven is left as it is unless that is proven.
static memplan_status compare_with_all(const memplan_instance *instance, const memplan_solve_options *solve,
                                       int64_t capacity, instance_bounds *found, const memplan_place_result *best,
                                       bool *proven, memplan_solution *solution, memplan_error *error) {
  int32_t n = instance->n_pools;
  int64_t *peaks = MEMPLAN_NEW(&solution->arena, int64_t, n), *least = MEMPLAN_NEW(&solution->arena, int64_t, n);
  if (peaks == NULL || least == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_place_result other = *best;
  memplan_stop stop = solution->stop;
  bool settled = false;
  MEMPLAN_TRY(search_optimum(instance, solve, capacity, found, &other, &settled, solution, error));
  solution->stop = stop;
  memplan_pool_peaks(instance, best->placement.offset, best->placement.pool, peaks);
  memplan_pool_peaks(instance, other.placement.offset, other.placement.pool, least);
  *proven = settled && memcmp(peaks, least, (size_t)n * sizeof *peaks) == 0;
  return MEMPLAN_OK;
}

// Several pools and a capacity: is there a placement of which no pool's peak passes it? If so the best of those found
// takes the place of `best`, and if not, the reason goes to the solution.
static memplan_status decide_capacity(const memplan_instance *instance, const memplan_solve_options *solve,
                                      int64_t capacity, instance_bounds *found, memplan_place_result *best,
                                      bool *proven, memplan_solution *solution, memplan_error *error) {
  memplan_instance limited;
  instance_bounds narrow = *found;
  memplan_arena *arena = &solution->arena;
  const char *why = NULL;
  bool settled = false;
  MEMPLAN_TRY(memplan_pool_capacity_limit(instance, capacity, arena, &limited, error));
  memplan_place_result within = *best;
  if (best->method == NULL || best->peak > capacity) {
    memplan_place_news news = {.bound = found->bound.bytes, .peak = INT64_MAX};
    MEMPLAN_TRY(search_placement(&limited, solve, capacity, &news, arena, &within, error));
    solution->nodes += within.nodes;
    if (within.method == NULL) {
      MEMPLAN_TRY(memplan_pool_table_of_instance(&limited, NULL, arena, &narrow.table, error));
      MEMPLAN_TRY(find_reason(&limited, &narrow, solve, arena, &why, error));
    }
  }
  if (why == NULL) {
    MEMPLAN_TRY(search_optimum(&limited, solve, capacity, found, &within, &settled, solution, error));
    why = solution->infeasible;
  }
  if (why != NULL) {
    return refuse_capacity(capacity, why, solution, error);
  }
  if (within.method == NULL) {
    return MEMPLAN_OK;
  }
  *best = within;
  MEMPLAN_TRY(is_proven(instance, best, found, arena, proven, error));
  if (*proven || !settled) {
    return MEMPLAN_OK;
  }
  *proven = solve->minimize == MEMPLAN_MINIMIZE_MAX; // no placement with a larger peak is better
  return *proven ? MEMPLAN_OK : compare_with_all(instance, solve, capacity, found, best, proven, solution, error);
}

// How far the peak of a pool may rise for a lower reuse cost: to the capacity that the plan has to fit; not at all
// where there is none, where the plan does not fit it, or where peaks are asked for.
static int64_t most_peak(const memplan_pool *pool, const memplan_solve_options *solve, int64_t capacity,
                         int64_t largest, int64_t peak) {
  int64_t most = capacity >= 0 && (pool->capacity < 0 || capacity < pool->capacity) ? capacity : pool->capacity;
  bool asked = solve->minimize == MEMPLAN_MINIMIZE_PEAK && !solve->own_objective;
  bool rises = asked && (capacity < 0 || largest <= capacity);
  return rises && most > peak ? most : peak;
}

// The file's objective may be a plan that fits, and then a low reuse cost: lowered within the peaks found, and from
// there within the capacities. A peak that rises is no longer proven; but a plan that fits and incurs nothing is the
// best by that objective, if the caller has no other.
static memplan_status lower_reuse(const memplan_instance *instance, const memplan_solve_options *solve,
                                  int64_t capacity, memplan_arena *arena, memplan_place_result *best, bool *proven,
                                  memplan_error *error) {
  if (!instance->prefer_low_reuse || instance->n_reuse == 0) {
    return MEMPLAN_OK;
  }
  int32_t n = instance->n_pools;
  int64_t *peaks = MEMPLAN_NEW(arena, int64_t, n), *most = MEMPLAN_NEW(arena, int64_t, n);
  if (peaks == NULL || most == NULL) {
    return memplan_fail_nomem(error);
  }
  memplan_pool_peaks(instance, best->placement.offset, best->placement.pool, peaks);
  MEMPLAN_TRY(memplan_place_lower_reuse(instance, peaks, &solve->limits, &best->placement, arena, error));
  for (int32_t pool = 0; pool < n; pool++) {
    most[pool] = most_peak(&instance->pools[pool], solve, capacity, best->peak, peaks[pool]);
  }
  MEMPLAN_TRY(memplan_place_lower_reuse(instance, most, &solve->limits, &best->placement, arena, error));
  memplan_pool_peaks(instance, best->placement.offset, best->placement.pool, most);
  for (int32_t pool = 0; pool < n; pool++) {
    *proven = *proven && most[pool] <= peaks[pool];
  }
  best->peak = memplan_instance_peak(instance, best->placement.offset);
  if (memplan_objective_is_reuse(solve, instance) && (capacity < 0 || best->peak <= capacity)) {
    *proven = *proven || memplan_instance_reuse_cost(instance, best->placement.offset, best->placement.pool) == 0;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_solve_instance(const memplan_instance *instance, const memplan_solve_options *solve,
                                      int64_t capacity, memplan_solution *solution, memplan_error *error) {
  instance_bounds found = {.bound = {.step = -1}};
  MEMPLAN_TRY(find_bounds(instance, solve, &solution->arena, &found, error));
  solution->order_peak = solution->order_lower_bound = found.load.bytes;
  solution->order_outcome = MEMPLAN_OPTIMAL;
  solution->naive_bytes = instance->naive_bytes;
  solution->naive_saturated = instance->naive_bytes == INT64_MAX;
  memplan_place_result best;
  memplan_place_news news = {.bound = found.bound.bytes, .peak = INT64_MAX};
  bool exact = solve->place == NULL || memplan_is_exact(solve->place);
  int64_t goal = memplan_goal(found.bound.bytes, capacity, solve->gap_millionths);
  MEMPLAN_TRY(find_placement(instance, solve, goal, &news, &found.objective, &solution->arena, &best, error));
  solution->stop = best.stop;
  solution->nodes = best.nodes;
  solution->floating_bound = best.floating_bound;
  if (best.declined) {
    return memplan_fail_declined(solve->place, &best, error);
  }
  bool proven = false;
  if (best.method != NULL) {
    MEMPLAN_TRY(is_proven(instance, &best, &found, &solution->arena, &proven, error));
  } else {
    MEMPLAN_TRY(find_reason(instance, &found, solve, &solution->arena, &solution->infeasible, error));
  }
  bool fits = best.method != NULL && best.peak <= capacity;
  bool asked = instance->n_pools > 1 && capacity >= found.bound.bytes;
  if (exact && asked && !(proven && fits) && solution->infeasible == NULL) {
    MEMPLAN_TRY(decide_capacity(instance, solve, capacity, &found, &best, &proven, solution, error));
  } else if (exact && !proven && solution->infeasible == NULL) {
    MEMPLAN_TRY(search_optimum(instance, solve, capacity, &found, &best, &proven, solution, error));
  }
  if (best.method == NULL) {
    solution->outcome = solution->infeasible != NULL ? MEMPLAN_INFEASIBLE : MEMPLAN_UNKNOWN;
    solution->unplaced = best.unplaced;
  } else {
    MEMPLAN_TRY(lower_reuse(instance, solve, capacity, &solution->arena, &best, &proven, error));
    MEMPLAN_TRY(memplan_assemble_offsets(instance, &best.placement, &solution->plan, error));
    solution->outcome = proven ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
    solution->has_plan = true;
    solution->place_method = best.method->name;
    solution->offset = best.placement.offset;
    solution->pool = best.placement.pool;
  }
  solution->plan.bound = found.bound;
  solution->plan.lower_bound = found.bound.bytes;
  return MEMPLAN_OK;
}
