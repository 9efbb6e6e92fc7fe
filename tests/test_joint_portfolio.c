// SPDX-License-Identifier: Apache-2.0
// The parts of the default search for a graph's plan: smoothed orders stay valid and within their limit and never cost
// more, drawn in-place choices are choices of their order with the loads they claim, and the plan of the whole is the
// same for any number of threads.
#include "model/base/compiler.h"
#include "solvers/joint_choice.h"
#include "solvers/joint_smooth.h"
#include "tests/support/data_index.h"
#include "tests/support/joint_example.h"
#include "tests/support/random_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 400, MOVES = 300 };

// A legal random graph with one pool and its ordering; false: this one is illegal, and freed.
static bool make_ordering(uint64_t index, memplan_problem *problem, memplan_ordering *ordering) {
  random_state random = random_start(77, index);
  random_graph_options wishes = {.max_ops = 7, .max_bytes = 64, .pins = index % 4 == 0};
  memplan_error error;
  random_graph(&random, &wishes, problem);
  if (build_try(problem, &error) != MEMPLAN_OK) {
    memplan_problem_free(problem);
    return false;
  }
  if (memplan_ordering_init(ordering, &problem->graph, &problem->options, NULL, &error) != MEMPLAN_OK) {
    memplan_problem_free(problem);
    return false;
  }
  return true;
}

// What the cost says of an order (joint_smooth.h); a share of `limit` is one of 2^20 parts, rounded down.
static memplan_int128 cost_of(const memplan_ordering *ordering, const int32_t *order, memplan_smooth_cost cost,
                              int64_t limit, int64_t *peak) {
  memplan_arena arena = {0};
  memplan_profile profile;
  assert_int_equal(memplan_ordering_profile(ordering, order, &arena, &profile, NULL), MEMPLAN_OK);
  memplan_int128 sum = 0;
  for (int32_t step = 0; step < ordering->n_ops; step++) {
    memplan_int128 share = limit > 0 ? ((memplan_int128)profile.load[step] << 20) / limit : 0;
    memplan_int128 excess = share - (7 << 20) / 10;
    sum += cost == MEMPLAN_SMOOTH_FOURTH   ? share * share * share * share
           : cost == MEMPLAN_SMOOTH_EXCESS ? (excess > 0 ? excess * excess : 0)
           : cost == MEMPLAN_SMOOTH_SUM    ? share
                                           : 0;
  }
  *peak = profile.peak;
  memplan_arena_free(&arena);
  return sum;
}

