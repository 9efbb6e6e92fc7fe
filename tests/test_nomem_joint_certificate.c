// SPDX-License-Identifier: Apache-2.0
// The k-th allocation fails, for every k: joint certificates and their check say so and leak nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "eval/check_proof.h"
#include "solvers/joint_proof.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/joint_example.h"

// Of the whole graph, or of a window that holds all of its operators.
static memplan_status prove(const memplan_problem *problem, int64_t bytes, bool window, bool *proven,
                            memplan_error *error) {
  const char *ops[16];
  memplan_joint_claim claim = {.bytes = bytes, .ops = window ? ops : NULL, .n_ops = problem->graph.n_ops};
  assert_true(claim.n_ops <= 16);
  for (int32_t op = 0; op < claim.n_ops; op++) {
    ops[op] = problem->graph.ops[op].id;
  }
  memplan_certificate certificate;
  memplan_check_result result = {.proven = false};
  memplan_status status = memplan_joint_certify_claim(problem, &claim, NULL, INT64_MAX, &certificate, error);
  if (status == MEMPLAN_OK && certificate.text != NULL) {
    status = memplan_check_certificate(problem, certificate.text, certificate.length, &result, error);
  }
  memplan_certificate_free(&certificate);
  *proven = status == MEMPLAN_OK && result.proven;
  return status;
}

static void nothing_leaks(void **state) {
  (void)state;
  for (size_t k = 0; k < 2 * JOINT_EXAMPLES; k++) {
    const joint_example *example = &joint_examples[k / 2];
    memplan_problem problem;
    joint_example_build(example, &problem);
    int64_t before = failing_malloc_blocks();
    bool proven = false;
    for (int64_t good = 0; !proven; good++) {
      memplan_error error = {.message = ""};
      failing_malloc_once(good);
      memplan_status status = prove(&problem, example->optimum, k % 2 == 1, &proven, &error);
      bool failed = failing_malloc_stop();
      assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
      assert_true(status == MEMPLAN_OK || error.message[0] != '\0');
      assert_true(failed || proven);
      assert_int_equal(failing_malloc_blocks(), before);
    }
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks)};
  json_set_alloc_funcs(__wrap_malloc, __wrap_free);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
