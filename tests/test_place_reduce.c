// SPDX-License-Identifier: Apache-2.0
// Presolve: its rules by themselves, and that it changes no optimum.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solvers/place_reduce.h"
#include "tests/support/build_problem.h"
#include "tests/support/reduce_case.h"

typedef struct reduced {
  memplan_problem problem;
  memplan_arena arena;
  int64_t offset[BUILD_BUFFERS];
  memplan_place_reduction reduction;
} reduced;

// All blocks of the instance are one component.
static void reduce(reduced *one, int64_t bound, int32_t rules, bool placed) {
  const memplan_instance *instance = &one->problem.instance;
  int32_t blocks[BUILD_BUFFERS];
  memplan_error error = {0};
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    blocks[block] = block;
  }
  assert_int_equal(memplan_place_reduce(instance, blocks, instance->n_blocks, 1000, bound, rules, placed, one->offset,
                                        NULL, &one->arena, &one->reduction, &error),
                   MEMPLAN_OK);
}

static int32_t block_of(const reduced *one, int32_t buffer) { return one->problem.instance.block_of[buffer]; }

static void release(reduced *one) {
  memplan_arena_free(&one->arena);
  memplan_problem_free(&one->problem);
}

// `w` is live all the time; without it a and b are two components.
static void two_parts_under_one(reduced *one, int64_t pin, int64_t align) {
  *one = (reduced){0};
  build_instance(&one->problem);
  build_buffer(&one->problem.instance, "w", 0, 6, 8)->pin = pin;
  build_buffer(&one->problem.instance, "a", 0, 3, 6);
  build_buffer(&one->problem.instance, "b", 3, 6, 4)->align = align;
  build_finish(&one->problem);
}

static void what_is_always_live_goes_to_the_bottom(void **state) {
  (void)state;
  reduced one;
  two_parts_under_one(&one, -1, 4);
  one.offset[block_of(&one, 0)] = 6; // above a, and above b
  one.offset[block_of(&one, 1)] = 0;
  one.offset[block_of(&one, 2)] = 0;
  reduce(&one, 0, MEMPLAN_REDUCE_BOTTOM, true);
  assert_int_equal(one.reduction.n_bottom, 1);
  assert_int_equal(one.reduction.n_rests, 1);
  assert_int_equal(one.reduction.rests[0].base, 8);
  assert_int_equal(one.offset[block_of(&one, 0)], 0);
  assert_int_equal(one.offset[block_of(&one, 1)], 8);
  assert_int_equal(one.offset[block_of(&one, 2)], 8);
  assert_int_equal(one.reduction.bound, 14);
  release(&one);
}

static void nothing_is_left_of_a_nested_problem(void **state) {
  (void)state;
  reduced one;
  two_parts_under_one(&one, -1, 1);
  reduce(&one, 0, MEMPLAN_REDUCE_BOTTOM | MEMPLAN_REDUCE_SPLIT, false);
  assert_int_equal(one.reduction.n_bottom, 3);
  assert_int_equal(one.reduction.n_rests, 0);
  assert_int_equal(one.offset[block_of(&one, 1)], 8);
  assert_int_equal(one.offset[block_of(&one, 2)], 8);
  release(&one);
}

static void the_bottom_is_refused_where_lifting_is_unsafe(void **state) {
  (void)state;
  reduced one;
  two_parts_under_one(&one, 8, 1); // pinned elsewhere
  reduce(&one, 0, MEMPLAN_REDUCE_BOTTOM, false);
  assert_int_equal(one.reduction.n_bottom, 0);
  release(&one);
  two_parts_under_one(&one, -1, 3); // b would lie at 8
  reduce(&one, 0, MEMPLAN_REDUCE_BOTTOM, false);
  assert_int_equal(one.reduction.n_bottom, 0);
  assert_int_equal(one.reduction.rests[0].n_blocks, 3);
  release(&one);
  two_parts_under_one(&one, 0, 1); // pinned where it belongs
  reduce(&one, 0, MEMPLAN_REDUCE_BOTTOM, false);
  assert_int_equal(one.reduction.n_bottom, 1);
  release(&one);
}

// In units of 10: the small one has neighbours of 5 and 4, which leave room for 2 in an arena of 5 + 4 + 3 * 2 - 2.
static void draw_neighbours(reduced *one, int64_t align) {
  *one = (reduced){0};
  build_instance(&one->problem);
  build_buffer(&one->problem.instance, "big", 0, 2, 50);
  build_buffer(&one->problem.instance, "next", 1, 4, 40);
  build_buffer(&one->problem.instance, "small", 1, 2, 20)->align = align;
  build_buffer(&one->problem.instance, "tail", 3, 5, 90);
  build_finish(&one->problem);
}

