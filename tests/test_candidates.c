// SPDX-License-Identifier: Apache-2.0
// Orders and in-place choices that contradict themselves are left out, not the whole problem; loads are those of the
// choice that is planned; sizes that only other orders could not add up leave the given order.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

#define GRAPH(tensors, ops) "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[" tensors "],\"ops\":[" ops "]}"

static memplan_status solve_text(const char *text, int64_t align, const char *order, memplan_problem *problem,
                                 memplan_solution *solution, memplan_error *error) {
  memplan_problem_options rules = memplan_problem_options_default();
  rules.align = align;
  memplan_solution_init(solution);
  if (support_read(problem, "g.json", text, &rules, error) != MEMPLAN_OK) {
    fail_msg("%s", error->message);
  }
  memplan_solve_options options = memplan_solve_options_default();
  options.order = order;
  options.place = "first-fit-size";
  options.limits.threads = 1;
  return memplan_solve(problem, &options, solution, error);
}

#define PINNED_TENSORS                                                                                                 \
  "{\"id\":\"x\",\"bytes\":100,\"roles\":[\"input\"]},{\"id\":\"a\",\"bytes\":4,\"pin\":0},"                           \
  "{\"id\":\"b\",\"bytes\":4,\"pin\":0},{\"id\":\"c\",\"bytes\":50,\"roles\":[\"output\"]},"                           \
  "{\"id\":\"d\",\"bytes\":50,\"roles\":[\"output\"]}"

