// SPDX-License-Identifier: Apache-2.0
// The reuse cost of plans: where the file asks for a low one, it is lowered within the capacities, and only there.
#include "model/memplan.h"
#include "tests/support/data_index.h"
#include "tests/support/problem_text.h"
#include "tests/support/random_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "{\"schema_version\":1,\"profile\":\"pypto_research_v1\",\"instance\":\"t\",\"metadata\":{},"
#define RULES                                                                                                          \
  "\"constraints\":{\"colocations\":[],\"separations\":[],\"temporal_exclusions\":[],\"pinned_allocations\":[]},"
#define REUSE_FIRST "[\"capacity_overflow\",\"reuse_cost\"]"
#define PEAK_FIRST "[\"total_peak\",\"max_peak\"]"

typedef struct item {
  int64_t size, start, end;
} item;

typedef struct charge {
  int32_t first, second;
  int64_t cost;
} charge;

typedef struct document {
  int32_t n_items, n_charges, n_pools;
  int64_t capacity[2]; // -1: none
  item items[6];
  charge charges[8];
  const char *objective;
} document;

static void read_document(const document *d, memplan_problem *problem) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  (void)fputs(HEAD "\"problem\":{\"pools\":[", out);
  for (int32_t k = 0; k < d->n_pools; k++) {
    char capacity[32] = "null";
    if (d->capacity[k] >= 0) {
      (void)snprintf(capacity, sizeof capacity, "%lld", (long long)d->capacity[k]);
    }
    (void)fprintf(out, "%s{\"id\":%d,\"name\":\"p%d\",\"capacity\":%s,\"reserved_ranges\":[]}", k > 0 ? "," : "",
                  (int)k, (int)k, capacity);
  }
  (void)fputs("],\"buffers\":[", out);
  for (int32_t k = 0; k < d->n_items; k++) {
    (void)fprintf(out,
                  "%s{\"id\":%d,\"name\":\"b%d\",\"size\":%lld,\"alignment\":1,\"live_intervals\":[{\"lower\":%lld,"
                  "\"upper\":%lld}],\"allowed_pools\":[%s]}",
                  k > 0 ? "," : "", (int)k, (int)k, (long long)d->items[k].size, (long long)d->items[k].start,
                  (long long)d->items[k].end, d->n_pools > 1 ? "0,1" : "0");
  }
  (void)fputs("]," RULES "\"cost_model\":{\"reuse_penalties\":[", out);
  for (int32_t k = 0; k < d->n_charges; k++) {
    (void)fprintf(out, "%s{\"first\":%d,\"second\":%d,\"cost\":%lld,\"reason\":\"cross_pipe\"}", k > 0 ? "," : "",
                  (int)d->charges[k].first, (int)d->charges[k].second, (long long)d->charges[k].cost);
  }
  (void)fprintf(out, "]},\"objective\":{\"aggregation\":\"lexicographic\",\"terms\":%s}}}", d->objective);
  (void)fclose(out);
  support_read_good(problem, "t.json", text);
  free(text);
}

