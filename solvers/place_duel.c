// SPDX-License-Identifier: Apache-2.0
// The problem is built once, for the limits given. Heights are units of its axis; with several pools the axis holds
// them all, and any packing answers the question.
//
// Small problems begin with the precedence engine, which proves most of them in milliseconds; restarts then get a small
// part of the time, since what they have not found in their first epochs is most often not there. In larger ones
// packings at the bound come from restarts within their first epochs or not for long, so that the engine, whose set-up
// takes a while there, waits for those. What the very first epochs have not found, beams find sooner: they take most of
// the time from then on, where they take the problem.
//
// The searches of an epoch run side by side and hear of each other at its end. A small problem that resists for a while
// gets a second precedence search: sooner it costs more work than it saves (on data of 21 to 49 buffers, one thread,
// CPU seconds in all: never 2.28, after 2^21 ticks 2.14, after 2^19 2.50).
#include "solvers/place_duel.h"

#include "heuristics/crew.h"
#include "model/base/arena.h"
#include "solvers/place_beams.h"
#include "solvers/place_precedences.h"
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
  small_ticks = 1 << 18,   // of an epoch of small problems, where several searches exchange what they learn
  alone_ticks = 1 << 21,   // of one precedence search before there are several, for small problems
  large_share = 8,         // larger problems give the engine this part of the ticks
  ticks_of_node = 1 << 10, // a node costs about as much as so many ticks
  ticks_of_state = 96,     // and a state of a beam
  narrow_epochs = 4,       // of restarts before the first beam
  beams_share = 4,         // beside beams, restarts get one epoch in so many once the first ones are over
  precedence_part = 2,     // of the memory
  bytes_of_pair = 512      // that the precedence engine takes before it has learned anything
};

enum { precedence, restarts, beams, n_kinds };

