// SPDX-License-Identifier: Apache-2.0
// Worked examples of placement as questions to the exact search alone, which gets no placement to start with: optimum,
// bound and proof; and what limits, seeds, threads and the order of rows may change.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "solvers/place_optimal.h"
#include "tests/support/solved.h"

// Finishes, searches and frees the problem; with one pool from no placement and no bound. -1: nothing fits.
static void expect_optimum(memplan_problem *problem, int64_t optimum) {
  build_finish(problem);
  memplan_arena arena = {0};
  memplan_error error = {0};
  memplan_limits defaults = memplan_limits_default();
  memplan_limits limits = memplan_limits_start(&defaults);
  memplan_optimal_task task = {.instance = &problem->instance, .limits = &limits, .capacity = -1};
  memplan_optimal_result result;
  assert_int_equal(memplan_place_optimal(&task, &arena, &result, &error), MEMPLAN_OK);
  assert_int_equal(result.stop, MEMPLAN_STOP_DONE);
  assert_int_equal(result.outcome, optimum >= 0 ? MEMPLAN_OPTIMAL : MEMPLAN_INFEASIBLE);
  if (optimum >= 0) {
    assert_int_equal(result.peak, optimum);
    assert_int_equal(result.bound, optimum);
  }
  memplan_arena_free(&arena);
  memplan_problem_free(problem);
}

static void a_leading_gap(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "A", 0, 2, 100);
  build_buffer(&problem.instance, "B", 1, 3, 80);
  build_buffer(&problem.instance, "C", 2, 4, 60);
  expect_optimum(&problem, 180);
}

static void alignment_above_the_sum(void **state) {
  (void)state;
  for (int32_t third = 0; third < 2; third++) {
    memplan_problem problem;
    build_instance(&problem);
    build_buffer(&problem.instance, "a", 0, 2, 5)->align = 8;
    build_buffer(&problem.instance, "b", 0, 2, 5)->align = 8;
    if (third == 1) {
      build_buffer(&problem.instance, "c", 0, 2, 3);
    }
    expect_optimum(&problem, 13);
  }
}

static void alignments_that_are_no_powers_of_two(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 2, 5)->align = 3;
  build_buffer(&problem.instance, "b", 0, 2, 50)->align = 48;
  build_buffer(&problem.instance, "c", 0, 2, 43);
  expect_optimum(&problem, 98); // 5 and 43 below 48
}

static void a_gap_makes_room(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_gap(&problem.instance, build_buffer(&problem.instance, "a", 0, 10, 4), 2, 5, 0, 0);
  build_buffer(&problem.instance, "b", 2, 5, 4);
  expect_optimum(&problem, 4);
}

static void it_fits_exactly_or_not(void **state) {
  (void)state;
  for (int64_t capacity = 2097151; capacity <= 2097152; capacity++) {
    memplan_problem problem;
    build_instance(&problem);
    memplan_pool pool = {.id = "ram", .capacity = capacity};
    problem.instance.pools = &pool;
    problem.instance.n_pools = 1;
    build_buffer(&problem.instance, "A", 0, 2, 524288);
    build_buffer(&problem.instance, "B", 1, 3, 1048576);
    build_buffer(&problem.instance, "C", 2, 4, 1048576);
    expect_optimum(&problem, capacity == 2097152 ? capacity : -1);
  }
}

static void equal_buffers_are_no_blow_up(void **state) {
  (void)state;
  for (int32_t n = 6; n <= 48; n += 42) {
    memplan_problem problem;
    build_instance(&problem);
    for (int32_t k = 0; k < n; k++) {
      char id[3] = {(char)('a' + k / 10), (char)('0' + k % 10), '\0'};
      build_buffer(&problem.instance, id, 0, 1, 4)->align = 3; // 6 apart, and the last one ends at its 4
    }
    expect_optimum(&problem, 6 * n - 2);
  }
}

