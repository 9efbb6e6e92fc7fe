// SPDX-License-Identifier: Apache-2.0
// Each variable has the list of its pairs, seen from itself: the literal `I am below the other`, and the distances in
// both directions. A rising lower bound pushes those above; an upper bound that falls pushes those below; where a pair
// is open and one of its two ways has no room left, the other way holds.
#include "solvers/engine_difference.h"

#include "solvers/engine_state.h"

#include <stdlib.h>
#include <string.h>

// A pair seen from one of its variables.
typedef struct neighbour {
  int64_t up;    // other >= me + up, if `below` is true
  int64_t down;  // me >= other + down, if it is false
  int32_t other; // variable
  int32_t below; // side of the guard
} neighbour;

typedef struct differences {
  int32_t kind;
  int32_t n_pairs, n_variables;
  memplan_difference *pairs;
  int32_t *first; // by variable, and one more: its neighbours
  neighbour *neighbours;
  int32_t *pair;    // by neighbour
  int32_t *guarded; // by Boolean - first_guard: pair
  int32_t first_guard, n_guards;
} differences;

// The guard's sides are true at 1 (even) and 0 (odd).
static int64_t truth(int32_t side) { return 1 - (side & 1); }

static bool push_up(differences *all, memplan_engine *engine, int32_t variable) {
  const int64_t *bound = engine->bound;
  int64_t low = bound[2 * variable];
  for (int32_t k = all->first[variable]; k < all->first[variable + 1]; k++) {
    const neighbour *next = &all->neighbours[k];
    int64_t value = low + next->up;
    if (bound[next->below] >= truth(next->below)) {
      if (bound[2 * next->other] < value &&
          !memplan_engine_raise(engine, 2 * next->other, value, (memplan_reason){all->kind, all->pair[k]})) {
        return false;
      }
    } else if (value > -bound[2 * next->other + 1] && bound[next->below ^ 1] < truth(next->below ^ 1) &&
               !memplan_engine_raise(engine, next->below ^ 1, truth(next->below ^ 1),
                                     (memplan_reason){all->kind, all->pair[k]})) {
      return false;
    }
  }
  return true;
}

static bool push_down(differences *all, memplan_engine *engine, int32_t variable) {
  const int64_t *bound = engine->bound;
  int64_t high = -bound[2 * variable + 1];
  for (int32_t k = all->first[variable]; k < all->first[variable + 1]; k++) {
    const neighbour *next = &all->neighbours[k];
    int64_t value = high - next->down; // the other may not lie higher, if it lies below
    if (bound[next->below ^ 1] >= truth(next->below ^ 1)) {
      if (-bound[2 * next->other + 1] > value &&
          !memplan_engine_raise(engine, 2 * next->other + 1, -value, (memplan_reason){all->kind, all->pair[k]})) {
        return false;
      }
    } else if (bound[2 * next->other] > value && bound[next->below] < truth(next->below) &&
               !memplan_engine_raise(engine, next->below, truth(next->below),
                                     (memplan_reason){all->kind, all->pair[k]})) {
      return false;
    }
  }
  return true;
}

static bool push_pair(differences *all, memplan_engine *engine, int32_t index, bool below) {
  const memplan_difference *pair = &all->pairs[index];
  int32_t low = below ? pair->a : pair->b, high = below ? pair->b : pair->a;
  int64_t distance = below ? pair->up : pair->down;
  memplan_reason reason = {all->kind, index};
  return memplan_engine_raise(engine, 2 * high, engine->bound[2 * low] + distance, reason) &&
         memplan_engine_raise(engine, 2 * low + 1, engine->bound[2 * high + 1] + distance, reason);
}

static bool wake(void *state, memplan_engine *engine, int32_t side) {
  differences *all = state;
  int32_t variable = side >> 1;
  if (variable < all->n_variables) {
    engine->counts.ticks += (all->first[variable + 1] - all->first[variable]) / 4;
    return (side & 1) == 0 ? push_up(all, engine, variable) : push_down(all, engine, variable);
  }
  int32_t guard = variable - all->first_guard;
  if (guard < 0 || guard >= all->n_guards || all->guarded[guard] < 0 || engine->bound[side] < truth(side)) {
    return true;
  }
  return push_pair(all, engine, all->guarded[guard], (side & 1) == 0);
}

static bool propagate(void *state, memplan_engine *engine, bool *done) {
  (void)state;
  (void)engine;
  *done = true;
  return true;
}

