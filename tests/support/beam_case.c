// SPDX-License-Identifier: Apache-2.0
#include "tests/support/beam_case.h"

#include "solvers/place_beam.h"
#include "tests/support/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 22, WIDE = 20000 };

static const int32_t max_buffers[TINY_KINDS] = {8, 15, 9, 8, 7};

static memplan_beam_rule draw_rule(random_state *random) {
  return (memplan_beam_rule){.size = random_below(random, 1025),
                             .sections = random_below(random, 1025),
                             .scarcity = random_below(random, 1025),
                             .noise = random_chance(random, 50) ? 0 : random_below(random, 1 << 16),
                             .few = random_below(random, 512)};
}

static memplan_beam_outcome run_up_to(memplan_place_beam *beam, int64_t height, int64_t ceiling, int32_t width,
                                      const memplan_beam_rule *rule, int64_t budget, int64_t *offset) {
  assert_true(memplan_place_beam_start(beam, height, ceiling, width, rule, 7));
  memplan_beam_outcome outcome = MEMPLAN_BEAM_SPENT;
  while (outcome == MEMPLAN_BEAM_SPENT) {
    outcome = memplan_place_beam_run(beam, budget, offset);
  }
  assert_int_not_equal(outcome, MEMPLAN_BEAM_NOMEM);
  return outcome;
}

static memplan_beam_outcome run(memplan_place_beam *beam, int64_t height, int32_t width, const memplan_beam_rule *rule,
                                int64_t budget, int64_t *offset) {
  return run_up_to(beam, height, height, width, rule, budget, offset);
}

// A search that gives way: at least as often at its end as the one that does not, never below the optimum, and past a
// ceiling that is lowered on the way only if it says so.
static bool gives_way(random_state *random, const memplan_place_problem *place, memplan_place_beam *beam,
                      int64_t optimum, beam_tally *counts) {
  int64_t offset[64], again[64], load = tiny_load(place), ceiling = optimum + 4;
  memplan_beam_rule rule = draw_rule(random);
  int32_t width = 1 + random_below(random, 4);
  memplan_beam_outcome stiff = run(beam, load, width, &rule, INT64_MAX / 2, offset);
  memplan_beam_outcome soft = run_up_to(beam, load, ceiling, width, &rule, INT64_MAX / 2, offset);
  bool found = soft == MEMPLAN_BEAM_FOUND;
  bool ok = (found || stiff != MEMPLAN_BEAM_FOUND || rule.few > 0) &&
            (!found || (ceiling >= optimum && memplan_place_problem_holds(place, offset, ceiling)));
  counts->raised += found && stiff != MEMPLAN_BEAM_FOUND;
  rule.few = 1024; // never enough: straight to the ceiling
  ok = ok && run_up_to(beam, load, ceiling, 1000, &rule, 1, again) != MEMPLAN_BEAM_NOMEM;
  assert_true(memplan_place_beam_start(beam, load, ceiling, width, &rule, 7));
  memplan_beam_outcome lowered = memplan_place_beam_run(beam, 1, again);
  if (lowered == MEMPLAN_BEAM_SPENT && memplan_place_beam_lower(beam, ceiling - 2)) {
    counts->lowered++;
    while (lowered == MEMPLAN_BEAM_SPENT) {
      lowered = memplan_place_beam_run(beam, INT64_MAX / 2, again);
    }
    ok = ok && (lowered != MEMPLAN_BEAM_FOUND || memplan_place_problem_holds(place, again, ceiling - 2));
  }
  return ok;
}

