// SPDX-License-Identifier: Apache-2.0
// The heaviest clique that a greedy search finds among buffers that pairwise conflict. Lifetimes alone need none: of
// intervals, the heaviest clique is the load. Rules `conflicts` and `separate` make other graphs, up to any.
//
// From each buffer, the heaviest with their neighbours first: of the buffers that conflict with all taken so far, the
// one is taken that has most bytes together with what it leaves: a number that each candidate carries along, and that
// falls with each neighbour that stops being a candidate, so that growing one clique looks at each conflict a few times
// at most. Then single buffers come in where they outweigh those that have to go for them. The work is limited, and
// what is found holds whenever the search ends.
#include "solvers/bounds.h"

#include "model/clique.h"
#include "model/conflict_pairs.h"
#include "model/base/compiler.h"
#include "model/base/number.h"

#include <stdlib.h>
#include <string.h>

static const int64_t most_pairs = INT64_C(1) << 22, most_steps = INT64_C(1) << 24,
                     steps_between_looks = INT64_C(1) << 16;

typedef struct search {
  const memplan_instance *instance;
  int32_t *first_neighbour, *neighbours; // CSR, ascending
  int64_t *reach;                        // by buffer: its bytes and its neighbours'
  int32_t *seeds;
  int32_t *members, n_members, *best, n_best;
  int32_t *candidates;
  bool *open;                 // by buffer: is it a candidate?
  memplan_int128 *reach_open; // by candidate: its bytes and those of the candidates that it conflicts with
  int64_t bytes, best_bytes, steps, looked; // `looked`: steps when the limits were looked at last
  const memplan_limits *limits;
  bool over;
} search;

// Has the search taken so many steps (0: any number), or reached the limits?
static bool is_over(search *state, int64_t most) {
  if (state->limits != NULL && (state->steps == 0 || state->steps - state->looked >= steps_between_looks)) {
    state->looked = state->steps;
    state->over = memplan_limits_reached(state->limits) != MEMPLAN_STOP_DONE;
  }
  return state->over || (most > 0 && state->steps >= most);
}

typedef struct seed {
  int64_t reach;
  int32_t buffer;
} seed;

