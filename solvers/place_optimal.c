// SPDX-License-Identifier: Apache-2.0
// The peak of an instance is the largest of its components' peaks, so that only the component with the largest one is
// worth work: it gets the next epoch, until it is proven or another one decides the peak. A bound for one component is
// a bound for the whole. A component is reduced when it is first worth work: the rests take its place, and what was
// left out is put back at the end.
#include "solvers/place_optimal.h"

#include "model/base/compiler.h"
#include "model/base/grow.h"
#include "solvers/place_ceiling.h"
#include "solvers/place_components.h"
#include "solvers/place_duel.h"
#include "solvers/place_pools.h"
#include "solvers/place_reduce.h"
#include "solvers/place_stretch.h"
#include "solvers/place_windows.h"
#include "solvers/techniques.h"

#include <stdio.h>
#include <string.h>

typedef struct component {
  const int32_t *blocks;
  int32_t n_blocks;
  int64_t base;  // bytes below it are taken: the rest of a component that was reduced
  int64_t peak;  // of its blocks in the incumbent; without one, one more than the pool holds
  int64_t bound; // of its own optimum
  memplan_duel *duel;
  memplan_windows *windows; // of a component that is too large for a duel
  bool reduced, too_large;
} component;

enum { most_reduced = 2048 }; // the largest component that is reduced: pairs are compared one by one

typedef struct search {
  const memplan_optimal_task *task;
  memplan_optimal_result *result;
  memplan_arena *arena;
  component *components;
  int32_t n_components;
  int64_t component_capacity;
  memplan_place_reduction **reductions; // one for each component that was reduced
  int32_t n_reductions;
  int64_t *offset; // by block: of components whose peak is no sentinel
  int32_t *pool;
} search;

// Largest end of the component's blocks.
static int64_t find_peak(const search *state, const component *entry) {
  int64_t peak = 0;
  for (int32_t k = 0; k < entry->n_blocks; k++) {
    int64_t end = state->offset[entry->blocks[k]] + state->task->instance->blocks[entry->blocks[k]].bytes;
    peak = end > peak ? end : peak;
  }
  return peak;
}

static int32_t deciding_component(const search *state) {
  int32_t best = 0;
  for (int32_t c = 1; c < state->n_components; c++) {
    best = state->components[c].peak > state->components[best].peak ? c : best;
  }
  return best;
}

static int64_t find_bound(const search *state) {
  int64_t bound = state->task->bound;
  for (int32_t c = 0; c < state->n_components; c++) {
    bound = state->components[c].bound > bound ? state->components[c].bound : bound;
  }
  return bound;
}

static int64_t count_nodes(const search *state) {
  int64_t nodes = 0;
  for (int32_t c = 0; c < state->n_components; c++) {
    if (state->components[c].duel != NULL) {
      const memplan_duel_state *now = memplan_duel_look(state->components[c].duel);
      nodes += now->nodes + now->conflicts;
    }
    if (state->components[c].windows != NULL) {
      nodes += memplan_windows_look(state->components[c].windows)->nodes;
    }
  }
  return nodes;
}

// Of a graph the bound is the one of all orders; what holds for the placements of this one would mislead.
static void report(search *state, int64_t peak, int64_t bound) {
  const memplan_limits *limits = state->task->limits;
  const memplan_place_news *news = state->task->news;
  if (limits->progress == NULL) {
    return;
  }
  char source[MEMPLAN_SOURCE_SIZE];
  memplan_place_news whole = {.order = NULL, .bound = bound, .peak = INT64_MAX};
  news = news != NULL ? news : &whole;
  memplan_place_source(news, &memplan_place_optimal_method, source);
  int64_t best = peak < news->peak ? peak : news->peak;
  memplan_progress now = {source, best < INT64_MAX ? best : -1, news->bound, state->result->nodes + count_nodes(state),
                          0};
  limits->progress(limits->context, &now);
}

