// SPDX-License-Identifier: Apache-2.0
// Every registered placement method: what it places is valid, never below the optimum, and the same for shuffled rows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle.h"
#include "tests/support/place_method.h"

// ---- worked examples

static void build_six(memplan_problem *problem) {
  build_instance(problem);
  (void)build_buffer(&problem->instance, "A", 0, 2, 4);
  (void)build_buffer(&problem->instance, "B", 1, 4, 6);
  (void)build_buffer(&problem->instance, "C", 3, 6, 4);
  (void)build_buffer(&problem->instance, "D", 5, 7, 8);
  (void)build_buffer(&problem->instance, "E", 2, 3, 2);
  (void)build_buffer(&problem->instance, "F", 4, 5, 2);
  build_finish(problem);
}

static void six_buffers(void **state) {
  (void)state;
  memplan_problem problem;
  build_six(&problem);
  const memplan_instance *instance = &problem.instance;
  placement placed;
  assert_true(place_run(place_find("slot-greedy"), instance, &placed));
  static const char *const ids[] = {"A", "B", "C", "D", "E", "F"};
  for (int32_t k = 0; k < 6; k++) {
    int32_t block = place_block_of(instance, ids[k]);
    assert_int_equal(placed.result.slot[block], k % 2);
    assert_int_equal(placed.result.offset[block], k % 2 == 0 ? 0 : 4);
  }
  assert_int_equal(placed.result.n_slots, 2);
  assert_int_equal(memplan_instance_peak(instance, placed.result.offset), 12);
  memplan_arena_free(&placed.arena);
  assert_int_equal(place_peak("naive", instance), 26);
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == MEMPLAN_METHOD_PLACE) {
      assert_true(place_peak((*entry)->name, instance) >= 12);
    }
  }
  memplan_problem_free(&problem);
}

static void closed_lifetimes_need_two_slots(void **state) {
  (void)state;
  for (int32_t closed = 0; closed < 2; closed++) {
    memplan_problem problem;
    build_instance(&problem);
    (void)build_buffer(&problem.instance, "a", 0, 3 + closed, 7);
    (void)build_buffer(&problem.instance, "b", 3, 5 + closed, 7);
    build_finish(&problem);
    assert_int_equal(place_peak("slot-greedy", &problem.instance), closed == 1 ? 14 : 7);
    memplan_problem_free(&problem);
  }
}

static void slots_respect_rules(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_instance *instance = &problem.instance;
  (void)build_buffer(instance, "a", 0, 1, 5);
  build_buffer(instance, "b", 1, 2, 5)->align = 4;
  build_buffer(instance, "c", 2, 3, 5)->align = 8;
  build_buffer(instance, "pinned", 0, 3, 2)->pin = 1;
  (void)build_buffer(instance, "idle", 2, 2, 3);
  (void)build_buffer(instance, "empty", 0, 3, 0);
  build_separate(instance, "a", "c");
  build_finish(&problem);
  placement placed;
  assert_true(place_run(place_find("slot-greedy"), instance, &placed));
  assert_int_equal(placed.result.n_slots, 2);
  assert_int_equal(placed.result.slot[place_block_of(instance, "a")], 0);
  assert_int_equal(placed.result.slot[place_block_of(instance, "b")], 0);
  assert_int_equal(placed.result.slot[place_block_of(instance, "c")], 1);
  assert_int_equal(placed.result.slot[place_block_of(instance, "pinned")], -1);
  assert_int_equal(placed.result.slot[place_block_of(instance, "idle")], -1);
  assert_int_equal(placed.result.slot[place_block_of(instance, "empty")], -1);
  // Both occupants of slot 0 begin at one offset above the pinned bytes [1, 3) that suits the alignment of b.
  assert_int_equal(placed.result.offset[place_block_of(instance, "a")], 4);
  assert_int_equal(placed.result.offset[place_block_of(instance, "b")], 4);
  assert_int_equal(placed.result.offset[place_block_of(instance, "c")], 16);
  assert_int_equal(placed.result.offset[place_block_of(instance, "pinned")], 1);
  memplan_arena_free(&placed.arena);
  memplan_problem_free(&problem);
}

