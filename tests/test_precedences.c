// SPDX-License-Identifier: Apache-2.0
// Precedence searches side by side, which exchange clauses: optima of tiny problems against enumeration, and results
// that no number of threads changes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "instances/generators.h"
#include "solvers/place_precedences.h"
#include "tests/support/build_problem.h"
#include "tests/support/oracle.h"
#include "tests/support/precedence_case.h"
#include "tests/support/tiny_placement.h"

static memplan_precedences_news run_epoch(memplan_precedences *searches, int64_t lower, int64_t upper, int64_t ticks,
                                          int32_t threads) {
  memplan_error error = {0};
  memplan_epoch_part part;
  memplan_precedences_news news;
  assert_int_equal(memplan_precedences_begin(searches, lower, lower, upper, ticks, &part, &error), MEMPLAN_OK);
  memplan_epoch_run(&part, 1, threads);
  assert_int_equal(memplan_precedences_end(searches, &news, &error), MEMPLAN_OK);
  return news;
}

// Least height in units, -1 if there is no placement. Epochs are so short that much is exchanged.
static int64_t find_optimum(const memplan_place_problem *place, const memplan_precedence_settings *settings,
                            int64_t ticks) {
  int64_t lower = 0, upper = place->pool_start[place->n_pools] + 1, best = -1;
  memplan_precedences *searches = memplan_precedences_new(place, lower, upper, settings, 0);
  assert_non_null(searches);
  while (lower < upper) {
    memplan_precedences_news news = run_epoch(searches, lower, upper, ticks, 1);
    assert_true(news.lower >= lower);
    assert_true(news.height <= upper);
    if (news.offset != NULL) {
      assert_true(news.height < upper);
      assert_true(memplan_place_problem_holds(place, news.offset, news.height));
      best = news.height;
    }
    lower = news.lower;
    upper = news.height;
  }
  assert_int_equal(lower, upper);
  memplan_precedences_free(searches);
  return best;
}

static void equals_enumeration(void **state) {
  (void)state;
  int32_t compared = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    random_state random = random_start(73, seed);
    random_instance_options wishes = {.max_buffers = 5, .max_bytes = 4, .pins = random_chance(&random, 40)};
    wishes.rules = random_chance(&random, 50);
    memplan_problem problem;
    random_instance(&random, &wishes, &problem);
    memplan_error error = {0};
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      const int64_t limit = 16;
      oracle_place places[ORACLE_ITEMS];
      memplan_arena arena = {0};
      memplan_place_problem place;
      precedence_build(&problem.instance, limit - 1, &arena, &place);
      int64_t expected = oracle_instance_optimum(&problem.instance, &problem.options, limit, places);
      memplan_precedence_settings settings = precedence_settings(&random);
      int64_t optimum = find_optimum(&place, &settings, 1 + random_below(&random, 100));
      optimum = place.n_items == 0 ? 0 : optimum < 0 ? -1 : optimum * place.unit;
      if (optimum != expected && expected != ORACLE_TOO_LONG) {
        fail_msg("seed %llu: %lld instead of %lld", (unsigned long long)seed, (long long)optimum, (long long)expected);
      }
      compared += expected != ORACLE_TOO_LONG;
      memplan_arena_free(&arena);
    }
    memplan_problem_free(&problem);
  }
  assert_true(compared > 500);
}

static void equals_enumeration_when_tight(void **state) {
  (void)state;
  int32_t above = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    random_state random = random_start(73, seed);
    tight_case one;
    memplan_problem problem;
    memplan_arena arena = {0};
    memplan_place_problem place;
    tight_draw(&random, &one);
    tight_problem(&one, &problem);
    precedence_build(&problem.instance, 62, &arena, &place);
    int64_t expected = tight_optimum(&one);
    memplan_precedence_settings settings = precedence_settings(&random);
    int64_t optimum = find_optimum(&place, &settings, 1 + random_below(&random, 1000)) * place.unit;
    if (optimum != expected) {
      fail_msg("seed %llu: %lld instead of %lld", (unsigned long long)seed, (long long)optimum, (long long)expected);
    }
    above += optimum > one.load;
    memplan_arena_free(&arena);
    memplan_problem_free(&problem);
  }
  assert_true(above > 20);
}

static void make_problem(int32_t n, memplan_problem *problem, memplan_arena *arena, memplan_place_problem *place) {
  memplan_error error = {0};
  memplan_generator_wishes wishes = {.seed = 1001, .n = n};
  memplan_problem_init(problem);
  problem->options = memplan_problem_options_default();
  problem->has_instance = true;
  assert_int_equal(memplan_generate(memplan_generator_find("tight"), &wishes, &problem->instance, &error), MEMPLAN_OK);
  build_finish(problem);
  precedence_build(&problem->instance, INT64_C(1) << 30, arena, place);
}

enum { EPOCHS = 40, ITEMS = 43 };

typedef struct history {
  int64_t lower[EPOCHS], height[EPOCHS];
  int64_t offset[EPOCHS][ITEMS];
  int64_t conflicts, ticks;
} history;

static void run_epochs(const memplan_place_problem *place, int32_t threads, history *made) {
  memplan_precedence_settings settings = memplan_precedence_settings_default();
  int64_t lower = tiny_load(place), upper = 2 * lower;
  memplan_precedences *searches = memplan_precedences_new(place, lower, upper, &settings, 20000);
  assert_non_null(searches);
  memset(made, 0, sizeof *made);
  for (int32_t epoch = 0; epoch < EPOCHS && lower < upper; epoch++) {
    memplan_precedences_news news = run_epoch(searches, lower, upper, 20000, threads);
    if (news.offset != NULL) {
      memcpy(made->offset[epoch], news.offset, (size_t)place->n_items * sizeof *news.offset);
    }
    made->lower[epoch] = lower = news.lower;
    made->height[epoch] = upper = news.height;
  }
  memplan_engine_counts counts = memplan_precedences_count(searches);
  made->conflicts = counts.conflicts;
  made->ticks = counts.ticks;
  memplan_precedences_free(searches);
}

static void threads_change_nothing(void **state) {
  (void)state;
  static const int32_t threads[] = {2, 3, 8};
  static history first, other;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem place;
  make_problem(ITEMS, &problem, &arena, &place);
  run_epochs(&place, 1, &first);
  print_message("%lld conflicts, %lld ticks\n", (long long)first.conflicts, (long long)first.ticks);
  assert_true(first.conflicts > 100);
  for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
    run_epochs(&place, threads[k], &other);
    assert_memory_equal(&first, &other, sizeof first);
  }
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_enumeration),
      cmocka_unit_test(equals_enumeration_when_tight),
      cmocka_unit_test(threads_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
