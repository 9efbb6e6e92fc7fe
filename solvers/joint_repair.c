// SPDX-License-Identifier: Apache-2.0
// A try has a limit. While an item of its copy of the plan ends above it, the first one in time that does is the
// target: slices around its life are searched, from narrow to wide ones, and the first plan of a slice within the limit
// is written back. What ends above the limit and lives beyond a slice is left to a slice of its own, so that each of
// them takes targets away and adds none. Without targets the copy is a plan within the limit and becomes the best one.
//
// A try whose target withstands all widths is given up, and the limit goes up half of the way to the peak. When the
// limits have arrived at the peak, the shares of work grow and all begins anew, until a round has no slice left that
// its share has cut short.
#include "solvers/joint_repair.h"

#include "solvers/joint_slice.h"

#include <stdlib.h>
#include <string.h>

enum { most_rounds = 6 };

struct memplan_joint_repair {
  const memplan_joint_graph *whole;
  int32_t narrowest, widest;
  memplan_arena arena;
  memplan_joint_layout best, now;
  int32_t *order; // scratch
  int64_t peak;   // of the best
  bool has_plan, exhausted;
  int32_t round;
  bool open;          // a slice of this round has been left undecided
  int64_t low, limit; // limits below `low` have been given up in this round
  bool trying;
  int32_t width; // of the next slice
  // the slice that is being searched
  memplan_joint_slice slice;
  memplan_joint_piece piece;
};

static bool allocate_layout(memplan_joint_repair *all, memplan_joint_layout *layout) {
  const memplan_joint_graph *whole = all->whole;
  layout->order = MEMPLAN_NEW(&all->arena, int32_t, whole->n_ops);
  layout->step = MEMPLAN_NEW(&all->arena, int32_t, whole->n_ops);
  layout->chosen = MEMPLAN_NEW(&all->arena, bool, whole->n_pairs);
  layout->offset = MEMPLAN_NEW(&all->arena, int64_t, whole->n_items);
  layout->first = MEMPLAN_NEW(&all->arena, int32_t, whole->n_items);
  layout->last = MEMPLAN_NEW(&all->arena, int32_t, whole->n_items);
  return layout->order != NULL && layout->step != NULL && layout->chosen != NULL && layout->offset != NULL &&
         layout->first != NULL && layout->last != NULL;
}

memplan_joint_repair *memplan_joint_repair_new(const memplan_joint_graph *whole, int32_t narrowest, int32_t widest) {
  memplan_joint_repair *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return NULL;
  }
  made->whole = whole;
  made->narrowest = narrowest;
  made->widest = widest;
  made->order = MEMPLAN_NEW(&made->arena, int32_t, whole->n_ops);
  if (made->order == NULL || !allocate_layout(made, &made->best) || !allocate_layout(made, &made->now)) {
    memplan_joint_repair_free(made);
    return NULL;
  }
  return made;
}

void memplan_joint_repair_free(memplan_joint_repair *all) {
  if (all != NULL) {
    memplan_joint_piece_close(&all->piece);
    memplan_arena_free(&all->arena);
    free(all);
  }
}

bool memplan_joint_repair_is_exhausted(const memplan_joint_repair *all) { return all->exhausted; }

int64_t memplan_joint_repair_peak(const memplan_joint_repair *all) { return all->peak; }

static void copy_layout(const memplan_joint_graph *whole, const memplan_joint_layout *from, memplan_joint_layout *to) {
  memcpy(to->order, from->order, (size_t)whole->n_ops * sizeof *to->order);
  if (whole->n_pairs > 0) {
    memcpy(to->chosen, from->chosen, (size_t)whole->n_pairs * sizeof *to->chosen);
  }
  if (whole->n_items > 0) {
    memcpy(to->offset, from->offset, (size_t)whole->n_items * sizeof *to->offset);
  }
  memplan_joint_layout_live(whole, to);
}

// ---- plans in and out

