// SPDX-License-Identifier: Apache-2.0
// A set of bits, shifted by each size and joined with itself. Source: PLACEMENT, "Where the normal form fails".
#include "solvers/place_sums.h"

struct memplan_place_sums {
  int64_t end;
  int64_t n_words;
  uint64_t *words;
};

enum { most_steps = 1 << 24 };

static bool speaks_of_heights(const memplan_place_problem *problem) {
  if (problem->n_pools != 1 || !problem->bottom) {
    return false;
  }
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_offset_set *set = &problem->offsets[item];
    if (set->n_ranges != 1 || set->ranges[0].first != 0 || set->step != 1) {
      return false;
    }
    for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
      const memplan_exclusion *exclusion = &problem->exclusions[k];
      if (exclusion->up != problem->size[item] || exclusion->down != problem->size[exclusion->other]) {
        return false;
      }
    }
  }
  return true;
}

static void add(memplan_place_sums *sums, int64_t size) {
  int64_t whole = size / 64;
  int shift = (int)(size % 64);
  for (int64_t word = sums->n_words - 1; word >= whole; word--) {
    uint64_t moved = sums->words[word - whole] << shift;
    if (shift > 0 && word > whole) {
      moved |= sums->words[word - whole - 1] >> (64 - shift);
    }
    sums->words[word] |= moved;
  }
}

bool memplan_place_sums_find(const memplan_place_problem *problem, int64_t end, memplan_arena *arena,
                             const memplan_place_sums **sums) {
  *sums = NULL;
  if (problem->n_items == 0 || end <= 0 || end / 64 + 1 > most_steps / problem->n_items ||
      !speaks_of_heights(problem)) {
    return true;
  }
  memplan_place_sums *made = MEMPLAN_NEW(arena, memplan_place_sums, 1);
  if (made == NULL) {
    return false;
  }
  *made = (memplan_place_sums){.end = end, .n_words = end / 64 + 1};
  made->words = MEMPLAN_NEW(arena, uint64_t, made->n_words);
  if (made->words == NULL) {
    return false;
  }
  made->words[0] = 1;
  for (int32_t item = 0; item < problem->n_items; item++) {
    add(made, problem->size[item]);
  }
  *sums = made;
  return true;
}

int64_t memplan_place_sums_next(const memplan_place_sums *sums, int64_t height) {
  if (sums == NULL || height <= 0 || height >= sums->end) {
    return height;
  }
  uint64_t left = sums->words[height / 64] >> (height % 64);
  if (left == 0) {
    for (int64_t word = height / 64 + 1; word < sums->n_words; word++) {
      left = sums->words[word];
      if (left != 0) {
        height = word * 64;
        break;
      }
    }
  }
  while (left != 0 && (left & 1) == 0) {
    left >>= 1;
    height++;
  }
  return left != 0 && height < sums->end ? height : sums->end;
}
