// SPDX-License-Identifier: Apache-2.0
// The peak is where the highest block ends, so that its surroundings alone are worth work. A window is placed anew at
// the goal, or lower than it was: by rankings, and if it is small by the exact engines, which may also prove that this
// cannot be. Then the same blocks are searched without the rest: what they need alone is a bound for the whole. A
// window that did not help is doubled; after the widest one the first comes again, with more work.
#include "solvers/place_windows.h"

#include "heuristics/skyline_search.h"
#include "model/base/rng.h"
#include "solvers/place_duel.h"
#include "solvers/place_stretch.h"
#include "solvers/place_window.h"

#include <stdlib.h>
#include <string.h>

enum {
  WIDTHS = 8, // each window twice as wide as the one before
  MOST_TRIES = 4 * WIDTHS,
  MOST_EXACT = 1024,     // blocks; a set-up compares pairs
  FIRST_WORK = 16,       // of the rankings, for each block
  FIRST_TICKS = 1 << 20, // of the exact engines
  TICKS_OF_BLOCK = 256   // a block placed by a ranking costs about as much as so many ticks
};

struct memplan_windows {
  memplan_arena arena;
  const memplan_instance *instance;
  const int32_t *blocks;
  int32_t n_blocks;
  int32_t narrowest;
  int64_t *offset;
  uint64_t without;
  const memplan_limits *limits;
  memplan_timeline timeline;
  uint8_t *tries; // by place in `blocks`
  memplan_window_scratch scratch;
  int64_t n_windows;
  memplan_windows_state state;
};

static int64_t top_of(const memplan_windows *windows, int32_t place) {
  int32_t block = windows->blocks[place];
  return windows->offset[block] + windows->instance->blocks[block].bytes;
}

static int32_t find_highest(const memplan_windows *windows) {
  int32_t best = 0;
  for (int32_t place = 1; place < windows->n_blocks; place++) {
    best = top_of(windows, place) > top_of(windows, best) ? place : best;
  }
  return best;
}

// ---- a window

static bool is_free(const memplan_place_window *window, int32_t block) {
  return window->instance.blocks[block].pin < 0;
}

// Largest ends of what is free and of what is pinned.
static void find_tops(const memplan_place_window *window, const int64_t *offset, int64_t *top, int64_t *pinned_top) {
  *top = 0;
  *pinned_top = 0;
  for (int32_t block = 0; block < window->instance.n_blocks; block++) {
    int64_t end = offset[block] + window->instance.blocks[block].bytes;
    int64_t *most = is_free(window, block) ? top : pinned_top;
    *most = end > *most ? end : *most;
  }
}

typedef struct attempt {
  const memplan_place_window *window;
  int64_t goal, before; // what is free ends there
  int32_t tries;
  int64_t *offset; // by block of the window
  int32_t *pool;
  int64_t pinned_top;
  bool exhausted; // no placement of what is free is lower than the window's
} attempt;

// Into the whole if it is lower.
static void take(memplan_windows *windows, attempt *at) {
  const memplan_place_window *window = at->window;
  int64_t top, pinned_top;
  find_tops(window, at->offset, &top, &pinned_top);
  if (top >= at->before) {
    return;
  }
  at->before = top;
  for (int32_t block = 0; block < window->instance.n_blocks; block++) {
    windows->offset[window->block[block]] = at->offset[block];
  }
}

static memplan_status sample(memplan_windows *windows, attempt *at, memplan_error *error) {
  int64_t n = at->window->instance.n_blocks;
  memplan_limits limits = *windows->limits;
  uint64_t random = limits.seed ^ (uint64_t)++windows->n_windows;
  limits.seed = memplan_splitmix(&random);
  memplan_skyline_wishes wishes = {.work = (FIRST_WORK << at->tries / WIDTHS) * n, .goal = at->goal};
  memplan_method_result result = {.offset = at->offset, .pool = at->pool};
  MEMPLAN_TRY(memplan_skyline_search(&at->window->instance, &wishes, &limits, &result, NULL, error));
  windows->state.nodes += result.nodes;
  windows->state.ticks += result.nodes * TICKS_OF_BLOCK;
  if (result.outcome == MEMPLAN_FEASIBLE) {
    take(windows, at);
  }
  return MEMPLAN_OK;
}

