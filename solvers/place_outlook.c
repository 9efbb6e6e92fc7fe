// SPDX-License-Identifier: Apache-2.0
// Items in the order of their bounds: the first one that lies in a section owns it, since its bound is the section's. A
// step changes nothing about sections whose owners lie beside it: bounds only rise. So a survey of the skyline is kept,
// and after a step only those sections are looked at again whose owners meet it.
#include "solvers/place_outlook.h"

#include "model/base/compiler.h"

#include <string.h>

bool memplan_outlook_init(memplan_outlook *outlook, const memplan_place_shape *shape, const int32_t *level,
                          const int32_t *slack, const int32_t *weight, memplan_arena *arena) {
  int32_t n = shape->n_items, n_words = (shape->n_sections + 63) / 64;
  *outlook = (memplan_outlook){.shape = shape,
                               .level = level,
                               .slack = slack,
                               .weight = weight,
                               .sorted = MEMPLAN_NEW(arena, int32_t, n),
                               .least = MEMPLAN_NEW(arena, int32_t, n),
                               .n_words = n_words,
                               .owners = MEMPLAN_NEW(arena, memplan_outlook_owner, n),
                               .owned = MEMPLAN_NEW(arena, uint64_t, (int64_t)n * n_words),
                               .uncovered = MEMPLAN_NEW(arena, uint64_t, n_words),
                               .to_gap = MEMPLAN_NEW(arena, int32_t, n),
                               .to_top = MEMPLAN_NEW(arena, int32_t, n)};
  return outlook->sorted != NULL && outlook->least != NULL && outlook->owners != NULL && outlook->owned != NULL &&
         outlook->uncovered != NULL && outlook->to_gap != NULL && outlook->to_top != NULL;
}

void memplan_outlook_load(memplan_outlook *outlook, int32_t n_open, const uint16_t *sorted, const int32_t *least) {
  outlook->n_open = n_open;
  for (int32_t k = 0; k < n_open; k++) {
    outlook->sorted[k] = sorted[k];
  }
  memcpy(outlook->least, least, (size_t)outlook->shape->n_items * sizeof *least);
}

void memplan_outlook_store(const memplan_outlook *outlook, int32_t placed, uint16_t *sorted, int32_t *least) {
  for (int32_t k = 0; k < outlook->n_open; k++) {
    if (outlook->sorted[k] != placed) {
      *sorted++ = (uint16_t)outlook->sorted[k];
    }
  }
  memcpy(least, outlook->least, (size_t)outlook->shape->n_items * sizeof *least);
}

void memplan_outlook_raise(memplan_outlook *outlook, int32_t from, int32_t to, int32_t level) {
  const memplan_place_shape *shape = outlook->shape;
  int32_t *raised = outlook->to_top, n_raised = 0, n = 0;
  for (int32_t k = 0; k < outlook->n_open && outlook->least[outlook->sorted[k]] < level; k++) {
    int32_t item = outlook->sorted[k];
    if (shape->first[item] < to && shape->end[item] > from) {
      outlook->least[item] = level;
      raised[n_raised++] = item;
    } else {
      outlook->sorted[n++] = item;
    }
  }
  memcpy(&outlook->sorted[n], raised, (size_t)n_raised * sizeof *raised);
}

typedef struct search {
  int64_t lost, most; // weighted; more is of no interest
  int32_t n_uncovered;
} search;

// The item's bound is that of its sections which are uncovered; they are added to `owned` unless it is NULL. False: too
// much is lost.
static inline bool cover(memplan_outlook *outlook, int32_t item, int32_t bound, search *sum, uint64_t *owned) {
  int32_t first = outlook->shape->first[item], last = outlook->shape->end[item] - 1;
  for (int32_t word = first / 64; word <= last / 64; word++) {
    uint64_t bits = outlook->uncovered[word];
    bits &= word == first / 64 ? UINT64_MAX << first % 64 : UINT64_MAX;
    bits &= word == last / 64 ? UINT64_MAX >> (63 - last % 64) : UINT64_MAX;
    if (bits == 0) {
      continue;
    }
    outlook->uncovered[word] &= ~bits;
    if (owned != NULL) {
      owned[word] |= bits;
    }
    for (; bits != 0; bits &= bits - 1) {
      int32_t section = 64 * word + memplan_bit_lowest(bits);
      int32_t loss = bound - outlook->level[section];
      if (loss > outlook->slack[section]) {
        return false;
      }
      sum->lost += (int64_t)loss * outlook->weight[section];
      sum->n_uncovered--;
    }
  }
  return sum->lost <= sum->most;
}

