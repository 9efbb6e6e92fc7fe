// SPDX-License-Identifier: Apache-2.0
// The k-th allocation of the windows fails, for every k: each says so, leaks nothing, and leaves a placement that is
// not higher.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solvers/place_windows.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/precedence_case.h"

enum { MOST_BLOCKS = 64 };

// One block above the other.
static int64_t stack(const memplan_instance *instance, int32_t *blocks, int64_t *offset) {
  int64_t top = 0;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    blocks[block] = block;
    offset[block] = top;
    top += instance->blocks[block].bytes;
  }
  return top;
}

static bool are_placed(const memplan_instance *instance, const int64_t *offset) {
  for (int32_t a = 0; a < instance->n_blocks; a++) {
    for (int32_t b = 0; b < a; b++) {
      const memplan_block *x = &instance->blocks[a], *y = &instance->blocks[b];
      if (x->start < y->end && y->start < x->end && offset[a] < offset[b] + y->bytes &&
          offset[b] < offset[a] + x->bytes) {
        return false;
      }
    }
  }
  return true;
}

// False: some allocation failed.
static bool step_twice(const memplan_instance *instance) {
  memplan_limits limits = memplan_limits_default();
  memplan_error error = {0};
  int32_t blocks[MOST_BLOCKS];
  int64_t offset[MOST_BLOCKS];
  int64_t top = stack(instance, blocks, offset);
  memplan_windows *windows = NULL;
  limits.threads = 1;
  memplan_status status =
      memplan_windows_new(instance, blocks, instance->n_blocks, 8, offset, 0, &limits, &windows, &error);
  for (int k = 0; status == MEMPLAN_OK && k < 2; k++) {
    status = memplan_windows_step(windows, 0, &error);
    assert_true(memplan_windows_look(windows)->peak <= top);
  }
  assert_true(status == MEMPLAN_OK || status == MEMPLAN_NOMEM);
  assert_true(status == MEMPLAN_OK || error.message[0] != '\0');
  assert_true(are_placed(instance, offset));
  memplan_windows_free(windows);
  return status == MEMPLAN_OK;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  random_state random = random_start(77, 3);
  tight_case one;
  memplan_problem problem;
  tight_random(&random, 9, 24, false, &one);
  tight_problem(&one, &problem);
  assert_true(problem.instance.n_blocks <= MOST_BLOCKS);
  int64_t before = failing_malloc_blocks(), failures = 0;
  for (bool good = false; !good; failures++) {
    failing_malloc_once(failures);
    good = step_twice(&problem.instance);
    assert_true(failing_malloc_stop() || good);
    assert_int_equal(failing_malloc_blocks(), before);
  }
  assert_true(failures > 100);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
