// SPDX-License-Identifier: Apache-2.0
// The k-th allocation fails, for every k: cut bounds, their certificates and the check of these say so and leak
// nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "eval/check_proof.h"
#include "solvers/cut_proof.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/order_optimum.h"

enum { seed = 20240623 };

// Bounds, the certificate of one, and its check.
static memplan_status prove(const memplan_problem *problem, const memplan_bound *bound,
                            const memplan_proof_effort *effort, bool *proven, memplan_error *error) {
  memplan_bounds bounds;
  memplan_certificate certificate = {.text = NULL};
  memplan_check_result result = {.proven = false};
  memplan_status status = memplan_find_bounds(problem, NULL, &bounds, error);
  if (status == MEMPLAN_OK) {
    status = memplan_cut_certify(problem, bound != NULL ? bound : &bounds.bounds[0], NULL, effort, INT64_MAX,
                                 &certificate, error);
  }
  if (status == MEMPLAN_OK && certificate.text != NULL) {
    status = memplan_check_certificate(problem, certificate.text, certificate.length, &result, error);
  }
  *proven = status == MEMPLAN_OK && result.proven;
  memplan_certificate_free(&certificate);
  memplan_bounds_free(&bounds);
  return status;
}

static void starve(const memplan_problem *problem, const memplan_bound *bound, const memplan_proof_effort *effort) {
  memplan_status status = MEMPLAN_NOMEM;
  bool proven = false;
  int64_t before = failing_malloc_blocks();
  for (int64_t k = 0; status != MEMPLAN_OK || !proven; k++) {
    memplan_error error = {.message = ""};
    failing_malloc_once(k);
    status = prove(problem, bound, effort, &proven, &error);
    bool failed = failing_malloc_stop();
    assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
    assert_true(status == MEMPLAN_OK || error.message[0] != '\0');
    assert_int_equal(failing_malloc_blocks(), before);
    assert_true(failed || proven);
  }
}

static void nothing_leaks(void **state) {
  (void)state;
  static const memplan_proof_effort efforts[] = {{.first = INT64_MAX}, {.first = 0}};
  int32_t cuts = 0, probes = 0;
  json_set_alloc_funcs(__wrap_malloc, __wrap_free);
  for (uint64_t index = 0; index < 60; index++) {
    random_state random = random_start(seed, index);
    memplan_problem problem;
    order_random_dag(&random, 9, 12, &problem);
    build_finish(&problem);
    memplan_ordering ordering;
    assert_int_equal(memplan_ordering_init(&ordering, &problem.graph, &problem.options, NULL, NULL), MEMPLAN_OK);
    memplan_bound search = {.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = order_optimum(&ordering)};
    memplan_ordering_free(&ordering);
    memplan_bounds bounds;
    assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, NULL), MEMPLAN_OK);
    bool cut = bounds.bounds[0].kind == MEMPLAN_BOUND_CUT, loose = bounds.bounds[0].bytes < search.bytes, proven;
    memplan_bounds_free(&bounds);
    if (cut && cuts < 3) {
      starve(&problem, NULL, NULL);
      cuts++;
    }
    assert_int_equal(prove(&problem, &search, NULL, &proven, NULL), MEMPLAN_OK);
    if (loose && proven && probes < 3) {
      starve(&problem, &search, NULL);
      starve(&problem, &search, &efforts[0]);
      starve(&problem, &search, &efforts[1]);
      probes++;
    }
    memplan_problem_free(&problem);
  }
  assert_true(cuts > 0 && probes > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