static memplan_solution solve(const memplan_problem *problem, memplan_minimize minimize) {
  memplan_solution solution;
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  options.minimize = minimize;
  memplan_solution_init(&solution);
  if (memplan_solve(problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return solution;
}

static int64_t cost_of(const memplan_problem *problem, const memplan_solution *solution) {
  assert_true(solution->has_plan);
  return memplan_instance_reuse_cost(&problem->instance, solution->offset, solution->pool);
}

// A certificate is of the peak; where the plan is optimal for its reuse cost alone, it says so.
static void expect_certificate(const memplan_problem *problem, const memplan_solution *solution, int64_t cost) {
  memplan_certificate made;
  memplan_error error = {0};
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  assert_int_equal(memplan_certify(problem, solution, &limits, 1 << 20, &made, &error), MEMPLAN_OK);
  if (made.text != NULL && made.claim < solution->plan.peak) {
    assert_int_equal(cost, 0);
    assert_non_null(made.missing);
    assert_non_null(strstr(made.missing, "its reuse cost is 0"));
  }
  assert_true(made.text != NULL || made.missing != NULL);
  memplan_certificate_free(&made);
}

static void expect(const document *d, int64_t capacity, memplan_minimize minimize, int64_t peak, int64_t cost,
                   memplan_outcome outcome) {
  memplan_problem problem;
  read_document(d, &problem);
  problem.options.capacity = capacity;
  memplan_solution solution = solve(&problem, minimize);
  assert_int_equal(solution.plan.peak, peak);
  assert_int_equal(cost_of(&problem, &solution), cost);
  assert_int_equal(solution.outcome, outcome);
  if (outcome == MEMPLAN_OPTIMAL) {
    expect_certificate(&problem, &solution, cost);
  }
  if (outcome == MEMPLAN_FEASIBLE && solution.plan.lower_bound < peak) { // it could not call itself optimal
    memplan_report report;
    memplan_report_init(&report);
    solution.plan.outcome = MEMPLAN_OPTIMAL;
    assert_int_equal(memplan_verify(&problem, &solution.plan, &report, NULL), MEMPLAN_OK);
    assert_int_equal(report.n_violations, 1);
    assert_int_equal(report.violations[0].kind, MEMPLAN_VIOLATION_BOUND);
    memplan_report_free(&report);
  }
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Two buffers of 10 bytes, one after the other: apart they need 20 bytes, on the same ones they cost 5.
static const document two = {.n_items = 2,
                             .n_charges = 1,
                             .n_pools = 1,
                             .capacity = {20},
                             .items = {{10, 0, 1}, {10, 1, 2}},
                             .charges = {{0, 1, 5}},
                             .objective = REUSE_FIRST};

static void within_the_capacity(void **state) {
  (void)state;
  document d = two;
  expect(&d, -1, MEMPLAN_MINIMIZE_PEAK, 20, 0, MEMPLAN_OPTIMAL);
  d.capacity[0] = 19;
  expect(&d, -1, MEMPLAN_MINIMIZE_PEAK, 10, 5, MEMPLAN_OPTIMAL);
  d.capacity[0] = -1; // nothing says how far the peak may rise, until the question does
  expect(&d, -1, MEMPLAN_MINIMIZE_PEAK, 10, 5, MEMPLAN_OPTIMAL);
  expect(&d, 20, MEMPLAN_MINIMIZE_PEAK, 20, 0, MEMPLAN_OPTIMAL);
  expect(&d, 15, MEMPLAN_MINIMIZE_PEAK, 10, 5, MEMPLAN_OPTIMAL);
}

static void only_where_it_is_asked_for(void **state) {
  (void)state;
  document d = two;
  expect(&d, -1, MEMPLAN_MINIMIZE_MAX, 10, 5, MEMPLAN_OPTIMAL);
  d.objective = PEAK_FIRST;
  expect(&d, -1, MEMPLAN_MINIMIZE_PEAK, 10, 5, MEMPLAN_OPTIMAL);
}

// Three in a row and room for two: the cheapest pair shares. A larger buffer makes room that costs no peak.
static void cheapest_pair(void **state) {
  (void)state;
  document d = two;
  d.n_items = d.n_charges = 3;
  d.items[2] = (item){10, 2, 3};
  d.charges[0] = (charge){0, 1, 4};
  d.charges[1] = (charge){1, 2, 2};
  d.charges[2] = (charge){0, 2, 3};
  expect(&d, -1, MEMPLAN_MINIMIZE_PEAK, 20, 2, MEMPLAN_FEASIBLE);
  d.capacity[0] = -1;
  d.n_items = 4;
  d.items[3] = (item){20, 3, 4};
  expect(&d, -1, MEMPLAN_MINIMIZE_PEAK, 20, 2, MEMPLAN_OPTIMAL);
}

// Costs that no 64-bit sum holds, and a pair that cannot share anyway.
static void large_costs(void **state) {
  (void)state;
  document d = two;
  d.n_items = 3;
  d.n_charges = 4;
  d.items[2] = (item){10, 0, 1};
  d.charges[0] = d.charges[1] = (charge){0, 1, INT64_MAX};
  d.charges[2] = (charge){2, 1, INT64_MAX - 1};
  d.charges[3] = (charge){0, 2, 7};
  expect(&d, -1, MEMPLAN_MINIMIZE_PEAK, 20, INT64_MAX - 1, MEMPLAN_OPTIMAL);
}

// The second pool is free.
static void other_pool(void **state) {
  (void)state;
  document d = two;
  d.n_pools = 2;
  d.capacity[0] = d.capacity[1] = 10;
  memplan_problem problem;
  read_document(&d, &problem);
  memplan_solution solution = solve(&problem, MEMPLAN_MINIMIZE_PEAK);
  assert_int_equal(cost_of(&problem, &solution), 0);
  assert_int_not_equal(solution.pool[0], solution.pool[1]);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// ---- against all placements

static int64_t least_cost(const document *d) {
  int64_t offset[6] = {0}, best = INT64_MAX;
  int32_t at = 0;
  while (at >= 0) {
    if (at == d->n_items) {
      int64_t cost = 0;
      for (int32_t k = 0; k < d->n_charges; k++) {
        int32_t a = d->charges[k].first, b = d->charges[k].second;
        bool share = offset[a] < offset[b] + d->items[b].size && offset[b] < offset[a] + d->items[a].size;
        cost += share ? d->charges[k].cost : 0;
      }
      best = cost < best ? cost : best;
      offset[--at]++;
      continue;
    }
    if (offset[at] + d->items[at].size > d->capacity[0]) {
      offset[at] = 0;
      at--;
      if (at >= 0) {
        offset[at]++;
      }
      continue;
    }
    bool legal = true;
    for (int32_t k = 0; k < at && legal; k++) {
      bool together = d->items[k].start < d->items[at].end && d->items[at].start < d->items[k].end;
      legal = !together || offset[k] >= offset[at] + d->items[at].size || offset[at] >= offset[k] + d->items[k].size;
    }
    if (legal) {
      at++;
      if (at < d->n_items) {
        offset[at] = 0;
      }
    } else {
      offset[at]++;
    }
  }
  return best;
}

static void against_enumeration(void **state) {
  (void)state;
  int32_t n_placed = 0, n_least = 0;
  for (int32_t index = 0; index < 150; index++) {
    random_state random = random_start(7104, (uint64_t)index);
    document d = {.n_items = 3 + random_below(&random, 4), .n_pools = 1, .objective = REUSE_FIRST};
    d.capacity[0] = 5 + random_below(&random, 4);
    for (int32_t k = 0; k < d.n_items; k++) {
      int64_t start = random_below(&random, 5);
      d.items[k] = (item){1 + random_below(&random, 4), start, start + 1 + random_below(&random, 2)};
    }
    d.n_charges = 8;
    for (int32_t k = 0; k < d.n_charges; k++) {
      int32_t first = random_below(&random, d.n_items);
      int32_t second = (first + 1 + random_below(&random, d.n_items - 1)) % d.n_items;
      d.charges[k] = (charge){first, second, random_below(&random, 9)};
    }
    int64_t least = least_cost(&d);
    memplan_problem problem;
    read_document(&d, &problem);
    memplan_solution solution = solve(&problem, MEMPLAN_MINIMIZE_PEAK);
    assert_int_equal(solution.has_plan, least < INT64_MAX);
    if (solution.has_plan) {
      int64_t cost = cost_of(&problem, &solution);
      assert_true(cost >= least);
      assert_true(solution.plan.peak <= d.capacity[0]);
      n_placed++;
      n_least += cost == least ? 1 : 0;
    }
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  print_message("least of %d: %d\n", n_placed, n_least);
  assert_true(n_placed > 50);
  assert_true(n_least * 20 >= n_placed * 19);
}

// ---- the files

// Without the wish of the file, the plan is the one that the wish starts from.
static void compare_file(const char *path, int64_t *before, int64_t *after) {
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read(path, NULL, NULL, &problem, &error), MEMPLAN_OK);
  bool asks = problem.instance.prefer_low_reuse;
  memplan_solution wished = solve(&problem, MEMPLAN_MINIMIZE_PEAK);
  problem.instance.prefer_low_reuse = false;
  memplan_solution plain = solve(&problem, MEMPLAN_MINIMIZE_PEAK);
  assert_int_equal(wished.has_plan, plain.has_plan);
  if (wished.has_plan) {
    int64_t old = cost_of(&problem, &plain), new = cost_of(&problem, &wished);
    assert_true(new <= old);
    assert_true(asks || new == old);
    *before += old;
    *after += new;
  }
  memplan_solution_free(&plain);
  memplan_solution_free(&wished);
  memplan_problem_free(&problem);
}

static void never_dearer(void **state) {
  (void)state;
  const char *data = data_folder();
  if (data == NULL) {
    skip();
  }
  memplan_arena arena = {0};
  int32_t count;
  int64_t before = 0, after = 0;
  const char **paths = data_files(&arena, data_path(&arena, data, "dsa"), "", ".json", &count);
  for (int32_t k = 0; k < count; k++) {
    compare_file(paths[k], &before, &after);
  }
  memplan_arena_free(&arena);
  assert_int_equal(count, 70);
  print_message("reuse cost of all files: %lld before, %lld after\n", (long long)before, (long long)after);
  assert_true(3 * after < before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(within_the_capacity), cmocka_unit_test(only_where_it_is_asked_for),
      cmocka_unit_test(cheapest_pair),       cmocka_unit_test(large_costs),
      cmocka_unit_test(other_pool),          cmocka_unit_test(against_enumeration),
      cmocka_unit_test(never_dearer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
