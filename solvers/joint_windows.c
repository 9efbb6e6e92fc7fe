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

enum {
  levels = 5,
  most_items = 900,      // of a window
  first_share = 1 << 18, // ticks of a window
  share_growth = 2,      // binary digits, from pass to pass
  most_share_digits = 40,
  piece = 1 << 20,  // ticks between looks at the limits of the run
  ticks_of_cell = 4 // making a window: of a pair of items, or of an item and an operator
};

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
  memplan_arena window_arena;
  memplan_joint_graph window;
  memplan_joint_search *search;
  int64_t spent;
};

static void close_window(memplan_joint_windows *all) {
  memplan_joint_search_free(all->search);
  memplan_arena_free(&all->window_arena);
  all->search = NULL;
  all->window_arena = (memplan_arena){0};
}

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
    close_window(all);
    memplan_arena_free(&all->plan_arena);
    memplan_arena_free(&all->arena);
    free(all);
  }
}

// ---- the plan

static int32_t width_of(const memplan_joint_windows *all, int32_t level) { return all->narrowest << level; }

static memplan_status find_ends(memplan_joint_windows *all, memplan_error *error) {
  const memplan_joint_plan *plan = &all->plan;
  const memplan_ordering *ordering = all->whole.ordering;
  memplan_arena scratch = {0};
  memplan_instance instance;
  memplan_instance_init(&instance);
  int32_t *storage_buffer = MEMPLAN_NEW(&scratch, int32_t, ordering->graph->n_storages);
  int32_t *op_buffer = MEMPLAN_NEW(&scratch, int32_t, ordering->n_ops);
  memplan_status status = storage_buffer == NULL || op_buffer == NULL
                              ? memplan_fail_nomem(error)
                              : memplan_ordering_lower(ordering, plan->order, plan->choice, plan->n_choices, &instance,
                                                       storage_buffer, op_buffer, error);
  for (int32_t item = 0; status == MEMPLAN_OK && item < all->whole.n_items; item++) {
    int32_t buffer = memplan_joint_graph_buffer(&all->whole, item, &instance, storage_buffer, op_buffer);
    all->end[item] = buffer < 0 ? 0
                                : plan->placement.offset[instance.block_of[buffer]] + instance.delta_of[buffer] +
                                      all->whole.items[item].bytes;
  }
  memplan_instance_free(&instance);
  memplan_arena_free(&scratch);
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
  close_window(all);
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

static int64_t share_of(const memplan_joint_windows *all) {
  int32_t digits = share_growth * all->pass;
  return (int64_t)first_share << (digits < most_share_digits ? digits : most_share_digits);
}

// What is known of the whole problem, as far as it may be asked of the window: the window's own optimum can be smaller,
// so that it must not be rounded up to the next height that a window has.
static int64_t bound_of(const memplan_joint_windows *all, int64_t lower) { return lower - lower % all->window.unit; }

// No search: there is nothing to be learned from it.
static memplan_status open_window(memplan_joint_windows *all, int64_t lower, memplan_joint_windows_news *news,
                                  memplan_error *error) {
  memplan_joint_settings settings = memplan_joint_settings_default();
  int32_t width = width_of(all, all->level);
  MEMPLAN_TRY(
      memplan_joint_window_init(&all->window, &all->whole, ops_of_window(all), width, &all->window_arena, error));
  int64_t items = all->window.n_items;
  news->ticks += ticks_of_cell * (items * width);
  if (items > most_items) {
    return MEMPLAN_OK;
  }
  news->ticks += ticks_of_cell * (items * items / 2);
  memplan_status status =
      memplan_joint_search_new(&all->window, bound_of(all, lower), all->plan.peak, &settings, &all->search, error);
  all->spent = 0;
  return status == MEMPLAN_UNSUPPORTED ? MEMPLAN_OK : status;
}

// Runs the window's search for its share, or until the ticks of the call are over. *ended: it is over for this pass.
static memplan_status search_window(memplan_joint_windows *all, int64_t lower, int64_t ticks,
                                    memplan_joint_windows_news *news, bool *ended, memplan_error *error) {
  int64_t share = share_of(all) - all->spent, limit = ticks < piece ? ticks : piece;
  memplan_engine_counts before = memplan_joint_search_count(all->search);
  memplan_joint_search_set_lower(all->search, bound_of(all, lower));
  memplan_joint_result result = memplan_joint_search_run(all->search, share < limit ? share : limit);
  memplan_engine_counts counts = memplan_joint_search_count(all->search);
  if (result == MEMPLAN_JOINT_NOMEM) {
    return memplan_fail_nomem(error);
  }
  all->spent += counts.ticks - before.ticks + 1;
  news->ticks += counts.ticks - before.ticks + 1;
  news->conflicts += counts.conflicts - before.conflicts;
  int64_t proven = memplan_joint_search_lower(all->search);
  news->lower = proven > news->lower ? proven : news->lower;
  bool closed = result == MEMPLAN_JOINT_CLOSED || memplan_joint_search_upper(all->search) <= news->lower;
  *ended = closed || all->spent >= share_of(all);
  all->done[all->level][all->at] = closed;
  all->open = all->open || (*ended && !closed);
  return MEMPLAN_OK;
}

memplan_status memplan_joint_windows_run(memplan_joint_windows *all, int64_t lower, int64_t ticks,
                                         const memplan_limits *limits, memplan_joint_windows_news *news,
                                         memplan_error *error) {
  *news = (memplan_joint_windows_news){.lower = lower};
  while (!all->exhausted && news->ticks < ticks && news->lower < all->plan.peak &&
         memplan_limits_reached(limits) == MEMPLAN_STOP_DONE) {
    bool *done = &all->done[all->level][all->at];
    news->ticks++;
    if (all->search == NULL && !*done) {
      news->ticks += all->whole.n_items;
      *done = !reaches_above(all, news->lower);
      if (!*done) {
        MEMPLAN_TRY(open_window(all, news->lower, news, error));
        *done = all->search == NULL;
      }
    }
    bool ended = *done;
    if (all->search != NULL) {
      MEMPLAN_TRY(search_window(all, news->lower, ticks - news->ticks, news, &ended, error));
    }
    if (ended) {
      close_window(all);
      step_on(all);
    }
  }
  return MEMPLAN_OK;
}
