// SPDX-License-Identifier: Apache-2.0
// Least peaks one after the other, those of the later pools first: with the peaks of the pools already settled as
// limits, and the capacities of the others, each component's least need of the pool is found by asking for less until
// the answer is no; the largest need is the pool's peak. Components are independent once limits are given, so that
// each question concerns one of them.
//
// A question that is not decided within the limits of the run ends the search: the packing found so far stays.
#include "solvers/place_pools.h"

#include "solvers/place_ceiling.h"
#include "solvers/place_components.h"
#include "solvers/place_duel.h"
#include "solvers/pool_boxes.h"

#include <string.h>

typedef enum answer { ANSWER_UNDECIDED = 0, ANSWER_YES, ANSWER_NO } answer;

typedef struct search {
  const memplan_optimal_task *task;
  memplan_optimal_result *result;
  memplan_place_components parts;
  int64_t *limits; // by pool
  int64_t *offset; // by block: the packing of all components
  int32_t *pool;
  int64_t *trial_offset;
  int32_t *trial_pool;
  int64_t ticks;
  int64_t *peaks; // by pool, scratch
} search;

static bool out_of_limits(search *state) {
  const memplan_limits *limits = state->task->limits;
  memplan_stop stop = memplan_limits_reached(limits);
  if (stop == MEMPLAN_STOP_DONE && limits->work >= 0 && state->ticks >= limits->work) {
    stop = MEMPLAN_STOP_WORK;
  }
  state->result->stop = stop;
  return stop != MEMPLAN_STOP_DONE;
}

// Is there a packing of the component within the limits? It goes to the trial arrays.
static memplan_status ask(search *state, int32_t component, answer *reply, memplan_error *error) {
  int32_t first = state->parts.first[component];
  memplan_duel *duel;
  *reply = ANSWER_UNDECIDED;
  MEMPLAN_TRY(memplan_duel_new(state->task->instance, &state->parts.blocks[first],
                               state->parts.first[component + 1] - first, state->limits, NULL, false,
                               state->task->without, state->task->limits, &duel, error));
  if (duel == NULL) {
    state->result->stop = out_of_limits(state) ? state->result->stop : MEMPLAN_STOP_WORK;
    return MEMPLAN_OK;
  }
  memplan_status status = MEMPLAN_OK;
  const memplan_duel_state *now = memplan_duel_look(duel);
  memplan_duel_state before = {0};
  while (status == MEMPLAN_OK && !now->finished && !now->stuck && !out_of_limits(state)) {
    status = memplan_duel_step(duel, error);
    state->ticks += now->ticks - before.ticks;
    state->result->nodes += now->nodes + now->conflicts - before.nodes - before.conflicts;
    before = *now;
  }
  state->result->stop = now->stuck ? MEMPLAN_STOP_MEMORY : state->result->stop;
  if (status == MEMPLAN_OK && now->finished) {
    *reply = now->found ? ANSWER_YES : ANSWER_NO;
    if (now->found) {
      memplan_duel_store(duel, state->trial_offset, state->trial_pool);
    }
  }
  memplan_duel_free(duel);
  return status;
}

static void keep_trial(search *state, int32_t component) {
  for (int32_t k = state->parts.first[component]; k < state->parts.first[component + 1]; k++) {
    int32_t block = state->parts.blocks[k];
    state->offset[block] = state->trial_offset[block];
    state->pool[block] = state->trial_pool[block];
  }
}

// What the component's packing needs of a pool.
static int64_t need(const search *state, int32_t component, int32_t pool) {
  int64_t peak = 0;
  for (int32_t k = state->parts.first[component]; k < state->parts.first[component + 1]; k++) {
    int32_t block = state->parts.blocks[k];
    int64_t end = state->offset[block] + state->task->instance->blocks[block].bytes;
    peak = state->pool[block] == pool && end > peak ? end : peak;
  }
  return peak;
}

static bool within_limits(const search *state, int32_t component) {
  for (int32_t pool = 0; pool < state->task->instance->n_pools; pool++) {
    if (need(state, component, pool) > state->limits[pool]) {
      return false;
    }
  }
  return true;
}

