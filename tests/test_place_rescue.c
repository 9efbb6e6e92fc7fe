// SPDX-License-Identifier: Apache-2.0
// Limits that are spent before the placement begins: there is still a good plan, by whatever method is asked for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/rng.h"
#include "model/memplan.h"
#include "tests/support/problem_text.h"

enum { n_few = 400, n_many = 20000, n_ops = 600 };

// Of a few hundred times as many buffers as are live at once, any reuse takes less than a fourth of all.
static void expect_reuse(const memplan_problem *problem, const char *order, const char *place, bool interrupted) {
  memplan_error error = {.message = ""};
  memplan_solve_options options = memplan_solve_options_default();
  volatile int cancel = interrupted;
  options.limits.cancel = &cancel;
  options.limits.time_ms = interrupted ? -1 : 0;
  options.limits.threads = 1;
  options.order = order;
  options.place = place;
  memplan_solution solution;
  memplan_solution_init(&solution);
  if (memplan_solve(problem, &options, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(solution.has_plan);
  memplan_stop expected = interrupted ? MEMPLAN_STOP_INTERRUPTED : MEMPLAN_STOP_TIME;
  assert_true(solution.outcome == MEMPLAN_OPTIMAL || solution.stop == expected);
  assert_true(solution.plan.peak < solution.naive_bytes / 4);
  memplan_solution_free(&solution);
}

static void expect_reuse_by_all(const memplan_problem *problem, const char *order) {
  static const char *const methods[] = {NULL,       "optimal",        "skyline-search", "skyline",
                                        "best-fit", "first-fit-size", "first-fit-area"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    for (int interrupted = 0; interrupted < 2; interrupted++) {
      expect_reuse(problem, order, methods[k], interrupted != 0);
    }
  }
}

static void read_instance(int32_t n, const char *tail, memplan_problem *problem) {
  size_t size = (size_t)n * 128 + strlen(tail) + 256;
  char *text = malloc(size);
  assert_non_null(text);
  int used = snprintf(text, size, "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":[");
  uint64_t random = 7;
  for (int32_t k = 0; k < n; k++) {
    uint64_t draw = memplan_splitmix(&random);
    int start = (int)(draw % (uint64_t)n), length = 1 + (int)((draw >> 20) % 12), bytes = 1 + (int)((draw >> 40) % 999);
    used += snprintf(text + used, size - (size_t)used, "%s{\"id\":\"b%d\",\"bytes\":%d,\"live\":[[%d,%d]]%s}",
                     k > 0 ? "," : "", (int)k, bytes, start, start + length,
                     tail[0] != '\0' ? ",\"pools\":[\"near\",\"far\"]" : "");
  }
  (void)snprintf(text + used, size - (size_t)used, "]%s}", tail);
  support_read_good(problem, "instance.json", text);
  free(text);
}

static void instances(void **state) {
  (void)state;
  memplan_problem problem;
  read_instance(n_few, "", &problem);
  expect_reuse_by_all(&problem, NULL);
  memplan_problem_free(&problem);
}

// Methods of quadratic cost are not run on many buffers; the skyline takes their place.
static void many_buffers(void **state) {
  (void)state;
  memplan_problem problem;
  read_instance(n_many, "", &problem);
  expect_reuse(&problem, NULL, "first-fit-size", true);
  expect_reuse(&problem, NULL, NULL, false);
  memplan_problem_free(&problem);
}

static void several_pools(void **state) {
  (void)state;
  memplan_problem problem;
  read_instance(n_few, ",\"pools\":[{\"id\":\"near\"},{\"id\":\"far\"}]", &problem);
  expect_reuse(&problem, NULL, NULL, true);
  expect_reuse(&problem, NULL, "best-fit", true);
  memplan_problem_free(&problem);
}

// A chain with a side branch at each step: on any order few tensors live together.
static void orders(void **state) {
  (void)state;
  size_t size = (size_t)n_ops * 256;
  char *text = malloc(size);
  assert_non_null(text);
  int used = snprintf(text, size, "{\"format\":\"memplan-graph\",\"version\":1,\"tensors\":[");
  for (int k = 0; k < n_ops; k++) {
    used += snprintf(text + used, size - (size_t)used, "%s{\"id\":\"t%d\",\"bytes\":%d}", k > 0 ? "," : "", k,
                     1 + k * 37 % 101);
  }
  used += snprintf(text + used, size - (size_t)used, "],\"ops\":[{\"id\":\"o0\",\"in\":[],\"out\":[\"t0\"]}");
  for (int k = 1; k < n_ops; k++) {
    used += snprintf(text + used, size - (size_t)used, ",{\"id\":\"o%d\",\"in\":[\"t%d\",\"t%d\"],\"out\":[\"t%d\"]}",
                     k, k - 1, k > 5 ? k - 5 + k % 3 : 0, k);
  }
  (void)snprintf(text + used, size - (size_t)used, "]}");
  memplan_problem problem;
  support_read_good(&problem, "graph.json", text);
  free(text);
  expect_reuse_by_all(&problem, "optimal");
  expect_reuse_by_all(&problem, NULL);
  memplan_problem_free(&problem);
}

// The capacity of the pool is one for this placement too.
static void capacities_hold(void **state) {
  (void)state;
  memplan_problem problem;
  support_read_good(&problem, "two.json",
                    "{\"format\":\"memplan-instance\",\"version\":1,\"buffers\":["
                    "{\"id\":\"a\",\"bytes\":4,\"live\":[[0,2]]},{\"id\":\"b\",\"bytes\":4,\"live\":[[1,3]]},"
                    "{\"id\":\"c\",\"bytes\":4,\"live\":[[2,4]]}],\"pools\":[{\"id\":\"p\",\"capacity\":8}]}");
  volatile int cancel = 1;
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.cancel = &cancel;
  options.place = "best-fit";
  memplan_solution solution;
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(&problem, &options, &solution, NULL), MEMPLAN_OK);
  assert_true(solution.has_plan && solution.plan.peak == 8);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(instances), cmocka_unit_test(many_buffers),
                                     cmocka_unit_test(several_pools), cmocka_unit_test(orders),
                                     cmocka_unit_test(capacities_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
