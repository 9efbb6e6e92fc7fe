// SPDX-License-Identifier: Apache-2.0
// Cliques of conflicting buffers as lower bounds: found, written, read and checked.
#include "model/clique.h"
#include "model/memplan.h"
#include "tests/support/build_problem.h"
#include "tests/support/random_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void never_live(memplan_problem *problem, const char *id, int64_t bytes) {
  build_buffer(&problem->instance, id, 0, 0, bytes)->n_live = 0;
}

static memplan_solution solve(const memplan_problem *problem) {
  memplan_solution solution;
  memplan_error error = {0};
  memplan_solution_init(&solution);
  if (memplan_solve(problem, NULL, &solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return solution;
}

static const memplan_bound *find_clique(const memplan_bounds *bounds) {
  for (int32_t k = 0; k < bounds->n_bounds; k++) {
    if (bounds->bounds[k].kind == MEMPLAN_BOUND_CLIQUE) {
      return &bounds->bounds[k];
    }
  }
  return NULL;
}

// A triangle of 3 + 4 + 5 bytes beside a star around 6: the largest buffer with its neighbour has 10.
static void build_triangle(memplan_problem *problem) {
  build_instance(problem);
  static const char *const ids[] = {"a", "b", "c", "hub", "x", "y"};
  static const int64_t bytes[] = {3, 4, 5, 6, 4, 2};
  for (int32_t k = 0; k < 6; k++) {
    never_live(problem, ids[k], bytes[k]);
  }
  static const char *const pairs[][2] = {{"a", "b"}, {"b", "c"}, {"c", "a"}, {"hub", "x"}, {"hub", "y"}};
  for (int32_t k = 0; k < 5; k++) {
    build_conflict(&problem->instance, pairs[k][0], pairs[k][1]);
  }
  build_finish(problem);
}

static void by_hand(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_bounds bounds;
  memplan_error error = {0};
  build_triangle(&problem);
  assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, &error), MEMPLAN_OK);
  const memplan_bound *clique = find_clique(&bounds);
  assert_ptr_equal(clique, &bounds.bounds[0]);
  assert_int_equal(clique->bytes, 12);
  assert_int_equal(clique->n_buffers, 3);
  assert_string_equal(clique->buffers[0], "a");
  assert_string_equal(clique->buffers[2], "c");
  memplan_bounds_free(&bounds);
  memplan_solution solution = solve(&problem);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  assert_int_equal(solution.plan.peak, 12);
  assert_int_equal(solution.plan.bound.kind, MEMPLAN_BOUND_CLIQUE);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Separations beside lifetimes: d lives after the others and may not touch them.
static void beside_lifetimes(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_bounds bounds;
  memplan_error error = {0};
  build_instance(&problem);
  build_buffer(&problem.instance, "a", 0, 2, 3);
  build_buffer(&problem.instance, "b", 1, 3, 4);
  build_buffer(&problem.instance, "d", 5, 6, 2);
  build_separate(&problem.instance, "d", "a");
  build_separate(&problem.instance, "b", "d");
  build_finish(&problem);
  assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, &error), MEMPLAN_OK);
  assert_int_equal(bounds.bounds[0].kind, MEMPLAN_BOUND_CLIQUE);
  assert_int_equal(bounds.bounds[0].bytes, 9);
  memplan_bounds_free(&bounds);
  memplan_problem_free(&problem);
}

static bool proves(const memplan_problem *problem, const char *const *ids, int32_t n_ids, int64_t bytes,
                   const char *why) {
  char reason[256];
  bool proven = false;
  memplan_error error = {0};
  assert_int_equal(memplan_clique_check(&problem->instance, ids, n_ids, bytes, &proven, reason, sizeof reason, &error),
                   MEMPLAN_OK);
  if (!proven && strstr(reason, why) == NULL) {
    fail_msg("'%s' is not in: %s", why, reason);
  }
  return proven;
}

