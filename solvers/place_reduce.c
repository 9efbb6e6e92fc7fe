// SPDX-License-Identifier: Apache-2.0
// Groups of items are reduced until no rule applies: what one rule takes away makes room for the others, and what goes
// to the bottom may have held a group together. `forbidden` is kept up to date for the items of a group, so that a
// round over them costs nothing but the comparison.
#include "solvers/place_reduce.h"

#include "model/base/number.h"
#include "solvers/place_bottom.h"
#include "solvers/place_pigeonhole.h"

#include <string.h>

typedef struct group {
  int32_t first, n; // of the list of items, ascending
  int64_t base;     // units
} group;

typedef struct reducer {
  const memplan_place_problem *problem;
  int32_t rules;
  int64_t height; // units: nothing is lower
  bool placed;
  int64_t *offset;
  int32_t *items;
  int32_t *number; // of its group, by item; -1: in none any more
  memplan_int128 *forbidden;
  group *groups; // the open ones, a stack
  int32_t n_groups, n_numbers;
  int32_t *holes;
  int32_t n_holes, n_bottom;
  memplan_place_rest *rests;
  int32_t *rest_blocks;
  int32_t n_rests, n_rest_blocks;
  int64_t top; // units, of what went to the bottom
  int32_t *queue, *next;
} reducer;

static void leave_group(reducer *work, int32_t item) {
  const memplan_place_problem *problem = work->problem;
  for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
    const memplan_exclusion *exclusion = &problem->exclusions[k];
    int64_t step = problem->offsets[exclusion->other].step;
    work->forbidden[exclusion->other] -= memplan_place_pigeonhole_forbids(exclusion, step);
  }
  work->number[item] = -1;
}

static void drop(int32_t *items, int32_t *n, int32_t index) {
  memmove(&items[index], &items[index + 1], (size_t)(*n - index - 1) * sizeof *items);
  --*n;
}

static bool leave_out_holes(reducer *work, group *now) {
  int32_t *items = &work->items[now->first], before = now->n;
  for (int32_t index = 0; index < now->n;) {
    int32_t item = items[index];
    if (!memplan_place_pigeonhole_holds(work->problem, item, now->base, work->height, work->forbidden[item])) {
      index++;
      continue;
    }
    leave_group(work, item);
    work->holes[work->n_holes++] = item;
    drop(items, &now->n, index);
  }
  return now->n < before;
}

static bool put_to_bottom(reducer *work, group *now) {
  const memplan_place_problem *problem = work->problem;
  int32_t *items = &work->items[now->first];
  int32_t index = memplan_place_bottom_find(problem, items, now->n, work->number, now->base);
  if (index < 0) {
    return false;
  }
  int32_t item = items[index];
  if (work->placed) {
    memplan_place_bottom_lift(problem, items, now->n, item, now->base, work->offset);
  } else {
    work->offset[problem->block[item]] = now->base * problem->unit;
  }
  now->base += problem->size[item];
  work->top = now->base > work->top ? now->base : work->top;
  work->n_bottom++;
  leave_group(work, item);
  drop(items, &now->n, index);
  return true;
}

// Gives the items tied to `item` a group number of their own.
static void mark_part(reducer *work, int32_t item, int32_t number) {
  const memplan_place_problem *problem = work->problem;
  int32_t n = 0, old = work->number[item];
  work->queue[n++] = item;
  work->number[item] = number;
  while (n > 0) {
    int32_t from = work->queue[--n];
    for (int32_t k = problem->first_exclusion[from]; k < problem->first_exclusion[from + 1]; k++) {
      int32_t other = problem->exclusions[k].other;
      if (work->number[other] == old) {
        work->number[other] = number;
        work->queue[n++] = other;
      }
    }
  }
}

// Into its parts, as open groups. False: it is one.
static bool split(reducer *work, const group *now) {
  int32_t *items = &work->items[now->first], old = work->number[items[0]], from = work->n_numbers;
  for (int32_t k = 0; k < now->n; k++) {
    if (work->number[items[k]] == old) {
      mark_part(work, items[k], work->n_numbers++);
    }
  }
  if (work->n_numbers == from + 1) {
    return false;
  }
  int32_t n_sorted = 0;
  for (int32_t number = from; number < work->n_numbers; number++) {
    group *part = &work->groups[work->n_groups++];
    *part = (group){.first = now->first + n_sorted, .base = now->base};
    for (int32_t k = 0; k < now->n; k++) {
      if (work->number[items[k]] == number) {
        work->next[n_sorted++] = items[k];
      }
    }
    part->n = now->first + n_sorted - part->first;
  }
  memcpy(items, work->next, (size_t)now->n * sizeof *items);
  return true;
}

static void keep_rest(reducer *work, const group *now) {
  const memplan_place_problem *problem = work->problem;
  work->rests[work->n_rests++] = (memplan_place_rest){
      .blocks = &work->rest_blocks[work->n_rest_blocks], .n_blocks = now->n, .base = now->base * problem->unit};
  for (int32_t k = 0; k < now->n; k++) {
    work->rest_blocks[work->n_rest_blocks++] = problem->block[work->items[now->first + k]];
  }
}

static void reduce_group(reducer *work) {
  group now = work->groups[--work->n_groups];
  for (bool changed = true; changed && now.n > 0;) {
    changed = (work->rules & MEMPLAN_REDUCE_PIGEONHOLE) != 0 && leave_out_holes(work, &now);
    changed = (now.n > 0 && (work->rules & MEMPLAN_REDUCE_BOTTOM) != 0 && put_to_bottom(work, &now)) || changed;
  }
  if (now.n > 0 && ((work->rules & MEMPLAN_REDUCE_SPLIT) == 0 || !split(work, &now))) {
    keep_rest(work, &now);
  }
}

