// SPDX-License-Identifier: Apache-2.0
#include "solvers/place_symmetry.h"

#include <stdlib.h>
#include <string.h>

static bool equal_sets(const memplan_offset_set *a, const memplan_offset_set *b) {
  if (a->n_ranges != b->n_ranges || a->step != b->step) {
    return false;
  }
  for (int32_t k = 0; k < a->n_ranges; k++) {
    if (a->ranges[k].first != b->ranges[k].first || a->ranges[k].last != b->ranges[k].last) {
      return false;
    }
  }
  return true;
}

// The next exclusion of an item against a third one, from `k` on.
static int32_t skip(const memplan_place_problem *problem, int32_t k, int32_t end, int32_t other) {
  while (k < end && problem->exclusions[k].other == other) {
    k++;
  }
  return k;
}

bool memplan_place_are_twins(const memplan_place_problem *problem, int32_t a, int32_t b) {
  int32_t k = problem->first_exclusion[a], l = problem->first_exclusion[b];
  int32_t k_end = problem->first_exclusion[a + 1], l_end = problem->first_exclusion[b + 1];
  if (problem->size[a] != problem->size[b] || k_end - k != l_end - l ||
      !equal_sets(&problem->offsets[a], &problem->offsets[b])) {
    return false;
  }
  int32_t between = 0;
  for (int32_t e = k; e < k_end; e++) {
    if (problem->exclusions[e].other == b) {
      between++;
      if (problem->exclusions[e].up != problem->exclusions[e].down) {
        return false;
      }
    }
  }
  if (between != 1) {
    return false;
  }
  for (;;) {
    k = skip(problem, k, k_end, b);
    l = skip(problem, l, l_end, a);
    if (k == k_end || l == l_end) {
      return k == k_end && l == l_end;
    }
    const memplan_exclusion *x = &problem->exclusions[k++], *y = &problem->exclusions[l++];
    if (x->other != y->other || x->up != y->up || x->down != y->down) {
      return false;
    }
  }
}

static bool may_turn(const memplan_place_problem *problem, int64_t upper) {
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_offset_set *set = &problem->offsets[item];
    if (set->n_ranges != 1 || set->step != 1 || set->ranges[0].first != 0 ||
        set->ranges[0].last < upper - 1 - problem->size[item]) {
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

bool memplan_place_symmetry(const memplan_place_problem *problem, int64_t upper, int8_t *fixed) {
  int32_t n = 0, best = -1;
  bool *twin = calloc((size_t)problem->n_items + 1, sizeof *twin);
  if (twin == NULL) {
    return false;
  }
  for (int32_t a = 0; a < problem->n_items; a++) {
    for (int32_t k = problem->first_exclusion[a]; k < problem->first_exclusion[a + 1]; k++) {
      int32_t b = problem->exclusions[k].other;
      if (b > a) {
        fixed[n] = memplan_place_are_twins(problem, a, b) ? 1 : 0;
        twin[a] = twin[a] || fixed[n] != 0;
        twin[b] = twin[b] || fixed[n] != 0;
        n++;
      }
    }
  }
  if (may_turn(problem, upper)) {
    int64_t best_a = 0, best_b = 0;
    n = 0;
    for (int32_t a = 0; a < problem->n_items; a++) {
      int64_t a_area = problem->size[a] * (problem->first_section[a + 1] - problem->first_section[a]);
      for (int32_t k = problem->first_exclusion[a]; k < problem->first_exclusion[a + 1]; k++) {
        int32_t b = problem->exclusions[k].other;
        if (b < a) {
          continue;
        }
        int64_t b_area = problem->size[b] * (problem->first_section[b + 1] - problem->first_section[b]);
        int64_t small = a_area < b_area ? a_area : b_area, large = a_area < b_area ? b_area : a_area;
        if (!twin[a] && !twin[b] && (best < 0 || small > best_a || (small == best_a && large > best_b))) {
          best = n;
          best_a = small;
          best_b = large;
        }
        n++;
      }
    }
    if (best >= 0) {
      fixed[best] = 1;
    }
  }
  free(twin);
  return true;
}