// Free between x and y: 10 bytes at [4, 14), below z 6 bytes at [16, 22). d needs 5: first-fit takes the lower gap,
// best-fit the smaller.
static void best_fit_takes_the_smallest_gap(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_instance *instance = &problem.instance;
  build_buffer(instance, "x", 0, 9, 4)->pin = 0;
  build_buffer(instance, "y", 0, 9, 2)->pin = 14;
  build_buffer(instance, "z", 0, 9, 2)->pin = 22;
  (void)build_buffer(instance, "d", 1, 3, 5);
  (void)build_buffer(instance, "e", 2, 4, 11);
  build_finish(&problem);
  placement placed;
  assert_true(place_run(place_find("best-fit"), instance, &placed));
  assert_int_equal(placed.result.offset[place_block_of(instance, "d")], 16);
  assert_int_equal(placed.result.offset[place_block_of(instance, "e")], 24);
  memplan_arena_free(&placed.arena);
  assert_true(place_run(place_find("first-fit-start"), instance, &placed));
  assert_int_equal(placed.result.offset[place_block_of(instance, "d")], 4);
  memplan_arena_free(&placed.arena);
  memplan_problem_free(&problem);
}

// Reserved [0, 16), base 4, alignment 8: the lowest legal offset is 20.
static void reserved_range_and_base(void **state) {
  (void)state;
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind != MEMPLAN_METHOD_PLACE) {
      continue;
    }
    static const memplan_interval reserved[] = {{0, 16}};
    memplan_pool pools[] = {{.id = "ram", .capacity = -1, .base = 4, .reserved = reserved, .n_reserved = 1}};
    memplan_problem problem;
    build_instance(&problem);
    problem.instance.pools = pools;
    problem.instance.n_pools = 1;
    build_buffer(&problem.instance, "a", 0, 1, 8)->align = 8;
    build_finish(&problem);
    placement placed;
    if (place_run(*entry, &problem.instance, &placed)) {
      assert_int_equal(placed.result.offset[0], 20);
    }
    memplan_arena_free(&placed.arena);
    memplan_problem_free(&problem);
  }
}

// What does not fit the preferred pool goes to the next one; what fits none is named.
static void pools_overflow(void **state) {
  (void)state;
  memplan_pool pools[] = {{.id = "fast", .capacity = 10}, {.id = "slow", .capacity = 20}};
  memplan_problem problem;
  build_instance(&problem);
  memplan_instance *instance = &problem.instance;
  instance->pools = pools;
  instance->n_pools = 2;
  (void)build_buffer(instance, "a", 0, 2, 8);
  (void)build_buffer(instance, "b", 0, 2, 7);
  (void)build_buffer(instance, "c", 0, 2, 2);
  build_finish(&problem);
  placement placed;
  assert_true(place_run(place_find("first-fit-size"), instance, &placed));
  assert_int_equal(placed.result.pool[place_block_of(instance, "a")], 0);
  assert_int_equal(placed.result.pool[place_block_of(instance, "b")], 1);
  assert_int_equal(placed.result.pool[place_block_of(instance, "c")], 0);
  assert_int_equal(placed.result.offset[place_block_of(instance, "c")], 8);
  memplan_arena_free(&placed.arena);
  memplan_problem_free(&problem);

  build_instance(&problem);
  instance->pools = pools;
  instance->n_pools = 2;
  (void)build_buffer(instance, "fits", 0, 2, 20);
  (void)build_buffer(instance, "large", 0, 2, 21);
  build_finish(&problem);
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == MEMPLAN_METHOD_PLACE && place_run(*entry, instance, &placed)) {
      assert_int_equal(placed.result.failed_block, place_block_of(instance, "large"));
      memplan_arena_free(&placed.arena);
    }
  }
  memplan_problem_free(&problem);
}

static void empty_instance(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  build_finish(&problem);
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind == MEMPLAN_METHOD_PLACE) {
      assert_int_equal(place_peak((*entry)->name, &problem.instance), 0);
    }
  }
  memplan_problem_free(&problem);
}