bool memplan_outlook_survey(memplan_outlook *outlook) {
  search sum = {.most = INT64_MAX, .n_uncovered = outlook->shape->n_sections};
  memset(outlook->uncovered, 0xff, (size_t)outlook->n_words * sizeof *outlook->uncovered);
  outlook->n_owners = 0;
  for (int32_t k = 0; k < outlook->n_open && sum.n_uncovered > 0; k++) {
    int32_t item = outlook->sorted[k], left = sum.n_uncovered;
    int64_t lost = sum.lost;
    uint64_t *owned = &outlook->owned[(size_t)outlook->n_owners * (size_t)outlook->n_words];
    memset(owned, 0, (size_t)outlook->n_words * sizeof *owned);
    if (!cover(outlook, item, outlook->least[item], &sum, owned)) {
      return false;
    }
    if (sum.n_uncovered < left) {
      outlook->owners[outlook->n_owners++] = (memplan_outlook_owner){item, sum.lost - lost};
    }
  }
  outlook->lost = sum.lost;
  return true;
}

// Leaves the sections uncovered whose owners lie in [from, to) in part.
static search disown(memplan_outlook *outlook, int32_t from, int32_t to, int64_t most) {
  search sum = {.lost = outlook->lost, .most = most};
  size_t n_words = (size_t)outlook->n_words;
  memset(outlook->uncovered, 0, n_words * sizeof *outlook->uncovered);
  for (int32_t k = 0; k < outlook->n_owners; k++) {
    const memplan_outlook_owner *owner = &outlook->owners[k];
    if (outlook->shape->first[owner->item] < to && outlook->shape->end[owner->item] > from) {
      sum.lost -= owner->lost;
      for (size_t word = 0; word < n_words; word++) {
        outlook->uncovered[word] |= outlook->owned[(size_t)k * n_words + word];
      }
    }
  }
  for (size_t word = 0; word < n_words; word++) {
    sum.n_uncovered += memplan_bit_count(outlook->uncovered[word]);
  }
  return sum;
}

static bool cover_all(memplan_outlook *outlook, const int32_t *items, int32_t n, int32_t bound, search *sum) {
  for (int32_t k = 0; k < n; k++) {
    if (!cover(outlook, items[k], bound, sum, NULL)) {
      return false;
    }
  }
  return true;
}

// Unplaced items by their bounds, those that rise when it is their turn again.
int64_t memplan_outlook_after(memplan_outlook *outlook, const memplan_outlook_step *step, int64_t most) {
  const memplan_place_shape *shape = outlook->shape;
  int32_t first = shape->first[step->item], end = shape->end[step->item], n_to_gap = 0, n_to_top = 0;
  search sum = disown(outlook, step->begin, end, most);
  for (int32_t k = 0; k < outlook->n_open && sum.n_uncovered > 0; k++) {
    int32_t item = outlook->sorted[k], bound = outlook->least[item];
    if (item == step->item) {
      continue;
    }
    if (n_to_gap > 0 && bound >= step->gap_level) {
      if (!cover_all(outlook, outlook->to_gap, n_to_gap, step->gap_level, &sum)) {
        return -1;
      }
      n_to_gap = 0;
    }
    if (n_to_top > 0 && bound >= step->top) {
      if (!cover_all(outlook, outlook->to_top, n_to_top, step->top, &sum)) {
        return -1;
      }
      n_to_top = 0;
    }
    if (bound < step->top && shape->first[item] < end && shape->end[item] > first) {
      outlook->to_top[n_to_top++] = item;
    } else if (bound < step->gap_level && shape->first[item] < first && shape->end[item] > step->begin) {
      outlook->to_gap[n_to_gap++] = item;
    } else if (!cover(outlook, item, bound, &sum, NULL)) {
      return -1;
    }
  }
  bool fits = cover_all(outlook, outlook->to_gap, n_to_gap, step->gap_level, &sum) &&
              cover_all(outlook, outlook->to_top, n_to_top, step->top, &sum) && sum.lost <= most;
  return fits ? sum.lost : -1;
}
