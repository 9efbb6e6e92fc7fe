// SPDX-License-Identifier: Apache-2.0
// Each pass runs over items and, inside, over the contiguous sections of the item, without branches: so that the inner
// loops are vector code on arrays that stay in the first cache, and no copies by section have to be kept.
//
// The late-set test without sorting: Q0 = all unplaced, Q(k+1) = items above room - height(Q(k)). The sets only shrink;
// a set that repeats without being empty does not fit above its own level, and if some set does not fit above a level
// then the sequence cannot pass below it.
#include "solvers/place_section.h"

bool memplan_sections_init(memplan_sections *sections, const memplan_place_shape *shape, memplan_arena *arena) {
  int32_t n = shape->n_sections;
  *sections = (memplan_sections){.shape = shape};
  sections->room = MEMPLAN_NEW(arena, int32_t, n);
  sections->threshold = MEMPLAN_NEW(arena, int32_t, n);
  sections->late = MEMPLAN_NEW(arena, int32_t, n);
  sections->second = MEMPLAN_NEW(arena, int32_t, n);
  sections->level = MEMPLAN_NEW(arena, int32_t, n);
  sections->next = MEMPLAN_NEW(arena, int32_t, n);
  return sections->room != NULL && sections->threshold != NULL && sections->late != NULL && sections->second != NULL &&
         sections->level != NULL && sections->next != NULL;
}

void memplan_sections_reset(memplan_sections *sections, int32_t capacity) {
  const memplan_place_shape *shape = sections->shape;
  for (int32_t s = 0; s < shape->n_sections; s++) {
    sections->room[s] = sections->threshold[s] = capacity + shape->slack[s];
    for (int32_t k = shape->first_member[s]; k < shape->first_member[s + 1]; k++) {
      sections->threshold[s] -= shape->members[k].height;
    }
  }
}

static void shift(const memplan_sections *sections, int32_t item, int32_t sign) {
  const memplan_place_shape *shape = sections->shape;
  for (int32_t r = shape->first_run[item]; r < shape->first_run[item + 1]; r++) {
    const memplan_shape_run *run = &shape->runs[r];
    int32_t by = sign * run->height;
    for (int32_t s = run->first; s < run->end; s++) {
      sections->threshold[s] += by;
    }
  }
}

void memplan_sections_remove(memplan_sections *sections, int32_t item) { shift(sections, item, 1); }

void memplan_sections_restore(memplan_sections *sections, int32_t item) { shift(sections, item, -1); }

// ---- passes. In each: late items are those above the threshold.

// Sums the heights of late items, and finds the least top of the others.
MEMPLAN_CLONES
static void pass_late(const memplan_place_shape *shape, const int32_t *items, int32_t n_items, const int32_t *least,
                      const int32_t *restrict threshold, int32_t from, int32_t to, int32_t *restrict late,
                      int32_t *restrict second) {
  for (int32_t s = from; s < to; s++) {
    late[s] = 0;
    second[s] = MEMPLAN_SHAPE_LIMIT;
  }
  for (int32_t k = 0; k < n_items && shape->first[items[k]] < to; k++) {
    int32_t item = items[k];
    if (shape->end[item] <= from) {
      continue;
    }
    int32_t bound = least[item];
    for (int32_t r = shape->first_run[item]; r < shape->first_run[item + 1]; r++) {
      const memplan_shape_run *run = &shape->runs[r];
      int32_t a = run->first > from ? run->first : from, b = run->end < to ? run->end : to;
      int32_t height = run->height, top = bound + height;
      for (int32_t s = a; s < b; s++) {
        int32_t is_late = threshold[s] < bound ? -1 : 0;
        int32_t here = top | (is_late & MEMPLAN_SHAPE_LIMIT);
        late[s] += is_late & height;
        second[s] = here < second[s] ? here : second[s];
      }
    }
  }
}

// Sums the heights of items above `level`.
MEMPLAN_CLONES
static void pass_level(const memplan_place_shape *shape, const int32_t *items, int32_t n_items, const int32_t *least,
                       const int32_t *restrict level, int32_t lowest, int32_t from, int32_t to, int32_t *restrict sum) {
  for (int32_t s = from; s < to; s++) {
    sum[s] = 0;
  }
  for (int32_t k = 0; k < n_items && shape->first[items[k]] < to; k++) {
    int32_t item = items[k], bound = least[item];
    if (shape->end[item] <= from || bound <= lowest) {
      continue;
    }
    for (int32_t r = shape->first_run[item]; r < shape->first_run[item + 1]; r++) {
      const memplan_shape_run *run = &shape->runs[r];
      int32_t a = run->first > from ? run->first : from, b = run->end < to ? run->end : to;
      int32_t height = run->height;
      for (int32_t s = a; s < b; s++) {
        sum[s] += level[s] < bound ? height : 0;
      }
    }
  }
}