struct memplan_duel {
  memplan_arena arena;
  memplan_place_problem problem;
  memplan_precedences *precedences; // NULL until it is their turn, and once their memory is full
  memplan_restarts *restarts;       // NULL: the problem is nothing for it
  memplan_beams *beams;             // NULL: not yet, or the problem is nothing for them
  bool asked_beams;
  bool proof, takes_precedence;
  uint64_t without; // techniques
  const memplan_instance *instance;
  const memplan_limits *limits;
  int32_t threads; // 0: not yet asked for
  bool deciding;   // any packing will do
  int64_t epoch;
  int64_t *offset;                // by item, of the best packing
  int64_t lower, upper;           // units: nothing is lower than `lower`, only heights below `upper` are of interest
  const memplan_place_sums *sums; // of one pool: what a proven height rises to; NULL in a search for a proof
  int64_t aim;                    // units: a height that is good enough
  int64_t ticks;                  // of the next epoch
  int64_t conflicts, engine_ticks, nodes, states; // up to the last epoch of each search that counts
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
  state->stuck = !state->finished && !duel->takes_precedence && duel->restarts == NULL;
  state->nodes = duel->nodes + duel->states;
  state->conflicts = duel->conflicts;
  state->ticks = duel->engine_ticks + duel->nodes * ticks_of_node + duel->states * ticks_of_state;
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
    memplan_precedences_free(duel->precedences);
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

static memplan_status start_precedences(memplan_duel *duel, memplan_error *error) {
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
  duel->precedences = memplan_precedences_new(&duel->problem, duel->lower, duel->upper, &settings,
                                              count_pairs(duel) <= few_pairs ? alone_ticks : INT64_MAX);
  return duel->precedences != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

// The height that a packing is sought for.
static int64_t find_aim(const memplan_duel *duel) {
  int64_t aim = duel->aim > duel->lower ? duel->aim : duel->lower;
  return aim < duel->upper ? aim : duel->upper - 1;
}

// ---- epochs

static memplan_status begin(memplan_duel *duel, int32_t kind, memplan_epoch_part *part, memplan_error *error) {
  int64_t aim = find_aim(duel);
  if (kind == restarts) {
    return memplan_restarts_begin(duel->restarts, duel->lower, aim, duel->upper, part, error);
  }
  if (kind == beams) {
    if (!duel->asked_beams) {
      duel->asked_beams = true;
      MEMPLAN_TRY(memplan_beams_new(memplan_restarts_shape(duel->restarts), duel->limits, &duel->beams, error));
    }
    return duel->beams != NULL ? memplan_beams_begin(duel->beams, aim, duel->upper, part, error) : MEMPLAN_OK;
  }
  if (duel->precedences == NULL) {
    MEMPLAN_TRY(start_precedences(duel, error));
  }
  bool any = duel->deciding || duel->problem.n_pools > 1;
  return memplan_precedences_begin(duel->precedences, duel->lower, any ? duel->upper - 1 : aim, duel->upper,
                                   duel->ticks, part, error);
}

// Their memory is full: the others go on without them.
static memplan_status give_up_precedences(memplan_duel *duel, memplan_error *error) {
  memplan_precedences_free(duel->precedences);
  duel->precedences = NULL;
  duel->takes_precedence = false;
  if (duel->restarts == NULL && !duel->proof) {
    MEMPLAN_TRY(memplan_restarts_new(duel->instance, &duel->problem, duel->limits, &duel->restarts, error));
    switch_off(duel, duel->without);
  }
  return MEMPLAN_OK;
}

static memplan_status end_precedences(memplan_duel *duel, memplan_error *error) {
  memplan_precedences_news news;
  MEMPLAN_TRY(memplan_precedences_end(duel->precedences, &news, error));
  if (news.offset != NULL) {
    take_packing(duel, news.offset);
  }
  raise_lower(duel, news.lower);
  memplan_engine_counts counts = memplan_precedences_count(duel->precedences);
  duel->conflicts = counts.conflicts;
  duel->engine_ticks = counts.ticks;
  if (news.full) {
    return give_up_precedences(duel, error);
  }
  bool small = count_pairs(duel) <= few_pairs && !duel->proof;
  int64_t most = small ? small_ticks : duel->restarts != NULL ? most_ticks / large_share : most_ticks;
  duel->ticks = 2 * duel->ticks < most ? 2 * duel->ticks : most;
  return MEMPLAN_OK;
}

static memplan_status end(memplan_duel *duel, int32_t kind, memplan_error *error) {
  if (kind == precedence) {
    return end_precedences(duel, error);
  }
  const int64_t *offset = NULL;
  if (kind == restarts) {
    memplan_restarts_news news;
    memplan_restarts_end(duel->restarts, &news);
    raise_lower(duel, news.lower);
    offset = news.offset;
    duel->nodes = memplan_restarts_nodes(duel->restarts);
  } else {
    memplan_beams_news news;
    MEMPLAN_TRY(memplan_beams_end(duel->beams, &news, error));
    offset = news.offset;
    duel->states = memplan_beams_states(duel->beams);
  }
  if (offset != NULL) {
    take_packing(duel, offset);
  }
  return MEMPLAN_OK;
}

// The searches of an epoch, side by side. What decides the problem ends it: the searches behind it in the order do not
// count then, whether they have run or, with one thread, not.
static memplan_status run(memplan_duel *duel, const int32_t *kinds, int32_t n, memplan_error *error) {
  memplan_epoch_part parts[n_kinds] = {{0}};
  int32_t n_tasks = 0;
  for (int32_t k = 0; k < n; k++) {
    MEMPLAN_TRY(begin(duel, kinds[k], &parts[k], error));
    n_tasks += parts[k].n_tasks;
  }
  if (n_tasks > 1 && duel->threads == 0) {
    duel->threads = memplan_crew_size(duel->limits, INT64_MAX);
  }
  bool together = n_tasks > 1 && duel->threads > 1;
  if (together) {
    memplan_epoch_run(parts, n, duel->threads);
  }
  for (int32_t k = 0; k < n && !is_decided(duel); k++) {
    if (!together) {
      memplan_epoch_run(&parts[k], 1, 1);
    }
    if (parts[k].n_tasks > 0) {
      MEMPLAN_TRY(end(duel, kinds[k], error));
    }
  }
  return MEMPLAN_OK;
}

void memplan_duel_aim(memplan_duel *duel, int64_t bytes) { duel->aim = bytes / duel->problem.unit; }

// The searches that take part in the next epoch, by kind.
static void choose(memplan_duel *duel, bool *takes_part) {
  bool small = count_pairs(duel) <= few_pairs;
  bool alone = (duel->without & MEMPLAN_TECHNIQUE_CLAUSE_LEARNING) != 0;
  bool has_restarts = duel->restarts != NULL;
  takes_part[restarts] = has_restarts;
  takes_part[precedence] = duel->takes_precedence && (!has_restarts || small || duel->epoch >= first_epochs);
  if (duel->precedences != NULL && small && duel->epoch >= few_epochs) {
    takes_part[restarts] = has_restarts && duel->nodes * ticks_of_node <= duel->engine_ticks / small_share;
  }
  if (duel->takes_precedence && (duel->without & MEMPLAN_TECHNIQUE_NOGOOD_SEARCH) != 0) {
    takes_part[restarts] = false;
    takes_part[precedence] = true;
  } else if (takes_part[restarts] && alone) {
    takes_part[precedence] = false;
  }
  if (duel->beams != NULL && duel->epoch >= first_epochs) {
    takes_part[restarts] = takes_part[restarts] && duel->epoch % beams_share == 0;
  }
  takes_part[beams] = has_restarts && duel->problem.n_pools == 1 && !small && duel->epoch >= narrow_epochs &&
                      (duel->without & MEMPLAN_TECHNIQUE_BEAM) == 0;
}

memplan_status memplan_duel_step(memplan_duel *duel, memplan_error *error) {
  // what most often ends a problem of that size comes first
  static const int32_t small_first[n_kinds] = {precedence, restarts, beams};
  static const int32_t large_first[n_kinds] = {restarts, beams, precedence};
  const int32_t *kinds = count_pairs(duel) <= few_pairs ? small_first : large_first;
  bool alone = (duel->without & MEMPLAN_TECHNIQUE_CLAUSE_LEARNING) != 0;
  if ((duel->epoch == 1 || alone) && duel->restarts == NULL && !duel->proof) { // of a small problem
    MEMPLAN_TRY(memplan_restarts_new(duel->instance, &duel->problem, duel->limits, &duel->restarts, error));
    switch_off(duel, duel->without);
  }
  bool takes_part[n_kinds];
  int32_t chosen[n_kinds], n = 0;
  choose(duel, takes_part);
  for (int32_t k = 0; k < n_kinds; k++) {
    if (takes_part[kinds[k]]) {
      chosen[n++] = kinds[k];
    }
  }
  duel->epoch++;
  MEMPLAN_TRY(is_decided(duel) ? MEMPLAN_OK : run(duel, chosen, n, error));
  publish(duel);
  return MEMPLAN_OK;
}

memplan_status memplan_duel_decide(memplan_duel *duel, int64_t ticks, const memplan_limits *limits, memplan_fit *fit,
                                   memplan_error *error) {
  const memplan_duel_state *now = &duel->state;
  duel->deciding = true;
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
  if (duel->precedences == NULL) {
    return MEMPLAN_OK;
  }
  bool ok = memplan_precedences_prove(duel->precedences, &arena, &proof, found);
  if (ok && *found) {
    ok = memplan_proof_write(&proof, instance, &duel->problem, fingerprint, options, out);
  }
  memplan_arena_free(&arena);
  return ok ? MEMPLAN_OK : memplan_fail_nomem(error);
}