// Epochs until the packing is as low as the goal, the search is at its end, or the ticks are spent.
static memplan_status run_duel(memplan_windows *windows, memplan_duel *duel, int64_t goal, int64_t ticks,
                               memplan_error *error) {
  const memplan_duel_state *now = memplan_duel_look(duel);
  memplan_status status = MEMPLAN_OK;
  memplan_duel_aim(duel, goal);
  while (status == MEMPLAN_OK && !now->finished && !now->stuck && !(now->found && now->peak <= goal) &&
         now->ticks < ticks && memplan_limits_reached(windows->limits) == MEMPLAN_STOP_DONE) {
    status = memplan_duel_step(duel, error);
  }
  windows->state.ticks += now->ticks;
  windows->state.nodes += now->nodes + now->conflicts;
  return status;
}

static int64_t ticks_of(const attempt *at) { return FIRST_TICKS << 2 * (at->tries / WIDTHS); }

static memplan_status solve_exactly(memplan_windows *windows, attempt *at, memplan_arena *arena, memplan_error *error) {
  const memplan_instance *instance = &at->window->instance;
  int64_t limit = at->before - 1 > at->pinned_top ? at->before - 1 : at->pinned_top;
  int32_t *blocks = MEMPLAN_NEW_RAW(arena, int32_t, instance->n_blocks);
  memplan_duel *duel;
  if (blocks == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    blocks[block] = block;
  }
  MEMPLAN_TRY(memplan_duel_new(instance, blocks, instance->n_blocks, &limit, NULL, false, windows->without,
                               windows->limits, &duel, error));
  if (duel == NULL) {
    return MEMPLAN_OK;
  }
  int64_t goal = at->goal > at->pinned_top ? at->goal : at->pinned_top;
  memplan_status status = run_duel(windows, duel, goal, ticks_of(at), error);
  const memplan_duel_state *now = memplan_duel_look(duel);
  at->exhausted = now->finished;
  if (status == MEMPLAN_OK && now->found) {
    memplan_duel_store(duel, at->offset, at->pool);
    take(windows, at);
  }
  memplan_duel_free(duel);
  return status;
}

static memplan_status keep_core(memplan_windows *windows, const memplan_place_window *window, memplan_error *error) {
  int32_t n = window->instance.n_blocks, *core = MEMPLAN_NEW_RAW(&windows->arena, int32_t, n);
  if (core == NULL) {
    return memplan_fail_nomem(error);
  }
  memcpy(core, window->block, (size_t)n * sizeof *core);
  windows->state.core = core;
  windows->state.n_core = n;
  return MEMPLAN_OK;
}

// What the blocks of the window need by themselves, wherever those that cross its ends may lie, every placement needs.
static memplan_status raise_bound(memplan_windows *windows, const attempt *at, memplan_error *error) {
  const memplan_place_window *window = at->window;
  int64_t limit = windows->state.peak;
  memplan_duel *duel;
  MEMPLAN_TRY(memplan_duel_new(windows->instance, window->block, window->instance.n_blocks, &limit, windows->offset,
                               false, windows->without, windows->limits, &duel, error));
  if (duel == NULL) {
    return MEMPLAN_OK;
  }
  memplan_status status = run_duel(windows, duel, at->goal, ticks_of(at), error);
  int64_t bound = memplan_duel_look(duel)->bound;
  memplan_duel_free(duel);
  if (status != MEMPLAN_OK || bound <= windows->state.bound) {
    return status;
  }
  windows->state.bound = bound;
  return keep_core(windows, window, error);
}

static memplan_status place_anew(memplan_windows *windows, attempt *at, memplan_arena *arena, memplan_error *error) {
  int32_t n = at->window->instance.n_blocks;
  at->offset = MEMPLAN_NEW_RAW(arena, int64_t, n);
  at->pool = MEMPLAN_NEW_RAW(arena, int32_t, n);
  if (at->offset == NULL || at->pool == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < n; block++) {
    at->offset[block] = windows->offset[at->window->block[block]];
  }
  find_tops(at->window, at->offset, &at->before, &at->pinned_top);
  if (at->before > at->pinned_top && at->before > at->goal) {
    MEMPLAN_TRY(sample(windows, at, error));
  }
  if (n > MOST_EXACT) {
    return MEMPLAN_OK;
  }
  if (at->before > at->pinned_top && at->before > at->goal) {
    MEMPLAN_TRY(solve_exactly(windows, at, arena, error));
  }
  bool stuck = at->before <= at->pinned_top || at->exhausted;
  return stuck && at->before > at->goal ? raise_bound(windows, at, error) : MEMPLAN_OK;
}