static void checks_each_claim(void **state) {
  (void)state;
  memplan_problem problem;
  build_triangle(&problem);
  assert_true(proves(&problem, (const char *const[]){"a", "b", "c"}, 3, 12, ""));
  assert_true(proves(&problem, (const char *const[]){"c", "a"}, 2, 7, ""));
  assert_true(proves(&problem, (const char *const[]){"hub"}, 1, 6, ""));
  assert_true(proves(&problem, NULL, 0, 0, ""));
  assert_false(proves(&problem, (const char *const[]){"a", "b", "c"}, 3, 13, "have 12 bytes together"));
  assert_false(proves(&problem, (const char *const[]){"a", "b", "hub"}, 3, 1, "'a' and 'hub' may share bytes"));
  assert_false(proves(&problem, (const char *const[]){"a", "b", "a"}, 3, 1, "'a' is named twice"));
  assert_false(proves(&problem, (const char *const[]){"a", "z"}, 2, 1, "'z' is no buffer"));
  memplan_problem_free(&problem);
}

static bool verifies(const memplan_problem *problem, const memplan_plan *plan, const char *why) {
  memplan_report report;
  memplan_error error = {0};
  memplan_report_init(&report);
  assert_int_equal(memplan_verify(problem, plan, &report, &error), MEMPLAN_OK);
  bool valid = report.valid;
  if (!valid) {
    assert_int_equal(report.violations[0].kind, MEMPLAN_VIOLATION_BOUND);
    assert_non_null(strstr(report.violations[0].text, why));
  }
  memplan_report_free(&report);
  return valid;
}

static void plans_carry_it(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_error error = {0};
  build_triangle(&problem);
  memplan_solution solution = solve(&problem);
  char *text = memplan_plan_text(&solution.plan);
  assert_non_null(strstr(text, "\"bound\": {\"kind\":\"clique\",\"buffers\":[\"a\",\"b\",\"c\"]}"));
  static const char *const changes[][3] = {{"\"b\",\"c\"]", "\"b\"]    ", "have 7 bytes together"},
                                           {"[\"a\",\"b\"", "[\"x\",\"b\"", "'x' and 'b' may share bytes"},
                                           {"\"b\",\"c\"]", "\"b\",\"b\"]", "'b' is named twice"},
                                           {"\"b\",\"c\"]", "\"b\",\"q\"]", "'q' is no buffer"}};
  for (int32_t k = -1; k < 4; k++) {
    char *changed = strdup(text);
    assert_non_null(changed);
    if (k >= 0) {
      char *at = strstr(changed, changes[k][0]);
      assert_non_null(at);
      memcpy(at, changes[k][1], strlen(changes[k][1]));
    }
    memplan_plan plan;
    memplan_plan_init(&plan);
    if (memplan_plan_read_text(changed, strlen(changed), "p.json", true, &plan, &error) != MEMPLAN_OK) {
      fail_msg("%s", error.message);
    }
    assert_int_equal(verifies(&problem, &plan, k >= 0 ? changes[k][2] : ""), k < 0);
    memplan_plan_free(&plan);
    free(changed);
  }
  free(text);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Heaviest clique by trying all sets.
static int64_t heaviest(const int64_t *bytes, const uint32_t *conflicts, int32_t n) {
  int64_t best = 0;
  for (uint32_t set = 0; set < UINT32_C(1) << n; set++) {
    int64_t sum = 0;
    bool good = true;
    for (int32_t k = 0; k < n && good; k++) {
      if ((set >> k & 1) != 0) {
        sum += bytes[k];
        good = (set & ~conflicts[k] & ~(UINT32_C(1) << k)) == 0;
      }
    }
    best = good && sum > best ? sum : best;
  }
  return best;
}

static void against_enumeration(void **state) {
  (void)state;
  int32_t n_heaviest = 0, n_above = 0;
  enum { rounds = 300 };
  for (uint64_t index = 0; index < rounds; index++) {
    random_state random = random_start(88, index);
    memplan_problem problem;
    memplan_bounds bounds;
    memplan_error error = {0};
    int64_t bytes[12], largest = 0;
    uint32_t conflicts[12] = {0};
    int32_t n = 3 + random_below(&random, 7), n_pairs = 0, density = 20 + random_below(&random, 60);
    build_instance(&problem);
    for (int32_t k = 0; k < n; k++) {
      char id[16];
      (void)snprintf(id, sizeof id, "b%d", (int)k);
      bytes[k] = 1 + random_below(&random, 9);
      largest = bytes[k] > largest ? bytes[k] : largest;
      never_live(&problem, id, bytes[k]);
    }
    for (int32_t a = 0; a < n; a++) {
      for (int32_t b = a + 1; b < n && n_pairs < BUILD_RULES; b++) {
        if (random_chance(&random, density)) {
          problem.instance.conflicts[problem.instance.n_conflicts++] = (memplan_rule){.first = a, .second = b};
          conflicts[a] |= UINT32_C(1) << b;
          conflicts[b] |= UINT32_C(1) << a;
          n_pairs++;
        }
      }
    }
    build_finish(&problem);
    assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, &error), MEMPLAN_OK);
    const memplan_bound *clique = find_clique(&bounds);
    int64_t most = heaviest(bytes, conflicts, n);
    if (clique != NULL) {
      assert_true(clique->bytes <= most);
      assert_true(proves(&problem, clique->buffers, clique->n_buffers, clique->bytes, ""));
    }
    int64_t found = clique != NULL && clique->bytes > largest ? clique->bytes : largest;
    n_heaviest += found == most ? 1 : 0;
    memplan_solution solution = solve(&problem);
    assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
    assert_true(solution.plan.peak >= found);
    n_above += solution.plan.peak > most ? 1 : 0;
    memplan_solution_free(&solution);
    memplan_bounds_free(&bounds);
    memplan_problem_free(&problem);
  }
  assert_true(n_heaviest * 100 >= rounds * 98);
  assert_true(n_above > 0); // the bound is one, not the optimum
}

