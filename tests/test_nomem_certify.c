// SPDX-License-Identifier: Apache-2.0
// The k-th allocation fails, for every k: certificates, their checks, cliques, pairs of conflicts and the lowering of
// reuse costs say so and leak nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "eval/check_proof.h"
#include "solvers/bounds.h"
#include "solvers/place_reuse.h"
#include "tests/support/build_problem.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/temporary_body.h"

typedef struct subject {
  memplan_problem *problem;
  memplan_solution *solution;
} subject;

static memplan_solution solve(const memplan_problem *problem) {
  memplan_solution solution;
  memplan_error error = {0};
  memplan_solve_options options = memplan_solve_options_default();
  options.limits.threads = 1;
  memplan_solution_init(&solution);
  assert_int_equal(memplan_solve(problem, &options, &solution, &error), MEMPLAN_OK);
  return solution;
}

static memplan_status certify_and_check(const subject *what, memplan_error *error) {
  memplan_limits limits = memplan_limits_default();
  memplan_certificate certificate;
  limits.threads = 1;
  memplan_status status = memplan_certify(what->problem, what->solution, &limits, 1 << 20, &certificate, error);
  memplan_check_result result = {.proven = false};
  if (status == MEMPLAN_OK) {
    status = memplan_check_certificate(what->problem, certificate.text, certificate.length, &result, error);
  }
  // A line that the parser had no memory for, all of it or a part, proves nothing.
  status = status == MEMPLAN_OK && !result.proven ? MEMPLAN_NOMEM : status;
  memplan_certificate_free(&certificate);
  return status;
}

static memplan_status find_clique(const subject *what, memplan_error *error) {
  memplan_arena arena = {0};
  memplan_bound_list list = {.count = 0};
  memplan_status status = memplan_bound_clique(&what->problem->instance, NULL, &arena, &list, error);
  assert_true(status != MEMPLAN_OK || list.count == 1);
  memplan_arena_free(&arena);
  return status;
}

static memplan_status write_pairs(const subject *what, memplan_error *error) {
  memplan_export_report report;
  char *pairs = NULL, *text = NULL;
  size_t length;
  memplan_export_options options = {.conflicts = &pairs};
  memplan_export_report_init(&report);
  memplan_status status = memplan_export_text(what->problem, NULL, "csv", &options, &text, &length, &report, error);
  memplan_export_report_free(&report);
  free(pairs);
  free(text);
  return status;
}

static memplan_status lower_reuse(const subject *what, memplan_error *error) {
  const memplan_instance *instance = &what->problem->instance;
  static const int64_t offset[2], most[1] = {20};
  static const int32_t pool[2];
  memplan_limits limits = memplan_limits_default();
  memplan_arena arena = {0};
  memplan_placement placement = {.offset = offset, .pool = pool};
  memplan_status status = memplan_place_lower_reuse(instance, most, &limits, &placement, &arena, error);
  assert_int_equal(memplan_instance_reuse_cost(instance, placement.offset, placement.pool),
                   status == MEMPLAN_OK ? 0 : 5);
  memplan_arena_free(&arena);
  return status;
}

static void starve(memplan_status (*run)(const subject *what, memplan_error *error), const subject *what) {
  memplan_status status = MEMPLAN_NOMEM;
  int64_t before = failing_malloc_blocks();
  for (int64_t k = 0; status != MEMPLAN_OK; k++) {
    for (int twice = 0; twice < 2; twice++) {
      memplan_error error = {0};
      if (twice == 0) {
        failing_malloc_once(k);
      } else {
        failing_malloc_from(k);
      }
      status = run(what, &error);
      bool failed = failing_malloc_stop();
      assert_int_equal(status, failed ? MEMPLAN_NOMEM : MEMPLAN_OK);
      // a text of open_memstream is not counted until it is freed
      assert_true(run == write_pairs || failing_malloc_blocks() == before);
    }
  }
}

// Of every order: what is written of the plan's own order, which may have failed, is of no use then.
// `texts` of open_memstream are not counted until they are freed.
static void starve_every_order(const subject *what, int64_t texts) {
  bool failed = true;
  for (int64_t k = 0; failed; k++) {
    memplan_error error = {0};
    int64_t before = failing_malloc_blocks();
    failing_malloc_once(k);
    memplan_status status = certify_and_check(what, &error);
    failed = failing_malloc_stop();
    assert_true(status == MEMPLAN_OK || (failed && status == MEMPLAN_NOMEM));
    assert_in_range(before - failing_malloc_blocks(), 0, texts);
  }
}

