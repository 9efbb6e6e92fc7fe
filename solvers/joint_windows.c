// SPDX-License-Identifier: Apache-2.0
// Windows are runs of consecutive operators of the plan's order, on five levels, each of twice as many operators, each
// half over the one before. One whose items all end within the bound in the plan can be left out for good: the plan
// restricted to it is a plan of it. That leaves the few windows around what the plan has put above the bound. A window
// is done when a plan of it within the bound is known, since bounds only rise; then nothing is to be learned from it
// any more.
#include "solvers/joint_windows.h"

#include "solvers/joint_window.h"

#include <stdlib.h>
#include <string.h>

enum { levels = 5 };

struct memplan_joint_windows {
  int32_t narrowest;   // operators of a window of the first level
  memplan_arena arena; // of the outline
  memplan_joint_graph whole;
  // of the plan
  memplan_arena plan_arena;
  memplan_joint_plan plan;
  int64_t *end; // by item: where it ends in the plan
  int32_t n_windows[levels];
  bool *done[levels];
  int32_t pass, level, at;
  bool open; // a window of this pass has been left undecided
  bool exhausted;
  // the window that is being searched
  memplan_joint_graph window;
  memplan_joint_piece piece;
};

memplan_status memplan_joint_windows_new(const memplan_ordering *ordering, int32_t narrowest,
                                         memplan_joint_windows **windows, memplan_error *error) {
  *windows = NULL;
  if (ordering->n_ops <= narrowest) {
    return MEMPLAN_OK;
  }
  memplan_joint_windows *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return memplan_fail_nomem(error);
  }
  made->narrowest = narrowest;
  memplan_status status = memplan_joint_graph_outline(&made->whole, ordering, &made->arena, error);
  if (status != MEMPLAN_OK) {
    memplan_joint_windows_free(made);
    return status == MEMPLAN_UNSUPPORTED ? MEMPLAN_OK : status;
  }
  *windows = made;
  return MEMPLAN_OK;
}

void memplan_joint_windows_free(memplan_joint_windows *all) {
  if (all != NULL) {
    memplan_joint_piece_close(&all->piece);
    memplan_arena_free(&all->plan_arena);
    memplan_arena_free(&all->arena);
    free(all);
  }
}

// ---- the plan

static int32_t width_of(const memplan_joint_windows *all, int32_t level) { return all->narrowest << level; }

static memplan_status find_ends(memplan_joint_windows *all, memplan_error *error) {
  memplan_joint_lowered own;
  memplan_status status = memplan_joint_lower(&all->whole, &all->plan, &own, error);
  for (int32_t item = 0; status == MEMPLAN_OK && item < all->whole.n_items; item++) {
    const memplan_joint_item *entry = &all->whole.items[item];
    int64_t offset = memplan_joint_lowered_offset(&own, &all->plan.placement, item);
    all->end[item] = entry->reserved ? 0 : offset + entry->bytes;
  }
  memplan_joint_lowered_free(&own);
  return status;
}

static memplan_status copy_plan(memplan_joint_windows *all, const memplan_joint_plan *plan, memplan_error *error) {
  int32_t n = all->whole.n_ops;
  memplan_arena *arena = &all->plan_arena;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, n), *choice = MEMPLAN_NEW(arena, int32_t, plan->n_choices);
  all->end = MEMPLAN_NEW(arena, int64_t, all->whole.n_items);
  bool good = order != NULL && choice != NULL && all->end != NULL;
  for (int32_t level = 0; level < levels && good; level++) {
    int32_t width = width_of(all, level), stride = width / 2;
    all->n_windows[level] = n > width ? (n - width + stride - 1) / stride + 1 : 0;
    all->done[level] = MEMPLAN_NEW(arena, bool, all->n_windows[level]);
    good = all->done[level] != NULL;
  }
  if (!good) {
    return memplan_fail_nomem(error);
  }
  memcpy(order, plan->order, (size_t)n * sizeof *order);
  if (plan->n_choices > 0) {
    memcpy(choice, plan->choice, (size_t)plan->n_choices * sizeof *choice);
  }
  all->plan = *plan;
  all->plan.order = order;
  all->plan.choice = choice;
  return MEMPLAN_OK;
}

memplan_status memplan_joint_windows_set_plan(memplan_joint_windows *all, const memplan_joint_plan *plan,
                                              memplan_error *error) {
  if (all->plan.order != NULL && all->plan.peak == plan->peak) {
    return MEMPLAN_OK;
  }
  memplan_joint_piece_close(&all->piece);
  memplan_arena_free(&all->plan_arena);
  all->plan_arena = (memplan_arena){0};
  all->plan = (memplan_joint_plan){.order = NULL};
  all->pass = all->level = all->at = 0;
  all->open = all->exhausted = false;
  MEMPLAN_TRY(copy_plan(all, plan, error));
  memplan_status status = find_ends(all, error);
  all->plan.placement = (memplan_placement){.offset = NULL}; // not the caller's any longer
  return status;
}

