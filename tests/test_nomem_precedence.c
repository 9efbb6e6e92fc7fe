// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of a precedence search, its proof and the check of that fails, for every k, and that of searches
// side by side: each says so and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "eval/check_proof.h"
#include "solvers/place_precedences.h"
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

// False: some allocation failed.
static bool search_side_by_side(const memplan_place_problem *form) {
  memplan_precedence_settings settings = memplan_precedence_settings_default();
  int64_t lower = 0, upper = form->pool_start[1] + 1;
  memplan_precedences *searches = memplan_precedences_new(form, lower, upper, &settings, 0);
  memplan_error error = {0};
  memplan_status status = searches != NULL ? MEMPLAN_OK : memplan_fail_nomem(&error);
  while (status == MEMPLAN_OK && lower < upper) {
    memplan_epoch_part part;
    memplan_precedences_news news = {.lower = lower, .height = upper};
    status = memplan_precedences_begin(searches, lower, lower, upper, 300, &part, &error);
    if (status == MEMPLAN_OK) {
      memplan_epoch_run(&part, 1, 1);
      status = memplan_precedences_end(searches, &news, &error);
      lower = news.lower;
      upper = news.height;
    }
  }
  assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
  assert_true(status == MEMPLAN_OK || error.message[0] != '\0');
  memplan_precedences_free(searches);
  return status == MEMPLAN_OK;
}

static void every_allocation_side_by_side_may_fail(void **state) {
  (void)state;
  random_state random = random_start(77, 3);
  tight_case one;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem form;
  tight_random(&random, 9, 24, false, &one);
  tight_problem(&one, &problem);
  precedence_build(&problem.instance, 40, &arena, &form);
  int64_t before = failing_malloc_blocks();
  bool good = false;
  for (int64_t k = 0; !good; k++) {
    failing_malloc_once(k);
    good = search_side_by_side(&form);
    assert_true(failing_malloc_stop() || good);
    assert_int_equal(failing_malloc_blocks(), before);
  }
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(every_allocation_side_by_side_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
