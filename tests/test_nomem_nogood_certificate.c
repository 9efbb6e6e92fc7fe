// SPDX-License-Identifier: Apache-2.0
// The k-th allocation fails, for every k: certificates by nogoods and their check say so and leak nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "eval/check_proof.h"
#include "solvers/nogood_proof.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/joint_example.h"

static memplan_status prove(const memplan_problem *problem, int64_t claim, bool *proven, memplan_error *error) {
  memplan_certificate certificate;
  memplan_check_result result = {.proven = false};
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  memplan_status status = memplan_nogood_certify(problem, claim, &limits, INT64_MAX, &certificate, error);
  if (status == MEMPLAN_OK && certificate.text != NULL) {
    status = memplan_check_certificate(problem, certificate.text, certificate.length, &result, error);
  }
  memplan_certificate_free(&certificate);
  *proven = status == MEMPLAN_OK && result.proven;
  return status;
}

static void nothing_leaks(void **state) {
  (void)state;
  for (size_t example = 0; example < JOINT_EXAMPLES; example++) {
    memplan_problem problem;
    joint_example_build(&joint_examples[example], &problem);
    bool proven = false;
    for (int64_t k = 0; !proven; k++) {
      memplan_error error = {.message = ""};
      int64_t before = failing_malloc_blocks();
      failing_malloc_once(k);
      memplan_status status = prove(&problem, joint_examples[example].optimum, &proven, &error);
      bool failed = failing_malloc_stop();
      assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
      assert_true(status == MEMPLAN_OK || error.message[0] != '\0');
      assert_true(failed || proven);
      assert_true(failing_malloc_blocks() <= before); // a text of open_memstream is not counted until it is freed
    }
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks)};
  json_set_alloc_funcs(__wrap_malloc, __wrap_free);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
