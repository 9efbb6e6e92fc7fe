// SPDX-License-Identifier: Apache-2.0
// The search at a capacity: its answers, and each nogood that it learns.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/check_search.h"

static void check_answers(tiny_kind kind) {
  search_tally counts = {0};
  check_search(kind, 600, 23, false, &counts);
  assert_int_equal(counts.differences, 0);
  assert_true(counts.above > 0 || kind == TINY_PLAIN);
}

static void plain_answers_are_right(void **state) {
  (void)state;
  check_answers(TINY_PLAIN);
}

static void tight_answers_are_right(void **state) {
  (void)state;
  check_answers(TINY_TIGHT);
}

static void aligned_answers_are_right(void **state) {
  (void)state;
  check_answers(TINY_ALIGNED);
}

static void mixed_answers_are_right(void **state) {
  (void)state;
  check_answers(TINY_MIXED);
}

static void answers_with_pools_are_right(void **state) {
  (void)state;
  check_answers(TINY_POOLS);
}

static void nogoods_are_true(void **state) {
  (void)state;
  for (int32_t kind = 0; kind < TINY_KINDS; kind++) {
    search_tally counts = {0};
    check_search((tiny_kind)kind, 60, 12, true, &counts);
    assert_int_equal(counts.differences, 0);
    assert_true(counts.nogoods > 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_answers_are_right),      cmocka_unit_test(tight_answers_are_right),
      cmocka_unit_test(aligned_answers_are_right),    cmocka_unit_test(mixed_answers_are_right),
      cmocka_unit_test(answers_with_pools_are_right), cmocka_unit_test(nogoods_are_true),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
