// SPDX-License-Identifier: Apache-2.0
// The k-th allocation fails, for every k: each method and the portfolio say so, leak nothing, and work again
// afterwards.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/portfolio.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/place_method.h"

typedef struct bench {
  memplan_problem graph;
  memplan_ordering ordering;
  many *plain, *rich;
} bench;

static void set_up(bench *made) {
  build_graph(&made->graph);
  memplan_graph *graph = &made->graph.graph;
  (void)build_tensor(graph, "x", 8, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(graph, "s", 8, 0);
  (void)build_tensor(graph, "t", 6, 0);
  (void)build_tensor(graph, "u", 8, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(graph, "a", "x", "s");
  (void)build_op(graph, "b", "x", "t");
  build_inplace(graph, build_op(graph, "c", "s t", "u"), "u", "s");
  build_finish(&made->graph);
  assert_int_equal(memplan_ordering_init(&made->ordering, graph, &made->graph.options, NULL, NULL), MEMPLAN_OK);
  made->plain = calloc(1, sizeof *made->plain);
  made->rich = calloc(1, sizeof *made->rich);
  assert_non_null(made->plain);
  assert_non_null(made->rich);
  random_state random = random_start(61, 0);
  place_make_many(&random, 120, 40, false, made->plain);
  place_make_many(&random, 120, 40, true, made->rich);
}

static void tear_down(bench *made) {
  memplan_instance_free(&made->plain->instance);
  memplan_instance_free(&made->rich->instance);
  free(made->plain);
  free(made->rich);
  memplan_ordering_free(&made->ordering);
  memplan_problem_free(&made->graph);
}

// Runs the method with its k-th allocation failing, k = 0, 1, …, until none fails any more.
static void starve(const memplan_method *method, const memplan_task *task) {
  int32_t order[BUILD_OPS];
  int64_t offset[MANY_BUFFERS];
  int32_t pool[MANY_BUFFERS];
  int32_t slot[MANY_BUFFERS];
  if (method->accepts != NULL && !method->accepts(task, NULL)) {
    return;
  }
  memplan_status status = MEMPLAN_NOMEM;
  memplan_limits limits = memplan_limits_default();
  int64_t before = failing_malloc_blocks();
  for (int64_t k = 0; status != MEMPLAN_OK; k++) {
    memplan_method_result result = {.order = order, .offset = offset, .pool = pool, .slot = slot, .failed_block = -1};
    memplan_error error = {.message = ""};
    failing_malloc_once(k);
    status = method->run(task, &limits, &result, &error);
    (void)failing_malloc_stop();
    assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
    assert_int_equal(error.status, status);
    assert_int_equal(failing_malloc_blocks(), before);
    assert_true(k < 100000);
  }
}

static void methods(void **state) {
  (void)state;
  bench made;
  set_up(&made);
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == MEMPLAN_METHOD_ORDER) {
      starve(*entry, &(memplan_task){.ordering = &made.ordering});
    } else {
      starve(*entry, &(memplan_task){.instance = &made.plain->instance});
      starve(*entry, &(memplan_task){.instance = &made.rich->instance});
    }
  }
  tear_down(&made);
}

static void portfolio(void **state) {
  (void)state;
  bench made;
  set_up(&made);
  for (int32_t kind = MEMPLAN_METHOD_ORDER; kind <= MEMPLAN_METHOD_PLACE; kind++) {
    memplan_status status = MEMPLAN_NOMEM;
    for (int64_t k = 0; status != MEMPLAN_OK; k++) {
      memplan_portfolio_task tasks[32];
      int32_t count = 0;
      memset(tasks, 0, sizeof tasks);
      for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
        if ((int32_t)(*entry)->kind == kind) {
          tasks[count].method = *entry;
          tasks[count++].task = (memplan_task){.ordering = &made.ordering, .instance = &made.plain->instance};
        }
      }
      memplan_limits limits = memplan_limits_default();
      limits.threads = 1; // the counter is not shared
      memplan_stop stop;
      memplan_arena arena = {0};
      memplan_error error = {.message = ""};
      int64_t before = failing_malloc_blocks();
      failing_malloc_once(k);
      status = memplan_portfolio_run(tasks, count, &limits, &arena, &stop, &error);
      (void)failing_malloc_stop();
      assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
      assert_int_equal(error.status, status);
      memplan_arena_free(&arena);
      assert_int_equal(failing_malloc_blocks(), before);
      assert_true(k < 100000);
    }
  }
  tear_down(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(methods),
      cmocka_unit_test(portfolio),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