// The rests of a component take its place; what is left of itself is done.
static memplan_status reduce(search *state, int32_t index, int64_t ceiling, memplan_error *error) {
  component *entry = &state->components[index];
  bool placed = entry->peak <= ceiling;
  int32_t rules = memplan_techniques_reduce_rules(state->task->without);
  entry->reduced = true;
  if ((rules & MEMPLAN_REDUCE_ALL) == 0 || entry->n_blocks > most_reduced) {
    return MEMPLAN_OK;
  }
  memplan_place_reduction *reduction = MEMPLAN_NEW(state->arena, memplan_place_reduction, 1);
  if (reduction == NULL) {
    return memplan_fail_nomem(error);
  }
  MEMPLAN_TRY(memplan_place_reduce(state->task->instance, entry->blocks, entry->n_blocks, ceiling, find_bound(state),
                                   rules, placed, state->offset, state->task->limits, state->arena, reduction, error));
  if (reduction->problem.unfinished) {
    return MEMPLAN_OK;
  }
  if (reduction->n_rests == 1 && reduction->rests[0].n_blocks == entry->n_blocks) {
    return MEMPLAN_OK;
  }
  entry->peak = entry->bound = reduction->bound;
  for (int32_t k = 0; k < reduction->n_rests; k++) {
    const memplan_place_rest *rest = &reduction->rests[k];
    component made = {.blocks = rest->blocks, .n_blocks = rest->n_blocks, .base = rest->base, .reduced = true};
    component *components = memplan_grow_in(state->arena, state->components, state->n_components,
                                            &state->component_capacity, sizeof *components);
    if (components == NULL) {
      return memplan_fail_nomem(error);
    }
    made.peak = placed ? find_peak(state, &made) : ceiling + 1;
    state->components = components;
    components[state->n_components++] = made;
  }
  state->reductions[state->n_reductions++] = reduction;
  return MEMPLAN_OK;
}

// Moves the blocks of a component in the incumbent.
static void shift(const search *state, const component *entry, int64_t bytes) {
  for (int32_t k = 0; k < entry->n_blocks; k++) {
    state->offset[entry->blocks[k]] += bytes;
  }
}

// Without a placement there is nothing that windows could improve. They know nothing of what lies below the component:
// whenever they look at its blocks, these stand on the ground.
static memplan_status start_windows(search *state, component *entry, int64_t ceiling, memplan_error *error) {
  const memplan_optimal_task *task = state->task;
  if (entry->peak > ceiling) {
    entry->too_large = true;
    return MEMPLAN_OK;
  }
  shift(state, entry, -entry->base);
  memplan_status status = memplan_windows_new(task->instance, entry->blocks, entry->n_blocks, MEMPLAN_NARROWEST_WINDOW,
                                              state->offset, task->without, task->limits, &entry->windows, error);
  shift(state, entry, entry->base);
  return status;
}

static memplan_status start_duel(search *state, component *entry, int64_t ceiling, memplan_error *error) {
  const memplan_optimal_task *task = state->task;
  bool placed = entry->peak <= ceiling;
  int64_t limit = (placed ? entry->peak : ceiling) - entry->base;
  shift(state, entry, -entry->base);
  memplan_status status =
      memplan_duel_new(task->instance, entry->blocks, entry->n_blocks, &limit, placed ? state->offset : NULL, false,
                       task->without, task->limits, &entry->duel, error);
  shift(state, entry, entry->base);
  return status == MEMPLAN_OK && entry->duel == NULL ? start_windows(state, entry, ceiling, error) : status;
}

