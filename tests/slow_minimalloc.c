// SPDX-License-Identifier: Apache-2.0
// MiniMalloc's D and J are packed at their loads within a fixed amount of work, D by any seed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/memplan.h"
#include "solvers/place_duel.h"

// Epochs until the peak is at most `good`, or the ticks are spent: the peak reached.
static int64_t pack(const char *name, uint64_t seed, int64_t good, int64_t ticks, int64_t *bound) {
  const char *data = getenv("MEMPLAN_DATA");
  if (data == NULL) {
    print_message("MEMPLAN_DATA is not set\n");
    skip();
  }
  char path[4096];
  (void)snprintf(path, sizeof path, "%s/minimalloc/%s.1048576.csv", data, name);
  memplan_problem problem;
  memplan_error error = {0};
  memplan_problem_init(&problem);
  assert_int_equal(memplan_read(path, NULL, NULL, &problem, &error), MEMPLAN_OK);
  const memplan_instance *instance = &problem.instance;
  int32_t *blocks = calloc((size_t)instance->n_blocks, sizeof *blocks);
  assert_non_null(blocks);
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    blocks[block] = block;
  }
  memplan_limits limits = memplan_limits_default();
  limits.seed = seed;
  int64_t capacity = 2 << 20;
  memplan_duel *duel;
  assert_int_equal(
      memplan_duel_new(instance, blocks, instance->n_blocks, &capacity, NULL, false, 0, &limits, &duel, &error),
      MEMPLAN_OK);
  assert_non_null(duel);
  const memplan_duel_state *now = memplan_duel_look(duel);
  while (!(now->found && now->peak <= good) && now->ticks < ticks) {
    assert_int_equal(memplan_duel_step(duel, &error), MEMPLAN_OK);
  }
  int64_t peak = now->peak;
  *bound = now->bound;
  print_message("%s, seed %d: %lld, bound %lld, after %lld ticks\n", name, (int)seed, (long long)peak,
                (long long)*bound, (long long)now->ticks);
  memplan_duel_free(duel);
  free(blocks);
  memplan_problem_free(&problem);
  return peak;
}

static void d_is_proven(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    int64_t bound, peak = pack("D", seed, 986112, INT64_C(4000000000), &bound);
    assert_int_equal(peak, 986112);
    assert_int_equal(bound, 986112);
  }
}

static void j_is_proven(void **state) {
  (void)state;
  int32_t proven = 0;
  for (uint64_t seed = 0; seed < 5; seed++) {
    int64_t bound, peak = pack("J", seed, 989184, MEMPLAN_WORK_DEFAULT, &bound);
    assert_true(peak >= 989184 && bound <= peak);
    proven += peak == bound;
  }
  assert_true(proven >= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(d_is_proven),
      cmocka_unit_test(j_is_proven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