// The component with the largest need of the pool is asked for less than that, by halving between what was refused and
// what it has, until nothing is left between: then its need is the pool's least peak under the other limits, and that
// becomes the limit. *settled: false if a question stayed open.
static memplan_status settle_pool(search *state, int32_t pool, bool *settled, memplan_error *error) {
  int64_t refused = -1; // no packing of all components needs as little
  *settled = true;
  for (;;) {
    int32_t worst = 0;
    int64_t peak = 0;
    for (int32_t c = 0; c < state->parts.n_components; c++) {
      int64_t needed = need(state, c, pool);
      worst = needed > peak ? c : worst;
      peak = needed > peak ? needed : peak;
    }
    state->limits[pool] = peak;
    if (peak - refused <= 1) {
      return MEMPLAN_OK;
    }
    answer reply;
    state->limits[pool] = refused + (peak - refused) / 2;
    MEMPLAN_TRY(ask(state, worst, &reply, error));
    if (reply == ANSWER_YES) {
      keep_trial(state, worst);
    } else if (reply == ANSWER_NO) {
      refused = state->limits[pool];
    } else {
      state->limits[pool] = peak;
      *settled = false;
      return MEMPLAN_OK;
    }
  }
}

// Asks each component for a packing within the limits, starting from what it has. *reply: whether all have one.
static memplan_status ask_all(search *state, answer *reply, memplan_error *error) {
  *reply = ANSWER_YES;
  for (int32_t c = 0; c < state->parts.n_components && *reply == ANSWER_YES; c++) {
    if (!within_limits(state, c)) {
      MEMPLAN_TRY(ask(state, c, reply, error));
      if (*reply == ANSWER_YES) {
        keep_trial(state, c);
      }
    }
  }
  return MEMPLAN_OK;
}

static void take_peaks(search *state, int64_t *peaks) {
  memplan_pool_peaks(state->task->instance, state->offset, state->pool, peaks);
}

static void limit_all(search *state, const int64_t *ceiling, int64_t limit) {
  for (int32_t pool = 0; pool < state->task->instance->n_pools; pool++) {
    state->limits[pool] = ceiling[pool] < limit ? ceiling[pool] : limit;
  }
}

// The least number that all peaks may be limited to.
static memplan_status settle_largest(search *state, const int64_t *ceiling, bool *settled, memplan_error *error) {
  int64_t refused = -1;
  *settled = true;
  for (;;) {
    int64_t largest = 0;
    take_peaks(state, state->peaks);
    for (int32_t pool = 0; pool < state->task->instance->n_pools; pool++) {
      largest = state->peaks[pool] > largest ? state->peaks[pool] : largest;
    }
    limit_all(state, ceiling, largest);
    if (largest - refused <= 1) {
      return MEMPLAN_OK;
    }
    answer reply;
    int64_t middle = refused + (largest - refused) / 2;
    limit_all(state, ceiling, middle);
    MEMPLAN_TRY(ask_all(state, &reply, error));
    if (reply == ANSWER_NO) {
      refused = middle;
    } else if (reply == ANSWER_UNDECIDED) {
      *settled = false;
      return MEMPLAN_OK; // components packed within the middle so far keep those packings: none got worse
    }
  }
}