static memplan_status step_windows(search *state, component *entry, memplan_error *error) {
  int64_t bound = find_bound(state);
  int64_t goal = bound > state->task->goal ? bound : state->task->goal;
  shift(state, entry, -entry->base);
  memplan_status status = memplan_windows_step(entry->windows, goal - entry->base, error);
  shift(state, entry, entry->base);
  MEMPLAN_TRY(status);
  const memplan_windows_state *now = memplan_windows_look(entry->windows);
  entry->peak = now->peak + entry->base;
  entry->bound = now->bound + entry->base > entry->bound ? now->bound + entry->base : entry->bound;
  entry->too_large = now->finished;
  return MEMPLAN_OK;
}

static memplan_status step(search *state, int32_t index, int64_t ceiling, memplan_error *error) {
  component *entry = &state->components[index];
  if (!entry->reduced) {
    return reduce(state, index, ceiling, error);
  }
  if (entry->windows != NULL) {
    return step_windows(state, entry, error);
  }
  if (entry->duel == NULL) {
    return start_duel(state, entry, ceiling, error);
  }
  int64_t bound = find_bound(state);
  memplan_duel_aim(entry->duel, (bound > state->task->goal ? bound : state->task->goal) - entry->base);
  MEMPLAN_TRY(memplan_duel_step(entry->duel, error));
  const memplan_duel_state *now = memplan_duel_look(entry->duel);
  entry->bound = now->bound + entry->base > entry->bound ? now->bound + entry->base : entry->bound;
  if (now->found && now->peak + entry->base < entry->peak) {
    entry->peak = now->peak + entry->base;
    memplan_duel_store(entry->duel, state->offset, state->pool);
    shift(state, entry, entry->base);
  }
  return MEMPLAN_OK;
}

static int64_t count_ticks(const search *state) {
  int64_t work = 0;
  for (int32_t c = 0; c < state->n_components; c++) {
    if (state->components[c].duel != NULL) {
      const memplan_duel_state *now = memplan_duel_look(state->components[c].duel);
      work += now->ticks;
    }
    if (state->components[c].windows != NULL) {
      work += memplan_windows_look(state->components[c].windows)->ticks;
    }
  }
  return work;
}

static memplan_status run(search *state, int64_t ceiling, memplan_error *error) {
  memplan_optimal_result *result = state->result;
  for (;;) {
    int32_t index = deciding_component(state);
    const component *entry = &state->components[index];
    int64_t bound = find_bound(state);
    bool placed = entry->peak <= ceiling;
    // rests may lie below the bound, what is put back ends at it
    report(state, placed ? (entry->peak > bound ? entry->peak : bound) : INT64_MAX, bound);
    bool answered = state->task->capacity >= 0 && bound > state->task->capacity;
    if (entry->peak <= bound || bound > ceiling || answered || (placed && entry->peak <= state->task->goal)) {
      return MEMPLAN_OK;
    }
    memplan_stop stop = memplan_limits_reached(state->task->limits);
    if (stop == MEMPLAN_STOP_DONE && entry->duel != NULL && memplan_duel_look(entry->duel)->stuck) {
      stop = MEMPLAN_STOP_MEMORY;
    }
    if (stop == MEMPLAN_STOP_DONE &&
        (entry->too_large || (state->task->limits->work >= 0 && count_ticks(state) >= state->task->limits->work))) {
      stop = MEMPLAN_STOP_WORK;
    }
    if (stop != MEMPLAN_STOP_DONE) {
      result->stop = stop;
      return MEMPLAN_OK;
    }
    MEMPLAN_TRY(step(state, index, ceiling, error));
  }
}

// Puts back what was left out; the peak of the whole placement.
static bool restore(search *state, int64_t *peak) {
  for (int32_t k = state->n_reductions - 1; k >= 0; k--) {
    const memplan_place_reduction *reduction = state->reductions[k];
    if (!memplan_place_restore(reduction, state->offset)) {
      return false;
    }
    for (int32_t item = 0; item < reduction->problem.n_items; item++) {
      int64_t end =
          state->offset[reduction->problem.block[item]] + reduction->problem.size[item] * reduction->problem.unit;
      *peak = end > *peak ? end : *peak;
    }
  }
  return true;
}

