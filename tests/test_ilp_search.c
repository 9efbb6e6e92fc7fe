// SPDX-License-Identifier: Apache-2.0
// Propagation, probing and the search in windows on random integer programs, against enumeration.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solvers/ilp_probe.h"
#include "solvers/ilp_search.h"
#include "tests/support/random_problem.h"

#include <inttypes.h>
#include <string.h>

enum { most_columns = 6 };

static int64_t between(random_state *random, int32_t low, int32_t high) {
  return low + random_below(random, high - low + 1);
}

// A few columns, mostly binaries, and rows of small numbers over them. The first one is the objective.
static void make_program(uint64_t seed, int64_t most_cost, memplan_ilp *model) {
  random_state random = random_start(181, seed);
  memplan_ilp_init(model);
  model->title = "random";
  int32_t n = (int32_t)between(&random, 2, most_columns);
  for (int32_t k = 0; k < n; k++) {
    bool wide = k == 0 || random_chance(&random, 20);
    int64_t low = wide ? between(&random, 0, 2) : 0;
    int64_t high = k == 0 ? low + most_cost : wide ? low + between(&random, 0, 4) : 1;
    (void)memplan_ilp_column_add(model, wide ? MEMPLAN_ILP_INTEGER : MEMPLAN_ILP_BINARY, low, high, "x%d", k);
  }
  model->columns[0].cost = 1;
  int32_t n_rows = (int32_t)between(&random, 1, 6);
  int64_t scale = most_cost / 12 + 1;
  for (int32_t r = 0; r < n_rows; r++) {
    memplan_ilp_row_open(model);
    for (int32_t k = 0; k < n; k++) {
      if (random_chance(&random, 70)) {
        memplan_ilp_row_add(model, k == 0 ? 1 : between(&random, -3, 3) * scale, memplan_ilp_of(k));
      }
    }
    bool under = random_chance(&random, 40);
    int64_t side = (under ? between(&random, -1, 9) : between(&random, -4, 6)) * scale + between(&random, -1, 1);
    memplan_ilp_row_close(model, under ? -MEMPLAN_ILP_NONE : side, under ? side : MEMPLAN_ILP_NONE,
                          random_chance(&random, 30), "r");
  }
}

// The next assignment within the bounds; false after the last one.
static bool advance(const memplan_ilp *model, int64_t *value) {
  for (int32_t k = 0; k < model->n_columns; k++) {
    if (value[k] < model->columns[k].upper) {
      value[k]++;
      return true;
    }
    value[k] = model->columns[k].lower;
  }
  return false;
}

static void first_value(const memplan_ilp *model, int64_t *value) {
  for (int32_t k = 0; k < model->n_columns; k++) {
    value[k] = model->columns[k].lower;
  }
}

// Every solution lies within the bounds of the propagator; `good` only says no where there is none.
static int64_t check_bounds(uint64_t seed, const memplan_ilp *model, const memplan_ilp_propagator *work, bool good) {
  int64_t value[most_columns], n_solutions = 0;
  first_value(model, value);
  do {
    if (!memplan_ilp_holds(model, value)) {
      continue;
    }
    n_solutions++;
    for (int32_t k = 0; k < model->n_columns; k++) {
      if (!good || value[k] < work->lower[k] || value[k] > work->upper[k]) {
        fail_msg("seed %" PRIu64 ": a solution is lost at column %d", seed, (int)k);
      }
    }
  } while (advance(model, value));
  return n_solutions;
}

static bool has_solution_with(const memplan_ilp *model, int32_t column, int64_t wanted) {
  int64_t value[most_columns];
  first_value(model, value);
  do {
    if (value[column] == wanted && memplan_ilp_holds(model, value)) {
      return true;
    }
  } while (advance(model, value));
  return false;
}

static void no_solution_is_lost(void **state) {
  (void)state;
  int64_t n_refuted = 0, n_tightened = 0, n_probed = 0;
  memplan_limits limits = memplan_limits_default();
  for (uint64_t seed = 0; seed < 3000; seed++) {
    memplan_ilp model;
    memplan_ilp_propagator work;
    memplan_ilp_prober prober;
    memplan_arena arena = {0};
    memplan_error error = {0};
    int64_t lower[most_columns], upper[most_columns];
    make_program(seed, 8, &model);
    assert_int_equal(memplan_ilp_propagator_init(&work, &model, &arena, &error), MEMPLAN_OK);
    assert_int_equal(memplan_ilp_prober_init(&prober, &work, &arena, &error), MEMPLAN_OK);
    bool good = memplan_ilp_propagate(&work);
    int64_t n_solutions = check_bounds(seed, &model, &work, good);
    n_refuted += !good;
    size_t size = (size_t)model.n_columns * sizeof *lower;
    memcpy(lower, work.lower, size);
    memcpy(upper, work.upper, size);
    for (int32_t k = 0; good && k < model.n_columns; k++) {
      n_tightened += lower[k] > model.columns[k].lower || upper[k] < model.columns[k].upper;
      if (lower[k] < upper[k] && memplan_ilp_try(&work, k, lower[k]) < 0) {
        assert_false(has_solution_with(&model, k, lower[k]));
      }
      assert_memory_equal(lower, work.lower, size); // all is taken back
      assert_memory_equal(upper, work.upper, size);
    }
    memplan_ilp_mark(&work);
    if (good) {
      good = memplan_ilp_probe(&prober, 1000000, &limits);
      (void)check_bounds(seed, &model, &work, good);
      n_probed += !good || memcmp(lower, work.lower, size) != 0 || memcmp(upper, work.upper, size) != 0;
    }
    assert_true(good || n_solutions == 0);
    memplan_ilp_undo(&work);
    assert_int_equal(work.n_trail, 0);
    assert_memory_equal(lower, work.lower, size);
    assert_memory_equal(upper, work.upper, size);
    memplan_arena_free(&arena);
    memplan_ilp_free(&model);
  }
  assert_true(n_refuted > 100 && n_tightened > 1000 && n_probed > 100);
}

