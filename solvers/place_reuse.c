// SPDX-License-Identifier: Apache-2.0
// For one item among placed ones, both what forbids an offset and what an offset costs are open intervals of offsets,
// so that one sweep over their ends finds the cheapest legal one. A local search makes moves of it: each item alone
// until none gets cheaper, then again and again a few items that pay for each other, with some that are in their way,
// are taken out and put back in another order; what costs no more is kept.
//
// Invariant: the offsets kept are a packing of the problem within the limits.
#include "solvers/place_reuse.h"

#include "model/base/compiler.h"
#include "model/base/number.h"
#include "model/base/rng.h"
#include "solvers/place_problem.h"

#include <stdlib.h>
#include <string.h>

enum { most_items = 2048, most_taken = 6, most_steps = 1 << 20, limits_every = 256 };

typedef struct penalty {
  int32_t item, other;
  int64_t cost;
} penalty;

// From `at` on, another interval is open (or closed again: negative numbers).
typedef struct event {
  int64_t at;
  memplan_int128 cost;
  int32_t forbids;
} event;

typedef struct search {
  memplan_place_problem problem;
  penalty *penalties;     // from both sides, by item
  int32_t *first_penalty; // by item, and one more
  int64_t *offset, *kept; // by item, on the axis of all pools; -1: taken out
  memplan_int128 kept_cost;
  event *events; // of one item
  int64_t *spots;
  int32_t n_events, n_spots;
  int64_t steps;
  const memplan_limits *limits;
  memplan_rng rng;
} search;

static int compare_penalties(const void *a, const void *b) {
  const penalty *x = a, *y = b;
  if (x->item != y->item) {
    return x->item < y->item ? -1 : 1;
  }
  if (x->other != y->other) {
    return x->other < y->other ? -1 : 1;
  }
  return (x->cost > y->cost) - (x->cost < y->cost);
}