static void an_order_whose_pins_collide_is_left_out(void **state) {
  (void)state;
  static const char text[] = GRAPH(
      PINNED_TENSORS, "{\"id\":\"xa\",\"in\":[\"x\"],\"out\":[\"a\"]},{\"id\":\"ac\",\"in\":[\"a\"],\"out\":[\"c\"]},"
                      "{\"id\":\"xb\",\"in\":[\"x\"],\"out\":[\"b\"]},{\"id\":\"bd\",\"in\":[\"b\"],\"out\":[\"d\"]}");
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  if (solve_text(text, 1, NULL, &problem, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(solution.has_plan);
  assert_int_equal(solution.plan.peak, 154);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void pins_that_collide_on_every_order_are_named(void **state) {
  (void)state;
  static const char text[] = GRAPH(
      PINNED_TENSORS, "{\"id\":\"xa\",\"in\":[\"x\"],\"out\":[\"a\"]},{\"id\":\"xb\",\"in\":[\"x\",\"a\"],\"out\":["
                      "\"b\"]},{\"id\":\"ac\",\"in\":[\"a\"],\"out\":[\"c\"]},{\"id\":\"bd\",\"in\":[\"b\"],\"out\":["
                      "\"d\"]}");
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  assert_int_equal(solve_text(text, 1, NULL, &problem, &solution, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "'a'"));
  assert_non_null(strstr(error.message, "'b'"));
  assert_non_null(strstr(error.message, "'given'"));
  assert_false(solution.has_plan);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// The weight could not be aligned to 64, but it is not in the arena.
static void alignments_outside_the_arena_do_not_count(void **state) {
  (void)state;
  static const char text[] =
      GRAPH("{\"id\":\"x\",\"bytes\":100,\"roles\":[\"input\"],\"donatable\":true},"
            "{\"id\":\"w\",\"bytes\":100,\"roles\":[\"weight\"]},"
            "{\"id\":\"v\",\"bytes\":30,\"roles\":[\"weight\"],\"view\":{\"of\":\"w\",\"offset\":3},\"align\":2},"
            "{\"id\":\"y\",\"bytes\":100,\"roles\":[\"output\"]}",
            "{\"id\":\"o\",\"in\":[\"x\",\"v\"],\"out\":[\"y\"],\"inplace\":[[\"y\",\"x\"]]}");
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  if (solve_text(text, 64, NULL, &problem, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(solution.plan.peak, 100);
  assert_int_equal(solution.plan.n_inplace, 1);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// `y` begins 3 bytes into a buffer aligned to 4, and wants to be aligned itself: nothing can be taken over.
static void a_pair_that_cannot_lie_is_none(void **state) {
  (void)state;
  static const char text[] =
      GRAPH("{\"id\":\"x\",\"bytes\":1,\"roles\":[\"input\"]},{\"id\":\"t\",\"bytes\":40,\"align\":4},"
            "{\"id\":\"v\",\"bytes\":30,\"view\":{\"of\":\"t\",\"offset\":3}},"
            "{\"id\":\"y\",\"bytes\":30,\"align\":4,\"roles\":[\"output\"]}",
            "{\"id\":\"o\",\"in\":[\"x\"],\"out\":[\"t\"]},"
            "{\"id\":\"p\",\"in\":[\"v\"],\"out\":[\"y\"],\"inplace\":[[\"y\",\"v\"]]}");
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  if (solve_text(text, 1, NULL, &problem, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(solution.plan.n_inplace, 0);
  assert_int_equal(solution.order_peak, 70);
  assert_int_equal(solution.load[1], 70);
  assert_int_equal(solution.plan.lower_bound, 70);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Whatever pairs were dropped on the way: the loads told are those of the placement problem that was solved.
static void loads_are_those_of_the_plan(void **state) {
  (void)state;
  int32_t pairs = 0;
  for (uint64_t index = 0; index < 600; index++) {
    random_state random = random_start(8, index);
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 40};
    memplan_problem problem;
    memplan_error error = {.message = ""};
    random_graph(&random, &wishes, &problem);
    problem.options.align = 1 + random_below(&random, 6);
    memplan_solution solution;
    memplan_solution_init(&solution);
    memplan_solve_options options = memplan_solve_options_default();
    options.place = "first-fit-size";
    options.limits.threads = 1;
    if (build_try(&problem, &error) == MEMPLAN_OK &&
        memplan_solve(&problem, &options, &solution, &error) == MEMPLAN_OK && solution.has_plan) {
      int64_t largest = 0;
      memplan_load load;
      for (int32_t t = 0; t < problem.graph.n_ops; t++) {
        largest = solution.load[t] > largest ? solution.load[t] : largest;
      }
      assert_int_equal(memplan_instance_load(&solution.instance, false, &load, &error), MEMPLAN_OK);
      if (load.bytes != largest || solution.order_peak > largest) {
        fail_msg("index %" PRIu64 ": largest load %" PRId64 ", of the instance %" PRId64 ", order peak %" PRId64, index,
                 largest, load.bytes, solution.order_peak);
      }
      pairs += solution.plan.n_inplace;
    }
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  assert_true(pairs > 50);
}

#define HUGE "2305843009213693952"

static void sizes_are_limited_where_they_are_live_together(void **state) {
  (void)state;
  static const char apart[] = GRAPH("{\"id\":\"a\",\"bytes\":" HUGE "},{\"id\":\"b\",\"bytes\":" HUGE "},"
                                    "{\"id\":\"c\",\"bytes\":" HUGE "},{\"id\":\"d\",\"bytes\":" HUGE "}",
                                    "{\"id\":\"oa\",\"out\":[\"a\"]},{\"id\":\"ob\",\"out\":[\"b\"]},"
                                    "{\"id\":\"oc\",\"out\":[\"c\"]},{\"id\":\"od\",\"out\":[\"d\"]}");
  memplan_problem problem;
  memplan_solution solution;
  memplan_error error = {.message = ""};
  if (solve_text(apart, 1, NULL, &problem, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(solution.plan.peak, INT64_C(1) << 61);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
  assert_int_equal(solve_text(apart, 1, "dfs", &problem, &solution, &error), MEMPLAN_UNSUPPORTED);
  assert_non_null(strstr(error.message, "'dfs'"));
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);

  static const char together[] = GRAPH("{\"id\":\"a\",\"bytes\":" HUGE "},{\"id\":\"b\",\"bytes\":" HUGE "},"
                                       "{\"id\":\"c\",\"bytes\":" HUGE "}",
                                       "{\"id\":\"oa\",\"out\":[\"a\"]},{\"id\":\"ob\",\"in\":[\"a\"],\"out\":[\"b\"]},"
                                       "{\"id\":\"oc\",\"in\":[\"b\"],\"out\":[\"c\"]}");
  assert_int_equal(solve_text(together, 1, NULL, &problem, &solution, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "2^62"));
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_order_whose_pins_collide_is_left_out),
      cmocka_unit_test(pins_that_collide_on_every_order_are_named),
      cmocka_unit_test(alignments_outside_the_arena_do_not_count),
      cmocka_unit_test(a_pair_that_cannot_lie_is_none),
      cmocka_unit_test(loads_are_those_of_the_plan),
      cmocka_unit_test(sizes_are_limited_where_they_are_live_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
