// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of the beams' workers fails, for every k: each says so and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solvers/place_beams.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/precedence_case.h"
#include "tests/support/tiny_placement.h"

// False: some allocation failed.
static bool step_twice(const memplan_place_problem *place, const memplan_place_shape *shape) {
  memplan_limits limits = memplan_limits_default();
  memplan_error error = {0};
  memplan_beams *beams;
  memplan_beams_news news = {0};
  int64_t load = tiny_load(place);
  memplan_status status = memplan_beams_new(shape, &limits, &beams, &error);
  for (int epoch = 0; status == MEMPLAN_OK && epoch < 2; epoch++) {
    assert_non_null(beams);
    memplan_epoch_part part;
    status = memplan_beams_begin(beams, load, load + 9, &part, &error);
    if (status == MEMPLAN_OK) {
      memplan_epoch_run(&part, 1, 1);
      status = memplan_beams_end(beams, &news, &error);
    }
  }
  assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
  assert_true(status == MEMPLAN_OK || error.message[0] != '\0');
  memplan_beams_free(beams);
  return status == MEMPLAN_OK;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  random_state random = random_start(77, 3);
  tight_case one;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem place;
  memplan_place_shape shape;
  memplan_error error = {0};
  tight_random(&random, 9, 24, false, &one);
  tight_problem(&one, &problem);
  precedence_build(&problem.instance, 100, &arena, &place);
  assert_int_equal(memplan_place_shape_build(&place, &arena, &shape, &error), MEMPLAN_OK);
  int64_t before = failing_malloc_blocks(), failures = 0;
  for (bool good = false; !good; failures++) {
    failing_malloc_once(failures);
    good = step_twice(&place, &shape);
    assert_true(failing_malloc_stop() || good);
    assert_int_equal(failing_malloc_blocks(), before);
  }
  assert_true(failures > 20);
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
