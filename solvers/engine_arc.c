// SPDX-License-Identifier: Apache-2.0
// Each variable has the list of the arcs that leave it and of those that enter it. A rising lower bound pushes along
// arcs that hold, a falling upper bound against them; an open arc without room makes its guard false.
#include "solvers/engine_arc.h"

#include "solvers/engine_state.h"

#include <stdlib.h>
#include <string.h>

enum { leaving = 0, entering, guarding };

typedef struct arcs {
  int32_t kind;
  int32_t n_arcs, n_variables, n_sides;
  memplan_arc *arcs;
  int32_t *first[3], *list[3]; // arcs by the variable they leave, by the one they enter, by guard
} arcs;

static int64_t truth(int32_t side) { return 1 - (side & 1); }

static bool holds(const memplan_engine *engine, int32_t guard) { return engine->bound[guard] >= truth(guard); }

static bool push_up(const arcs *all, memplan_engine *engine, const memplan_arc *arc) {
  return memplan_engine_raise(engine, 2 * arc->to, engine->bound[2 * arc->from] + arc->distance,
                              (memplan_reason){all->kind, (int32_t)(arc - all->arcs)});
}

static bool push_down(const arcs *all, memplan_engine *engine, const memplan_arc *arc) {
  return memplan_engine_raise(engine, 2 * arc->from + 1, engine->bound[2 * arc->to + 1] + arc->distance,
                              (memplan_reason){all->kind, (int32_t)(arc - all->arcs)});
}

// The guard of an arc that has no room becomes false.
static bool close_arc(const arcs *all, memplan_engine *engine, const memplan_arc *arc) {
  if (engine->bound[2 * arc->from] + arc->distance <= -engine->bound[2 * arc->to + 1]) {
    return true;
  }
  return memplan_engine_raise(engine, arc->guard ^ 1, truth(arc->guard ^ 1),
                              (memplan_reason){all->kind, (int32_t)(arc - all->arcs)});
}

static bool wake(void *state, memplan_engine *engine, int32_t side) {
  const arcs *all = state;
  int32_t variable = side >> 1;
  if (variable < all->n_variables) {
    int32_t which = (side & 1) == 0 ? leaving : entering;
    int32_t first = all->first[which][variable], end = all->first[which][variable + 1];
    engine->counts.ticks += (end - first) / 4;
    for (int32_t k = first; k < end; k++) {
      const memplan_arc *arc = &all->arcs[all->list[which][k]];
      bool good = !holds(engine, arc->guard) ? close_arc(all, engine, arc)
                  : which == leaving         ? push_up(all, engine, arc)
                                             : push_down(all, engine, arc);
      if (!good) {
        return false;
      }
    }
    return true;
  }
  if (side >= all->n_sides || !holds(engine, side)) {
    return true;
  }
  for (int32_t k = all->first[guarding][side]; k < all->first[guarding][side + 1]; k++) {
    const memplan_arc *arc = &all->arcs[all->list[guarding][k]];
    if (!push_up(all, engine, arc) || !push_down(all, engine, arc)) {
      return false;
    }
  }
  return true;
}

static bool propagate(void *state, memplan_engine *engine, bool *done) {
  (void)state;
  (void)engine;
  *done = true;
  return true;
}

static void explain(void *state, memplan_engine *engine, int32_t argument, int32_t position, memplan_literal needed) {
  const arcs *all = state;
  const memplan_arc *arc = &all->arcs[argument];
  int32_t side = memplan_literal_side(needed);
  int64_t value = memplan_literal_value(needed);
  if (side == (arc->guard ^ 1)) {
    int64_t bottom = memplan_engine_bound_before(engine, 2 * arc->from, position);
    memplan_engine_push(engine, memplan_literal_make(2 * arc->from, bottom));
    memplan_engine_push(engine, memplan_literal_make(2 * arc->to + 1, 1 - bottom - arc->distance));
    return;
  }
  int32_t cause = side == 2 * arc->to ? 2 * arc->from : 2 * arc->to + 1;
  memplan_engine_push(engine, memplan_literal_make(arc->guard, truth(arc->guard)));
  memplan_engine_push(engine, memplan_literal_make(cause, value - arc->distance));
}

static void backtrack(void *state, memplan_engine *engine) {
  (void)state;
  (void)engine;
}

static void release(void *state) {
  arcs *all = state;
  if (all != NULL) {
    free(all->arcs);
    for (int k = 0; k < 3; k++) {
      free(all->first[k]);
      free(all->list[k]);
    }
    free(all);
  }
}

static int32_t key(const memplan_arc *arc, int which) {
  return which == leaving ? arc->from : which == entering ? arc->to : arc->guard;
}

static bool index_arcs(arcs *all, int which) {
  int32_t n_keys = which == guarding ? all->n_sides : all->n_variables;
  all->first[which] = calloc((size_t)n_keys + 2, sizeof(int32_t));
  all->list[which] = malloc(((size_t)all->n_arcs + 1) * sizeof(int32_t));
  if (all->first[which] == NULL || all->list[which] == NULL) {
    return false;
  }
  int32_t *first = all->first[which] + 1; // one place ahead: filling moves it home
  for (int32_t k = 0; k < all->n_arcs; k++) {
    first[key(&all->arcs[k], which) + 1]++;
  }
  for (int32_t k = 0; k < n_keys; k++) {
    first[k + 1] += first[k];
  }
  for (int32_t k = 0; k < all->n_arcs; k++) {
    all->list[which][first[key(&all->arcs[k], which)]++] = k;
  }
  return true;
}

bool memplan_engine_add_arcs(memplan_engine *engine, const memplan_arc *list, int32_t n, int32_t n_variables) {
  arcs *all = calloc(1, sizeof *all);
  if (all == NULL) {
    return false;
  }
  all->n_arcs = n;
  all->n_variables = n_variables;
  for (int32_t k = 0; k < n; k++) {
    all->n_sides = list[k].guard >= all->n_sides ? list[k].guard + 1 : all->n_sides;
  }
  all->arcs = malloc(((size_t)n + 1) * sizeof *all->arcs);
  const memplan_propagator propagator = {all, wake, propagate, explain, backtrack, release};
  if (all->arcs == NULL) {
    release(all);
    return false;
  }
  if (n > 0) {
    memcpy(all->arcs, list, (size_t)n * sizeof *list);
  }
  if (!index_arcs(all, leaving) || !index_arcs(all, entering) || !index_arcs(all, guarding) ||
      (all->kind = memplan_engine_add_propagator(engine, &propagator)) < 0) {
    release(all);
    return false;
  }
  return true;
}
