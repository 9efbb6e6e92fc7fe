// SPDX-License-Identifier: Apache-2.0
// The problem is built once, for the limits given. Heights are units of its axis; with several pools the axis holds
// them all, and any packing answers the question.
//
// Small problems begin with the precedence engine, which proves most of them in milliseconds; restarts then get a small
// part of the time, since what they have not found in their first epochs is most often not there. In larger ones
// packings at the bound come from restarts within their first epochs or not for long, so that the engine, whose set-up
// takes a while there, waits for those. What the very first epochs have not found, beams find sooner: they take most of
// the time from then on, where they take the problem.
#include "solvers/place_duel.h"

#include "model/base/arena.h"
#include "solvers/place_beams.h"
#include "solvers/place_precedence.h"
#include "solvers/place_problem.h"
#include "solvers/place_restarts.h"
#include "solvers/place_sums.h"
#include "solvers/techniques.h"

#include <stdlib.h>
#include <string.h>

enum {
  most_items = 2048, // pairs are compared one by one
  few_pairs = 1500,
  first_epochs = 12, // of restarts alone, for larger problems
  few_epochs = 3,    // of restarts at full strength, for small problems
  small_share = 4,   // small problems give restarts this part of the engine's ticks from then on
  first_ticks = 1 << 17,
  most_ticks = 1 << 23,
  large_share = 8,         // larger problems give the engine this part of the ticks
  ticks_of_node = 1 << 10, // a node costs about as much as so many ticks
  ticks_of_state = 96,     // and a state of a beam
  narrow_epochs = 4,       // of restarts before the first beam
  beams_share = 4,         // beside beams, restarts get one epoch in so many once the first ones are over
  precedence_part = 2,     // of the memory
  bytes_of_pair = 512      // that the precedence engine takes before it has learned anything
};

struct memplan_duel {
  memplan_arena arena;
  memplan_place_problem problem;
  memplan_precedence *precedence; // NULL until it is its turn, and once its memory is full
  memplan_engine_counts spent;    // of one that was
  memplan_restarts *restarts;     // NULL: the problem is nothing for it
  memplan_beams *beams;           // NULL: not yet, or the problem is nothing for them
  bool asked_beams;
  bool proof, takes_precedence;
  uint64_t without; // techniques
  const memplan_instance *instance;
  const memplan_limits *limits;
  int64_t epoch;
  int64_t *offset;                // by item, of the best packing
  int64_t lower, upper;           // units: nothing is lower than `lower`, only heights below `upper` are of interest
  const memplan_place_sums *sums; // of one pool: what a proven height rises to; NULL in a search for a proof
  int64_t aim;                    // units: a height that is good enough
  int64_t ticks;                  // of the next epoch
  memplan_duel_state state;
};

// What every packing needs: the items of a section side by side, and each item above its lowest offset.
static int64_t find_lower(const memplan_place_problem *problem) {
  int64_t lower = 0;
  for (int32_t section = 0; section < problem->n_sections; section++) {
    int64_t sum = 0;
    for (int32_t k = problem->first_member[section]; k < problem->first_member[section + 1]; k++) {
      sum += problem->members[k].high - problem->members[k].low;
    }
    lower = sum > lower ? sum : lower;
  }
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_offset_set *set = &problem->offsets[item];
    if (set->n_ranges == 0) {
      return INT64_MAX;
    }
    int64_t end = set->ranges[0].first + problem->size[item];
    lower = end > lower ? end : lower;
  }
  return lower;
}

static bool is_decided(const memplan_duel *duel) {
  return duel->lower >= duel->upper || (duel->problem.n_pools > 1 && duel->state.found);
}

// Bytes that no packing stays below, for one pool.
static void publish(memplan_duel *duel) {
  memplan_duel_state *state = &duel->state;
  int64_t unit = duel->problem.unit;
  state->finished = is_decided(duel);
  state->peak = duel->upper * unit;
  state->bound = (duel->lower < duel->upper ? duel->lower : duel->upper) * unit;
  state->conflicts = duel->spent.conflicts;
  state->ticks = duel->spent.ticks;
  state->stuck = !state->finished && !duel->takes_precedence && duel->restarts == NULL;
  if (duel->precedence != NULL) {
    memplan_engine_counts counts = memplan_precedence_count(duel->precedence);
    state->conflicts = counts.conflicts;
    state->ticks = counts.ticks;
  }
  if (duel->restarts != NULL) {
    state->nodes = memplan_restarts_nodes(duel->restarts);
    state->ticks += state->nodes * ticks_of_node;
  }
  if (duel->beams != NULL) {
    int64_t states = memplan_beams_states(duel->beams);
    state->nodes += states;
    state->ticks += states * ticks_of_state;
  }
}