static void reserved_bytes_and_a_base(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  const memplan_interval reserved[] = {{0, 16}};
  memplan_pool pool = {.id = "arena", .capacity = -1, .base = 4, .reserved = reserved, .n_reserved = 1};
  problem.instance.pools = &pool;
  problem.instance.n_pools = 1;
  build_buffer(&problem.instance, "a", 0, 1, 8)->align = 8;
  build_buffer(&problem.instance, "b", 0, 1, 4);
  expect_optimum(&problem, 28); // a from 20 on, b between
}

static void windows_off_the_ground(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_buffer *a = build_buffer(&problem.instance, "a", 0, 3, 4);
  build_gap(&problem.instance, a, 1, 2, 0, 1);
  build_gap(&problem.instance, a, 2, 3, 3, 4);
  build_gap(&problem.instance, build_buffer(&problem.instance, "b", 1, 4, 2), 3, 4, 0, 1);
  build_buffer(&problem.instance, "c", 3, 4, 1)->pin = 1;
  expect_optimum(&problem, 5);
}

static void pins_and_separations(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 2, 4)->pin = 3;
  build_buffer(&problem.instance, "b", 1, 3, 4);
  build_buffer(&problem.instance, "c", 5, 6, 2);
  build_separate(&problem.instance, "a", "c");
  build_separate(&problem.instance, "b", "c");
  expect_optimum(&problem, 11); // c below a, b above
}

static void one_bank_is_the_plain_problem(void **state) {
  (void)state;
  char *texts[2];
  for (int32_t bank = 0; bank < 2; bank++) {
    memplan_problem problem;
    build_instance(&problem);
    memplan_pool pool = {.id = "ram", .capacity = 1000};
    problem.instance.pools = bank == 1 ? &pool : NULL;
    problem.instance.n_pools = bank;
    build_buffer(&problem.instance, "A", 0, 2, 60);
    build_buffer(&problem.instance, "B", 1, 3, 50);
    build_buffer(&problem.instance, "C", 1, 2, 30);
    build_buffer(&problem.instance, "D", 2, 4, 30);
    build_finish(&problem);
    solved result = solved_by(&problem, NULL, "optimal");
    texts[bank] = calloc(4, sizeof(int64_t));
    assert_non_null(texts[bank]);
    for (int32_t k = 0; k < 4; k++) {
      int64_t offset = solved_offset(&result, problem.instance.buffers[k].id);
      memcpy(texts[bank] + (size_t)k * sizeof offset, &offset, sizeof offset);
    }
    solved_release(&result);
  }
  assert_memory_equal(texts[0], texts[1], 4 * sizeof(int64_t));
  free(texts[0]);
  free(texts[1]);
}

// ---- runs of one problem

static void generate(const char *family, uint64_t seed, int32_t n, memplan_problem *problem) {
  memplan_error error = {0};
  memplan_generator_wishes wishes = {.seed = seed, .n = n};
  memplan_problem_init(problem);
  problem->options = memplan_problem_options_default();
  problem->has_instance = true;
  assert_int_equal(memplan_generate(memplan_generator_find(family), &wishes, &problem->instance, &error), MEMPLAN_OK);
  build_finish(problem);
}

static void run(const memplan_problem *problem, int64_t work, int32_t threads, memplan_solution *solution) {
  memplan_solve_options options = memplan_solve_options_default();
  memplan_error error = {0};
  options.place = "optimal";
  options.limits.work = work;
  options.limits.threads = threads;
  options.limits.seed = 7;
  memplan_solution_init(solution);
  assert_int_equal(memplan_solve(problem, &options, solution, &error), MEMPLAN_OK);
}