// ---- random instances

typedef struct coverage {
  int32_t placed, failed, declined, optima, pools, pins, apart, parts;
} coverage;

static void count_features(const memplan_instance *instance, coverage *seen) {
  bool pinned = false;
  bool parted = false;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    pinned |= instance->blocks[block].pin >= 0;
    parted |= instance->blocks[block].n_parts > 1;
  }
  seen->pools += instance->n_pools > 1;
  seen->pins += pinned;
  seen->apart += instance->n_apart > 0;
  seen->parts += parted;
}

static void check_valid(const memplan_problem *problem, const memplan_method *method, const placement *placed,
                        int64_t optimum, int32_t index) {
  const memplan_instance *instance = &problem->instance;
  oracle_place places[ORACLE_ITEMS];
  for (int32_t k = 0; k < instance->n_buffers; k++) {
    int32_t block = instance->block_of[k];
    for (int32_t m = 0; m < instance->blocks[block].n_members; m++) {
      const memplan_member *member = &instance->members[instance->blocks[block].first_member + m];
      if (member->buffer == k) {
        places[k] = (oracle_place){placed->result.offset[block] + member->delta, placed->result.pool[block]};
      }
    }
  }
  bool valid = oracle_instance_placement_is_valid(instance, &problem->options, places);
  int64_t peak = memplan_instance_peak(instance, placed->result.offset);
  if (!valid || peak < optimum) {
    print_error("%s on random instance %d: %s, peak %lld, optimum %lld\n", method->name, (int)index,
                valid ? "valid" : "invalid", (long long)peak, (long long)optimum);
  }
  assert_true(valid);
  assert_true(peak >= optimum);
}

static void check_instance(const memplan_problem *problem, int32_t index, coverage *seen) {
  const memplan_instance *instance = &problem->instance;
  int64_t optimum = -1;
  if (instance->n_pools == 1 && instance->n_buffers <= 5) {
    oracle_place best[ORACLE_ITEMS];
    optimum = oracle_instance_optimum(instance, &problem->options, 40, best);
    seen->optima += optimum >= 0;
  }
  memplan_load load;
  assert_int_equal(memplan_instance_load(instance, false, &load, NULL), MEMPLAN_OK);
  count_features(instance, seen);
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind != MEMPLAN_METHOD_PLACE) {
      continue;
    }
    placement placed;
    bool accepted = place_run(*entry, instance, &placed);
    seen->declined += !accepted;
    if (accepted && placed.result.failed_block < 0) {
      check_valid(problem, *entry, &placed, instance->n_pools == 1 && optimum < load.bytes ? load.bytes : optimum,
                  index);
      seen->placed++;
    } else if (accepted) {
      // Only a capacity can keep a buffer out.
      bool bounded = false;
      for (int32_t p = 0; p < instance->n_pools; p++) {
        bounded |= instance->pools[p].capacity >= 0;
      }
      assert_true(bounded || instance->n_pools > 1);
      seen->failed++;
    }
    memplan_arena_free(&placed.arena);
  }
}

static void random_instances(void **state) {
  (void)state;
  coverage seen = {0};
  for (int32_t index = 0; index < 3000; index++) {
    random_state random = random_start(41, (uint64_t)index);
    bool pools = random_chance(&random, 25);
    random_instance_options wishes = {.max_buffers = random_chance(&random, 40) ? 14 : 5,
                                      .max_bytes = 5,
                                      .pools = pools,
                                      .pins = true,
                                      .rules = true};
    memplan_problem problem;
    random_instance(&random, &wishes, &problem);
    memplan_error error = {.message = ""};
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      check_instance(&problem, index, &seen);
    }
    memplan_problem_free(&problem);
  }
  assert_true(seen.placed > 8000);
  assert_true(seen.failed > 50);
  assert_true(seen.declined > 100);
  assert_true(seen.optima > 500);
  assert_true(seen.pools > 100);
  assert_true(seen.pins > 300);
  assert_true(seen.apart > 300);
  assert_true(seen.parts > 300);
}

// ---- invariance

