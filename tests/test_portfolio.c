// SPDX-License-Identifier: Apache-2.0
// The portfolio: the same results for any number of threads, limits between tasks, refusals and failures by index.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/portfolio.h"
#include "tests/support/place_method.h"

enum { MOST_TASKS = 64 };

static int32_t fill_tasks(memplan_portfolio_task *tasks, memplan_method_kind kind, const memplan_instance *instance,
                          const memplan_ordering *ordering) {
  int32_t count = 0;
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == kind) {
      memset(&tasks[count], 0, sizeof tasks[count]);
      tasks[count].method = *entry;
      tasks[count].task = (memplan_task){.instance = instance, .ordering = ordering};
      count++;
    }
  }
  assert_true(count < MOST_TASKS);
  return count;
}

// Random rows of their own: the arrays live in `made`.
static void same_for_any_number_of_threads(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  random_state random = random_start(51, 0);
  place_make_many(&random, 250, 60, true, made);
  static const int32_t threads[] = {1, 2, 3, 8, 0};
  memplan_portfolio_task first[MOST_TASKS];
  memplan_portfolio_task tasks[MOST_TASKS];
  memplan_arena arena = {0};
  int32_t n_blocks = made->instance.n_blocks;
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
    memplan_limits limits = memplan_limits_default();
    limits.threads = threads[k];
    memplan_stop stop = MEMPLAN_STOP_TIME;
    memplan_portfolio_task *used = k == 0 ? first : tasks;
    int32_t count = fill_tasks(used, MEMPLAN_METHOD_PLACE, &made->instance, NULL);
    assert_int_equal(memplan_portfolio_run(used, count, &limits, &arena, &stop, NULL), MEMPLAN_OK);
    assert_int_equal(stop, MEMPLAN_STOP_DONE);
    assert_int_equal(memplan_portfolio_best(used, count), memplan_portfolio_best(first, count));
    for (int32_t task = 0; task < count; task++) {
      assert_int_equal(used[task].ran, first[task].ran);
      assert_int_equal(used[task].peak, first[task].peak);
      assert_memory_equal(used[task].result.offset, first[task].result.offset, (size_t)n_blocks * sizeof(int64_t));
      assert_memory_equal(used[task].result.pool, first[task].result.pool, (size_t)n_blocks * sizeof(int32_t));
      assert_memory_equal(used[task].result.slot, first[task].result.slot, (size_t)n_blocks * sizeof(int32_t));
      assert_int_equal(used[task].ran, strcmp(used[task].method->name, "skyline") != 0); // there are separations
      assert_int_equal(used[task].peak == INT64_MAX, !used[task].ran);
    }
  }
  memplan_arena_free(&arena);
  memplan_instance_free(&made->instance);
  free(made);
}

static void orders_and_their_peaks(void **state) {
  (void)state;
  int32_t checked = 0;
  for (int32_t index = 0; index < 200; index++) {
    random_state random = random_start(52, (uint64_t)index);
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 6};
    memplan_problem problem;
    random_graph(&random, &wishes, &problem);
    memplan_error error = {.message = ""};
    memplan_ordering ordering;
    if (build_try(&problem, &error) == MEMPLAN_OK &&
        memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, &error) == MEMPLAN_OK) {
      memplan_portfolio_task tasks[MOST_TASKS];
      memplan_limits limits = memplan_limits_default();
      memplan_stop stop;
      memplan_arena arena = {0};
      int32_t count = fill_tasks(tasks, MEMPLAN_METHOD_ORDER, NULL, &ordering);
      assert_int_equal(memplan_portfolio_run(tasks, count, &limits, &arena, &stop, &error), MEMPLAN_OK);
      int32_t best = memplan_portfolio_best(tasks, count);
      assert_true(best >= 0);
      for (int32_t task = 0; task < count; task++) {
        memplan_profile profile;
        assert_int_equal(memplan_ordering_profile(&ordering, tasks[task].result.order, &arena, &profile, &error),
                         MEMPLAN_OK);
        assert_int_equal(profile.peak, tasks[task].peak);
        assert_true(task < best ? tasks[task].peak > tasks[best].peak : tasks[task].peak >= tasks[best].peak);
      }
      checked++;
      memplan_arena_free(&arena);
      memplan_ordering_free(&ordering);
    }
    memplan_problem_free(&problem);
  }
  assert_true(checked > 100);
}

// ---- limits

static void build_two(memplan_problem *problem) {
  build_instance(problem);
  (void)build_buffer(&problem->instance, "a", 0, 2, 5);
  (void)build_buffer(&problem->instance, "b", 1, 3, 4);
  build_finish(problem);
}