static int compare_seeds(const void *a, const void *b) {
  const seed *x = a, *y = b;
  if (x->reach != y->reach) {
    return x->reach > y->reach ? -1 : 1;
  }
  return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static bool build(search *state, const memplan_conflict_pairs *found, memplan_arena *arena) {
  int32_t n = state->instance->n_buffers;
  state->first_neighbour = MEMPLAN_NEW(arena, int32_t, n + 2);
  state->neighbours = MEMPLAN_NEW(arena, int32_t, 2 * found->n_pairs);
  state->reach = MEMPLAN_NEW(arena, int64_t, n);
  state->seeds = MEMPLAN_NEW(arena, int32_t, n);
  state->members = MEMPLAN_NEW(arena, int32_t, n);
  state->best = MEMPLAN_NEW(arena, int32_t, n);
  state->candidates = MEMPLAN_NEW(arena, int32_t, n);
  state->open = MEMPLAN_NEW(arena, bool, n);
  state->reach_open = MEMPLAN_NEW(arena, memplan_int128, n);
  seed *seeds = MEMPLAN_NEW(arena, seed, n);
  if (state->first_neighbour == NULL || state->neighbours == NULL || state->reach == NULL || state->seeds == NULL ||
      state->members == NULL || state->best == NULL || state->candidates == NULL || state->open == NULL ||
      state->reach_open == NULL || seeds == NULL) {
    return false;
  }
  int32_t *next = state->first_neighbour + 1;
  for (int64_t k = 0; k < found->n_pairs; k++) {
    next[found->pairs[k].first + 1]++;
    next[found->pairs[k].second + 1]++;
  }
  for (int32_t k = 1; k <= n; k++) {
    next[k] += next[k - 1];
  }
  for (int64_t k = 0; k < found->n_pairs; k++) {
    state->neighbours[next[found->pairs[k].first]++] = found->pairs[k].second;
    state->neighbours[next[found->pairs[k].second]++] = found->pairs[k].first;
  }
  for (int32_t k = 0; k < n; k++) {
    int64_t reach = state->instance->buffers[k].bytes;
    for (int32_t at = state->first_neighbour[k]; at < state->first_neighbour[k + 1]; at++) {
      reach = memplan_add_saturated(reach, state->instance->buffers[state->neighbours[at]].bytes);
    }
    state->reach[k] = reach;
    seeds[k] = (seed){reach, k};
  }
  if (n > 1) {
    qsort(seeds, (size_t)n, sizeof *seeds, compare_seeds);
  }
  for (int32_t k = 0; k < n; k++) {
    state->seeds[k] = seeds[k].buffer;
  }
  return true;
}

static void add_member(search *state, int32_t buffer) {
  state->members[state->n_members++] = buffer;
  state->bytes = memplan_add_saturated(state->bytes, state->instance->buffers[buffer].bytes);
}

static void keep_best(search *state) {
  if (state->bytes > state->best_bytes) {
    state->best_bytes = state->bytes;
    state->n_best = state->n_members;
    memcpy(state->best, state->members, (size_t)state->n_members * sizeof *state->best);
  }
}

// The candidate with most bytes together with the candidates that it conflicts with.
static int32_t choose(search *state, int32_t n_candidates, int64_t *left) {
  int32_t chosen = -1;
  *left = 0;
  for (int32_t k = 0; k < n_candidates; k++) {
    int32_t buffer = state->candidates[k];
    *left = memplan_add_saturated(*left, state->instance->buffers[buffer].bytes);
    if (chosen < 0 || state->reach_open[buffer] > state->reach_open[chosen]) {
      chosen = buffer;
    }
  }
  state->steps += n_candidates;
  return chosen;
}

static int32_t open_neighbours(search *state, int32_t start) {
  int32_t n_candidates = 0;
  for (int32_t at = state->first_neighbour[start]; at < state->first_neighbour[start + 1]; at++) {
    state->candidates[n_candidates++] = state->neighbours[at];
    state->open[state->neighbours[at]] = true;
  }
  for (int32_t k = 0; k < n_candidates; k++) {
    int32_t buffer = state->candidates[k];
    state->reach_open[buffer] = state->instance->buffers[buffer].bytes;
    for (int32_t at = state->first_neighbour[buffer]; at < state->first_neighbour[buffer + 1]; at++) {
      int32_t other = state->neighbours[at];
      state->reach_open[buffer] += state->open[other] ? state->instance->buffers[other].bytes : 0;
    }
    state->steps += state->first_neighbour[buffer + 1] - state->first_neighbour[buffer] + 1;
  }
  return n_candidates;
}

static void close_candidate(search *state, int32_t buffer) {
  state->open[buffer] = false;
  for (int32_t at = state->first_neighbour[buffer]; at < state->first_neighbour[buffer + 1]; at++) {
    state->reach_open[state->neighbours[at]] -= state->instance->buffers[buffer].bytes;
  }
  state->steps += state->first_neighbour[buffer + 1] - state->first_neighbour[buffer];
}

static int32_t keep_neighbours(search *state, int32_t buffer, int32_t n_candidates) {
  int32_t kept = 0, next = state->first_neighbour[buffer], end = state->first_neighbour[buffer + 1];
  for (int32_t k = 0; k < n_candidates; k++) { // both ascend
    while (next < end && state->neighbours[next] < state->candidates[k]) {
      next++;
    }
    if (next < end && state->neighbours[next] == state->candidates[k]) {
      state->candidates[kept++] = state->candidates[k];
    } else {
      close_candidate(state, state->candidates[k]);
    }
  }
  state->steps += n_candidates + end - state->first_neighbour[buffer];
  return kept;
}

static void grow_from(search *state, int32_t start) {
  int32_t n_candidates = open_neighbours(state, start);
  state->n_members = 0;
  state->bytes = 0;
  add_member(state, start);
  while (n_candidates > 0) {
    int64_t left;
    int32_t chosen = choose(state, n_candidates, &left);
    if (memplan_add_saturated(state->bytes, left) <= state->best_bytes) {
      break;
    }
    add_member(state, chosen);
    n_candidates = keep_neighbours(state, chosen, n_candidates);
  }
  for (int32_t k = 0; k < n_candidates; k++) {
    state->open[state->candidates[k]] = false;
  }
  keep_best(state);
}

static bool conflicts(const search *state, int32_t a, int32_t b) {
  const int32_t *first = &state->neighbours[state->first_neighbour[a]];
  size_t count = (size_t)(state->first_neighbour[a + 1] - state->first_neighbour[a]);
  return count > 0 && bsearch(&b, first, count, sizeof *first, memplan_compare_int32) != NULL;
}

// Lets a buffer into the best clique if it outweighs the members that it does not conflict with.
static bool exchange(search *state, int32_t buffer) {
  int64_t lost = 0;
  for (int32_t k = 0; k < state->n_best; k++) {
    if (state->best[k] == buffer) {
      return false;
    }
    lost = memplan_add_saturated(
        lost, conflicts(state, buffer, state->best[k]) ? 0 : state->instance->buffers[state->best[k]].bytes);
  }
  state->steps += state->n_best;
  if (lost >= state->instance->buffers[buffer].bytes) {
    return false;
  }
  state->n_members = 0;
  state->bytes = 0;
  for (int32_t k = 0; k < state->n_best; k++) {
    if (conflicts(state, buffer, state->best[k])) {
      add_member(state, state->best[k]);
    }
  }
  add_member(state, buffer);
  keep_best(state);
  return true;
}

static void improve(search *state) {
  bool better = state->n_best > 0;
  while (better) {
    better = false;
    for (int32_t buffer = 0; buffer < state->instance->n_buffers && !is_over(state, 2 * most_steps); buffer++) {
      better = exchange(state, buffer) || better;
    }
  }
}

static memplan_status add_best(search *state, memplan_bound_list *list, memplan_arena *arena, memplan_error *error) {
  if (state->n_best < 2 || state->n_best > MEMPLAN_CLIQUE_MOST) {
    return MEMPLAN_OK;
  }
  const char **ids = MEMPLAN_NEW(arena, const char *, state->n_best);
  if (ids == NULL) {
    return memplan_fail_nomem(error);
  }
  qsort(state->best, (size_t)state->n_best, sizeof *state->best, memplan_compare_int32);
  for (int32_t k = 0; k < state->n_best; k++) {
    ids[k] = state->instance->buffers[state->best[k]].id;
  }
  memplan_bound_list_add(list, (memplan_bound){.kind = MEMPLAN_BOUND_CLIQUE,
                                               .bytes = state->best_bytes,
                                               .step = -1,
                                               .buffers = ids,
                                               .n_buffers = state->n_best});
  return MEMPLAN_OK;
}

memplan_status memplan_bound_clique(const memplan_instance *instance, const memplan_limits *limits,
                                    memplan_arena *arena, memplan_bound_list *list, memplan_error *error) {
  search state = {.instance = instance, .limits = limits};
  if (instance->n_pools > 1 || (instance->n_conflicts == 0 && instance->n_separate == 0)) {
    return MEMPLAN_OK;
  }
  memplan_conflict_pairs found;
  MEMPLAN_TRY(memplan_conflict_pairs_find(instance, most_pairs, limits, &found, error));
  memplan_arena scratch = {0};
  memplan_status status = build(&state, &found, &scratch) ? MEMPLAN_OK : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK) {
    for (int32_t k = 0; k < instance->n_buffers && (k == 0 || !is_over(&state, most_steps)); k++) {
      if (state.reach[state.seeds[k]] > state.best_bytes) {
        grow_from(&state, state.seeds[k]);
      }
    }
    improve(&state);
    status = add_best(&state, list, arena, error);
  }
  memplan_arena_free(&scratch);
  memplan_conflict_pairs_free(&found);
  return status;
}
