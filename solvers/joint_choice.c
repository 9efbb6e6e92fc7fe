// SPDX-License-Identifier: Apache-2.0
#include "solvers/joint_choice.h"

#include "model/base/rng.h"
#include "solvers/order_problem.h"

typedef struct chooser {
  const memplan_ordering *ordering;
  const memplan_candidate *full;
  int64_t limit;
  memplan_rng random;
  memplan_order_problem problem;
  int32_t *place;  // by operator: its step
  int64_t *load;   // by step, without any pair, then with those chosen
  bool *taken;     // by cell: in a pair of the operator that is looked at
  int32_t *drawn;  // pairs of the problem at one operator, in random order
  int32_t *choice; // pairs of the ordering
  int32_t n_choices;
} chooser;

// Is the operator the first to write the one cell and the last to touch the other?
static bool is_available(const chooser *state, const memplan_order_pair *pair) {
  const memplan_order_lists *births = &state->problem.births, *deaths = &state->problem.deaths;
  int32_t step = state->place[pair->op];
  for (int32_t k = births->first[pair->born]; k < births->first[pair->born + 1]; k++) {
    if (state->place[births->list[k]] < step) {
      return false;
    }
  }
  for (int32_t k = deaths->first[pair->dying]; k < deaths->first[pair->dying + 1]; k++) {
    if (state->place[deaths->list[k]] > step) {
      return false;
    }
  }
  return true;
}

// The operator's available pairs, shuffled.
static int32_t draw_pairs(chooser *state, int32_t op) {
  int32_t count = 0;
  for (int32_t k = state->problem.pair_first[op]; k < state->problem.pair_first[op + 1]; k++) {
    if (is_available(state, &state->problem.pairs[k])) {
      int32_t at = (int32_t)memplan_rng_below(&state->random, count + 1);
      state->drawn[count] = state->drawn[at];
      state->drawn[at] = k;
      count++;
    }
  }
  return count;
}

static void choose_at(chooser *state, int32_t op) {
  int32_t count = draw_pairs(state, op), before = state->n_choices, step = state->place[op];
  int64_t load = state->load[step];
  bool one = load <= state->limit && memplan_rng_below(&state->random, 2) == 0;
  for (int32_t k = 0; k < count && (load > state->limit || one); k++) {
    const memplan_order_pair *pair = &state->problem.pairs[state->drawn[k]];
    if (!state->taken[pair->born] && !state->taken[pair->dying]) {
      state->taken[pair->born] = state->taken[pair->dying] = true;
      state->choice[state->n_choices++] = pair->source;
      load -= pair->saving;
      one = false;
    }
  }
  for (int32_t k = 0; k < count; k++) {
    const memplan_order_pair *pair = &state->problem.pairs[state->drawn[k]];
    state->taken[pair->born] = state->taken[pair->dying] = false;
  }
  if (load > state->limit) {
    state->n_choices = before;
    for (int32_t k = 0; k < state->full->n_choices; k++) {
      if (state->ordering->pairs[state->full->choice[k]].op == op) {
        state->choice[state->n_choices++] = state->full->choice[k];
      }
    }
  }
}

static memplan_status choose(chooser *state, memplan_candidate *entry, memplan_error *error) {
  const memplan_ordering *ordering = state->ordering;
  const memplan_candidate *full = state->full;
  for (int32_t step = 0; step < ordering->n_ops; step++) {
    state->place[full->order[step]] = step;
    state->load[step] = full->load[step];
  }
  for (int32_t k = 0; k < full->n_choices; k++) {
    const memplan_pair *pair = &ordering->pairs[full->choice[k]];
    state->load[state->place[pair->op]] += pair->saving;
  }
  for (int32_t step = 0; step < ordering->n_ops; step++) {
    choose_at(state, full->order[step]);
  }
  MEMPLAN_TRY(memplan_ordering_filter(ordering, state->choice, &state->n_choices, error));
  for (int32_t k = 0; k < state->n_choices; k++) {
    const memplan_pair *pair = &ordering->pairs[state->choice[k]];
    state->load[state->place[pair->op]] -= pair->saving;
  }
  *entry = *full;
  entry->index = 0;
  entry->choice = state->choice;
  entry->n_choices = state->n_choices;
  entry->load = state->load;
  entry->peak = 0;
  for (int32_t step = 0; step < ordering->n_ops; step++) {
    entry->peak = state->load[step] > entry->peak ? state->load[step] : entry->peak;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_joint_choose(const memplan_ordering *ordering, const memplan_candidate *full, int64_t limit,
                                    uint64_t seed, memplan_arena *arena, memplan_candidate *entry,
                                    memplan_error *error) {
  memplan_arena scratch = {0};
  chooser state = {.ordering = ordering,
                   .full = full,
                   .limit = limit,
                   .place = MEMPLAN_NEW(&scratch, int32_t, ordering->n_ops),
                   .load = MEMPLAN_NEW(arena, int64_t, ordering->n_ops),
                   .taken = MEMPLAN_NEW(&scratch, bool, ordering->n_cells),
                   .drawn = MEMPLAN_NEW(&scratch, int32_t, ordering->n_pairs),
                   .choice = MEMPLAN_NEW(arena, int32_t, ordering->n_pairs)};
  memplan_rng_start(&state.random, seed, 0);
  bool good =
      state.place != NULL && state.load != NULL && state.taken != NULL && state.drawn != NULL && state.choice != NULL;
  memplan_status status =
      good ? memplan_order_problem_init(&state.problem, ordering, false, &scratch, error) : memplan_fail_nomem(error);
  if (status == MEMPLAN_OK) {
    status = choose(&state, entry, error);
  }
  memplan_arena_free(&scratch);
  return status;
}
