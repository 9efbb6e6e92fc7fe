// SPDX-License-Identifier: Apache-2.0
// From an order to its load: one forward walk that keeps the bytes live, with the best in-place choice at each step.
//
// A pair (q, p) of operator v is available iff q is not born before v and v is the last operator that p still waits
// for: then every other one that touches p's storage has finished. Choices of different steps do not touch each other's
// load, so that the order peak is the largest load with the best matching at each step.
#include "model/ordering.h"

#include <string.h>

typedef struct walk {
  const memplan_ordering *ordering;
  int32_t *missing; // by cell: members of the death set that have not run
  bool *born;       // by cell
  int64_t live;     // base and cells live after the last step
  bool *available;  // by pair of the operator at hand
  int32_t *chosen;
} walk;

static bool start(walk *state, const memplan_ordering *ordering, memplan_arena *arena) {
  state->ordering = ordering;
  state->missing = MEMPLAN_NEW(arena, int32_t, ordering->n_cells);
  state->born = MEMPLAN_NEW(arena, bool, ordering->n_cells);
  state->available = MEMPLAN_NEW(arena, bool, ordering->n_pairs);
  state->chosen = MEMPLAN_NEW(arena, int32_t, ordering->n_pairs);
  if (state->missing == NULL || state->born == NULL || state->available == NULL || state->chosen == NULL) {
    return false;
  }
  state->live = ordering->base;
  for (int32_t cell = 0; cell < ordering->n_cells; cell++) {
    state->missing[cell] = ordering->cells[cell].n_deaths;
    state->born[cell] = ordering->cells[cell].init;
    state->live += ordering->cells[cell].init ? ordering->cells[cell].bytes : 0;
  }
  return true;
}

static bool gives_birth(const memplan_ordering *ordering, const memplan_cell *cell, int32_t op) {
  for (int32_t k = 0; k < cell->n_births; k++) {
    if (ordering->births[cell->first_birth + k] == op) {
      return true;
    }
  }
  return false;
}

static bool match(walk *state, int32_t op, memplan_matching *result) {
  const memplan_ordering *ordering = state->ordering;
  int32_t first = ordering->pair_first[op], count = ordering->pair_first[op + 1] - first;
  for (int32_t k = 0; k < count; k++) {
    const memplan_pair *pair = &ordering->pairs[first + k];
    state->available[k] = !state->born[ordering->cell_of_storage[pair->output_storage]] &&
                          state->missing[ordering->cell_of_storage[pair->input_storage]] == 1;
  }
  return memplan_pairs_match(ordering->pairs, first, count, state->available, state->chosen, result);
}

// Runs `op`; returns the load of its step before any in-place, without first_step.
static int64_t step(walk *state, int32_t op) {
  const memplan_ordering *ordering = state->ordering;
  int64_t freed = 0;
  for (int32_t k = ordering->op_cell_first[op]; k < ordering->op_cell_first[op + 1]; k++) {
    int32_t index = ordering->op_cells[k];
    const memplan_cell *cell = &ordering->cells[index];
    if (!state->born[index] && gives_birth(ordering, cell, op)) {
      state->born[index] = true;
      state->live += cell->bytes;
    }
    if (--state->missing[index] == 0 && !cell->keep) {
      freed += cell->bytes;
    }
  }
  int64_t load = state->live + ordering->workspace[op];
  state->live -= freed;
  return load;
}

memplan_status memplan_ordering_profile(const memplan_ordering *ordering, const int32_t *order, memplan_arena *arena,
                                        memplan_profile *profile, memplan_error *error) {
  memplan_arena scratch = {0};
  walk state;
  profile->load = MEMPLAN_NEW(arena, int64_t, ordering->n_ops);
  profile->choice = MEMPLAN_NEW(arena, int32_t, ordering->n_pairs);
  if (profile->load == NULL || profile->choice == NULL || !start(&state, ordering, &scratch)) {
    memplan_arena_free(&scratch);
    return memplan_fail_nomem(error);
  }
  profile->n_choices = 0;
  profile->step = -1;
  profile->peak = profile->bound = ordering->n_ops == 0 ? state.live + ordering->first_step : 0;
  for (int32_t t = 0; t < ordering->n_ops; t++) {
    memplan_matching matching;
    if (!match(&state, order[t], &matching)) {
      memplan_arena_free(&scratch);
      return memplan_fail_nomem(error);
    }
    memcpy(profile->choice + profile->n_choices, state.chosen, (size_t)matching.n_chosen * sizeof *state.chosen);
    profile->n_choices += matching.n_chosen;
    int64_t whole = step(&state, order[t]) + (t == 0 ? ordering->first_step : 0);
    int64_t load = whole - matching.saving, least = whole - matching.most;
    profile->load[t] = load;
    profile->bound = least > profile->bound ? least : profile->bound;
    if (profile->step < 0 || load > profile->peak) {
      profile->peak = load;
      profile->step = t;
    }
  }
  memplan_arena_free(&scratch);
  return MEMPLAN_OK;
}
