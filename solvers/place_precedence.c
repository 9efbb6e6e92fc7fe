// SPDX-License-Identifier: Apache-2.0
// Variables: the offset of each item, the height, and one Boolean for each exclusion (a, b), a < b: true for `b lies
// above a`. Differences, sections and the roof `offset + size <= height` are all there is; when every Boolean is
// decided and the bounds are consistent, the lower bounds of the offsets are a solution: every difference that holds is
// satisfied by them, since it has pushed the upper offset to at least the lower one plus the distance, and bounds are
// allowed offsets.
//
// Each try is the assumption `height <= K`. The conflict that ends a try leaves the unit clause `height >= h + 1` with
// h >= K at the root, or the root is contradictory.
//
// First choices: pairs of large items first, and the item that lives longer below, which is how people stack things.
#include "solvers/place_precedence.h"

#include "model/base/rng.h"
#include "solvers/engine_difference.h"
#include "solvers/engine_proof.h"
#include "solvers/engine_section.h"
#include "solvers/place_symmetry.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t most_pairs = 400000;
static const int64_t most_activity = 1 << 20;
static const int32_t first_clauses = 2000; // 4000 take 12 % more work on tight instances, and more of the cache

struct memplan_precedence {
  const memplan_place_problem *problem;
  memplan_precedence_settings settings;
  memplan_engine *engine;
  int64_t lower, upper;
  int64_t capacity; // assumed, -1: none
  int64_t *offset;
  bool has_offset, closed;
  bool misfit; // an item has no place below `upper`
};

memplan_precedence_settings memplan_precedence_settings_default(void) {
  return (memplan_precedence_settings){.driver = MEMPLAN_PRECEDENCE_DOWN,
                                       .overload = true,
                                       .edges = true,
                                       .lift = true,
                                       .drop = true,
                                       .symmetry = true,
                                       .minimise = true,
                                       .bound_branching = true,
                                       .start_activity = true};
}

// An item without a place below `upper`: nothing has to be searched.
static bool has_misfit(const memplan_place_problem *problem, int64_t upper) {
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_offset_set *set = &problem->offsets[item];
    if (set->n_ranges == 0 || set->ranges[0].first > upper - 1 - problem->size[item]) {
      return true;
    }
  }
  return false;
}

bool memplan_precedence_accepts(const memplan_place_problem *problem, int64_t upper, char *reason) {
  int64_t pairs = problem->first_exclusion[problem->n_items] / 2;
  if (has_misfit(problem, upper)) {
    return true;
  }
  if (pairs > most_pairs) {
    (void)snprintf(reason, 256,
                   "%lld pairs of buffers exclude each other, the precedence "
                   "search takes %lld",
                   (long long)pairs, (long long)most_pairs);
    return false;
  }
  if (upper >= MEMPLAN_ENGINE_VALUES / 2) {
    (void)snprintf(reason, 256,
                   "the arena has %lld units of %lld bytes, the precedence "
                   "search takes less than %lld",
                   (long long)upper, (long long)problem->unit, (long long)(MEMPLAN_ENGINE_VALUES / 2));
    return false;
  }
  return true;
}

// ---- building

// size_a * size_b, scaled so that the largest product of the problem is about most_activity.
static int64_t first_activity(const memplan_precedence *search, int64_t largest, int32_t a, int32_t b, uint64_t index) {
  const int64_t *size = search->problem->size;
  int64_t share = 0;
  if (search->settings.start_activity) {
    share = (size[a] * 1024 / largest) * (size[b] * 1024 / largest);
  }
  if (search->settings.seed != 0) {
    uint64_t noise = search->settings.seed * UINT64_C(0x2545f4914f6cdd1d) + index;
    share += (int64_t)(memplan_splitmix(&noise) % (uint64_t)(most_activity / 4));
  }
  return share;
}

static bool add_items(memplan_precedence *search) {
  const memplan_place_problem *problem = search->problem;
  for (int32_t item = 0; item < problem->n_items; item++) {
    const memplan_offset_set *set = &problem->offsets[item];
    int64_t low = memplan_offset_set_up(set, 0),
            high = memplan_offset_set_down(set, search->upper - 1 - problem->size[item]);
    if (memplan_engine_add_variable(search->engine, low, high, set) < 0) {
      return false;
    }
  }
  int32_t height = memplan_engine_add_variable(search->engine, search->lower, search->upper - 1, NULL);
  for (int32_t item = 0; item < problem->n_items && height >= 0; item++) {
    memplan_engine_set_roof(search->engine, item, height, problem->size[item]);
  }
  return height >= 0;
}