static void smooth_one(const memplan_ordering *ordering, memplan_smooth_cost cost, int64_t *n_changed) {
  int32_t n = ordering->n_ops, order[64], again[64];
  memplan_limits limits = memplan_limits_default();
  int64_t peak, after, ticks;
  assert_in_range(n, 0, 63);
  for (int32_t op = 0; op < n; op++) {
    order[op] = again[op] = op;
  }
  (void)cost_of(ordering, order, cost, 1, &peak);
  memplan_int128 before = cost_of(ordering, order, cost, peak, &peak);
  memplan_smooth_task task = {.ordering = ordering,
                              .limits = &limits,
                              .limit = peak,
                              .cost = cost,
                              .seed = 5,
                              .moves = MOVES,
                              .ticks = INT64_MAX};
  assert_int_equal(memplan_joint_smooth(&task, order, &ticks, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_ordering_check(ordering, order, NULL), MEMPLAN_OK);
  assert_true(cost_of(ordering, order, cost, peak, &after) <= before);
  assert_true(after <= peak);
  assert_int_equal(memplan_joint_smooth(&task, again, &ticks, NULL), MEMPLAN_OK);
  assert_memory_equal(order, again, (size_t)n * sizeof *order);
  for (int32_t op = 0; op < n; op++) {
    *n_changed += order[op] != op;
  }
}

static void smoothed_orders_stay_valid_and_within_their_limit(void **state) {
  (void)state;
  int64_t n_graphs = 0, n_changed = 0;
  for (uint64_t index = 0; index < GRAPHS; index++) {
    memplan_problem problem;
    memplan_ordering ordering;
    if (!make_ordering(index, &problem, &ordering)) {
      continue;
    }
    if (!ordering.one_order) {
      n_graphs++;
      for (int32_t cost = 0; cost < MEMPLAN_SMOOTH_COSTS; cost++) {
        smooth_one(&ordering, (memplan_smooth_cost)cost, &n_changed);
      }
    }
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  assert_true(n_graphs > GRAPHS / 4 && n_changed > n_graphs);
}

// The loads of a candidate are those of the placement problem that it lowers to, and within the limit unless the best
// choice of the order is not either.
static void check_choice(const memplan_ordering *ordering, const memplan_candidate *entry, int64_t limit) {
  memplan_instance instance;
  memplan_arena arena = {0};
  memplan_instance_init(&instance);
  memplan_error error;
  memplan_status status =
      memplan_ordering_lower(ordering, entry->order, entry->choice, entry->n_choices, &instance, NULL, NULL, &error);
  assert_true(status == MEMPLAN_OK || status == MEMPLAN_INPUT); // pins may collide on this order
  if (status == MEMPLAN_OK) {
    memplan_candidate measured;
    assert_int_equal(memplan_candidate_make(ordering, entry->order, entry->choice, entry->n_choices, &instance,
                                            entry->method, &arena, &measured, NULL),
                     MEMPLAN_OK);
    assert_int_equal(measured.peak, entry->peak);
    assert_memory_equal(measured.load, entry->load, (size_t)ordering->n_ops * sizeof *entry->load);
  }
  assert_true(limit < 0 || entry->peak <= limit);
  memplan_arena_free(&arena);
  memplan_instance_free(&instance);
}

static void drawn_choices_are_choices_of_their_order(void **state) {
  (void)state;
  int64_t n_drawn = 0, n_other = 0;
  for (uint64_t index = 0; index < GRAPHS; index++) {
    memplan_problem problem;
    memplan_ordering ordering;
    if (!make_ordering(index, &problem, &ordering)) {
      continue;
    }
    memplan_arena arena = {0};
    memplan_candidates list = {.ordering = &ordering, .arena = &arena};
    int32_t order[64];
    for (int32_t op = 0; op < ordering.n_ops; op++) {
      order[op] = op;
    }
    assert_int_equal(memplan_candidates_add(&list, order, "given", NULL), MEMPLAN_OK);
    const memplan_candidate *full = list.entries[0];
    for (uint64_t seed = 0; seed < 6; seed++) {
      memplan_candidate drawn;
      int64_t limit = full->peak + (int64_t)seed * 8;
      assert_int_equal(memplan_joint_choose(&ordering, full, limit, seed, &arena, &drawn, NULL), MEMPLAN_OK);
      // where pairs cannot all lie together, one that was drawn may keep another one out
      check_choice(&ordering, &drawn, index % 4 == 0 || full->peak > full->order_peak ? -1 : limit);
      n_drawn++;
      n_other += drawn.n_choices != full->n_choices ||
                 memcmp(drawn.choice, full->choice, (size_t)full->n_choices * sizeof *drawn.choice) != 0;
    }
    memplan_arena_free(&arena);
    memplan_ordering_free(&ordering);
    memplan_problem_free(&problem);
  }
  assert_true(n_drawn > GRAPHS && n_other > 20);
}

// ---- the whole

// The plan's text with so many threads and so much work.
static char *plan_text(const memplan_problem *problem, int32_t threads, int64_t work) {
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_solve_options options = memplan_solve_options_default();
  memplan_error error = {.message = ""};
  options.limits.threads = threads;
  options.limits.work = work;
  if (memplan_solve(problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(solution.has_plan);
  char *text = memplan_plan_text(&solution.plan);
  assert_non_null(text);
  memplan_solution_free(&solution);
  return text;
}

static void compare_threads(const memplan_problem *problem, int64_t work) {
  static const int32_t threads[] = {2, 3, 8};
  char *first = plan_text(problem, 1, work);
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
    char *text = plan_text(problem, threads[k], work);
    assert_string_equal(text, first);
    free(text);
  }
  free(first);
}

// The joint benchmarks that are known for a gap between order and arena, and some whose work ends before an answer.
static void plans_are_the_same_for_any_number_of_threads(void **state) {
  (void)state;
  static const struct {
    const char *file;
    int64_t work;
  } cases[] = {{"joint/gap-k3r04s1.json", 100000000},
               {"joint/gap-k6r14s0.json", 100000000},
               {"joint/gap-k6r14s0.json", 3000000},
               {"joint/gadget-n040-s0.json", 100000000},
               {"order/random_layered_n250_w0.43_nlv0.75_ed0.2_scd0.14.json", 10000000}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    memplan_problem problem;
    data_read(cases[k].file, &problem);
    compare_threads(&problem, cases[k].work);
    memplan_problem_free(&problem);
  }
}

static void worked_examples_are_proven(void **state) {
  (void)state;
  for (int32_t k = 0; k < JOINT_EXAMPLES; k++) {
    memplan_problem problem;
    memplan_solution solution;
    joint_example_build(&joint_examples[k], &problem);
    memplan_solution_init(&solution);
    assert_int_equal(memplan_solve(&problem, NULL, &solution, NULL), MEMPLAN_OK);
    assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
    assert_int_equal(solution.plan.peak, joint_examples[k].optimum);
    assert_int_equal(solution.plan.lower_bound, joint_examples[k].optimum);
    assert_int_equal(solution.order_lower_bound, joint_examples[k].order_optimum);
    memplan_solution_free(&solution);
    compare_threads(&problem, MEMPLAN_WORK_DEFAULT);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(smoothed_orders_stay_valid_and_within_their_limit),
                                     cmocka_unit_test(drawn_choices_are_choices_of_their_order),
                                     cmocka_unit_test(worked_examples_are_proven),
                                     cmocka_unit_test(plans_are_the_same_for_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