typedef struct witness {
  const memplan_ilp *model;
  int64_t calls, rounded, round_work;
} witness;

static int64_t take(void *context, const int64_t *value) {
  witness *seen = context;
  seen->calls++;
  return memplan_ilp_holds(seen->model, value) ? value[0] : MEMPLAN_ILP_NONE;
}

static int64_t round_none(void *context, const double *value, int64_t *work) {
  witness *seen = context;
  (void)value;
  seen->rounded++;
  *work += seen->round_work;
  return MEMPLAN_ILP_NONE;
}

static void rounding_is_counted_as_work(void **state) {
  (void)state;
  if (!memplan_ilp_available()) {
    print_message("skipped: %s\n", memplan_ilp_solver_name());
    skip();
  }
  int64_t n_rounded = 0;
  memplan_limits limits = memplan_limits_default();
  for (uint64_t seed = 0; seed < 1500; seed++) {
    memplan_ilp model;
    memplan_error error = {0};
    memplan_ilp_answer free_of_work, answer;
    make_program(seed, 30, &model);
    witness seen = {.model = &model};
    memplan_ilp_run run = {.model = &model, .limits = &limits, .found = take, .round = round_none, .context = &seen};
    assert_int_equal(memplan_ilp_search(&run, &free_of_work, &error), MEMPLAN_OK);
    seen = (witness){.model = &model, .round_work = 1000};
    assert_int_equal(memplan_ilp_search(&run, &answer, &error), MEMPLAN_OK);
    assert_int_equal(answer.work, free_of_work.work + 1000 * seen.rounded);
    n_rounded += seen.rounded;
    memplan_ilp_free(&model);
  }
  assert_true(n_rounded > 30);
}

static void least_cost_equals_enumeration(void **state) {
  (void)state;
  if (!memplan_ilp_available()) {
    print_message("skipped: %s\n", memplan_ilp_solver_name());
    skip();
  }
  int64_t n_solved = 0, n_infeasible = 0, n_far = 0;
  memplan_limits limits = memplan_limits_default();
  for (uint64_t seed = 0; seed < 1500; seed++) {
    static const int64_t ranges[] = {3, 30, 300};
    memplan_ilp model;
    memplan_error error = {0};
    memplan_ilp_answer answer;
    int64_t value[most_columns], least = MEMPLAN_ILP_NONE;
    make_program(seed, ranges[seed % 3], &model);
    first_value(&model, value);
    do {
      if (value[0] < least && memplan_ilp_holds(&model, value)) {
        least = value[0];
      }
    } while (advance(&model, value));
    witness seen = {.model = &model};
    memplan_ilp_run run = {.model = &model, .limits = &limits, .found = take, .context = &seen, .goal = 0};
    if (memplan_ilp_search(&run, &answer, &error) != MEMPLAN_OK) {
      fail_msg("seed %" PRIu64 ": %s", seed, error.message);
    }
    memplan_outcome expected = least == MEMPLAN_ILP_NONE ? MEMPLAN_INFEASIBLE : MEMPLAN_OPTIMAL;
    if (answer.outcome != expected || answer.best != least || (expected == MEMPLAN_OPTIMAL && answer.bound != least)) {
      fail_msg("seed %" PRIu64 ": outcome %d, best %" PRId64 ", bound %" PRId64 " instead of %" PRId64, seed,
               (int)answer.outcome, answer.best, answer.bound, least);
    }
    n_infeasible += expected == MEMPLAN_INFEASIBLE;
    n_solved += expected == MEMPLAN_OPTIMAL;
    n_far += expected == MEMPLAN_OPTIMAL && least > model.columns[0].lower + 12;
    memplan_ilp_free(&model);
  }
  assert_true(n_solved > 500 && n_infeasible > 50 && n_far > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_solution_is_lost),
      cmocka_unit_test(rounding_is_counted_as_work),
      cmocka_unit_test(least_cost_equals_enumeration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