static int64_t count_pairs(const memplan_duel *duel) {
  return duel->problem.first_exclusion[duel->problem.n_items] / 2;
}

// No packing stays below `lower`.
static void raise_lower(memplan_duel *duel, int64_t lower) {
  lower = memplan_place_sums_next(duel->sums, lower);
  duel->lower = lower > duel->lower ? lower : duel->lower;
}

static void switch_off(memplan_duel *duel, uint64_t techniques) {
  duel->without = techniques;
  if (duel->restarts != NULL) {
    memplan_restarts_switch_off(duel->restarts, techniques);
  }
}

static memplan_status set_up(memplan_duel *duel, const memplan_instance *instance, const int32_t *blocks,
                             int32_t n_blocks, const int64_t *limits, const int64_t *start, bool proof,
                             uint64_t without, const memplan_limits *run, bool *accepted, memplan_error *error) {
  char reason[256];
  const memplan_place_problem *problem = &duel->problem;
  MEMPLAN_TRY(memplan_place_problem_build_as(instance, blocks, n_blocks, limits, memplan_techniques_forms(without), run,
                                             &duel->arena, &duel->problem, error));
  if (problem->unfinished) {
    return MEMPLAN_OK;
  }
  duel->offset = MEMPLAN_NEW(&duel->arena, int64_t, n_blocks);
  if (duel->offset == NULL) {
    return memplan_fail_nomem(error);
  }
  duel->lower = proof ? 0 : find_lower(problem);
  duel->upper = instance->n_pools > 1 ? problem->pool_start[instance->n_pools] + 1 : limits[0] / problem->unit + 1;
  if (start != NULL && instance->n_pools == 1) {
    int64_t end = 0;
    for (int32_t item = 0; item < n_blocks; item++) {
      int64_t top = start[blocks[item]] + instance->blocks[blocks[item]].bytes;
      duel->offset[item] = start[blocks[item]] / problem->unit;
      end = top > end ? top : end;
    }
    // A packing that does not lie on whole units is pushed down to them by the engines' own.
    duel->upper = (end + problem->unit - 1) / problem->unit;
  }
  if (!proof && (without & MEMPLAN_TECHNIQUE_SUMS) == 0) {
    if (!memplan_place_sums_find(problem, duel->upper, &duel->arena, &duel->sums)) {
      return memplan_fail_nomem(error);
    }
    raise_lower(duel, duel->lower);
  }
  duel->proof = proof;
  duel->takes_precedence = memplan_precedence_accepts(problem, duel->upper, reason) &&
                           count_pairs(duel) <= memplan_limits_memory(run) / precedence_part / bytes_of_pair;
  duel->instance = instance;
  duel->limits = run;
  if (!proof && !(duel->takes_precedence && count_pairs(duel) <= few_pairs)) {
    MEMPLAN_TRY(memplan_restarts_new(instance, problem, run, &duel->restarts, error));
  }
  switch_off(duel, without);
  *accepted = duel->takes_precedence || duel->restarts != NULL;
  publish(duel);
  return MEMPLAN_OK;
}

memplan_status memplan_duel_new(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                const int64_t *limits, const int64_t *start, bool proof, uint64_t without,
                                const memplan_limits *run, memplan_duel **duel, memplan_error *error) {
  *duel = NULL;
  if (n_blocks > most_items) {
    return MEMPLAN_OK;
  }
  memplan_duel *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  bool accepted = false;
  made->ticks = first_ticks;
  memplan_status status =
      set_up(made, instance, blocks, n_blocks, limits, start, proof, without, run, &accepted, error);
  if (status != MEMPLAN_OK || !accepted) {
    memplan_duel_free(made);
    return status;
  }
  *duel = made;
  return MEMPLAN_OK;
}

void memplan_duel_free(memplan_duel *duel) {
  if (duel != NULL) {
    memplan_precedence_free(duel->precedence);
    memplan_beams_free(duel->beams);
    memplan_restarts_free(duel->restarts);
    memplan_arena_free(&duel->arena);
    free(duel);
  }
}