memplan_status memplan_joint_repair_set_plan(memplan_joint_repair *all, const memplan_joint_plan *plan,
                                             memplan_error *error) {
  const memplan_joint_graph *whole = all->whole;
  if (all->has_plan && all->peak <= plan->peak) {
    return MEMPLAN_OK;
  }
  memplan_joint_lowered own;
  memplan_status status = memplan_joint_lower(whole, plan, &own, error);
  for (int32_t item = 0; status == MEMPLAN_OK && item < whole->n_items; item++) {
    all->best.offset[item] = memplan_joint_lowered_offset(&own, &plan->placement, item);
  }
  memplan_joint_lowered_free(&own);
  MEMPLAN_TRY(status);
  memcpy(all->best.order, plan->order, (size_t)whole->n_ops * sizeof *plan->order);
  for (int32_t k = 0; k < whole->n_pairs; k++) {
    all->best.chosen[k] = memplan_joint_plan_chooses(plan, whole->pairs[k].index);
  }
  memplan_joint_layout_live(whole, &all->best);
  memplan_joint_piece_close(&all->piece);
  all->has_plan = true;
  all->peak = plan->peak;
  all->round = 0;
  all->low = 0;
  all->open = all->exhausted = all->trying = false;
  return MEMPLAN_OK;
}

memplan_status memplan_joint_repair_read(const memplan_joint_repair *all, memplan_arena *arena,
                                         memplan_joint_plan *plan, memplan_error *error) {
  const memplan_joint_graph *whole = all->whole;
  int32_t *order = MEMPLAN_NEW(arena, int32_t, whole->n_ops), *choice = MEMPLAN_NEW(arena, int32_t, whole->n_pairs);
  if (order == NULL || choice == NULL) {
    return memplan_fail_nomem(error);
  }
  *plan = (memplan_joint_plan){.order = order, .choice = choice};
  memcpy(order, all->best.order, (size_t)whole->n_ops * sizeof *order);
  const int32_t *first = whole->ordering->pair_first;
  for (int32_t step = 0; step < whole->n_ops; step++) { // in step order
    for (int32_t k = 0; k < whole->n_pairs && first[order[step]] < first[order[step] + 1]; k++) {
      if (all->best.chosen[k] && whole->pairs[k].op == order[step]) {
        choice[plan->n_choices++] = whole->pairs[k].index;
      }
    }
  }
  memplan_joint_lowered own;
  memplan_status status = memplan_joint_lower(whole, plan, &own, error);
  if (status == MEMPLAN_OK) {
    status = memplan_joint_lowered_place(&own, all->best.offset, 1, arena, plan, error);
  }
  memplan_joint_lowered_free(&own);
  return status;
}

// ---- tries

static int64_t end_of(const memplan_joint_repair *all, int32_t item) {
  const memplan_joint_item *entry = &all->whole->items[item];
  return entry->reserved ? 0 : all->now.offset[item] + entry->bytes;
}

// The first item in time that ends above the limit, -1: none.
static int32_t find_target(const memplan_joint_repair *all) {
  int32_t target = -1;
  for (int32_t item = 0; item < all->whole->n_items; item++) {
    bool earlier = target < 0 || all->now.first[item] < all->now.first[target];
    target = earlier && end_of(all, item) > all->limit ? item : target;
  }
  return target;
}

static void begin_try(memplan_joint_repair *all, int64_t limit) {
  copy_layout(all->whole, &all->best, &all->now);
  all->limit = limit;
  all->width = all->narrowest;
  all->trying = true;
}

// Where all limits below the peak have been tried, the next round begins.
static void end_try(memplan_joint_repair *all) {
  all->trying = false;
  if (all->low < all->peak) {
    return;
  }
  all->low = 0;
  all->round++;
  all->exhausted = !all->open || all->round >= most_rounds;
  all->open = false;
}

static void give_up(memplan_joint_repair *all) {
  all->low = all->limit + 1;
  end_try(all);
}

static void finish_try(memplan_joint_repair *all) {
  all->peak = 0;
  for (int32_t item = 0; item < all->whole->n_items; item++) {
    all->peak = end_of(all, item) > all->peak ? end_of(all, item) : all->peak;
  }
  copy_layout(all->whole, &all->now, &all->best);
  end_try(all);
}

static bool is_cut(const memplan_joint_repair *all, int32_t step) {
  const int32_t *order = all->now.order, *leader = all->whole->leader;
  return step > 0 && step < all->whole->n_ops && leader[order[step - 1]] == leader[order[step]];
}