// The next window around what is still too high is wider.
static void note_tries(memplan_windows *windows, const memplan_stretch *at, int32_t tries, int64_t goal) {
  for (int32_t place = at->first; place < at->last; place++) {
    bool high = top_of(windows, place) > goal && memplan_stretch_meets(&windows->timeline, at, place);
    if (high && windows->tries[place] <= tries) {
      windows->tries[place] = (uint8_t)(tries + 1);
    }
  }
}

static memplan_status solve_window(memplan_windows *windows, int32_t highest, int64_t goal, memplan_arena *arena,
                                   memplan_error *error) {
  int32_t tries = windows->tries[highest];
  const memplan_block *block = &windows->instance->blocks[windows->blocks[highest]];
  int32_t centre = memplan_timeline_fullest(&windows->timeline, block->start, block->end);
  memplan_stretch around = memplan_stretch_around(&windows->timeline, centre, windows->narrowest << tries % WIDTHS);
  memplan_place_window window;
  if (!memplan_place_window_make(windows->instance, &windows->blocks[around.first], around.last - around.first,
                                 windows->offset, around.start, around.end, &windows->scratch, arena, &window)) {
    return memplan_fail_nomem(error);
  }
  attempt at = {.window = &window, .goal = goal, .tries = tries};
  MEMPLAN_TRY(place_anew(windows, &at, arena, error));
  note_tries(windows, &around, tries, goal);
  return MEMPLAN_OK;
}

memplan_status memplan_windows_step(memplan_windows *windows, int64_t goal, memplan_error *error) {
  memplan_windows_state *state = &windows->state;
  int32_t highest = find_highest(windows);
  state->peak = top_of(windows, highest);
  bool idle = windows->instance->blocks[windows->blocks[highest]].n_parts == 0;
  if (state->peak <= goal || idle || windows->tries[highest] >= MOST_TRIES) {
    state->finished = true;
    return MEMPLAN_OK;
  }
  memplan_arena scratch = {0};
  memplan_status status = solve_window(windows, highest, goal, &scratch, error);
  memplan_arena_free(&scratch);
  state->peak = top_of(windows, find_highest(windows));
  return status;
}

const memplan_windows_state *memplan_windows_look(const memplan_windows *windows) { return &windows->state; }

memplan_status memplan_windows_new(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                   int32_t narrowest, int64_t *offset, uint64_t without, const memplan_limits *limits,
                                   memplan_windows **windows, memplan_error *error) {
  memplan_windows *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  made->instance = instance;
  made->blocks = blocks;
  made->n_blocks = n_blocks;
  made->narrowest = narrowest;
  made->offset = offset;
  made->without = without;
  made->limits = limits;
  made->tries = MEMPLAN_NEW(&made->arena, uint8_t, n_blocks);
  made->scratch.block_index = MEMPLAN_NEW_RAW(&made->arena, int32_t, instance->n_blocks);
  made->scratch.buffer_index = MEMPLAN_NEW_RAW(&made->arena, int32_t, instance->n_buffers);
  if (!memplan_timeline_make(instance, blocks, n_blocks, &made->arena, &made->timeline) || made->tries == NULL ||
      made->scratch.block_index == NULL || made->scratch.buffer_index == NULL) {
    memplan_windows_free(made);
    return memplan_fail_nomem(error);
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    made->scratch.block_index[block] = -1;
  }
  made->state.peak = top_of(made, find_highest(made));
  *windows = made;
  return MEMPLAN_OK;
}

void memplan_windows_free(memplan_windows *windows) {
  if (windows != NULL) {
    memplan_arena_free(&windows->arena);
    free(windows);
  }
}