static bool add_pairs(memplan_precedence *search) {
  const memplan_place_problem *problem = search->problem;
  int32_t n_pairs = problem->first_exclusion[problem->n_items] / 2, n = 0;
  memplan_difference *pairs = malloc(((size_t)n_pairs + 1) * sizeof *pairs);
  if (pairs == NULL) {
    return false;
  }
  int64_t largest = 1;
  for (int32_t item = 0; item < problem->n_items; item++) {
    largest = problem->size[item] > largest ? problem->size[item] : largest;
  }
  for (int32_t a = 0; a < problem->n_items; a++) {
    int32_t a_life = problem->first_section[a + 1] - problem->first_section[a];
    for (int32_t k = problem->first_exclusion[a]; k < problem->first_exclusion[a + 1]; k++) {
      const memplan_exclusion *exclusion = &problem->exclusions[k];
      int32_t b = exclusion->other;
      if (b < a) {
        continue;
      }
      int32_t b_life = problem->first_section[b + 1] - problem->first_section[b];
      int32_t guard = memplan_engine_add_boolean(search->engine, first_activity(search, largest, a, b, (uint64_t)n),
                                                 a_life >= b_life);
      if (guard < 0) {
        free(pairs);
        return false;
      }
      pairs[n++] = (memplan_difference){a, b, guard, exclusion->up, exclusion->down};
    }
  }
  bool good = memplan_engine_add_differences(search->engine, pairs, n, problem->n_items);
  // several exclusions of one pair are ordered: above the higher one is above the lower one
  for (int32_t k = 1; k < n && good; k++) {
    if (pairs[k].a == pairs[k - 1].a && pairs[k].b == pairs[k - 1].b) {
      const memplan_literal clause[2] = {memplan_literal_make(2 * pairs[k].guard + 1, 0),
                                         memplan_literal_make(2 * pairs[k - 1].guard, 1)};
      good = memplan_engine_add_clause(search->engine, clause, 2);
    }
  }
  free(pairs);
  return good;
}

static bool add_symmetry(memplan_precedence *search) {
  const memplan_place_problem *problem = search->problem;
  int32_t n_pairs = problem->first_exclusion[problem->n_items] / 2;
  int8_t *fixed = malloc((size_t)n_pairs + 1);
  if (fixed == NULL || !memplan_place_symmetry(problem, search->upper, fixed)) {
    free(fixed);
    return false;
  }
  bool good = true;
  for (int32_t k = 0; k < n_pairs && good; k++) {
    if (fixed[k] != 0) {
      int32_t guard = problem->n_items + 1 + k;
      good = memplan_engine_assert(search->engine, fixed[k] > 0 ? memplan_literal_make(2 * guard, 1)
                                                                : memplan_literal_make(2 * guard + 1, 0));
    }
  }
  free(fixed);
  return good;
}

memplan_precedence *memplan_precedence_new(const memplan_place_problem *problem, int64_t lower, int64_t upper,
                                           const memplan_precedence_settings *settings) {
  memplan_precedence *search = calloc(1, sizeof *search);
  if (search == NULL) {
    return NULL;
  }
  search->problem = problem;
  search->settings = *settings;
  search->lower = lower > 0 ? lower : 0;
  search->upper = upper;
  search->capacity = -1;
  search->misfit = has_misfit(problem, upper);
  search->closed = search->misfit || search->lower >= search->upper;
  search->offset = calloc((size_t)problem->n_items + 1, sizeof *search->offset);
  memplan_engine_settings engine = memplan_engine_settings_default();
  engine.minimise = settings->minimise;
  engine.bound_branching = settings->bound_branching;
  engine.proof = settings->proof;
  engine.clauses = first_clauses;
  engine.seed = settings->seed;
  engine.memory = settings->memory;
  search->engine = memplan_engine_new(&engine);
  const memplan_section_settings sections = {
      .overload = settings->overload, .edges = settings->edges, .lift = settings->lift, .drop = settings->drop};
  bool good = search->offset != NULL && search->engine != NULL;
  if (good && !search->closed) {
    good = add_items(search) && add_pairs(search) &&
           memplan_engine_add_sections(search->engine, problem, NULL, &sections) &&
           (!settings->symmetry || add_symmetry(search));
  }
  if (!good) {
    memplan_precedence_free(search);
    return NULL;
  }
  return search;
}