static bool is_left_out(const reduced *one, int32_t buffer) {
  for (int32_t k = 0; k < one->reduction.n_holes; k++) {
    if (one->reduction.problem.block[one->reduction.holes[k]] == block_of(one, buffer)) {
      return true;
    }
  }
  return false;
}

static void a_small_one_always_finds_room(void **state) {
  (void)state;
  reduced one;
  draw_neighbours(&one, 1);
  reduce(&one, 0, MEMPLAN_REDUCE_PIGEONHOLE, false); // the load is enough
  assert_int_equal(one.reduction.bound, 130);
  assert_int_equal(one.reduction.problem.unit, 10);
  assert_true(is_left_out(&one, 2));
  // wherever the others lie: in the lowest hole that is long enough
  static const int64_t places[][3] = {{80, 20, 0}, {0, 90, 50}, {20, 90, 0}, {0, 60, 100}, {10, 70, 110}};
  for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
    memplan_place_reduction last = one.reduction;
    for (int32_t item = 0; item < last.problem.n_items; item++) {
      if (last.problem.block[item] == block_of(&one, 2)) {
        last.holes = &item;
        last.n_holes = 1;
        one.offset[block_of(&one, 0)] = places[k][0];
        one.offset[block_of(&one, 1)] = places[k][1];
        assert_true(memplan_place_restore(&last, one.offset));
        break;
      }
    }
    assert_int_equal(one.offset[block_of(&one, 2)], places[k][2]);
  }
  release(&one);
}

static void off_the_units_nothing_is_left_out(void **state) {
  (void)state;
  reduced one;
  draw_neighbours(&one, 1);
  one.offset[block_of(&one, 0)] = 0;
  one.offset[block_of(&one, 1)] = 75;
  one.offset[block_of(&one, 2)] = 51;
  one.offset[block_of(&one, 3)] = 115;
  reduce(&one, 0, MEMPLAN_REDUCE_PIGEONHOLE, true);
  assert_int_equal(one.reduction.n_holes, 0);
  release(&one);
}

static void one_unit_less_is_not_enough(void **state) {
  (void)state;
  reduced one = {0};
  // 3 + 3 units and holes of 1, 1, 1: 2 units need an arena of 6 + 3 * 2 - 2 = 10
  for (int64_t arena = 9; arena <= 10; arena++) {
    one = (reduced){0};
    build_instance(&one.problem);
    build_buffer(&one.problem.instance, "a", 0, 2, 3);
    build_buffer(&one.problem.instance, "b", 1, 3, 3);
    build_buffer(&one.problem.instance, "c", 1, 2, 2);
    build_buffer(&one.problem.instance, "d", 0, 1, 6);
    build_buffer(&one.problem.instance, "e", 2, 3, 6);
    build_finish(&one.problem);
    reduce(&one, arena, MEMPLAN_REDUCE_PIGEONHOLE, false);
    assert_int_equal(is_left_out(&one, 2), arena == 10);
    assert_int_equal(one.reduction.bound, 9);
    release(&one);
  }
}

static void forms_of_the_problem_can_be_switched(void **state) {
  (void)state;
  reduced one;
  draw_neighbours(&one, 1); // live together: {big}, {big, next, small}, {next, small}, {next, tail}, {tail}
  int32_t blocks[] = {0, 1, 2, 3};
  int64_t limit = 1000;
  static const struct {
    int32_t form, sections;
    int64_t unit;
  } expected[] = {{MEMPLAN_FORM_ALL, 2, 10}, {MEMPLAN_FORM_UNITS, 5, 10}, {MEMPLAN_FORM_CLIQUES, 2, 1}, {0, 5, 1}};
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
    memplan_place_problem problem;
    memplan_error error = {0};
    assert_int_equal(memplan_place_problem_build_as(&one.problem.instance, blocks, 4, &limit, expected[k].form, NULL,
                                                    &one.arena, &problem, &error),
                     MEMPLAN_OK);
    assert_int_equal(problem.n_sections, expected[k].sections);
    assert_int_equal(problem.unit, expected[k].unit);
  }
  release(&one);
}

static void presolve_changes_no_optimum(void **state) {
  (void)state;
  reduce_tally tally = reduce_compare(1, 400);
  assert_true(tally.instances > 300);
  assert_true(tally.above > 40);
  assert_true(tally.infeasible > 5);
  assert_true(tally.bottoms > 200);
  assert_true(tally.holes > 500);
  assert_true(tally.splits > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_always_live_goes_to_the_bottom),
      cmocka_unit_test(nothing_is_left_of_a_nested_problem),
      cmocka_unit_test(the_bottom_is_refused_where_lifting_is_unsafe),
      cmocka_unit_test(a_small_one_always_finds_room),
      cmocka_unit_test(off_the_units_nothing_is_left_out),
      cmocka_unit_test(one_unit_less_is_not_enough),
      cmocka_unit_test(forms_of_the_problem_can_be_switched),
      cmocka_unit_test(presolve_changes_no_optimum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