// Of the window that has proven the bound, if one has.
static memplan_status keep_core(search *state, memplan_error *error) {
  memplan_optimal_result *result = state->result;
  for (int32_t c = 0; c < state->n_components && result->core == NULL; c++) {
    const memplan_windows *windows = state->components[c].windows;
    const memplan_windows_state *now = windows != NULL ? memplan_windows_look(windows) : NULL;
    if (now == NULL || now->core == NULL || now->bound != result->bound) {
      continue;
    }
    int32_t *core = MEMPLAN_NEW_RAW(state->arena, int32_t, now->n_core);
    if (core == NULL) {
      return memplan_fail_nomem(error);
    }
    memcpy(core, now->core, (size_t)now->n_core * sizeof *core);
    result->core = core;
    result->n_core = now->n_core;
  }
  return MEMPLAN_OK;
}

static memplan_status conclude(search *state, int64_t ceiling, memplan_error *error) {
  memplan_optimal_result *result = state->result;
  int64_t peak = state->n_components > 0 ? state->components[deciding_component(state)].peak : 0;
  result->bound = find_bound(state);
  result->nodes += count_nodes(state);
  result->ticks = count_ticks(state);
  MEMPLAN_TRY(keep_core(state, error));
  if (peak > ceiling) {
    result->outcome = result->bound > ceiling ? MEMPLAN_INFEASIBLE : MEMPLAN_UNKNOWN;
    return MEMPLAN_OK;
  }
  if (!restore(state, &peak)) {
    return memplan_fail_nomem(error);
  }
  result->peak = peak;
  result->placement = (memplan_placement){.offset = state->offset, .pool = state->pool};
  result->outcome = peak <= result->bound ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE;
  return MEMPLAN_OK;
}

static memplan_status solve_one_pool(search *state, memplan_arena *arena, memplan_error *error) {
  const memplan_optimal_task *task = state->task;
  memplan_place_components parts;
  MEMPLAN_TRY(memplan_place_components_find(task->instance, arena, &parts, error));
  int64_t ceiling = memplan_place_limit(task->instance, 0);
  state->n_components = parts.n_components;
  state->components = MEMPLAN_NEW(arena, component, parts.n_components);
  state->reductions = MEMPLAN_NEW(arena, memplan_place_reduction *, parts.n_components);
  state->component_capacity = parts.n_components;
  state->arena = arena;
  if (state->components == NULL || state->reductions == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t c = 0; c < parts.n_components; c++) {
    component *entry = &state->components[c];
    entry->blocks = &parts.blocks[parts.first[c]];
    entry->n_blocks = parts.first[c + 1] - parts.first[c];
    entry->peak = task->start != NULL ? find_peak(state, entry) : ceiling + 1;
  }
  memplan_status status = parts.n_components > 0 ? run(state, ceiling, error) : MEMPLAN_OK;
  if (status == MEMPLAN_OK) {
    status = conclude(state, ceiling, error);
  }
  for (int32_t c = 0; c < state->n_components; c++) {
    memplan_duel_free(state->components[c].duel);
    memplan_windows_free(state->components[c].windows);
  }
  return status;
}

memplan_status memplan_place_optimal(const memplan_optimal_task *task, memplan_arena *arena,
                                     memplan_optimal_result *result, memplan_error *error) {
  int32_t n = task->instance->n_blocks;
  *result = (memplan_optimal_result){.outcome = MEMPLAN_UNKNOWN, .stop = MEMPLAN_STOP_DONE, .bound = task->bound};
  if (task->instance->n_pools > 1) {
    return memplan_place_pools(task, arena, result, error);
  }
  search state = {.task = task, .result = result};
  state.offset = MEMPLAN_NEW(arena, int64_t, n);
  state.pool = MEMPLAN_NEW(arena, int32_t, n);
  if (state.offset == NULL || state.pool == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < n; block++) { // of empty blocks only the pin counts
    state.offset[block] = task->instance->blocks[block].pin >= 0 ? task->instance->blocks[block].pin : 0;
  }
  if (task->start != NULL) {
    memcpy(state.offset, task->start->offset, (size_t)n * sizeof *state.offset);
  }
  return solve_one_pool(&state, arena, error);
}