// ---- windows

static const int32_t *ops_of_window(const memplan_joint_windows *all) {
  int32_t width = width_of(all, all->level), start = all->at * (width / 2), last = all->whole.n_ops - width;
  return all->plan.order + (start < last ? start : last);
}

static bool reaches_above(const memplan_joint_windows *all, int64_t lower) {
  const int32_t *ops = ops_of_window(all);
  for (int32_t item = 0; item < all->whole.n_items; item++) {
    if (all->end[item] > lower && memplan_joint_window_holds(&all->whole, item, ops, width_of(all, all->level))) {
      return true;
    }
  }
  return false;
}

static bool is_last_level(const memplan_joint_windows *all) {
  return all->level + 1 >= levels || all->n_windows[all->level + 1] == 0;
}

// Goes on to the next window, and from the last one of all to the next pass, if that is of use.
static void step_on(memplan_joint_windows *all) {
  all->at++;
  while (!all->exhausted && all->at >= all->n_windows[all->level]) {
    all->at = 0;
    if (!is_last_level(all)) {
      all->level++;
      continue;
    }
    all->level = 0;
    all->exhausted = !all->open;
    all->open = false;
    all->pass++;
  }
}

bool memplan_joint_windows_is_exhausted(const memplan_joint_windows *all) { return all->exhausted; }

const memplan_joint_graph *memplan_joint_windows_outline(const memplan_joint_windows *all) { return &all->whole; }

// What is known of the whole problem, as far as it may be asked of the window: the window's own optimum can be smaller,
// so that it must not be rounded up to the next height that a window has.
static int64_t bound_of(const memplan_joint_windows *all, int64_t lower) { return lower - lower % all->window.unit; }

// No search: there is nothing to be learned from it.
static memplan_status open_window(memplan_joint_windows *all, const memplan_limits *limits,
                                  memplan_joint_windows_news *news, memplan_error *error) {
  memplan_joint_settings settings = memplan_joint_settings_default();
  settings.memory = memplan_limits_memory(limits);
  int32_t width = width_of(all, all->level);
  MEMPLAN_TRY(
      memplan_joint_window_init(&all->window, &all->whole, ops_of_window(all), width, &all->piece.arena, error));
  return memplan_joint_piece_open(&all->piece, &all->window, width, bound_of(all, news->lower), all->plan.peak,
                                  &settings, &news->work, error);
}

// Runs the window's search for its share, or until the ticks of the call are over. *ended: it is over for this pass.
static memplan_status search_window(memplan_joint_windows *all, int64_t ticks, memplan_joint_windows_news *news,
                                    bool *ended, memplan_error *error) {
  const memplan_joint_search *search = all->piece.search;
  memplan_joint_result result;
  memplan_joint_search_set_lower(all->piece.search, bound_of(all, news->lower));
  MEMPLAN_TRY(memplan_joint_piece_run(&all->piece, all->pass, ticks, &news->work, &result, ended, error));
  int64_t proven = memplan_joint_search_lower(search);
  if (proven > news->lower) {
    news->lower = proven;
    news->ops = ops_of_window(all);
    news->n_ops = width_of(all, all->level);
  }
  bool closed = result == MEMPLAN_JOINT_CLOSED || memplan_joint_search_upper(search) <= news->lower;
  bool full = result == MEMPLAN_JOINT_FULL; // it would be the next time too
  *ended = *ended || closed || full;
  all->done[all->level][all->at] = closed || full;
  all->open = all->open || (*ended && !closed && !full);
  return MEMPLAN_OK;
}

memplan_status memplan_joint_windows_run(memplan_joint_windows *all, int64_t lower, int64_t ticks,
                                         const memplan_limits *limits, memplan_joint_windows_news *news,
                                         memplan_error *error) {
  *news = (memplan_joint_windows_news){.lower = lower};
  while (!all->exhausted && news->work.ticks < ticks && news->lower < all->plan.peak &&
         memplan_limits_reached(limits) == MEMPLAN_STOP_DONE) {
    bool *done = &all->done[all->level][all->at];
    news->work.ticks++;
    if (all->piece.search == NULL && !*done) {
      news->work.ticks += all->whole.n_items;
      *done = !reaches_above(all, news->lower);
      if (!*done) {
        MEMPLAN_TRY(open_window(all, limits, news, error));
        *done = all->piece.search == NULL;
      }
    }
    bool ended = *done;
    if (all->piece.search != NULL) {
      MEMPLAN_TRY(search_window(all, ticks - news->work.ticks, news, &ended, error));
    }
    if (ended) {
      memplan_joint_piece_close(&all->piece);
      step_on(all);
    }
  }
  return MEMPLAN_OK;
}
