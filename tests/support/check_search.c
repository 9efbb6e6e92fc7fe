// SPDX-License-Identifier: Apache-2.0
#include "tests/support/check_search.h"

#include "solvers/place_search.h"
#include "tests/support/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

enum { LIMIT = 22 };

// Only larger ones have an optimum above the load.
static const int32_t max_buffers[TINY_KINDS] = {8, 15, 9, 8, 7};

static void shuffle(random_state *random, int32_t *rank, int32_t n) {
  for (int32_t k = 0; k < n; k++) {
    int32_t at = random_below(random, k + 1);
    rank[k] = rank[at];
    rank[at] = k;
  }
}

static bool reprove(const memplan_place_problem *place, const memplan_place_shape *shape, memplan_place_search *search,
                    search_tally *counts) {
  int64_t capacity;
  memplan_nogoods *store = memplan_place_search_store(search, &capacity);
  for (int32_t nogood = memplan_nogoods_first(store); nogood >= 0; nogood = memplan_nogoods_next(store, nogood)) {
    int32_t n_literals, items[32];
    int64_t least[32];
    const memplan_literal *literals = memplan_nogoods_get(store, nogood, &n_literals);
    for (int32_t k = 0; k < n_literals; k++) {
      items[k] = shape->item[literals[k].item];
      least[k] = literals[k].least;
    }
    counts->nogoods++;
    if (tiny_packs(place, items, least, n_literals, capacity, NULL)) {
      return false;
    }
  }
  return true;
}

// Searches at heights around the optimum, falling and rising, with random orders, rules and node limits.
static bool agrees(random_state *random, const memplan_place_problem *place, int64_t optimum, bool all_rules,
                   bool proofs, search_tally *counts) {
  memplan_arena arena = {0};
  memplan_place_shape shape;
  memplan_error error = {0};
  int64_t offset[64];
  int32_t rank[64];
  memplan_search_options options = {.n_nogoods = 1 + random_below(random, 60)};
  options.longest = 1 + random_below(random, 12);
  options.rules = all_rules ? MEMPLAN_RULE_ALL : random_below(random, MEMPLAN_RULE_ALL + 1);
  assert_int_equal(memplan_place_shape_build(place, &arena, &shape, &error), MEMPLAN_OK);
  memplan_place_search *search = memplan_place_search_new(&shape, &options, &arena);
  assert_non_null(search);
  int64_t height = optimum < 0 || optimum >= LIMIT ? LIMIT : optimum + 1;
  bool ok = true;
  for (int32_t round = 0; round < 8 && ok; round++) {
    shuffle(random, rank, place->n_items);
    bool limited = random_chance(random, 30);
    int64_t budget = limited ? random_below(random, 30) : all_rules ? INT64_C(1) << 40 : 400;
    limited = limited || !all_rules;
    memplan_search_order order = {rank, random_below(random, 4) - 1};
    memplan_search_outcome outcome = memplan_place_search_run(search, height, order, budget, offset);
    bool fits = optimum >= 0 && height >= optimum;
    ok = outcome == MEMPLAN_SEARCH_FOUND     ? fits && memplan_place_problem_holds(place, offset, height)
         : outcome == MEMPLAN_SEARCH_REFUTED ? !fits
                                             : limited;
    ok = ok && (!proofs || reprove(place, &shape, search, counts));
    height -= height > 0 && random_chance(random, 60);
    height += height < LIMIT && random_chance(random, 10);
  }
  memplan_arena_free(&arena);
  return ok;
}

static bool agrees_twice(random_state *random, const memplan_place_problem *place, int64_t optimum, bool proofs,
                         search_tally *counts) {
  return agrees(random, place, optimum, true, proofs, counts) && agrees(random, place, optimum, false, proofs, counts);
}

typedef struct search_question {
  random_state random; // before the first search
  bool proofs;
  const int64_t *limits;
} search_question;

static bool differs(const memplan_problem *problem, void *context) {
  const search_question *question = context;
  random_state random = question->random;
  search_tally counts = {0};
  memplan_arena arena = {0};
  memplan_place_problem place;
  tiny_place(problem, question->limits, &arena, &place);
  bool yes = place.bottom && !agrees_twice(&random, &place, tiny_optimum(&place, LIMIT), question->proofs, &counts);
  memplan_arena_free(&arena);
  return yes;
}

void check_search(tiny_kind kind, int32_t count, uint64_t seed, bool proofs, search_tally *counts) {
  for (int32_t index = 0; index < count; index++) {
    random_state random = random_start(seed + (uint64_t)kind, (uint64_t)index);
    tiny_placement tiny;
    if (!tiny_make(&random, kind, max_buffers[kind], true, &tiny)) {
      continue;
    }
    int64_t optimum = tiny_optimum(&tiny.place, LIMIT);
    counts->problems++;
    counts->above += optimum > tiny_load(&tiny.place);
    search_question question = {random, proofs, tiny.limits};
    if (!agrees_twice(&random, &tiny.place, optimum, proofs, counts)) {
      counts->differences++;
      printf("kind %d, seed %llu, index %d, optimum %lld:\n", (int)kind, (unsigned long long)seed, (int)index,
             (long long)optimum);
      tiny_print(&tiny.place);
      shrink_print(&tiny.problem, differs, &question);
    }
    tiny_free(&tiny);
  }
}