// ---- certificates

enum { most_certified = 2048 }; // blocks of a component that is searched as a whole

// *ticks: at most so many; so many were spent.
static memplan_status certify_component(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                        int64_t claim, const char *fingerprint, const char *options,
                                        const memplan_limits *limits, int64_t *ticks, FILE *out, bool *found,
                                        memplan_error *error) {
  memplan_duel *duel;
  int64_t most = *ticks;
  int64_t below = claim - 1;
  *ticks = 0;
  MEMPLAN_TRY(memplan_duel_new(instance, blocks, n_blocks, &below, NULL, true, 0, limits, &duel, error));
  if (duel == NULL) {
    return MEMPLAN_OK;
  }
  memplan_fit fit;
  memplan_status status = memplan_duel_decide(duel, most, limits, &fit, error);
  *ticks = memplan_duel_look(duel)->ticks;
  if (status == MEMPLAN_OK && fit == MEMPLAN_FIT_NO) {
    status = memplan_duel_certify(duel, instance, fingerprint, options, out, found, error);
  }
  memplan_duel_free(duel);
  return status;
}

// A component that is too large for the engines: what some of its blocks need is needed by all. Stretches of each width
// come in the order of time, each half a stretch after the one before.
static memplan_status certify_windows(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                      int64_t claim, const char *fingerprint, const char *options,
                                      const memplan_limits *limits, FILE *out, bool *found, memplan_error *error) {
  enum { narrowest = 64, widest = 1024, eighths = 8 };
  memplan_arena arena = {0};
  memplan_timeline timeline;
  int32_t *chosen = MEMPLAN_NEW_RAW(&arena, int32_t, n_blocks);
  bool good = memplan_timeline_make(instance, blocks, n_blocks, &arena, &timeline) && chosen != NULL;
  memplan_status status = good ? MEMPLAN_OK : memplan_fail_nomem(error);
  int64_t all = memplan_limits_work(limits);
  int64_t left = all;
  for (int32_t width = narrowest; width <= widest; width *= 2) {
    for (int32_t centre = 0; status == MEMPLAN_OK && !*found && centre < instance->n_times && left > 0 &&
                             memplan_limits_reached(limits) == MEMPLAN_STOP_DONE;) {
      memplan_stretch stretch = memplan_stretch_around(&timeline, centre, width);
      int32_t n_chosen = 0;
      for (int32_t place = stretch.first; place < stretch.last; place++) {
        chosen[n_chosen] = blocks[place];
        n_chosen += memplan_stretch_meets(&timeline, &stretch, place);
      }
      int32_t fullest = memplan_timeline_fullest(&timeline, stretch.start, stretch.end);
      if (timeline.load[fullest] > claim / eighths * (eighths - 1)) {
        int64_t ticks = left < all / eighths ? left : all / eighths;
        status = certify_component(instance, chosen, n_chosen, claim, fingerprint, options, limits, &ticks, out, found,
                                   error);
        left -= ticks;
      }
      left -= stretch.last - stretch.first;
      int32_t step = (stretch.end - stretch.start) / 2;
      centre += step > 0 ? step : 1;
    }
  }
  memplan_arena_free(&arena);
  return status;
}

memplan_status memplan_place_certify_core(const memplan_instance *instance, const int32_t *core, int32_t n_core,
                                          int64_t claim, const char *fingerprint, const char *options,
                                          const memplan_limits *limits, FILE *out, bool *found, memplan_error *error) {
  int64_t ticks = limits->work;
  *found = false;
  return certify_component(instance, core, n_core, claim, fingerprint, options, limits, &ticks, out, found, error);
}