static void expect_first_task_only(const memplan_limits *limits, memplan_stop expected) {
  memplan_problem problem;
  build_two(&problem);
  memplan_portfolio_task tasks[MOST_TASKS];
  memplan_stop stop = MEMPLAN_STOP_DONE;
  memplan_arena arena = {0};
  int32_t count = fill_tasks(tasks, MEMPLAN_METHOD_PLACE, &problem.instance, NULL);
  assert_true(count > 1);
  assert_int_equal(memplan_portfolio_run(tasks, count, limits, &arena, &stop, NULL), MEMPLAN_OK);
  assert_int_equal(stop, expected);
  assert_int_equal(memplan_portfolio_best(tasks, count), 0);
  assert_int_equal(tasks[0].peak, 9);
  for (int32_t task = 1; task < count; task++) {
    assert_false(tasks[task].ran);
    assert_int_equal(tasks[task].peak, INT64_MAX);
  }
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

static void limits_spare_the_first_task(void **state) {
  (void)state;
  memplan_limits limits = memplan_limits_default();
  limits.time_ms = 0;
  expect_first_task_only(&limits, MEMPLAN_STOP_TIME);
  volatile int cancel = 1;
  limits.cancel = &cancel;
  expect_first_task_only(&limits, MEMPLAN_STOP_INTERRUPTED);
}

// ---- refusals and failures

static memplan_status fail_input(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                                 memplan_error *error) {
  (void)task;
  (void)limits;
  (void)result;
  return memplan_fail(error, MEMPLAN_INTERNAL, "first failure");
}

static memplan_status fail_memory(const memplan_task *task, const memplan_limits *limits, memplan_method_result *result,
                                  memplan_error *error) {
  (void)task;
  (void)limits;
  (void)result;
  return memplan_fail_nomem(error);
}

static bool refuse(const memplan_task *task, memplan_error *error) {
  (void)task;
  (void)memplan_fail(error, MEMPLAN_UNSUPPORTED, "not this one");
  return false;
}

static void refusals_and_failures(void **state) {
  (void)state;
  static const memplan_method refusing = {
      .name = "refusing", .kind = MEMPLAN_METHOD_PLACE, .accepts = refuse, .run = fail_input};
  static const memplan_method failing = {.name = "failing", .kind = MEMPLAN_METHOD_PLACE, .run = fail_input};
  static const memplan_method starving = {.name = "starving", .kind = MEMPLAN_METHOD_PLACE, .run = fail_memory};
  const memplan_method *naive = memplan_heuristic_find(MEMPLAN_METHOD_PLACE, "naive");
  const memplan_method *methods[] = {&refusing, naive, &failing, &starving};
  memplan_problem problem;
  build_two(&problem);
  for (int32_t count = 2; count <= 4; count++) {
    memplan_portfolio_task tasks[4];
    memset(tasks, 0, sizeof tasks);
    for (int32_t k = 0; k < count; k++) {
      tasks[k].method = methods[k];
      tasks[k].task = (memplan_task){.instance = &problem.instance};
    }
    memplan_limits limits = memplan_limits_default();
    memplan_stop stop;
    memplan_arena arena = {0};
    memplan_error error = {.message = ""};
    memplan_status status = memplan_portfolio_run(tasks, count, &limits, &arena, &stop, &error);
    assert_int_equal(status, count == 2 ? MEMPLAN_OK : MEMPLAN_INTERNAL);
    assert_string_equal(error.message, count == 2 ? "" : "first failure");
    assert_false(tasks[0].ran);
    assert_int_equal(tasks[0].status, MEMPLAN_OK);
    assert_string_equal(tasks[0].error.message, "not this one");
    assert_int_equal(memplan_portfolio_best(tasks, 2), 1);
    memplan_arena_free(&arena);
  }
  memplan_problem_free(&problem);
}

static void nothing_to_run(void **state) {
  (void)state;
  memplan_limits limits = memplan_limits_default();
  memplan_stop stop = MEMPLAN_STOP_TIME;
  memplan_arena arena = {0};
  assert_int_equal(memplan_portfolio_run(NULL, 0, &limits, &arena, &stop, NULL), MEMPLAN_OK);
  assert_int_equal(stop, MEMPLAN_STOP_DONE);
  assert_int_equal(memplan_portfolio_best(NULL, 0), -1);
}

// A placement that does not fit has no peak.
static void capacity_too_small(void **state) {
  (void)state;
  memplan_pool pools[] = {{.id = "ram", .capacity = 8}};
  memplan_problem problem;
  build_instance(&problem);
  problem.instance.pools = pools;
  problem.instance.n_pools = 1;
  (void)build_buffer(&problem.instance, "a", 0, 2, 5);
  (void)build_buffer(&problem.instance, "b", 1, 3, 4);
  build_finish(&problem);
  memplan_portfolio_task tasks[MOST_TASKS];
  memplan_limits limits = memplan_limits_default();
  memplan_stop stop;
  memplan_arena arena = {0};
  int32_t count = fill_tasks(tasks, MEMPLAN_METHOD_PLACE, &problem.instance, NULL);
  assert_int_equal(memplan_portfolio_run(tasks, count, &limits, &arena, &stop, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_portfolio_best(tasks, count), -1);
  for (int32_t task = 0; task < count; task++) {
    assert_true(tasks[task].ran);
    assert_int_equal(tasks[task].result.outcome, MEMPLAN_UNKNOWN);
    assert_true(tasks[task].result.failed_block >= 0);
    assert_int_equal(tasks[task].peak, INT64_MAX);
  }
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_for_any_number_of_threads),
      cmocka_unit_test(orders_and_their_peaks),
      cmocka_unit_test(limits_spare_the_first_task),
      cmocka_unit_test(refusals_and_failures),
      cmocka_unit_test(nothing_to_run),
      cmocka_unit_test(capacity_too_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
