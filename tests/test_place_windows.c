// SPDX-License-Identifier: Apache-2.0
// Windows of placements: what they leave is a placement, never a higher one; their bounds hold; and the chain of small
// problems that is too large for the exact engines as a whole is proven window by window.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/check_proof.h"
#include "instances/generators.h"
#include "model/memplan.h"
#include "solvers/place_optimal.h"
#include "tests/support/build_problem.h"
#include "tests/support/random_problem.h"
#include "tests/support/window_case.h"

static void small_problems_stay_placed(void **state) {
  (void)state;
  window_tally tally = window_compare(0, 300);
  assert_true(tally.tried > 150);
  assert_true(tally.lower > 60);
  assert_true(tally.above > 20);
  assert_true(tally.optimal > tally.tried / 2);
}

// Tight problems one after the other, and a byte that is live throughout.
static void make_chain(int32_t n_links, memplan_problem *problem, int64_t *optimum) {
  memplan_problem_init(problem);
  memplan_instance *chain = &problem->instance;
  memplan_generator_wishes wishes = {.n = 45, .seed = 3, .fill = 100};
  enum { MOST = 64 };
  chain->buffers = MEMPLAN_NEW(&chain->arena, memplan_buffer, (int64_t)n_links * MOST + 1);
  assert_non_null(chain->buffers);
  int64_t time = 0;
  *optimum = 0;
  for (int32_t link = 0; link < n_links; link++) {
    memplan_problem one;
    memplan_problem_init(&one);
    wishes.index = link;
    assert_int_equal(memplan_generate(memplan_generator_find("tight"), &wishes, &one.instance, NULL), MEMPLAN_OK);
    memplan_solution alone = window_solve(&one, "optimal", 1);
    assert_int_equal(alone.outcome, MEMPLAN_OPTIMAL);
    *optimum = alone.plan.peak > *optimum ? alone.plan.peak : *optimum;
    memplan_solution_free(&alone);
    assert_true(one.instance.n_buffers <= MOST);
    int64_t last = 0;
    for (int32_t k = 0; k < one.instance.n_buffers; k++) {
      memplan_buffer *buffer = &chain->buffers[chain->n_buffers++];
      memplan_interval *live = MEMPLAN_NEW(&chain->arena, memplan_interval, 1);
      char id[32];
      assert_non_null(live);
      (void)snprintf(id, sizeof id, "%d.%d", (int)link, (int)k);
      *live =
          (memplan_interval){one.instance.buffers[k].live[0].start + time, one.instance.buffers[k].live[0].end + time};
      last = live->end > last ? live->end : last;
      *buffer = one.instance.buffers[k];
      buffer->id = memplan_arena_text(&chain->arena, id, strlen(id));
      buffer->live = live;
      buffer->n_live = 1;
    }
    time = last;
    memplan_problem_free(&one);
  }
  memplan_interval *live = MEMPLAN_NEW(&chain->arena, memplan_interval, 1);
  assert_non_null(live);
  *live = (memplan_interval){0, time};
  chain->buffers[chain->n_buffers++] = (memplan_buffer){
      .id = "throughout", .bytes = 1, .align = 1, .pin = -1, .offset = -1, .hint = -1, .live = live, .n_live = 1};
  build_finish(problem);
}

// The search alone, from the placement of a heuristic.
static memplan_optimal_result search(const memplan_instance *instance, const memplan_solution *start, int32_t threads,
                                     memplan_arena *arena) {
  memplan_load load;
  assert_int_equal(memplan_instance_load(instance, true, &load, NULL), MEMPLAN_OK);
  memplan_limits limits = memplan_limits_default();
  limits.threads = threads;
  limits.work = INT64_C(1) << 30;
  limits = memplan_limits_start(&limits);
  memplan_placement placement = {.offset = (int64_t *)(uintptr_t)start->offset};
  memplan_optimal_task task = {
      .instance = instance, .limits = &limits, .goal = load.bytes, .capacity = -1, .start = &placement};
  task.bound = load.bytes;
  memplan_optimal_result result;
  assert_int_equal(memplan_place_optimal(&task, arena, &result, NULL), MEMPLAN_OK);
  return result;
}

static void long_chains_are_proven(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_arena arena = {0};
  int64_t optimum;
  make_chain(50, &problem, &optimum);
  const memplan_instance *instance = &problem.instance;
  assert_true(instance->n_blocks > 2048);
  memplan_solution start = window_solve(&problem, "first-fit-size", 1);
  memplan_optimal_result one = search(instance, &start, 1, &arena);
  assert_int_equal(one.outcome, MEMPLAN_OPTIMAL);
  assert_in_range(one.peak, optimum, optimum + 1);
  assert_true(one.peak < start.plan.peak);
  assert_int_equal(memplan_instance_peak(instance, one.placement.offset), one.peak);
  static const int32_t threads[] = {2, 3, 8};
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
    memplan_optimal_result more = search(instance, &start, threads[k], &arena);
    assert_int_equal(more.peak, one.peak);
    assert_int_equal(more.bound, one.bound);
    assert_memory_equal(more.placement.offset, one.placement.offset, (size_t)instance->n_blocks * sizeof(int64_t));
  }
  memplan_limits limits = memplan_limits_default();
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  bool found = false;
  assert_int_equal(memplan_place_certify(instance, one.peak, problem.fingerprint, NULL, &limits, out, &found, NULL),
                   MEMPLAN_OK);
  assert_int_equal(fclose(out), 0);
  assert_true(found);
  memplan_check_result checked;
  assert_int_equal(memplan_check_certificate(&problem, text, length, &checked, NULL), MEMPLAN_OK);
  assert_true(checked.proven && checked.claim == one.peak);
  free(text);
  memplan_solution_free(&start);
  memplan_problem_free(&problem);
  memplan_arena_free(&arena);
}

// What lies below a component stays there: with little memory and sizes of 2^40 bytes, no exact engine takes this one,
// whose largest buffer is put to the bottom first.
static void windows_stay_above_what_lies_below(void **state) {
  (void)state;
  enum { n = 60 };
  for (uint64_t seed = 0; seed < 8; seed++) {
    random_state random = random_start(977, seed);
    memplan_problem problem;
    build_instance(&problem);
    memplan_instance *instance = &problem.instance;
    build_buffer(instance, "below", 0, 100, (INT64_C(1) << 50) + 1);
    for (int32_t k = 0; k < n; k++) {
      char id[16];
      (void)snprintf(id, sizeof id, "b%d", (int)k);
      int64_t start = random_below(&random, 50);
      build_buffer(instance, id, start, start + 30 + random_below(&random, 20),
                   (INT64_C(1) << 40) + random_below(&random, 1 << 30) * INT64_C(999));
    }
    build_finish(&problem);
    memplan_solve_options options = memplan_solve_options_default();
    options.place = "optimal";
    options.limits.memory = 1 << 20;
    options.limits.work = 1 << 26;
    memplan_solution solution;
    memplan_solution_init(&solution);
    memplan_error error = {.message = ""};
    if (memplan_solve(&problem, &options, &solution, &error) != MEMPLAN_OK) { // which verifies the plan
      fail_msg("seed %d: %s", (int)seed, error.message);
    }
    assert_int_equal(solution.offset[instance->block_of[0]], 0);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_problems_stay_placed),
      cmocka_unit_test(long_chains_are_proven),
      cmocka_unit_test(windows_stay_above_what_lies_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