memplan_status memplan_place_certify(const memplan_instance *instance, int64_t claim, const char *fingerprint,
                                     const char *options, const memplan_limits *limits, FILE *out, bool *found,
                                     memplan_error *error) {
  memplan_arena arena = {0};
  memplan_place_components parts;
  *found = false;
  memplan_status status = memplan_place_components_find(instance, &arena, &parts, error);
  for (int32_t c = 0; status == MEMPLAN_OK && !*found && c < parts.n_components; c++) {
    const int32_t *blocks = &parts.blocks[parts.first[c]];
    int32_t n_blocks = parts.first[c + 1] - parts.first[c];
    int64_t ticks = limits->work;
    status = n_blocks > most_certified
                 ? certify_windows(instance, blocks, n_blocks, claim, fingerprint, options, limits, out, found, error)
                 : certify_component(instance, blocks, n_blocks, claim, fingerprint, options, limits, &ticks, out,
                                     found, error);
  }
  memplan_arena_free(&arena);
  return status;
}

// ---- as a method

int64_t memplan_goal(int64_t bound, int64_t capacity, int64_t gap_millionths) {
  // (peak - bound) / peak <= gap, in integers
  memplan_int128 within = gap_millionths >= 1000000 ? (memplan_int128)INT64_MAX
                                                    : (memplan_int128)bound * 1000000 / (1000000 - gap_millionths);
  int64_t goal = within > INT64_MAX ? INT64_MAX : (int64_t)within;
  return capacity > goal ? capacity : goal;
}

bool memplan_is_exact(const char *place) {
  return place != NULL && strcmp(place, memplan_place_optimal_method.name) == 0;
}

memplan_status memplan_place_improve(const memplan_optimal_task *task, memplan_arena *arena, memplan_place_result *best,
                                     memplan_optimal_result *result, memplan_error *error) {
  memplan_optimal_task started = *task;
  started.start = best->method != NULL ? &best->placement : NULL;
  MEMPLAN_TRY(memplan_place_optimal(&started, arena, result, error));
  bool better = best->method == NULL || result->peak < best->peak || task->instance->n_pools > 1;
  if (result->placement.offset != NULL && better) {
    best->method = &memplan_place_optimal_method;
    best->placement = result->placement;
    best->peak = result->peak;
  }
  return MEMPLAN_OK;
}

static memplan_status run_method(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                                 memplan_error *error) {
  memplan_arena arena = {0};
  memplan_limits started = memplan_limits_start(limits);
  memplan_optimal_task question = {.instance = task->instance, .limits = &started, .capacity = -1};
  memplan_optimal_result found;
  memplan_status status = memplan_place_optimal(&question, &arena, &found, error);
  if (status == MEMPLAN_OK) {
    result->outcome = found.outcome;
    result->stop = found.stop;
    result->nodes = found.nodes;
    result->failed_block = found.outcome == MEMPLAN_INFEASIBLE && task->instance->n_blocks > 0 ? 0 : -1;
    if (found.placement.offset != NULL && task->instance->n_blocks > 0) {
      memcpy(result->offset, found.placement.offset, (size_t)task->instance->n_blocks * sizeof *result->offset);
      memcpy(result->pool, found.placement.pool, (size_t)task->instance->n_blocks * sizeof *result->pool);
    }
  }
  memplan_arena_free(&arena);
  return status;
}

const memplan_method memplan_place_optimal_method = {
    .name = "optimal",
    .kind = MEMPLAN_METHOD_PLACE,
    .summary = "the least peak, proven: nogood search, beam search and clause learning side by side",
    .reference =
        "lexicographic branch and bound with learned nogoods; beams of skylines guided by lost room; lazy clause "
        "generation over above/below decisions",
    .complexity = "exponential at worst",
    .exact = true,
    .seeded = true,
    .anytime = true,
    .run = run_method};