static void take_packing(memplan_duel *duel, const int64_t *offset) {
  int64_t end = 0;
  for (int32_t item = 0; item < duel->problem.n_items; item++) {
    int64_t top = offset[item] + duel->problem.size[item];
    end = top > end ? top : end;
  }
  if (end < duel->upper) {
    memcpy(duel->offset, offset, (size_t)duel->problem.n_items * sizeof *offset);
    duel->upper = end;
    duel->state.found = true;
  }
}

static memplan_status start_precedence(memplan_duel *duel, memplan_error *error) {
  memplan_precedence_settings settings = memplan_precedence_settings_default();
  settings.proof = duel->proof;
  settings.memory = memplan_limits_memory(duel->limits) / precedence_part;
  settings.overload = (duel->without & MEMPLAN_TECHNIQUE_OVERLOAD) == 0;
  settings.edges = (duel->without & MEMPLAN_TECHNIQUE_EDGES) == 0;
  settings.lift = (duel->without & MEMPLAN_TECHNIQUE_LIFTING) == 0;
  settings.drop = (duel->without & MEMPLAN_TECHNIQUE_DROPPING) == 0;
  settings.symmetry = (duel->without & MEMPLAN_TECHNIQUE_SYMMETRY) == 0;
  settings.minimise = (duel->without & MEMPLAN_TECHNIQUE_MINIMISATION) == 0;
  settings.bound_branching = (duel->without & MEMPLAN_TECHNIQUE_BOUND_BRANCHING) == 0;
  settings.start_activity = (duel->without & MEMPLAN_TECHNIQUE_START_ACTIVITY) == 0;
  duel->precedence = memplan_precedence_new(&duel->problem, duel->lower, duel->upper, &settings);
  return duel->precedence != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// Its memory is full: the others go on without it.
static memplan_status end_precedence(memplan_duel *duel, memplan_error *error) {
  duel->spent = memplan_precedence_count(duel->precedence);
  memplan_precedence_free(duel->precedence);
  duel->precedence = NULL;
  duel->takes_precedence = false;
  if (duel->restarts == NULL && !duel->proof) {
    MEMPLAN_TRY(memplan_restarts_new(duel->instance, &duel->problem, duel->limits, &duel->restarts, error));
    switch_off(duel, duel->without);
  }
  return MEMPLAN_OK;
}

static memplan_status step_precedence(memplan_duel *duel, memplan_error *error) {
  if (duel->precedence == NULL) {
    MEMPLAN_TRY(start_precedence(duel, error));
  }
  memplan_precedence_set_lower(duel->precedence, duel->lower);
  memplan_precedence_set_upper(duel->precedence, duel->upper);
  memplan_precedence_result result = memplan_precedence_run(duel->precedence, duel->ticks);
  if (result == MEMPLAN_PRECEDENCE_NOMEM) {
    return memplan_fail_nomem(error);
  }
  if (result == MEMPLAN_PRECEDENCE_IMPROVED) {
    take_packing(duel, memplan_precedence_offsets(duel->precedence));
  }
  raise_lower(duel, memplan_precedence_lower(duel->precedence));
  if (result == MEMPLAN_PRECEDENCE_FULL) {
    return end_precedence(duel, error);
  }
  int64_t most = duel->restarts != NULL && count_pairs(duel) > few_pairs ? most_ticks / large_share : most_ticks;
  duel->ticks = 2 * duel->ticks < most ? 2 * duel->ticks : most;
  return MEMPLAN_OK;
}

// The height that a packing is sought for.
static int64_t find_aim(const memplan_duel *duel) {
  int64_t aim = duel->aim > duel->lower ? duel->aim : duel->lower;
  return aim < duel->upper ? aim : duel->upper - 1;
}

static memplan_status step_beams(memplan_duel *duel, memplan_error *error) {
  if (!duel->asked_beams) {
    duel->asked_beams = true;
    MEMPLAN_TRY(memplan_beams_new(memplan_restarts_shape(duel->restarts), duel->limits, &duel->beams, error));
  }
  if (duel->beams == NULL) {
    return MEMPLAN_OK;
  }
  memplan_beams_news news;
  MEMPLAN_TRY(memplan_beams_step(duel->beams, find_aim(duel), duel->upper, &news, error));
  if (news.offset != NULL) {
    take_packing(duel, news.offset);
  }
  return MEMPLAN_OK;
}

static memplan_status step_restarts(memplan_duel *duel, memplan_error *error) {
  memplan_restarts_news news;
  MEMPLAN_TRY(memplan_restarts_step(duel->restarts, duel->lower, find_aim(duel), duel->upper, &news, error));
  if (news.offset != NULL) {
    take_packing(duel, news.offset);
  }
  raise_lower(duel, news.lower);
  return MEMPLAN_OK;
}

void memplan_duel_aim(memplan_duel *duel, int64_t bytes) { duel->aim = bytes / duel->problem.unit; }

memplan_status memplan_duel_step(memplan_duel *duel, memplan_error *error) {
  int64_t pairs = count_pairs(duel);
  bool alone = (duel->without & MEMPLAN_TECHNIQUE_CLAUSE_LEARNING) != 0;
  if ((duel->epoch == 1 || alone) && duel->restarts == NULL && !duel->proof) { // of a small problem
    MEMPLAN_TRY(memplan_restarts_new(duel->instance, &duel->problem, duel->limits, &duel->restarts, error));
    switch_off(duel, duel->without);
  }
  bool restarts = duel->restarts != NULL;
  bool precedence = duel->takes_precedence && (!restarts || pairs <= few_pairs || duel->epoch >= first_epochs);
  if (duel->precedence != NULL && pairs <= few_pairs && duel->epoch >= few_epochs) {
    int64_t ticks = memplan_precedence_count(duel->precedence).ticks;
    restarts = restarts && memplan_restarts_nodes(duel->restarts) * ticks_of_node <= ticks / small_share;
  }
  if (duel->takes_precedence && (duel->without & MEMPLAN_TECHNIQUE_NOGOOD_SEARCH) != 0) {
    restarts = false;
    precedence = true;
  } else if (restarts && alone) {
    precedence = false;
  }
  if (duel->beams != NULL && duel->epoch >= first_epochs) {
    restarts = restarts && duel->epoch % beams_share == 0;
  }
  duel->epoch++;
  if (restarts && !is_decided(duel)) {
    MEMPLAN_TRY(step_restarts(duel, error));
  }
  bool beams = duel->restarts != NULL && duel->problem.n_pools == 1 && pairs > few_pairs &&
               duel->epoch > narrow_epochs && (duel->without & MEMPLAN_TECHNIQUE_BEAM) == 0;
  if (beams && !is_decided(duel)) {
    MEMPLAN_TRY(step_beams(duel, error));
  }
  if (precedence && !is_decided(duel)) {
    MEMPLAN_TRY(step_precedence(duel, error));
  }
  publish(duel);
  return MEMPLAN_OK;
}

memplan_status memplan_duel_decide(memplan_duel *duel, int64_t ticks, const memplan_limits *limits, memplan_fit *fit,
                                   memplan_error *error) {
  const memplan_duel_state *now = &duel->state;
  while (!now->finished && !now->stuck && !now->found && (ticks < 0 || now->ticks < ticks) &&
         memplan_limits_reached(limits) == MEMPLAN_STOP_DONE) {
    MEMPLAN_TRY(memplan_duel_step(duel, error));
  }
  *fit = now->found ? MEMPLAN_FIT_YES : now->finished ? MEMPLAN_FIT_NO : MEMPLAN_FIT_UNKNOWN;
  return MEMPLAN_OK;
}

const memplan_duel_state *memplan_duel_look(const memplan_duel *duel) { return &duel->state; }

void memplan_duel_store(const memplan_duel *duel, int64_t *offset, int32_t *pool) {
  const memplan_place_problem *problem = &duel->problem;
  for (int32_t item = 0; item < problem->n_items; item++) {
    int32_t p = 0;
    while (duel->offset[item] >= problem->pool_start[p + 1] && p + 1 < problem->n_pools) {
      p++;
    }
    offset[problem->block[item]] = (duel->offset[item] - problem->pool_start[p]) * problem->unit;
    pool[problem->block[item]] = p;
  }
}

memplan_status memplan_duel_certify(const memplan_duel *duel, const memplan_instance *instance, const char *fingerprint,
                                    const char *options, FILE *out, bool *found, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_proof proof;
  *found = false;
  if (duel->precedence == NULL) {
    return MEMPLAN_OK;
  }
  bool ok = memplan_precedence_prove(duel->precedence, &arena, &proof, found);
  if (ok && *found) {
    ok = memplan_proof_write(&proof, instance, &duel->problem, fingerprint, options, out);
  }
  memplan_arena_free(&arena);
  return ok ? MEMPLAN_OK : memplan_fail_nomem(error);
}
