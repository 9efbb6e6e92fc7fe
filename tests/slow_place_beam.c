// SPDX-License-Identifier: Apache-2.0
// As test_place_beam.c, on twenty thousand problems.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/beam_case.h"

static void wide_beams_decide(void **state) {
  (void)state;
  int32_t problems = 0, above = 0;
  for (int32_t kind = 0; kind <= (int32_t)TINY_ALIGNED; kind++) {
    beam_tally counts = {0};
    check_beams((tiny_kind)kind, 10000, 43, &counts);
    assert_int_equal(counts.differences, 0);
    problems += counts.problems;
    above += counts.above;
  }
  assert_true(problems > 15000 && above > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wide_beams_decide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