// The slice of this width around the target's life, moved to another place in each round. False: it does not hold the
// life.
static bool place_slice(const memplan_joint_repair *all, int32_t target, int32_t *start, int32_t *end) {
  int32_t n = all->whole->n_ops, first = all->now.first[target], last = all->now.last[target];
  int32_t life = last - first + 1, width = all->width < n ? all->width : n;
  if (life > width) {
    return false;
  }
  int32_t quarters = (2 + all->round) % 4, before = (width - life) / 4 * (quarters == 0 ? 4 : quarters);
  *start = first > before ? first - before : 0;
  *start = *start + width > n ? n - width : *start;
  *end = *start + width;
  while (is_cut(all, *start)) {
    (*start)--;
  }
  while (is_cut(all, *end)) {
    (*end)++;
  }
  return true;
}

// No search: nothing comes of it.
static memplan_status open_slice(memplan_joint_repair *all, int32_t start, int32_t end, const memplan_limits *limits,
                                 memplan_joint_repair_news *news, memplan_error *error) {
  memplan_joint_settings settings = memplan_joint_settings_default();
  settings.memory = memplan_limits_memory(limits);
  settings.driver = MEMPLAN_JOINT_DOWN;
  settings.seed = (uint64_t)all->round;
  MEMPLAN_TRY(
      memplan_joint_slice_init(&all->slice, all->whole, &all->now, start, end, all->limit, &all->piece.arena, error));
  news->work.ticks += all->whole->n_items;
  return memplan_joint_piece_open(&all->piece, &all->slice.graph, end - start, 0, all->limit + 1, &settings,
                                  &news->work, error);
}

// *ended: the slice is over; what came of it stands in the plan.
static memplan_status search_slice(memplan_joint_repair *all, int64_t ticks, memplan_joint_repair_news *news,
                                   bool *ended, bool *solved, memplan_error *error) {
  memplan_joint_result result;
  MEMPLAN_TRY(memplan_joint_piece_run(&all->piece, all->round, ticks, &news->work, &result, ended, error));
  *solved = result == MEMPLAN_JOINT_IMPROVED;
  bool over = *solved || result == MEMPLAN_JOINT_CLOSED || result == MEMPLAN_JOINT_FULL; // more work changes nothing
  *ended = *ended || over;
  all->open = all->open || (*ended && !over);
  if (*solved) {
    memplan_joint_solution found = memplan_joint_search_look(all->piece.search);
    memplan_joint_slice_write(&all->slice, all->whole, found.order, found.offset, found.choice, found.n_choices,
                              all->order, &all->now);
  }
  return MEMPLAN_OK;
}

// One step of a try: a slice is begun or goes on.
static memplan_status run_try(memplan_joint_repair *all, int64_t ticks, const memplan_limits *limits,
                              memplan_joint_repair_news *news, memplan_error *error) {
  bool ended = true, solved = false;
  if (all->piece.search == NULL) {
    int32_t target = find_target(all), start, end;
    news->work.ticks += all->whole->n_items;
    if (target < 0) {
      finish_try(all);
      news->improved = true;
      return MEMPLAN_OK;
    }
    if (place_slice(all, target, &start, &end)) {
      MEMPLAN_TRY(open_slice(all, start, end, limits, news, error));
    }
  }
  if (all->piece.search != NULL) {
    MEMPLAN_TRY(search_slice(all, ticks, news, &ended, &solved, error));
  }
  if (!ended) {
    return MEMPLAN_OK;
  }
  memplan_joint_piece_close(&all->piece);
  if (solved) {
    all->width = all->narrowest;
  } else if (all->width < all->widest && all->width < all->whole->n_ops) {
    all->width *= 2;
  } else {
    give_up(all);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_joint_repair_run(memplan_joint_repair *all, int64_t goal, int64_t ticks,
                                        const memplan_limits *limits, memplan_joint_repair_news *news,
                                        memplan_error *error) {
  *news = (memplan_joint_repair_news){.improved = false};
  while (!all->exhausted && news->work.ticks < ticks && all->peak > goal &&
         memplan_limits_reached(limits) == MEMPLAN_STOP_DONE) {
    if (all->trying && all->limit < goal) { // the bound has risen
      memplan_joint_piece_close(&all->piece);
      all->trying = false;
    }
    if (!all->trying) {
      bool first = all->low <= goal;
      begin_try(all, first ? goal : all->low + (all->peak - 1 - all->low) / 2);
    }
    MEMPLAN_TRY(run_try(all, ticks - news->work.ticks, limits, news, error));
  }
  return MEMPLAN_OK;
}