void memplan_precedence_free(memplan_precedence *search) {
  if (search != NULL) {
    memplan_engine_free(search->engine);
    free(search->offset);
    free(search);
  }
}

// ---- running

static int32_t height_side(const memplan_precedence *search) { return 2 * search->problem->n_items; }

static int64_t next_capacity(const memplan_precedence *search) {
  switch (search->settings.driver) {
  case MEMPLAN_PRECEDENCE_UP:
    return search->lower;
  case MEMPLAN_PRECEDENCE_BISECT:
    return search->lower + (search->upper - 1 - search->lower) / 2;
  default:
    return search->upper - 1;
  }
}

static void read_solution(memplan_precedence *search) {
  int64_t height = 0;
  for (int32_t item = 0; item < search->problem->n_items; item++) {
    search->offset[item] = memplan_engine_bound(search->engine, 2 * item);
    int64_t end = search->offset[item] + search->problem->size[item];
    height = end > height ? end : height;
  }
  search->has_offset = true;
  search->upper = height < search->upper ? height : search->upper;
}

memplan_precedence_result memplan_precedence_run(memplan_precedence *search, int64_t ticks) {
  if (search->closed || search->lower >= search->upper) {
    search->lower = search->upper;
    return MEMPLAN_PRECEDENCE_CLOSED;
  }
  int64_t capacity = next_capacity(search);
  if (capacity != search->capacity) {
    memplan_engine_assume(search->engine, memplan_literal_make(height_side(search) + 1, -capacity));
    search->capacity = capacity;
  }
  switch (memplan_engine_run(search->engine, ticks)) {
  case MEMPLAN_ENGINE_SOLUTION:
    read_solution(search);
    return MEMPLAN_PRECEDENCE_IMPROVED;
  case MEMPLAN_ENGINE_FAILED: {
    int64_t root = memplan_engine_root_bound(search->engine, height_side(search));
    search->lower = root > search->lower ? root : search->lower;
    search->capacity = -1;
    return search->lower >= search->upper ? MEMPLAN_PRECEDENCE_CLOSED : MEMPLAN_PRECEDENCE_RAISED;
  }
  case MEMPLAN_ENGINE_EMPTY:
    search->closed = true;
    search->lower = search->upper;
    return MEMPLAN_PRECEDENCE_CLOSED;
  case MEMPLAN_ENGINE_FULL:
    return MEMPLAN_PRECEDENCE_FULL;
  case MEMPLAN_ENGINE_NOMEM:
    return MEMPLAN_PRECEDENCE_NOMEM;
  default:
    return MEMPLAN_PRECEDENCE_SPENT;
  }
}

int64_t memplan_precedence_lower(const memplan_precedence *search) { return search->lower; }

int64_t memplan_precedence_upper(const memplan_precedence *search) { return search->upper; }

const int64_t *memplan_precedence_offsets(const memplan_precedence *search) {
  return search->has_offset ? search->offset : NULL;
}

void memplan_precedence_set_lower(memplan_precedence *search, int64_t lower) {
  search->lower = lower > search->lower ? lower : search->lower;
}

void memplan_precedence_set_upper(memplan_precedence *search, int64_t upper) {
  search->upper = upper < search->upper ? upper : search->upper;
}

bool memplan_precedence_prove(const memplan_precedence *search, memplan_arena *arena, memplan_proof *proof,
                              bool *found) {
  const memplan_place_problem *problem = search->problem;
  // offsets were only looked at up to the end of the axis
  bool beyond = search->lower > problem->pool_start[problem->n_pools];
  *proof = (memplan_proof){.claim = beyond ? problem->axis + 1 : search->lower * problem->unit};
  *found = false;
  if (problem->n_pools != 1 || !search->settings.proof) {
    return true;
  }
  if (search->misfit) {
    proof->lemma_starts = MEMPLAN_NEW(arena, int64_t, 1);
    *found = proof->lemma_starts != NULL;
    return *found;
  }
  int64_t claim = proof->claim;
  bool good = memplan_engine_prove(search->engine, memplan_literal_make(height_side(search), search->lower), arena,
                                   proof, found);
  proof->claim = claim;
  return good;
}

memplan_engine_counts memplan_precedence_count(const memplan_precedence *search) {
  return memplan_engine_count(search->engine);
}

memplan_engine *memplan_precedence_engine(memplan_precedence *search) { return search->engine; }
