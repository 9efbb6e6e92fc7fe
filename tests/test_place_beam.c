// SPDX-License-Identifier: Apache-2.0
// The beam search: against enumeration where no state is left behind; and its workers, which threads must not change.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "solvers/place_beams.h"
#include "tests/support/beam_case.h"
#include "tests/support/build_problem.h"
#include "tests/support/precedence_case.h"

#include <stdio.h>

enum { EPOCHS = 7, BUFFERS = 64 };

static void wide_beams_decide(void **state) {
  (void)state;
  int32_t raised = 0, lowered = 0, back = 0, back_found = 0;
  for (int32_t kind = 0; kind <= (int32_t)TINY_TIGHT; kind++) {
    beam_tally counts = {0};
    check_beams((tiny_kind)kind, 300, 41, &counts);
    assert_int_equal(counts.differences, 0);
    assert_true(counts.problems > 200);
    assert_true(counts.narrow > counts.problems);
    raised += counts.raised;
    lowered += counts.lowered;
    back += counts.back;
    back_found += counts.back_found;
    assert_true(counts.above > 0 || kind != (int32_t)TINY_TIGHT);
  }
  print_message("%d raised, %d lowered, %d went back, %d found something then\n", (int)raised, (int)lowered, (int)back,
                (int)back_found);
  assert_true(raised > 10 && lowered > 200 && back > 20 && back_found > 2);
}

typedef struct history {
  int64_t height[EPOCHS];
  int64_t offset[EPOCHS][BUFFERS];
  int64_t states;
  int32_t n_found;
} history;

static void make_problem(memplan_problem *problem, memplan_arena *arena, memplan_place_problem *place) {
  random_state random = random_start(5, 5);
  build_instance(problem);
  for (int32_t k = 0; k < BUFFERS; k++) {
    char id[16];
    (void)snprintf(id, sizeof id, "b%d", (int)k);
    int64_t start = random_below(&random, 30), longest = random_chance(&random, 30) ? 20 : 6;
    build_buffer(&problem->instance, id, start, start + 1 + random_below(&random, (int32_t)longest),
                 1 + random_below(&random, random_chance(&random, 30) ? 60 : 12));
  }
  build_finish(problem);
  precedence_build(&problem->instance, 5000, arena, place);
}

static void run_epochs(const memplan_place_problem *place, const memplan_place_shape *shape, int32_t threads,
                       uint64_t seed, history *made) {
  memplan_limits limits = memplan_limits_default();
  memplan_error error = {0};
  memplan_beams *beams;
  limits.seed = seed;
  memset(made, 0, sizeof *made);
  int64_t aim = tiny_load(place), upper = 2 * aim;
  assert_int_equal(memplan_beams_new(shape, &limits, &beams, &error), MEMPLAN_OK);
  assert_non_null(beams);
  for (int32_t epoch = 0; epoch < EPOCHS && upper > aim; epoch++) {
    memplan_epoch_part part;
    memplan_beams_news news;
    assert_int_equal(memplan_beams_begin(beams, aim, upper, &part, &error), MEMPLAN_OK);
    memplan_epoch_run(&part, 1, threads);
    assert_int_equal(memplan_beams_end(beams, &news, &error), MEMPLAN_OK);
    made->height[epoch] = news.height;
    if (news.offset == NULL) {
      assert_int_equal(news.height, upper);
      continue;
    }
    assert_true(news.height < upper);
    assert_true(memplan_place_problem_holds(place, news.offset, news.height));
    memcpy(made->offset[epoch], news.offset, (size_t)place->n_items * sizeof *news.offset);
    made->n_found++;
    upper = news.height;
  }
  made->states = memplan_beams_states(beams);
  memplan_beams_free(beams);
}

static void threads_change_nothing(void **state) {
  (void)state;
  static const int32_t threads[] = {2, 3, 8};
  static history first, other;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem place;
  memplan_place_shape shape;
  memplan_error error = {0};
  make_problem(&problem, &arena, &place);
  assert_int_equal(memplan_place_shape_build(&place, &arena, &shape, &error), MEMPLAN_OK);
  for (uint64_t seed = 1; seed <= 2; seed++) {
    run_epochs(&place, &shape, 1, seed, &first);
    assert_true(first.n_found > 0);
    for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
      run_epochs(&place, &shape, threads[k], seed, &other);
      assert_memory_equal(&first, &other, sizeof first);
    }
  }
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

static void some_problems_are_declined(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem place;
  memplan_place_shape shape;
  memplan_limits limits = memplan_limits_default();
  memplan_error error = {0};
  memplan_beams *beams;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 2, 3);
  build_buffer(&problem.instance, "b", 1, 3, 3)->pin = 3; // the offset is not free
  build_finish(&problem);
  precedence_build(&problem.instance, 100, &arena, &place);
  assert_int_equal(memplan_place_shape_build(&place, &arena, &shape, &error), MEMPLAN_OK);
  assert_int_equal(memplan_beams_new(&shape, &limits, &beams, &error), MEMPLAN_OK);
  assert_null(beams);
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wide_beams_decide),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(some_problems_are_declined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
