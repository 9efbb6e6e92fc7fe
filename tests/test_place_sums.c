// SPDX-License-Identifier: Apache-2.0
// The next sum of sizes as a bound: never above the optimum found by trying all offsets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solvers/place_sums.h"
#include "tests/support/build_problem.h"
#include "tests/support/tiny_placement.h"

enum { LIMIT = 22 };

static void draw(memplan_problem *problem, int64_t align) {
  build_instance(problem);
  build_buffer(&problem->instance, "a", 0, 2, 5)->align = align;
  build_buffer(&problem->instance, "b", 1, 3, 5)->align = align;
  build_buffer(&problem->instance, "c", 4, 5, 3)->align = 1;
  build_finish(problem);
}

static void sums_are_walked_upwards(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem place;
  const memplan_place_sums *sums;
  const int64_t limits[1] = {40};
  draw(&problem, 1);
  tiny_place(&problem, limits, &arena, &place);
  assert_true(memplan_place_sums_find(&place, 12, &arena, &sums));
  assert_non_null(sums); // 0, 3, 5, 8, 10, 13
  static const int64_t next[] = {0, 3, 3, 3, 5, 5, 8, 8, 8, 10, 10, 12, 12};
  for (int64_t height = 0; height <= 12; height++) {
    assert_int_equal(memplan_place_sums_next(sums, height), next[height]);
  }
  assert_int_equal(memplan_place_sums_next(sums, 17), 17);
  assert_int_equal(memplan_place_sums_next(NULL, 7), 7);
  assert_true(memplan_place_sums_find(&place, INT64_C(1) << 40, &arena, &sums));
  assert_null(sums); // too many
  memplan_problem_free(&problem);
  draw(&problem, 8); // optimum 13
  tiny_place(&problem, limits, &arena, &place);
  assert_true(memplan_place_sums_find(&place, 12, &arena, &sums));
  assert_null(sums);
  memplan_problem_free(&problem);
  memplan_arena_free(&arena);
}

static void sums_reach_across_words(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem place;
  const memplan_place_sums *sums;
  const int64_t limits[1] = {1000};
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 2, 63);
  build_buffer(&problem.instance, "b", 1, 3, 64);
  build_buffer(&problem.instance, "c", 1, 3, 130);
  build_finish(&problem);
  tiny_place(&problem, limits, &arena, &place);
  assert_true(memplan_place_sums_find(&place, 300, &arena, &sums));
  static const int64_t expected[] = {63, 64, 127, 130, 193, 194, 257, 300};
  int64_t height = 0;
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
    height = memplan_place_sums_next(sums, height + 1);
    assert_int_equal(height, expected[k]);
  }
  memplan_problem_free(&problem);
  memplan_arena_free(&arena);
}

static void no_bound_passes_the_optimum(void **state) {
  (void)state;
  int32_t found = 0, above = 0;
  for (uint64_t index = 0; index < 4000; index++) {
    random_state random = random_start(33, index);
    tiny_placement tiny;
    if (!tiny_make(&random, (tiny_kind)(index % TINY_KINDS), 8, false, &tiny)) {
      continue;
    }
    const memplan_place_sums *sums;
    int64_t optimum = tiny_optimum(&tiny.place, LIMIT);
    assert_true(memplan_place_sums_find(&tiny.place, LIMIT, &tiny.arena, &sums));
    for (int64_t height = 0; height <= optimum && sums != NULL; height++) {
      int64_t next = memplan_place_sums_next(sums, height);
      assert_true(next >= height);
      if (next > optimum) {
        fail_msg("index %llu: %lld passes the optimum %lld", (unsigned long long)index, (long long)next,
                 (long long)optimum);
      }
      above += next > height;
    }
    found += sums != NULL;
    tiny_free(&tiny);
  }
  assert_true(found > 1000);
  assert_true(above > 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_walked_upwards),
      cmocka_unit_test(sums_reach_across_words),
      cmocka_unit_test(no_bound_passes_the_optimum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
