// SPDX-License-Identifier: Apache-2.0
// Pairs of parts that are live together: the merge against a comparison of all with all, and what is built from it
// under limits.
#include "model/memplan.h"
#include "model/part_meetings.h"
#include "model/base/rng.h"
#include "solvers/place_duel.h"
#include "solvers/place_problem.h"
#include "tests/support/build_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { most_parts = 12, n_rounds = 4000 };

static void draw_block(memplan_rng *rng, memplan_part *parts, int32_t first, memplan_block *block) {
  *block = (memplan_block){.first_part = first, .n_parts = (int32_t)memplan_rng_below(rng, most_parts + 1)};
  int32_t start = 0;
  for (int32_t k = 0; k < block->n_parts; k++) { // several members: parts of one block may meet each other
    start += (int32_t)memplan_rng_below(rng, 4);
    parts[first + k] = (memplan_part){.start = start, .end = start + 1 + (int32_t)memplan_rng_below(rng, 9)};
  }
}

static void against_all_pairs(void **state) {
  (void)state;
  memplan_rng rng;
  memplan_rng_start(&rng, 7, 0);
  int64_t met = 0;
  for (int32_t round = 0; round < n_rounds; round++) {
    memplan_part parts[2 * most_parts];
    memplan_block a, b;
    draw_block(&rng, parts, 0, &a);
    draw_block(&rng, parts, a.n_parts, &b);
    bool told[2 * most_parts][2 * most_parts] = {{false}};
    int32_t room[2 * most_parts], k, l, last = 0;
    memplan_part_meetings walk;
    memplan_part_meetings_begin(&walk, parts, &a, &b, room);
    while (memplan_part_meetings_next(&walk, &k, &l)) {
      int32_t from = parts[k].start > parts[l].start ? parts[k].start : parts[l].start;
      assert_false(told[k][l]);
      assert_true(from >= last);
      told[k][l] = true;
      last = from;
      met++;
    }
    assert_false(memplan_part_meetings_next(&walk, &k, &l));
    for (k = 0; k < a.n_parts; k++) {
      for (l = a.n_parts; l < a.n_parts + b.n_parts; l++) {
        assert_int_equal(told[k][l], parts[k].start < parts[l].end && parts[l].start < parts[k].end);
      }
    }
  }
  assert_true(met > n_rounds);
}

// A few buffers with so many lifetimes each that a comparison of all with all would take minutes.
static void build_many_lifetimes(memplan_problem *problem, int32_t n_buffers, int32_t n_live) {
  memplan_rng rng;
  memplan_rng_start(&rng, 3, 0);
  build_instance(problem);
  for (int32_t k = 0; k < n_buffers; k++) {
    char id[16];
    (void)snprintf(id, sizeof id, "b%d", (int)k);
    memplan_buffer *buffer = build_buffer(&problem->instance, id, 0, 0, 8 + memplan_rng_below(&rng, 99));
    memplan_interval *live = MEMPLAN_NEW(&problem->instance.arena, memplan_interval, n_live);
    assert_non_null(live);
    int64_t time = 0;
    for (int32_t part = 0; part < n_live; part++) {
      live[part].start = time + 1 + memplan_rng_below(&rng, 9);
      time = live[part].end = live[part].start + 1 + memplan_rng_below(&rng, 9);
    }
    buffer->live = live;
    buffer->n_live = n_live;
  }
  build_finish(problem);
}

static void many_lifetimes(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {0};
  build_many_lifetimes(&problem, 12, 20000);
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, NULL, &solution, &error), MEMPLAN_OK);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Nothing is built, but what the heuristics have found stays.
static void interrupted(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_error error = {0};
  build_many_lifetimes(&problem, 12, 20000);
  const memplan_instance *instance = &problem.instance;
  int32_t blocks[BUILD_BUFFERS];
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    blocks[block] = block;
  }
  volatile int cancel = 1;
  memplan_limits limits = memplan_limits_default();
  limits.cancel = &cancel;
  limits = memplan_limits_start(&limits);
  memplan_arena arena = {0};
  memplan_place_problem place;
  int64_t most = 1 << 20;
  assert_int_equal(
      memplan_place_problem_build(instance, blocks, instance->n_blocks, &most, &limits, &arena, &place, &error),
      MEMPLAN_OK);
  assert_true(place.unfinished);
  memplan_duel *duel = NULL;
  assert_int_equal(
      memplan_duel_new(instance, blocks, instance->n_blocks, &most, NULL, false, 0, &limits, &duel, &error),
      MEMPLAN_OK);
  assert_null(duel);
  cancel = 0;
  assert_int_equal(
      memplan_place_problem_build(instance, blocks, instance->n_blocks, &most, &limits, &arena, &place, &error),
      MEMPLAN_OK);
  assert_false(place.unfinished);
  memplan_solve_options options = memplan_solve_options_default();
  memplan_solution solution;
  memplan_solution_init(&solution);
  cancel = 1;
  options.limits.cancel = &cancel;
  assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_OK);
  assert_true(solution.has_plan);
  memplan_solution_free(&solution);
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_all_pairs),
      cmocka_unit_test(many_lifetimes),
      cmocka_unit_test(interrupted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