// Every buffer conflicts with every other one: half a million rules, whose clique is all of them.
static void dense(void **state) {
  (void)state;
  enum { n_buffers = 1000 };
  memplan_problem problem;
  memplan_error error = {0};
  build_instance(&problem);
  memplan_instance *instance = &problem.instance;
  instance->buffers = MEMPLAN_NEW(&instance->arena, memplan_buffer, n_buffers);
  instance->separate = MEMPLAN_NEW(&instance->arena, memplan_rule, n_buffers * (n_buffers - 1) / 2);
  assert_true(instance->buffers != NULL && instance->separate != NULL);
  int64_t sum = 0;
  for (int32_t k = 0; k < n_buffers; k++) {
    char id[16];
    (void)snprintf(id, sizeof id, "b%04d", (int)k);
    const char *name = memplan_arena_text(&instance->arena, id, strlen(id));
    assert_non_null(name);
    instance->buffers[instance->n_buffers++] =
        (memplan_buffer){.id = name, .bytes = 1 + k % 7, .align = 1, .pin = -1, .offset = -1, .hint = -1};
    sum += 1 + k % 7;
    for (int32_t other = 0; other < k; other++) {
      instance->separate[instance->n_separate++] = (memplan_rule){other, k, 0};
    }
  }
  build_finish(&problem);
  memplan_bounds bounds;
  assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, &error), MEMPLAN_OK);
  const memplan_bound *clique = find_clique(&bounds);
  assert_non_null(clique);
  assert_int_equal(clique->bytes, sum);
  assert_int_equal(clique->n_buffers, n_buffers);
  memplan_bounds_free(&bounds);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),        cmocka_unit_test(beside_lifetimes),    cmocka_unit_test(checks_each_claim),
      cmocka_unit_test(plans_carry_it), cmocka_unit_test(against_enumeration), cmocka_unit_test(dense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
