// SPDX-License-Identifier: Apache-2.0
#include "tests/support/problem_optimum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

static bool holds(uint32_t set, int32_t op) { return (set >> op & 1) != 0; }

static uint32_t members(const memplan_order_lists *lists, int32_t i) {
  uint32_t set = 0;
  for (int32_t k = lists->first[i]; k < lists->first[i + 1]; k++) {
    set |= UINT32_C(1) << lists->list[k];
  }
  return set;
}

static bool is_born(const memplan_order_problem *problem, int32_t cell, uint32_t set) {
  return problem->cells[cell].init || (members(&problem->births, cell) & set) != 0;
}

static bool is_over(const memplan_order_problem *problem, int32_t cell, uint32_t set) {
  return !problem->cells[cell].keep && (members(&problem->deaths, cell) & ~set) == 0;
}

int64_t problem_live(const memplan_order_problem *problem, uint32_t set) {
  int64_t live = problem->base;
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    live += is_born(problem, cell, set) && !is_over(problem, cell, set) ? problem->cells[cell].bytes : 0;
  }
  return live;
}

// By trying all choices of pairs.
static int64_t best_saving(const memplan_order_problem *problem, uint32_t set, int32_t op) {
  int32_t first = problem->pair_first[op], count = problem->pair_first[op + 1] - first;
  int64_t best = 0;
  assert_true(count <= 12);
  for (uint32_t choice = 1; choice < UINT32_C(1) << count; choice++) {
    int64_t saving = 0;
    bool good = true;
    for (int32_t k = 0; k < count && good; k++) {
      const memplan_order_pair *pair = &problem->pairs[first + k];
      if (!holds(choice, k)) {
        continue;
      }
      good = !is_born(problem, pair->born, set) &&
             (members(&problem->deaths, pair->dying) & ~set) == UINT32_C(1) << op && pair->op == op;
      for (int32_t other = 0; other < k && good; other++) {
        const memplan_order_pair *with = &problem->pairs[first + other];
        good = !holds(choice, other) || (with->born != pair->born && with->dying != pair->dying);
      }
      saving += pair->saving;
    }
    best = good && saving > best ? saving : best;
  }
  return best;
}

int64_t problem_load(const memplan_order_problem *problem, uint32_t set, int32_t op) {
  uint32_t with = set | UINT32_C(1) << op, full = (UINT32_C(1) << problem->n_ops) - 1;
  int64_t load = problem->base + problem->workspace[op] + (set == 0 ? problem->first : 0);
  for (int32_t cell = 0; cell < problem->n_cells; cell++) {
    load += is_born(problem, cell, with) && !is_over(problem, cell, set) ? problem->cells[cell].bytes : 0;
  }
  return load + (with == full ? problem->last : 0) - best_saving(problem, set, op);
}

bool problem_may_run(const memplan_order_problem *problem, uint32_t set, int32_t op) {
  if ((members(&problem->pred, op) & ~set) != 0) {
    return false;
  }
  for (int32_t group = 0; group < problem->n_groups; group++) {
    uint32_t all = 0;
    for (int32_t other = 0; other < problem->n_ops; other++) {
      all |= problem->group[other] == group ? UINT32_C(1) << other : 0;
    }
    if ((all & set) != 0 && (all & ~set) != 0 && !holds(all, op)) {
      return false;
    }
  }
  return true;
}

static int64_t *all_sets(const memplan_order_problem *problem) {
  assert_true(problem->n_ops <= PROBLEM_OPTIMUM_OPS);
  uint32_t n_sets = UINT32_C(1) << problem->n_ops;
  int64_t *best = malloc(n_sets * sizeof *best);
  assert_non_null(best);
  for (uint32_t set = 0; set < n_sets; set++) {
    best[set] = INT64_MAX;
  }
  return best;
}

int64_t *problem_ways_to(const memplan_order_problem *problem) {
  int64_t *best = all_sets(problem);
  uint32_t n_sets = UINT32_C(1) << problem->n_ops;
  best[0] = 0;
  for (uint32_t set = 0; set < n_sets; set++) {
    for (int32_t op = 0; op < problem->n_ops && best[set] < INT64_MAX; op++) {
      if (!holds(set, op) && problem_may_run(problem, set, op)) {
        int64_t load = problem_load(problem, set, op), peak = load > best[set] ? load : best[set];
        int64_t *next = &best[set | UINT32_C(1) << op];
        *next = peak < *next ? peak : *next;
      }
    }
  }
  return best;
}

int64_t *problem_ways_from(const memplan_order_problem *problem) {
  int64_t *best = all_sets(problem);
  uint32_t n_sets = UINT32_C(1) << problem->n_ops;
  best[n_sets - 1] = 0;
  for (uint32_t below = n_sets - 1; below > 0; below--) {
    uint32_t set = below - 1;
    for (int32_t op = 0; op < problem->n_ops; op++) {
      int64_t rest = holds(set, op) ? INT64_MAX : best[set | UINT32_C(1) << op];
      if (rest < INT64_MAX && problem_may_run(problem, set, op)) {
        int64_t load = problem_load(problem, set, op), peak = load > rest ? load : rest;
        best[set] = peak < best[set] ? peak : best[set];
      }
    }
  }
  return best;
}
