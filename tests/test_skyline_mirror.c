// SPDX-License-Identifier: Apache-2.0
// A skyline on mirrored time: what lies in one valley is out of sight of any other until the two are one, so that the
// order in which equal valleys are filled, the only thing that a direction of time could change, changes no offset.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "heuristics/skyline.h"
#include "tests/support/build_problem.h"
#include "tests/support/random_problem.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUFFERS = 24, TIMES = 14 };

typedef struct drawn_buffer {
  int64_t start, end, bytes, align;
} drawn_buffer;

static int64_t place(const drawn_buffer *drawn, int32_t n, bool mirrored, const int32_t *ranked, int64_t *offset) {
  memplan_problem problem;
  memplan_arena arena = {0};
  int32_t todo[BUFFERS];
  build_instance(&problem);
  for (int32_t k = 0; k < n; k++) {
    char id[16];
    (void)snprintf(id, sizeof id, "b%d", (int)k);
    int64_t start = mirrored ? TIMES - drawn[k].end : drawn[k].start;
    int64_t end = mirrored ? TIMES - drawn[k].start : drawn[k].end;
    build_buffer(&problem.instance, id, start, end, drawn[k].bytes)->align = drawn[k].align;
    todo[k] = k;
  }
  build_finish(&problem);
  assert_int_equal(problem.instance.n_blocks, n);
  memplan_skyline *skyline = memplan_skyline_new(&problem.instance, todo, n, &arena);
  assert_non_null(skyline);
  // Blocks are numbered by the instance, not in the order of the draw.
  int32_t block_ranked[BUFFERS], block_of_drawn[BUFFERS];
  int64_t block_offset[BUFFERS];
  for (int32_t b = 0; b < problem.instance.n_buffers; b++) {
    block_of_drawn[strtol(problem.instance.buffers[b].id + 1, NULL, 10)] = problem.instance.block_of[b];
  }
  for (int32_t k = 0; k < n; k++) {
    block_ranked[k] = block_of_drawn[ranked[k]];
  }
  memplan_fill fill = {.limit = INT64_MAX};
  int64_t peak = memplan_skyline_place(skyline, block_ranked, &fill, block_offset);
  for (int32_t k = 0; k < n; k++) {
    offset[k] = block_offset[block_of_drawn[k]];
  }
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
  return peak;
}

static void offsets_are_those_of_mirrored_time(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4000; seed++) {
    random_state random = random_start(35, seed);
    drawn_buffer drawn[BUFFERS];
    int32_t ranked[BUFFERS], n = 2 + random_below(&random, BUFFERS - 2);
    int64_t forward[BUFFERS], backward[BUFFERS];
    for (int32_t k = 0; k < n; k++) {
      int64_t start = random_below(&random, TIMES - 1);
      drawn[k] = (drawn_buffer){start, start + 1 + random_below(&random, (int32_t)(TIMES - 1 - start)),
                                1 + random_below(&random, 9), seed % 2 == 0 ? 1 : 1 << random_below(&random, 3)};
      int32_t at = random_below(&random, k + 1);
      ranked[k] = ranked[at];
      ranked[at] = k;
    }
    int64_t peak = place(drawn, n, false, ranked, forward);
    assert_true(peak > 0);
    assert_int_equal(place(drawn, n, true, ranked, backward), peak);
    for (int32_t k = 0; k < n; k++) {
      if (forward[k] != backward[k]) {
        fail_msg("seed %llu: buffer %d at %lld and at %lld", (unsigned long long)seed, (int)k, (long long)forward[k],
                 (long long)backward[k]);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(offsets_are_those_of_mirrored_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
