// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of a precedence search, its proof and the check of that fails, for every k: each says so and
// leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "eval/check_proof.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/precedence_case.h"

enum { TEXT = 1 << 16 };

// Searches with a log and proves. False: some allocation failed.
static bool search_and_prove(const memplan_problem *problem, const memplan_place_problem *form, char *text,
                             size_t *length) {
  memplan_precedence_settings settings = memplan_precedence_settings_default();
  settings.proof = true;
  memplan_precedence *search = memplan_precedence_new(form, 0, form->pool_start[1] + 1, &settings);
  if (search == NULL) {
    return false;
  }
  memplan_precedence_result result;
  do {
    result = memplan_precedence_run(search, 200);
  } while (result != MEMPLAN_PRECEDENCE_CLOSED && result != MEMPLAN_PRECEDENCE_NOMEM);
  memplan_arena arena = {0};
  memplan_proof proof;
  bool found = false;
  bool good = result == MEMPLAN_PRECEDENCE_CLOSED && memplan_precedence_prove(search, &arena, &proof, &found);
  if (good) {
    assert_true(found);
    FILE *out = fmemopen(text, TEXT, "w");
    assert_non_null(out);
    good = memplan_proof_write(&proof, &problem->instance, form, problem->fingerprint, NULL, out);
    assert_int_equal(fclose(out), 0);
    *length = good ? strlen(text) : 0;
  }
  memplan_arena_free(&arena);
  memplan_precedence_free(search);
  return good;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  static char text[TEXT];
  random_state random = random_start(77, 3);
  tight_case one;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem form;
  tight_random(&random, 9, 24, false, &one);
  tight_problem(&one, &problem);
  precedence_build(&problem.instance, 40, &arena, &form);
  int64_t before = failing_malloc_blocks();
  size_t length = 0;
  bool good = false;
  for (int64_t k = 0; !good; k++) {
    failing_malloc_once(k);
    good = search_and_prove(&problem, &form, text, &length);
    bool failed = failing_malloc_stop();
    assert_true(good || failed);
    assert_int_equal(failing_malloc_blocks(), before);
  }
  memplan_check_result result = {.proven = false};
  memplan_status status = MEMPLAN_NOMEM;
  for (int64_t k = 0; status != MEMPLAN_OK; k++) {
    memplan_error error = {0};
    failing_malloc_once(k);
    status = memplan_check_certificate(&problem, text, length, &result, &error);
    bool failed = failing_malloc_stop();
    assert_true(status == MEMPLAN_OK || (status == MEMPLAN_NOMEM && failed));
    assert_int_equal(failing_malloc_blocks(), before);
  }
  assert_true(result.proven);
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