static void explain(void *state, memplan_engine *engine, int32_t argument, int32_t position, memplan_literal needed) {
  const differences *all = state;
  const memplan_difference *pair = &all->pairs[argument];
  int32_t side = memplan_literal_side(needed), variable = side >> 1;
  if (variable == pair->guard) {
    // the way that has no room: low below high
    bool below = (side & 1) != 0;
    int32_t low = below ? pair->a : pair->b, high = below ? pair->b : pair->a;
    int64_t distance = below ? pair->up : pair->down;
    int64_t bottom = memplan_engine_bound_before(engine, 2 * low, position);
    memplan_engine_push(engine, memplan_literal_make(2 * low, bottom));
    memplan_engine_push(engine, memplan_literal_make(2 * high + 1, 1 - bottom - distance));
    return;
  }
  // lower bounds come from below, upper bounds from above
  bool lower = (side & 1) == 0;
  bool below = (variable == pair->b) == lower; // a below b
  int32_t other = variable == pair->a ? pair->b : pair->a;
  memplan_engine_push(engine, memplan_literal_make(2 * pair->guard + !below, below ? 1 : 0));
  memplan_engine_push(engine, memplan_literal_make(2 * other + (side & 1),
                                                   memplan_literal_value(needed) - (below ? pair->up : pair->down)));
}

static void backtrack(void *state, memplan_engine *engine) {
  (void)state;
  (void)engine;
}

static void release(void *state) {
  differences *all = state;
  if (all != NULL) {
    free(all->pairs);
    free(all->first);
    free(all->neighbours);
    free(all->pair);
    free(all->guarded);
    free(all);
  }
}

static void index_pairs(differences *all) {
  for (int32_t k = 0; k < all->n_pairs; k++) {
    all->first[all->pairs[k].a + 1]++;
    all->first[all->pairs[k].b + 1]++;
    all->guarded[all->pairs[k].guard - all->first_guard] = k;
  }
  for (int32_t k = 0; k < all->n_variables; k++) {
    all->first[k + 1] += all->first[k];
  }
  for (int32_t k = 0; k < all->n_pairs; k++) {
    const memplan_difference *pair = &all->pairs[k];
    int32_t at = all->first[pair->a]++, other = all->first[pair->b]++;
    all->neighbours[at] = (neighbour){pair->up, pair->down, pair->b, 2 * pair->guard};
    all->neighbours[other] = (neighbour){pair->down, pair->up, pair->a, 2 * pair->guard + 1};
    all->pair[at] = k;
    all->pair[other] = k;
  }
  for (int32_t k = all->n_variables; k > 0; k--) {
    all->first[k] = all->first[k - 1];
  }
  all->first[0] = 0;
}

bool memplan_engine_add_differences(memplan_engine *engine, const memplan_difference *pairs, int32_t n,
                                    int32_t n_variables) {
  differences *all = calloc(1, sizeof *all);
  if (all == NULL) {
    return false;
  }
  all->n_pairs = n;
  all->n_variables = n_variables;
  int32_t last = 0;
  for (int32_t k = 0; k < n; k++) {
    all->first_guard = k == 0 || pairs[k].guard < all->first_guard ? pairs[k].guard : all->first_guard;
    last = pairs[k].guard > last ? pairs[k].guard : last;
  }
  all->n_guards = n > 0 ? last + 1 - all->first_guard : 0;
  all->pairs = malloc(((size_t)n + 1) * sizeof *pairs);
  all->first = calloc((size_t)n_variables + 1, sizeof *all->first);
  all->neighbours = malloc((2 * (size_t)n + 1) * sizeof *all->neighbours);
  all->pair = malloc((2 * (size_t)n + 1) * sizeof *all->pair);
  all->guarded = malloc(((size_t)all->n_guards + 1) * sizeof *all->guarded);
  const memplan_propagator propagator = {all, wake, propagate, explain, backtrack, release};
  if (all->pairs == NULL || all->first == NULL || all->neighbours == NULL || all->pair == NULL ||
      all->guarded == NULL || (all->kind = memplan_engine_add_propagator(engine, &propagator)) < 0) {
    release(all);
    return false;
  }
  for (int32_t k = 0; k < all->n_guards; k++) {
    all->guarded[k] = -1;
  }
  if (n > 0) {
    memcpy(all->pairs, pairs, (size_t)n * sizeof *pairs);
  }
  index_pairs(all);
  return true;
}