static void of_a_graph(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  (void)build_tensor(&problem.graph, "x", 3, MEMPLAN_ROLE_INPUT);
  problem.graph.tensors[build_tensor(&problem.graph, "a", 8, 0)].align = 8;
  (void)build_tensor(&problem.graph, "b", 5, 0);
  (void)build_tensor(&problem.graph, "y", 5, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(&problem.graph, "one", "x", "a");
  (void)build_op(&problem.graph, "two", "x a", "b");
  build_inplace(&problem.graph, build_op(&problem.graph, "three", "b", "y"), "y", "b");
  build_finish(&problem);
  memplan_solution solution = solve(&problem);
  solution.plan.bound.joint = false; // on its order; of every order: test_nomem_cut
  starve(certify_and_check, &(subject){&problem, &solution});
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Of every order, with a certificate of a body.
static void of_bodies(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  (void)build_tensor(&problem.graph, "v", 64, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(&problem.graph, "y", 64, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(&problem.graph, "if0", "v", "y");
  build_body(&problem.graph, "if0", "then_branch", temporary_body(&problem, 100), true);
  build_finish(&problem);
  memplan_solution solution = solve(&problem);
  starve_every_order(&(subject){&problem, &solution}, 1);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

// Of every order of one of two pools, or of both.
static void starve_pools(bool both) {
  static const int32_t far[] = {1}, near[] = {0};
  memplan_pool pools[2] = {{.id = "near", .capacity = -1}, {.id = "far", .capacity = -1}};
  memplan_problem problem;
  build_graph(&problem);
  memplan_tensor *input = &problem.graph.tensors[build_tensor(&problem.graph, "x", 3, MEMPLAN_ROLE_INPUT)];
  input->pools = near;
  input->n_pools = both ? 1 : 0;
  memplan_tensor *only = &problem.graph.tensors[build_tensor(&problem.graph, "a", 8, 0)];
  only->pools = far;
  only->n_pools = 1;
  (void)build_tensor(&problem.graph, "y", 5, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(&problem.graph, "one", "x", "a");
  (void)build_op(&problem.graph, "two", "a", "y");
  problem.graph.pools = pools;
  problem.graph.n_pools = 2;
  build_finish(&problem);
  memplan_solution solution = solve(&problem);
  starve_every_order(&(subject){&problem, &solution}, both ? 2 : 0);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void of_pools(void **state) {
  (void)state;
  starve_pools(false);
  starve_pools(true);
}

static void of_several_pools(void **state) {
  (void)state;
  static const int32_t far[] = {1}, near[] = {0};
  memplan_pool pools[2] = {{.id = "near", .capacity = -1}, {.id = "far", .capacity = -1}};
  memplan_problem problem;
  build_instance(&problem);
  for (int32_t k = 0; k < 4; k++) {
    static const char *const ids[] = {"a", "b", "c", "d"};
    memplan_buffer *buffer = build_buffer(&problem.instance, ids[k], k / 2, k / 2 + 2, 3 + k);
    buffer->pools = k % 2 == 0 ? near : far;
    buffer->n_pools = 1;
  }
  problem.instance.pools = pools;
  problem.instance.n_pools = 2;
  build_finish(&problem);
  memplan_solution solution = solve(&problem);
  starve_every_order(&(subject){&problem, &solution}, 2);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void of_conflicts(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  (void)build_buffer(&problem.instance, "a", 0, 2, 3);
  (void)build_buffer(&problem.instance, "b", 1, 3, 4);
  (void)build_buffer(&problem.instance, "d", 5, 6, 2);
  build_separate(&problem.instance, "d", "a");
  build_separate(&problem.instance, "b", "d");
  build_finish(&problem);
  memplan_solution solution = solve(&problem);
  subject what = {&problem, &solution};
  starve(certify_and_check, &what);
  starve(find_clique, &what);
  starve(write_pairs, &what);
  memplan_solution_free(&solution);
  memplan_problem_free(&problem);
}

static void of_penalties(void **state) {
  (void)state;
  memplan_reuse reuse = {.first = 0, .second = 1, .cost = 5};
  memplan_problem problem;
  build_instance(&problem);
  (void)build_buffer(&problem.instance, "a", 0, 1, 10);
  (void)build_buffer(&problem.instance, "b", 1, 2, 10);
  problem.instance.reuse = &reuse;
  problem.instance.n_reuse = 1;
  build_finish(&problem);
  starve(lower_reuse, &(subject){&problem, NULL});
  memplan_problem_free(&problem);
}

int main(void) {
  json_set_alloc_funcs(__wrap_malloc, __wrap_free);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_a_graph),       cmocka_unit_test(of_bodies),    cmocka_unit_test(of_pools),
      cmocka_unit_test(of_several_pools), cmocka_unit_test(of_conflicts), cmocka_unit_test(of_penalties),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
