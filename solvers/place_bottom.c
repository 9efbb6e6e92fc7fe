// SPDX-License-Identifier: Apache-2.0
#include "solvers/place_bottom.h"

// May the item lie at every multiple of its alignment, counted from its first offset, up to the roof?
static bool is_free(const memplan_place_problem *problem, int32_t item) {
  const memplan_offset_set *set = &problem->offsets[item];
  int64_t roof = problem->pool_start[problem->n_pools];
  return set->n_ranges == 1 && set->ranges[0].first < set->step &&
         set->ranges[0].last > roof - problem->size[item] - set->step;
}

static bool excludes_all(const memplan_place_problem *problem, int32_t item, const int32_t *group, int32_t n_items) {
  int32_t count = 0;
  for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
    const memplan_exclusion *exclusion = &problem->exclusions[k];
    // where a pair is excluded wholly, it has no other exclusion
    count += group[exclusion->other] == group[item] && exclusion->up == problem->size[item] &&
             exclusion->down == problem->size[exclusion->other];
  }
  return count == n_items - 1;
}

int32_t memplan_place_bottom_find(const memplan_place_problem *problem, const int32_t *items, int32_t n_items,
                                  const int32_t *group, int64_t base) {
  int32_t n_tied = 0, tied = -1;
  for (int32_t k = 0; k < n_items; k++) {
    if (!is_free(problem, items[k])) {
      n_tied++;
      tied = items[k];
    }
  }
  for (int32_t k = 0; k < n_items && n_tied < 2; k++) {
    int32_t item = items[k];
    bool fits = (n_tied == 0 || tied == item) && memplan_offset_set_up(&problem->offsets[item], base) == base &&
                excludes_all(problem, item, group, n_items);
    for (int32_t other = 0; other < n_items && fits; other++) {
      fits = other == k || problem->size[item] % problem->offsets[items[other]].step == 0;
    }
    if (fits) {
      return k;
    }
  }
  return -1;
}

void memplan_place_bottom_lift(const memplan_place_problem *problem, const int32_t *items, int32_t n_items,
                               int32_t item, int64_t base, int64_t *offset) {
  int64_t *own = &offset[problem->block[item]];
  for (int32_t k = 0; k < n_items; k++) {
    int64_t *other = &offset[problem->block[items[k]]];
    *other += *other < *own ? problem->size[item] * problem->unit : 0;
  }
  *own = base * problem->unit;
}