// Equal events do the same, so that their order does not matter.
static int compare_events(const void *a, const void *b) {
  const event *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

// ---- set-up

static memplan_status index_penalties(search *state, const memplan_instance *instance, memplan_arena *scratch,
                                      memplan_error *error) {
  const memplan_place_problem *problem = &state->problem;
  int32_t *item_of = MEMPLAN_NEW(scratch, int32_t, instance->n_blocks), n = 0;
  state->penalties = MEMPLAN_NEW(scratch, penalty, 2 * (int64_t)instance->n_reuse);
  state->first_penalty = MEMPLAN_NEW(scratch, int32_t, problem->n_items + 1);
  if (item_of == NULL || state->penalties == NULL || state->first_penalty == NULL) {
    return memplan_fail_nomem(error);
  }
  memset(item_of, -1, (size_t)instance->n_blocks * sizeof *item_of);
  for (int32_t item = 0; item < problem->n_items; item++) {
    item_of[problem->block[item]] = item;
  }
  for (int32_t k = 0; k < instance->n_reuse; k++) {
    int32_t a = item_of[instance->block_of[instance->reuse[k].first]];
    int32_t b = item_of[instance->block_of[instance->reuse[k].second]];
    if (a >= 0 && b >= 0 && a != b && instance->reuse[k].cost > 0) {
      state->penalties[n++] = (penalty){a, b, instance->reuse[k].cost};
      state->penalties[n++] = (penalty){b, a, instance->reuse[k].cost};
    }
  }
  if (n > 1) {
    qsort(state->penalties, (size_t)n, sizeof *state->penalties, compare_penalties);
  }
  for (int32_t k = 0; k < n; k++) {
    state->first_penalty[state->penalties[k].item + 1]++;
  }
  for (int32_t item = 0; item < problem->n_items; item++) {
    state->first_penalty[item + 1] += state->first_penalty[item];
  }
  return MEMPLAN_OK;
}

static memplan_status make_room(search *state, memplan_arena *scratch, memplan_error *error) {
  const memplan_place_problem *problem = &state->problem;
  int64_t most = 0;
  for (int32_t item = 0; item < problem->n_items; item++) {
    int64_t count = problem->first_exclusion[item + 1] - problem->first_exclusion[item] +
                    state->first_penalty[item + 1] - state->first_penalty[item] + problem->offsets[item].n_ranges;
    most = count > most ? count : most;
  }
  state->events = MEMPLAN_NEW(scratch, event, 2 * most);
  state->spots = MEMPLAN_NEW(scratch, int64_t, 2 * most);
  state->offset = MEMPLAN_NEW(scratch, int64_t, problem->n_items);
  state->kept = MEMPLAN_NEW(scratch, int64_t, problem->n_items);
  bool ok = state->events != NULL && state->spots != NULL && state->offset != NULL && state->kept != NULL;
  return ok ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static bool adopt(search *state, const memplan_placement *placement) {
  const memplan_place_problem *problem = &state->problem;
  for (int32_t item = 0; item < problem->n_items; item++) {
    int64_t offset = placement->offset[problem->block[item]];
    if (offset % problem->unit != 0) {
      return false;
    }
    state->offset[item] = problem->pool_start[placement->pool[problem->block[item]]] + offset / problem->unit;
  }
  return memplan_place_problem_holds(problem, state->offset, problem->pool_start[problem->n_pools]);
}

// ---- one item

static bool share_bytes(const search *state, int32_t item, int32_t other) {
  const int64_t *size = state->problem.size, *offset = state->offset;
  return offset[item] >= 0 && offset[other] >= 0 && offset[item] < offset[other] + size[other] &&
         offset[other] < offset[item] + size[item];
}

static memplan_int128 cost_of(const search *state, int32_t item) {
  memplan_int128 cost = 0;
  for (int32_t k = state->first_penalty[item]; k < state->first_penalty[item + 1]; k++) {
    cost += share_bytes(state, item, state->penalties[k].other) ? state->penalties[k].cost : 0;
  }
  return cost;
}

static memplan_int128 total_cost(const search *state) {
  memplan_int128 twice = 0;
  for (int32_t item = 0; item < state->problem.n_items; item++) {
    twice += cost_of(state, item);
  }
  return twice / 2;
}

static void add_spot(search *state, int64_t spot) {
  if (spot >= 0 && spot != INT64_MAX) {
    state->spots[state->n_spots++] = spot;
  }
}

// Offsets strictly between low and high.
static void add_interval(search *state, int32_t item, int64_t low, int64_t high, int64_t cost, int32_t forbids) {
  const memplan_offset_set *set = &state->problem.offsets[item];
  state->events[state->n_events++] = (event){low + 1, cost, forbids};
  state->events[state->n_events++] = (event){high, -(memplan_int128)cost, -forbids};
  add_spot(state, low < 0 ? -1 : memplan_offset_set_down(set, low));
  add_spot(state, memplan_offset_set_up(set, high));
}

static void collect(search *state, int32_t item) {
  const memplan_place_problem *problem = &state->problem;
  const int64_t *offset = state->offset, *size = problem->size;
  state->n_events = state->n_spots = 0;
  for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
    const memplan_exclusion *pair = &problem->exclusions[k];
    if (offset[pair->other] >= 0) {
      add_interval(state, item, offset[pair->other] - pair->up, offset[pair->other] + pair->down, 0, 1);
    }
  }
  for (int32_t k = state->first_penalty[item]; k < state->first_penalty[item + 1]; k++) {
    const penalty *pair = &state->penalties[k];
    if (offset[pair->other] >= 0) {
      add_interval(state, item, offset[pair->other] - size[item], offset[pair->other] + size[pair->other], pair->cost,
                   0);
    }
  }
  for (int32_t k = 0; k < problem->offsets[item].n_ranges; k++) {
    add_spot(state, problem->offsets[item].ranges[k].first);
    add_spot(state, problem->offsets[item].ranges[k].last);
  }
  state->steps += state->n_events + state->n_spots;
}

// Puts an item that is taken out to the lowest of its cheapest legal offsets. False if there is no legal one.
static bool put(search *state, int32_t item, memplan_int128 *cost) {
  collect(state, item);
  if (state->n_events > 1) {
    qsort(state->events, (size_t)state->n_events, sizeof *state->events, compare_events);
  }
  if (state->n_spots > 1) {
    qsort(state->spots, (size_t)state->n_spots, sizeof *state->spots, memplan_compare_int64);
  }
  memplan_int128 now = 0;
  int64_t best = -1;
  int32_t forbids = 0, next = 0;
  for (int32_t k = 0; k < state->n_spots; k++) {
    for (; next < state->n_events && state->events[next].at <= state->spots[k]; next++) {
      now += state->events[next].cost;
      forbids += state->events[next].forbids;
    }
    if (forbids == 0 && (best < 0 || now < *cost)) {
      best = state->spots[k];
      *cost = now;
    }
  }
  state->offset[item] = best;
  return best >= 0;
}

// ---- moves

static void keep(search *state, memplan_int128 cost) {
  memcpy(state->kept, state->offset, (size_t)state->problem.n_items * sizeof *state->kept);
  state->kept_cost = cost;
}

static bool is_over(const search *state, int64_t round) {
  return state->kept_cost == 0 || state->steps >= most_steps ||
         (round % limits_every == 0 && memplan_limits_reached(state->limits) != MEMPLAN_STOP_DONE);
}

static void move_singly(search *state) {
  bool better = true;
  for (int64_t round = 0; better && !is_over(state, round); round++) {
    better = false;
    for (int32_t item = 0; item < state->problem.n_items && state->steps < most_steps; item++) {
      memplan_int128 before = cost_of(state, item), after = 0;
      int64_t old = state->offset[item];
      if (before == 0) {
        continue;
      }
      state->offset[item] = -1;
      if (!put(state, item, &after) || after >= before) {
        state->offset[item] = old;
      } else {
        keep(state, state->kept_cost - before + after);
        better = true;
      }
    }
  }
}

static int32_t take(search *state, int32_t item, int32_t *taken, int32_t n_taken) {
  if (state->offset[item] < 0 || n_taken == most_taken) {
    return n_taken;
  }
  state->offset[item] = -1;
  taken[n_taken] = item;
  return n_taken + 1;
}

// A pair that pays for each other, and some that one of the two excludes.
static int32_t take_group(search *state, int32_t *taken) {
  const memplan_place_problem *problem = &state->problem;
  int32_t n_taken = 0, n = state->first_penalty[problem->n_items];
  int32_t start = (int32_t)memplan_rng_below(&state->rng, n), chosen = -1;
  for (int32_t k = 0; k < n && chosen < 0; k++) {
    const penalty *pair = &state->penalties[(start + k) % n];
    chosen = share_bytes(state, pair->item, pair->other) ? (start + k) % n : -1;
  }
  if (chosen < 0) {
    return 0;
  }
  int32_t item = state->penalties[chosen].item;
  n_taken = take(state, item, taken, n_taken);
  if (memplan_rng_below(&state->rng, 2) == 0) {
    n_taken = take(state, state->penalties[chosen].other, taken, n_taken);
  }
  int32_t first = problem->first_exclusion[item], count = problem->first_exclusion[item + 1] - first;
  for (int64_t more = memplan_rng_below(&state->rng, most_taken - 1); more > 0; more--) {
    int32_t other = count > 0 && memplan_rng_below(&state->rng, 4) > 0
                        ? problem->exclusions[first + memplan_rng_below(&state->rng, count)].other
                        : (int32_t)memplan_rng_below(&state->rng, problem->n_items);
    n_taken = take(state, other, taken, n_taken);
  }
  return n_taken;
}

static void move_groups(search *state) {
  int32_t taken[most_taken];
  for (int64_t round = 0; !is_over(state, round); round++) {
    int32_t n_taken = take_group(state, taken);
    if (n_taken == 0) {
      return;
    }
    memplan_int128 cost = total_cost(state);
    state->steps += state->first_penalty[state->problem.n_items];
    bool fits = true;
    for (int32_t left = n_taken; left > 0 && fits; left--) {
      int32_t at = (int32_t)memplan_rng_below(&state->rng, left);
      memplan_int128 own = 0;
      fits = put(state, taken[at], &own);
      cost += own;
      taken[at] = taken[left - 1];
    }
    if (fits && cost <= state->kept_cost) {
      keep(state, cost);
    } else {
      memcpy(state->offset, state->kept, (size_t)state->problem.n_items * sizeof *state->offset);
    }
  }
}

// ---- the whole

static memplan_status store(const search *state, int32_t n_blocks, memplan_placement *placement, memplan_arena *arena,
                            memplan_error *error) {
  const memplan_place_problem *problem = &state->problem;
  int64_t *offset = MEMPLAN_NEW(arena, int64_t, n_blocks);
  int32_t *pool = MEMPLAN_NEW(arena, int32_t, n_blocks);
  if (offset == NULL || pool == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(offset, placement->offset, (size_t)n_blocks * sizeof *offset);
  memcpy(pool, placement->pool, (size_t)n_blocks * sizeof *pool);
  for (int32_t item = 0; item < problem->n_items; item++) {
    int32_t p = 0;
    while (p + 1 < problem->n_pools && state->kept[item] >= problem->pool_start[p + 1]) {
      p++;
    }
    offset[problem->block[item]] = (state->kept[item] - problem->pool_start[p]) * problem->unit;
    pool[problem->block[item]] = p;
  }
  *placement = (memplan_placement){.offset = offset, .pool = pool};
  return MEMPLAN_OK;
}

static memplan_status run(search *state, const memplan_instance *instance, const int64_t *most,
                          memplan_placement *placement, memplan_arena *scratch, memplan_arena *arena,
                          memplan_error *error) {
  int32_t *blocks = MEMPLAN_NEW(scratch, int32_t, instance->n_blocks), n_items = 0;
  if (blocks == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].bytes > 0) {
      blocks[n_items++] = block;
    }
  }
  if (n_items > most_items) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(
      memplan_place_problem_build(instance, blocks, n_items, most, state->limits, scratch, &state->problem, error));
  if (state->problem.unfinished) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(index_penalties(state, instance, scratch, error));
  MEMPLAN_TRY(make_room(state, scratch, error));
  if (!adopt(state, placement)) {
    return MEMPLAN_OK;
  }
  memplan_int128 before = total_cost(state);
  keep(state, before);
  move_singly(state);
  move_groups(state);
  return state->kept_cost < before ? store(state, instance->n_blocks, placement, arena, error) : MEMPLAN_OK;
}

memplan_status memplan_place_lower_reuse(const memplan_instance *instance, const int64_t *most,
                                         const memplan_limits *limits, memplan_placement *placement,
                                         memplan_arena *arena, memplan_error *error) {
  if (memplan_instance_reuse_cost(instance, placement->offset, placement->pool) == 0) {
    return MEMPLAN_OK;
  }
  memplan_arena scratch = {0};
  search state = {.limits = limits};
  memplan_rng_start(&state.rng, limits->seed, 0);
  memplan_status status = run(&state, instance, most, placement, &scratch, arena, error);
  memplan_arena_free(&scratch);
  return status;
}
