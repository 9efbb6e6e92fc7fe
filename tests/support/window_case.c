// SPDX-License-Identifier: Apache-2.0
#include "tests/support/window_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "solvers/assemble.h"
#include "solvers/place_components.h"
#include "solvers/place_windows.h"
#include "tests/support/precedence_case.h"
#include "tests/support/random_problem.h"
#include "tests/support/shrink.h"

memplan_solution window_solve(const memplan_problem *problem, const char *place, int32_t threads) {
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = threads;
  options.place = place;
  memplan_solution solution;
  memplan_solution_init(&solution);
  memplan_error error = {0};
  if (memplan_solve(problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return solution;
}

static int64_t end_of(const memplan_instance *instance, const int64_t *offset, const int32_t *blocks, int32_t n) {
  int64_t end = 0;
  for (int32_t k = 0; k < n; k++) {
    int64_t own = offset[blocks[k]] + instance->blocks[blocks[k]].bytes;
    end = own > end ? own : end;
  }
  return end;
}

// Every step of one component; the first windows hold two blocks.
static void lower_component(const memplan_instance *instance, const int32_t *blocks, int32_t n, int64_t optimum,
                            int64_t *offset) {
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  limits = memplan_limits_start(&limits);
  memplan_windows *windows;
  assert_int_equal(memplan_windows_new(instance, blocks, n, 2, offset, 0, &limits, &windows, NULL), MEMPLAN_OK);
  const memplan_windows_state *now = memplan_windows_look(windows);
  int64_t before = end_of(instance, offset, blocks, n);
  assert_int_equal(now->peak, before);
  for (int32_t k = 0; k < 200 && !now->finished; k++) {
    assert_int_equal(memplan_windows_step(windows, now->bound, NULL), MEMPLAN_OK);
    assert_true(now->peak <= before);
    assert_int_equal(now->peak, end_of(instance, offset, blocks, n));
    assert_true(now->bound <= optimum);
    before = now->peak;
  }
  assert_true(now->finished);
  memplan_windows_free(windows);
}

// Problems with all that the model knows, and every fourth one whose optimum may lie above its load. False: it
// contradicts itself, or holds nothing.
static bool make_problem(uint64_t index, memplan_problem *problem) {
  random_state random = random_start(211, index);
  if (index % 4 == 3) {
    tight_case one;
    tight_draw(&random, &one);
    tight_problem(&one, problem);
    return true;
  }
  random_instance_options wishes = {.max_buffers = 9, .max_bytes = 9, .pins = index % 3 == 0, .rules = index % 2 == 0};
  random_instance(&random, &wishes, problem);
  memplan_error error = {0};
  return build_try(problem, &error) == MEMPLAN_OK && problem->instance.n_blocks > 0;
}

// From the placement `start`, component by component.
static void lower_all(const memplan_problem *problem, memplan_solution *start, int64_t optimum, window_tally *tally) {
  const memplan_instance *instance = &problem->instance;
  memplan_arena arena = {0};
  memplan_place_components parts;
  assert_int_equal(memplan_place_components_find(instance, &arena, &parts, NULL), MEMPLAN_OK);
  int64_t *offset = MEMPLAN_NEW(&arena, int64_t, instance->n_blocks);
  assert_non_null(offset);
  memcpy(offset, start->offset, (size_t)instance->n_blocks * sizeof *offset);
  for (int32_t c = 0; c < parts.n_components; c++) {
    lower_component(instance, &parts.blocks[parts.first[c]], parts.first[c + 1] - parts.first[c], optimum, offset);
  }
  memplan_plan plan = start->plan;
  memplan_plan_init(&start->plan);
  memplan_placement placement = {.offset = offset, .pool = (int32_t *)(uintptr_t)start->pool};
  assert_int_equal(memplan_assemble_offsets(instance, &placement, &plan, NULL), MEMPLAN_OK);
  memplan_report report;
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(problem, &plan, &report, NULL), MEMPLAN_OK);
  assert_int_equal(report.n_violations, 0);
  memplan_report_free(&report);
  tally->tried++;
  tally->lower += plan.peak < end_of(instance, start->offset, parts.blocks, parts.first[parts.n_components]);
  tally->optimal += plan.peak == optimum;
  memplan_plan_free(&plan);
  memplan_arena_free(&arena);
}

static void check(const memplan_problem *problem, void *context) {
  window_tally *tally = context;
  memplan_solution best = window_solve(problem, "optimal", 1);
  memplan_solution start = window_solve(problem, "naive", 1);
  if (start.has_plan && best.outcome == MEMPLAN_OPTIMAL) {
    memplan_load load;
    assert_int_equal(memplan_instance_load(&problem->instance, true, &load, NULL), MEMPLAN_OK);
    tally->above += best.plan.peak > load.bytes;
    lower_all(problem, &start, best.plan.peak, tally);
  }
  memplan_solution_free(&start);
  memplan_solution_free(&best);
}

window_tally window_compare(uint64_t first, uint64_t count) {
  window_tally tally = {0};
  for (uint64_t index = first; index < first + count; index++) {
    memplan_problem problem;
    if (make_problem(index, &problem)) {
      shrink_checked(&problem, check, &tally, sizeof tally, "window_compare, seed %llu", (unsigned long long)index);
    }
    memplan_problem_free(&problem);
  }
  return tally;
}