static void shuffled_rows_and_scaled_sizes(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  many *other = calloc(1, sizeof *other);
  assert_non_null(made);
  assert_non_null(other);
  for (int32_t index = 0; index < 10; index++) {
    random_state random = random_start(44, (uint64_t)index);
    place_make_many(&random, 150, 60, false, made);
    int32_t n = made->instance.n_buffers;
    memplan_instance_init(&other->instance);
    for (int32_t k = 0; k < n; k++) {
      other->live[k][0] = made->live[n - 1 - k][0];
      // Times stretched and shifted, sizes tripled, rows turned round.
      other->live[k][0].start = 10 * other->live[k][0].start - 7;
      other->live[k][0].end = 10 * other->live[k][0].end - 7;
      other->buffers[k] = made->buffers[n - 1 - k];
      other->buffers[k].bytes *= 3;
      other->buffers[k].align = 3;
      other->buffers[k].live = other->live[k];
      other->buffers[k].row = k;
    }
    other->instance.buffers = other->buffers;
    other->instance.n_buffers = n;
    assert_int_equal(memplan_instance_resolve(&other->instance, 1, NULL), MEMPLAN_OK);
    for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
      placement a;
      placement b;
      if ((*entry)->kind != MEMPLAN_METHOD_PLACE || !place_run(*entry, &made->instance, &a)) {
        continue;
      }
      assert_true(place_run(*entry, &other->instance, &b));
      for (int32_t k = 0; k < n; k++) {
        assert_int_equal(3 * a.result.offset[made->instance.block_of[k]],
                         b.result.offset[other->instance.block_of[n - 1 - k]]);
      }
      memplan_arena_free(&a.arena);
      memplan_arena_free(&b.arena);
    }
    memplan_instance_free(&made->instance);
    memplan_instance_free(&other->instance);
  }
  free(made);
  free(other);
}

// ---- limits

// A method that is stopped has no placement, and nothing that failed; only the cheapest runs to its end.
static void limits_stop_methods(void **state) {
  (void)state;
  many *made = calloc(1, sizeof *made);
  assert_non_null(made);
  random_state random = random_start(45, 0);
  place_make_many(&random, MANY_BUFFERS, 60, false, made);
  volatile int cancel = 1;
  memplan_limits limits = memplan_limits_default();
  limits.cancel = &cancel;
  int32_t stopped = 0;
  for (const memplan_method *const *entry = memplan_heuristics(); *entry != NULL; entry++) {
    if ((*entry)->kind != MEMPLAN_METHOD_PLACE) {
      continue;
    }
    memplan_arena arena = {0};
    memplan_task task = {.instance = &made->instance};
    memplan_method_result result = {.offset = MEMPLAN_NEW(&arena, int64_t, MANY_BUFFERS),
                                    .pool = MEMPLAN_NEW(&arena, int32_t, MANY_BUFFERS)};
    assert_non_null(result.offset);
    assert_non_null(result.pool);
    assert_int_equal((*entry)->run(&task, &limits, &result, NULL), MEMPLAN_OK);
    assert_int_equal(result.failed_block, -1);
    if (result.outcome == MEMPLAN_UNKNOWN) {
      assert_int_equal(result.stop, MEMPLAN_STOP_INTERRUPTED);
      stopped++;
    }
    assert_true(strcmp((*entry)->name, "naive") != 0 || result.outcome == MEMPLAN_FEASIBLE);
    memplan_arena_free(&arena);
  }
  assert_true(stopped >= 7); // skyline looks at the limits less often than there are buffers here
  memplan_instance_free(&made->instance);
  free(made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(six_buffers),
      cmocka_unit_test(closed_lifetimes_need_two_slots),
      cmocka_unit_test(slots_respect_rules),
      cmocka_unit_test(best_fit_takes_the_smallest_gap),
      cmocka_unit_test(reserved_range_and_base),
      cmocka_unit_test(pools_overflow),
      cmocka_unit_test(empty_instance),
      cmocka_unit_test(random_instances),
      cmocka_unit_test(shuffled_rows_and_scaled_sizes),
      cmocka_unit_test(limits_stop_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
