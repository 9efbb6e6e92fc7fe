// SPDX-License-Identifier: Apache-2.0
// Of the two places that an exclusion leaves, the wish takes the one on whose side of the middle it lies. Least offsets
// by repeated passes (Bellman and Ford): without a cycle among n items, n passes are enough. Windows make cycles (one
// above the other, but by no more than so much), in which alignments take turns in raising each other a few times; what
// has not come to rest long after that contradicts itself.
#include "solvers/ilp_settle.h"

static bool raise(const memplan_place_problem *problem, int32_t item, int64_t least, int64_t *offset, bool *changed) {
  if (offset[item] >= least) {
    return true;
  }
  offset[item] = memplan_offset_set_up(&problem->offsets[item], least);
  *changed = true;
  return offset[item] != INT64_MAX;
}

static bool pass(const memplan_place_problem *problem, const int64_t *wish, int64_t *offset, bool *changed) {
  for (int32_t item = 0; item < problem->n_items; item++) {
    for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
      const memplan_exclusion *exclusion = &problem->exclusions[k];
      int32_t other = exclusion->other;
      if (other < item) {
        continue; // the same decision, from the other side
      }
      int64_t twice = 2 * (wish[other] - wish[item]), middle = exclusion->up - exclusion->down;
      bool above = twice > middle;
      if (!raise(problem, above ? other : item, above ? offset[item] + exclusion->up : offset[other] + exclusion->down,
                 offset, changed)) {
        return false;
      }
    }
  }
  return true;
}

enum { passes_by_item = 64 };

int64_t memplan_ilp_settle(const memplan_place_problem *problem, const int64_t *wish, int64_t *offset) {
  for (int32_t item = 0; item < problem->n_items; item++) {
    offset[item] = memplan_offset_set_up(&problem->offsets[item], 0);
    if (offset[item] == INT64_MAX) {
      return INT64_MAX;
    }
  }
  bool changed = true;
  for (int64_t round = 0; changed; round++) {
    changed = false;
    if (round > (int64_t)passes_by_item * (problem->n_items + 1) || !pass(problem, wish, offset, &changed)) {
      return INT64_MAX;
    }
  }
  int64_t height = 0;
  for (int32_t item = 0; item < problem->n_items; item++) {
    int64_t end = offset[item] + problem->size[item];
    height = end > height ? end : height;
  }
  return height;
}