// A search that goes back: under the same rule it comes to the same end again, under others to packings that hold.
static bool goes_back(random_state *random, const memplan_place_problem *place, memplan_place_beam *beam,
                      int64_t optimum, beam_tally *counts) {
  int64_t offset[64];
  memplan_beam_rule rule = draw_rule(random);
  rule.few = 0;
  assert_true(memplan_place_beam_start(beam, optimum, optimum, 1, &rule, 7));
  assert_true(memplan_place_beam_save(beam));
  bool ok = true;
  for (int32_t tries = 0; tries < 6 && ok; tries++) {
    memplan_beam_outcome outcome = MEMPLAN_BEAM_SPENT;
    while (outcome == MEMPLAN_BEAM_SPENT) {
      outcome = memplan_place_beam_run(beam, 1, offset);
    }
    assert_int_not_equal(outcome, MEMPLAN_BEAM_NOMEM);
    if (outcome == MEMPLAN_BEAM_FOUND) {
      counts->back_found += tries > 0;
      return memplan_place_problem_holds(place, offset, optimum);
    }
    int32_t depth = memplan_place_beam_depth(beam);
    ok = depth <= memplan_place_beam_items(beam);
    if (!memplan_place_beam_again(beam, &rule)) {
      return ok;
    }
    counts->back++;
    ok = ok && memplan_place_beam_depth(beam) < depth;
    if (tries == 0) {
      ok = ok && memplan_place_beam_run(beam, INT64_MAX / 2, offset) == MEMPLAN_BEAM_DEAD &&
           memplan_place_beam_depth(beam) == depth;
    }
    rule = draw_rule(random);
    ok = ok && memplan_place_beam_again(beam, &rule);
  }
  return ok;
}

static bool agrees(random_state *random, const memplan_place_problem *place, memplan_place_beam *beam, int64_t optimum,
                   beam_tally *counts) {
  int64_t offset[64], again[64];
  bool ok = true;
  for (int64_t height = optimum > 0 ? optimum - 1 : 0; height <= optimum + 1 && ok; height++) {
    memplan_beam_rule rule = draw_rule(random);
    memplan_beam_outcome wide = run(beam, height, WIDE, &rule, INT64_MAX / 2, offset);
    ok = wide == MEMPLAN_BEAM_FOUND ? height >= optimum && memplan_place_problem_holds(place, offset, height)
                                    : height < optimum;
    int32_t width = 1 + random_below(random, 4);
    memplan_beam_outcome narrow = run(beam, height, width, &rule, INT64_MAX / 2, offset);
    memplan_beam_outcome sliced = run(beam, height, width, &rule, 1, again);
    ok = ok && narrow == sliced;
    if (ok && narrow == MEMPLAN_BEAM_FOUND) {
      counts->narrow++;
      ok = memplan_place_problem_holds(place, offset, height) &&
           memcmp(offset, again, (size_t)place->n_items * sizeof *offset) == 0;
    }
  }
  return ok && gives_way(random, place, beam, optimum, counts) && goes_back(random, place, beam, optimum, counts);
}

typedef struct beam_question {
  random_state random;
  const int64_t *limits;
  beam_tally counts;
} beam_question;

// True also for what the search does not take, or has no packing.
static bool holds(const memplan_place_problem *place, beam_question *question) {
  memplan_arena arena = {0};
  memplan_place_shape shape;
  memplan_error error = {0};
  bool good = true;
  assert_int_equal(memplan_place_shape_build(place, &arena, &shape, &error), MEMPLAN_OK);
  if (memplan_place_beam_accepts(&shape)) {
    int64_t optimum = tiny_optimum(place, LIMIT);
    memplan_place_beam *beam = memplan_place_beam_new(&shape);
    assert_non_null(beam);
    question->counts.problems += optimum >= 0;
    question->counts.above += optimum > tiny_load(place);
    good = optimum < 0 || agrees(&question->random, place, beam, optimum, &question->counts);
    memplan_place_beam_free(beam);
  }
  memplan_arena_free(&arena);
  return good;
}

static bool differs(const memplan_problem *problem, void *context) {
  beam_question question = *(const beam_question *)context;
  memplan_arena arena = {0};
  memplan_place_problem place;
  tiny_place(problem, question.limits, &arena, &place);
  bool yes = place.bottom && !holds(&place, &question);
  memplan_arena_free(&arena);
  return yes;
}

void check_beams(tiny_kind kind, int32_t count, uint64_t seed, beam_tally *counts) {
  for (int32_t index = 0; index < count; index++) {
    random_state random = random_start(seed + (uint64_t)kind, (uint64_t)index);
    tiny_placement tiny;
    if (!tiny_make(&random, kind, max_buffers[kind], true, &tiny)) {
      continue;
    }
    beam_question question = {random, tiny.limits, *counts}, before = question;
    bool good = holds(&tiny.place, &question);
    *counts = question.counts;
    if (!good) {
      counts->differences++;
      printf("kind %d, seed %llu, index %d:\n", (int)kind, (unsigned long long)seed, (int)index);
      tiny_print(&tiny.place);
      shrink_print(&tiny.problem, differs, &before);
    }
    tiny_free(&tiny);
  }
}