static void more_work_is_never_worse(void **state) {
  (void)state;
  memplan_problem problem;
  generate("tight", 2, 30, &problem);
  int64_t peak = INT64_MAX, bound = 0;
  bool limited = false;
  for (int64_t work = 0; work < INT64_C(1) << 34; work = work == 0 ? 1 << 16 : 4 * work) {
    memplan_solution solution;
    run(&problem, work, 1, &solution);
    assert_true(solution.has_plan); // even without any work
    assert_true(solution.plan.peak <= peak);
    assert_true(solution.plan.lower_bound >= bound);
    assert_true(solution.plan.lower_bound <= solution.plan.peak);
    bool proven = solution.plan.peak == solution.plan.lower_bound;
    assert_int_equal(solution.outcome, proven ? MEMPLAN_OPTIMAL : MEMPLAN_FEASIBLE);
    limited = limited || solution.stop == MEMPLAN_STOP_WORK;
    peak = solution.plan.peak;
    bound = solution.plan.lower_bound;
    memplan_solution_free(&solution);
    if (proven) {
      break;
    }
  }
  assert_true(limited);
  assert_int_equal(peak, bound);
  memplan_problem_free(&problem);
}

static void the_bound_met_ends_the_search(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_buffer(&problem.instance, "A", 0, 2, 10);
  build_buffer(&problem.instance, "B", 1, 3, 8);
  build_buffer(&problem.instance, "C", 2, 4, 10);
  build_finish(&problem);
  solved result = solved_by(&problem, NULL, NULL);
  assert_int_equal(result.solution.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(result.solution.nodes, 0);
  solved_release(&result);
}

// Whether the work ends before the proof or after it, and whichever searches run side by side.
static void threads_change_nothing(void **state) {
  (void)state;
  static const int32_t threads[] = {1, 2, 3, 8};
  static const int64_t cases[][2] = {{36, 1 << 20}, {36, 1 << 23}, {36, 1 << 26}, {200, 1 << 26}}; // buffers, work
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    memplan_problem problem;
    generate("tight", 6, (int32_t)cases[c][0], &problem);
    memplan_solution first;
    run(&problem, cases[c][1], 1, &first);
    for (size_t k = 1; k < sizeof threads / sizeof threads[0]; k++) {
      memplan_solution other;
      run(&problem, cases[c][1], threads[k], &other);
      assert_int_equal(other.outcome, first.outcome);
      assert_int_equal(other.stop, first.stop);
      assert_int_equal(other.nodes, first.nodes);
      assert_int_equal(other.plan.lower_bound, first.plan.lower_bound);
      assert_memory_equal(other.offset, first.offset, (size_t)problem.instance.n_blocks * sizeof *other.offset);
      memplan_solution_free(&other);
    }
    memplan_solution_free(&first);
    memplan_problem_free(&problem);
  }
}

static void rows_may_come_in_any_order(void **state) {
  (void)state;
  memplan_problem forward, backward;
  generate("tight", 3, 36, &forward);
  build_instance(&backward);
  for (int32_t k = forward.instance.n_buffers - 1; k >= 0; k--) {
    const memplan_buffer *from = &forward.instance.buffers[k];
    build_buffer(&backward.instance, from->id, from->live[0].start, from->live[0].end, from->bytes)->align =
        from->align;
  }
  build_finish(&backward);
  solved a = {.problem = &forward}, b = {.problem = &backward};
  run(&forward, -1, 1, &a.solution);
  run(&backward, -1, 1, &b.solution);
  assert_int_equal(a.solution.outcome, MEMPLAN_OPTIMAL);
  for (int32_t k = 0; k < forward.instance.n_buffers; k++) {
    const char *id = forward.instance.buffers[k].id;
    assert_int_equal(solved_offset(&a, id), solved_offset(&b, id));
  }
  solved_release(&a);
  solved_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_leading_gap),
      cmocka_unit_test(alignment_above_the_sum),
      cmocka_unit_test(alignments_that_are_no_powers_of_two),
      cmocka_unit_test(a_gap_makes_room),
      cmocka_unit_test(it_fits_exactly_or_not),
      cmocka_unit_test(equal_buffers_are_no_blow_up),
      cmocka_unit_test(reserved_bytes_and_a_base),
      cmocka_unit_test(windows_off_the_ground),
      cmocka_unit_test(pins_and_separations),
      cmocka_unit_test(one_bank_is_the_plain_problem),
      cmocka_unit_test(more_work_is_never_worse),
      cmocka_unit_test(the_bound_met_ends_the_search),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(rows_may_come_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