static memplan_status settle_sum(search *state, const int64_t *ceiling, memplan_arena *arena, bool *settled,
                                 memplan_error *error) {
  int32_t n = state->task->instance->n_pools, n_blocks = state->task->instance->n_blocks;
  memplan_pool_boxes boxes;
  int64_t *best = MEMPLAN_NEW(arena, int64_t, n_blocks);
  int32_t *best_pool = MEMPLAN_NEW(arena, int32_t, n_blocks);
  take_peaks(state, state->peaks);
  if (best == NULL || best_pool == NULL || !memplan_pool_boxes_start(&boxes, ceiling, state->peaks, n, arena)) {
    return memplan_fail_nomem(error);
  }
  memcpy(best, state->offset, (size_t)n_blocks * sizeof *best);
  memcpy(best_pool, state->pool, (size_t)n_blocks * sizeof *best_pool);
  bool ok = true;
  *settled = true;
  while (ok && *settled && memplan_pool_boxes_next(&boxes, state->limits)) {
    answer reply;
    bool better;
    MEMPLAN_TRY(ask_all(state, &reply, error));
    *settled = reply != ANSWER_UNDECIDED;
    if (reply != ANSWER_YES) {
      continue;
    }
    take_peaks(state, state->peaks);
    ok = memplan_pool_boxes_take(&boxes, state->peaks, &better);
    if (better) {
      memcpy(best, state->offset, (size_t)n_blocks * sizeof *best);
      memcpy(best_pool, state->pool, (size_t)n_blocks * sizeof *best_pool);
    }
  }
  memcpy(state->offset, best, (size_t)n_blocks * sizeof *best);
  memcpy(state->pool, best_pool, (size_t)n_blocks * sizeof *best_pool);
  return ok ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// The number asked for first, then the pools from the last to the first.
static memplan_status settle(search *state, const int64_t *ceiling, memplan_arena *arena, bool *settled,
                             memplan_error *error) {
  const memplan_objective *objective = &state->task->objective;
  int32_t n = state->task->instance->n_pools;
  *settled = true;
  if (objective->minimize == MEMPLAN_MINIMIZE_TOTAL) {
    return settle_sum(state, ceiling, arena, settled, error);
  }
  if (objective->minimize == MEMPLAN_MINIMIZE_MAX) {
    MEMPLAN_TRY(settle_largest(state, ceiling, settled, error));
  } else if (objective->minimize == MEMPLAN_MINIMIZE_POOL) {
    MEMPLAN_TRY(settle_pool(state, objective->pool, settled, error));
  }
  for (int32_t pool = n - 1; pool >= 0 && *settled; pool--) {
    if (objective->minimize != MEMPLAN_MINIMIZE_POOL || pool != objective->pool) {
      MEMPLAN_TRY(settle_pool(state, pool, settled, error));
    }
  }
  return MEMPLAN_OK;
}

static memplan_status find_first(search *state, memplan_error *error) {
  answer reply = ANSWER_YES;
  for (int32_t c = 0; c < state->parts.n_components && reply == ANSWER_YES && state->task->start == NULL; c++) {
    MEMPLAN_TRY(ask(state, c, &reply, error));
    if (reply == ANSWER_YES) {
      keep_trial(state, c);
    }
  }
  state->result->outcome = reply == ANSWER_YES  ? MEMPLAN_FEASIBLE
                           : reply == ANSWER_NO ? MEMPLAN_INFEASIBLE
                                                : MEMPLAN_UNKNOWN;
  return MEMPLAN_OK;
}

// With nothing asked for but a capacity, the first packing within it ends the search.
static bool is_enough(search *state) {
  const memplan_optimal_task *task = state->task;
  bool fits = task->capacity >= 0 && task->objective.minimize == MEMPLAN_MINIMIZE_PEAK;
  take_peaks(state, state->peaks);
  for (int32_t pool = 0; pool < task->instance->n_pools; pool++) {
    fits = fits && state->peaks[pool] <= task->capacity;
  }
  return fits;
}

memplan_status memplan_place_pools(const memplan_optimal_task *task, memplan_arena *arena,
                                   memplan_optimal_result *result, memplan_error *error) {
  const memplan_instance *instance = task->instance;
  int32_t n = instance->n_blocks;
  search state = {.task = task, .result = result};
  state.limits = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
  state.peaks = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
  state.offset = MEMPLAN_NEW(arena, int64_t, n);
  state.trial_offset = MEMPLAN_NEW(arena, int64_t, n);
  state.pool = MEMPLAN_NEW(arena, int32_t, n);
  state.trial_pool = MEMPLAN_NEW(arena, int32_t, n);
  int64_t *ceiling = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
  if (state.limits == NULL || state.peaks == NULL || state.offset == NULL || state.trial_offset == NULL ||
      state.pool == NULL || state.trial_pool == NULL || ceiling == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < n; block++) {
    state.offset[block] = instance->blocks[block].pin >= 0 ? instance->blocks[block].pin : 0;
    state.pool[block] = instance->block_pools[instance->blocks[block].first_pool];
  }
  if (task->start != NULL) {
    memcpy(state.offset, task->start->offset, (size_t)n * sizeof *state.offset);
    memcpy(state.pool, task->start->pool, (size_t)n * sizeof *state.pool);
  }
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    state.limits[pool] = ceiling[pool] = memplan_place_limit(instance, pool);
  }
  MEMPLAN_TRY(memplan_place_components_find(instance, arena, &state.parts, error));
  MEMPLAN_TRY(find_first(&state, error));
  if (result->outcome != MEMPLAN_FEASIBLE) {
    return MEMPLAN_OK;
  }
  bool settled = false;
  if (!is_enough(&state)) {
    MEMPLAN_TRY(settle(&state, ceiling, arena, &settled, error));
  }
  result->outcome = settled ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  result->placement = (memplan_placement){.offset = state.offset, .pool = state.pool};
  take_peaks(&state, state.peaks);
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    result->peak = state.peaks[pool] > result->peak ? state.peaks[pool] : result->peak;
  }
  return MEMPLAN_OK;
}
