// SPDX-License-Identifier: Apache-2.0
#include "solvers/place_pigeonhole.h"

#include <stdlib.h>

int64_t memplan_place_pigeonhole_forbids(const memplan_exclusion *exclusion, int64_t step) {
  memplan_int128 length = (memplan_int128)exclusion->up + exclusion->down; // two sizes may come to 2^63
  return (int64_t)((length - 2) / step + 1);
}

bool memplan_place_pigeonhole_holds(const memplan_place_problem *problem, int32_t item, int64_t base, int64_t height,
                                    memplan_int128 forbidden) {
  const memplan_offset_set *set = &problem->offsets[item];
  memplan_int128 allowed = 0;
  for (int32_t k = 0; k < set->n_ranges; k++) {
    int64_t first = set->ranges[k].first, last = set->ranges[k].last, highest = height - problem->size[item];
    if (first < base) {
      first += (base - first + set->step - 1) / set->step * set->step;
    }
    last = last < highest ? last : highest;
    allowed += first <= last ? (last - first) / set->step + 1 : 0;
  }
  return allowed > forbidden;
}

static int compare_stretches(const void *a, const void *b) {
  const memplan_interval *x = a, *y = b;
  if (x->start != y->start) {
    return x->start < y->start ? -1 : 1;
  }
  return (x->end > y->end) - (x->end < y->end);
}

int64_t memplan_place_pigeonhole_find(const memplan_place_problem *problem, int32_t item, const int64_t *offset,
                                      const bool *present, memplan_interval *stretches) {
  const memplan_offset_set *set = &problem->offsets[item];
  int32_t n = 0;
  for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
    const memplan_exclusion *exclusion = &problem->exclusions[k];
    if (present[exclusion->other]) {
      int64_t at = offset[problem->block[exclusion->other]] / problem->unit;
      stretches[n++] = (memplan_interval){at - exclusion->up, at + exclusion->down};
    }
  }
  if (n > 1) {
    qsort(stretches, (size_t)n, sizeof *stretches, compare_stretches);
  }
  int64_t lowest = memplan_offset_set_up(set, 0);
  for (int32_t k = 0; k < n && stretches[k].start < lowest && lowest < INT64_MAX; k++) {
    lowest = lowest < stretches[k].end ? memplan_offset_set_up(set, stretches[k].end) : lowest;
  }
  return lowest;
}