MEMPLAN_CLONES
static int32_t least_of(const int32_t *values, int32_t from, int32_t to) {
  int32_t least = INT32_MAX;
  for (int32_t s = from; s < to; s++) {
    least = values[s] < least ? values[s] : least;
  }
  return least;
}

MEMPLAN_CLONES
static int32_t rise_over(const int32_t *threshold, const int32_t *second, int32_t from, int32_t to, int32_t bound) {
  int32_t rise = 0;
  for (int32_t s = from; s < to; s++) {
    int32_t here = threshold[s] < bound ? second[s] : 0;
    rise = here > rise ? here : rise;
  }
  return rise;
}

// ---- the check

// Narrows [*from, *to) to the hull of sections with late items.
static void narrow(const int32_t *late, int32_t *from, int32_t *to) {
  while (*from < *to && late[*from] == 0) {
    (*from)++;
  }
  while (*from < *to && late[*to - 1] == 0) {
    (*to)--;
  }
}

// One step of the late-set sequence in each section; returns a section where the set repeats, or -1. *open: does any
// section need another step?
static int32_t next_levels(memplan_sections *sections, int32_t from, int32_t to, bool *open) {
  *open = false;
  for (int32_t s = from; s < to; s++) {
    if (sections->level[s] == MEMPLAN_SHAPE_LIMIT) {
      continue;
    }
    if (sections->next[s] == 0) {
      sections->level[s] = MEMPLAN_SHAPE_LIMIT;
      continue;
    }
    int32_t level = sections->room[s] - sections->next[s];
    if (level == sections->level[s]) {
      return s;
    }
    sections->level[s] = level;
    *open = true;
  }
  return -1;
}

int32_t memplan_sections_check(memplan_sections *sections, const int32_t *items, int32_t n_items, const int32_t *least,
                               int32_t from, int32_t to) {
  const memplan_place_shape *shape = sections->shape;
  pass_late(shape, items, n_items, least, sections->threshold, from, to, sections->late, sections->second);
  narrow(sections->late, &from, &to);
  sections->from = from;
  sections->to = to;
  sections->lowest = MEMPLAN_SHAPE_LIMIT;
  if (from == to) {
    return -1;
  }
  bool open = false;
  for (int32_t s = from; s < to; s++) {
    sections->level[s] = MEMPLAN_SHAPE_LIMIT;
    if (sections->late[s] == 0) {
      continue;
    }
    sections->lowest = sections->threshold[s] < sections->lowest ? sections->threshold[s] : sections->lowest;
    sections->level[s] = sections->room[s] - sections->late[s];
    open = true;
    if (sections->level[s] == sections->threshold[s]) {
      return s; // all are late
    }
  }
  while (open) {
    pass_level(shape, items, n_items, least, sections->level, least_of(sections->level, from, to), from, to,
               sections->next);
    int32_t failed = next_levels(sections, from, to, &open);
    if (failed >= 0) {
      return failed;
    }
  }
  return -1;
}

int32_t memplan_sections_rise(const memplan_sections *sections, int32_t item, int32_t least) {
  const memplan_place_shape *shape = sections->shape;
  int32_t rise = 0;
  if (least <= sections->lowest) {
    return 0;
  }
  for (int32_t r = shape->first_run[item]; r < shape->first_run[item + 1]; r++) {
    int32_t from = shape->runs[r].first > sections->from ? shape->runs[r].first : sections->from;
    int32_t to = shape->runs[r].end < sections->to ? shape->runs[r].end : sections->to;
    if (from < to) {
      int32_t here = rise_over(sections->threshold, sections->second, from, to, least);
      rise = here > rise ? here : rise;
    }
  }
  return rise > least ? rise : 0;
}

int32_t memplan_sections_rise_reason(const memplan_sections *sections, int32_t item, int32_t least, int32_t rise) {
  const memplan_place_shape *shape = sections->shape;
  for (int32_t r = shape->first_run[item]; r < shape->first_run[item + 1]; r++) {
    int32_t from = shape->runs[r].first > sections->from ? shape->runs[r].first : sections->from;
    int32_t to = shape->runs[r].end < sections->to ? shape->runs[r].end : sections->to;
    for (int32_t s = from; s < to; s++) {
      if (sections->threshold[s] < least && sections->second[s] == rise) {
        return s;
      }
    }
  }
  return -1;
}

int32_t memplan_sections_lowest(const memplan_sections *sections, int32_t from, int32_t to) {
  return least_of(sections->threshold, from, to);
}