// What every placement needs, in units; -1: some item has no place.
static int64_t find_height(const memplan_place_problem *problem) {
  int64_t height = 0;
  for (int32_t section = 0; section < problem->n_sections; section++) {
    int64_t sum = 0;
    for (int32_t k = problem->first_member[section]; k < problem->first_member[section + 1]; k++) {
      sum = memplan_add_saturated(sum, problem->members[k].high - problem->members[k].low);
    }
    height = sum > height ? sum : height;
  }
  for (int32_t item = 0; item < problem->n_items; item++) {
    if (problem->offsets[item].n_ranges == 0) {
      return -1;
    }
    int64_t end = problem->offsets[item].ranges[0].first + problem->size[item];
    height = end > height ? end : height;
  }
  return height;
}

static bool on_units(const memplan_place_problem *problem, const int64_t *offset) {
  for (int32_t item = 0; item < problem->n_items; item++) {
    if (offset[problem->block[item]] % problem->unit != 0) {
      return false;
    }
  }
  return true;
}

static bool start(reducer *work, memplan_arena *arena) {
  const memplan_place_problem *problem = work->problem;
  int32_t n = problem->n_items;
  work->items = MEMPLAN_NEW(arena, int32_t, n);
  work->number = MEMPLAN_NEW(arena, int32_t, n);
  work->forbidden = MEMPLAN_NEW(arena, memplan_int128, n);
  work->groups = MEMPLAN_NEW(arena, group, n + 1);
  work->holes = MEMPLAN_NEW(arena, int32_t, n);
  work->rests = MEMPLAN_NEW(arena, memplan_place_rest, n);
  work->rest_blocks = MEMPLAN_NEW(arena, int32_t, n);
  work->queue = MEMPLAN_NEW(arena, int32_t, n);
  work->next = MEMPLAN_NEW(arena, int32_t, n);
  if (work->items == NULL || work->number == NULL || work->forbidden == NULL || work->groups == NULL ||
      work->holes == NULL || work->rests == NULL || work->rest_blocks == NULL || work->queue == NULL ||
      work->next == NULL) {
    return false;
  }
  for (int32_t item = 0; item < n; item++) {
    work->items[item] = item;
    for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
      work->forbidden[item] += memplan_place_pigeonhole_forbids(&problem->exclusions[k], problem->offsets[item].step);
    }
  }
  work->groups[work->n_groups++] = (group){.first = 0, .n = n};
  work->n_numbers = 1;
  return true;
}

memplan_status memplan_place_reduce(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                    int64_t limit, int64_t bound, int32_t rules, bool placed, int64_t *offset,
                                    const memplan_limits *run, memplan_arena *arena, memplan_place_reduction *reduction,
                                    memplan_error *error) {
  *reduction = (memplan_place_reduction){0};
  memplan_place_problem *problem = &reduction->problem;
  int32_t form = (rules & MEMPLAN_REDUCE_BYTES) != 0 ? MEMPLAN_FORM_ALL & ~MEMPLAN_FORM_UNITS : MEMPLAN_FORM_ALL;
  MEMPLAN_TRY(memplan_place_problem_build_as(instance, blocks, n_blocks, &limit, form, run, arena, problem, error));
  if (problem->unfinished) {
    return MEMPLAN_OK;
  }
  reducer work = {.problem = problem, .rules = rules, .placed = placed, .offset = offset};
  int64_t height = find_height(problem);
  if (!start(&work, arena)) {
    return memplan_fail_nomem(error);
  }
  work.height = bound / problem->unit > height ? bound / problem->unit : height;
  if (placed && !on_units(problem, offset)) {
    work.rules &= ~MEMPLAN_REDUCE_PIGEONHOLE;
  }
  if (height < 0) {
    work.rules = 0;
  }
  while (work.n_groups > 0) {
    reduce_group(&work);
  }
  height = work.top > height ? work.top : height;
  reduction->rests = work.rests;
  reduction->n_rests = work.n_rests;
  reduction->n_bottom = work.n_bottom;
  reduction->holes = work.holes;
  reduction->n_holes = work.n_holes;
  reduction->bound = height > 0 ? height * problem->unit : 0;
  return MEMPLAN_OK;
}

bool memplan_place_restore(const memplan_place_reduction *reduction, int64_t *offset) {
  const memplan_place_problem *problem = &reduction->problem;
  memplan_arena scratch = {0};
  int32_t n = problem->n_items;
  bool *present = MEMPLAN_NEW(&scratch, bool, n);
  memplan_interval *stretches = MEMPLAN_NEW(&scratch, memplan_interval, problem->first_exclusion[n]);
  bool ok = present != NULL && stretches != NULL;
  for (int32_t item = 0; item < n && ok; item++) {
    present[item] = true;
  }
  for (int32_t k = 0; k < reduction->n_holes && ok; k++) {
    present[reduction->holes[k]] = false;
  }
  for (int32_t k = reduction->n_holes - 1; k >= 0 && ok; k--) {
    int32_t item = reduction->holes[k];
    offset[problem->block[item]] =
        memplan_place_pigeonhole_find(problem, item, offset, present, stretches) * problem->unit;
    present[item] = true;
  }
  memplan_arena_free(&scratch);
  return ok;
}
