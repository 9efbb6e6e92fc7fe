// SPDX-License-Identifier: Apache-2.0
// Cores of capacities that are too small: they do not fit, and do without any one of their blocks, by brute force.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/explain_fits.h"
#include "tests/support/place_method.h"
#include "tests/support/unknown_fit.h"

// ---- brute force: every pool and offset of every block

typedef struct spot {
  int64_t offset;
  int32_t pool;
} spot;

static bool stands(const memplan_instance *instance, int32_t index, spot at, int64_t capacity) {
  const memplan_block *block = &instance->blocks[index];
  const memplan_pool *pool = &instance->pools[at.pool];
  bool admitted = false;
  for (int32_t k = 0; k < block->n_pools; k++) {
    admitted |= instance->block_pools[block->first_pool + k] == at.pool;
  }
  if (!admitted || (block->pin >= 0 && block->pin != at.offset) ||
      (pool->base + at.offset) % block->align != block->residue || at.offset + block->bytes > capacity ||
      (pool->capacity >= 0 && at.offset + block->bytes > pool->capacity)) {
    return false;
  }
  for (int32_t m = 0; m < block->n_members; m++) {
    const memplan_member *member = &instance->members[block->first_member + m];
    int64_t low = at.offset + member->delta, high = low + instance->buffers[member->buffer].bytes;
    for (int32_t k = 0; k < pool->n_reserved; k++) {
      if (low < high && pool->reserved[k].start < pool->reserved[k].end && pool->reserved[k].start < high &&
          low < pool->reserved[k].end) {
        return false;
      }
    }
  }
  return true;
}

static bool place_rest(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int32_t at,
                       int64_t capacity, spot *spots) {
  if (at == n_blocks) {
    return true;
  }
  spot *own = &spots[at];
  for (own->pool = 0; own->pool < instance->n_pools; own->pool++) {
    for (own->offset = 0; own->offset <= capacity; own->offset++) {
      bool fits = stands(instance, blocks[at], *own, capacity);
      for (int32_t k = 0; k < at && fits; k++) {
        fits = own->pool != spots[k].pool || place_agree(instance, blocks[at], own->offset, blocks[k], spots[k].offset);
      }
      if (fits && place_rest(instance, blocks, n_blocks, at + 1, capacity, spots)) {
        return true;
      }
    }
  }
  return false;
}

static bool fits_by_force(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int64_t capacity) {
  spot spots[BUILD_BUFFERS] = {{0}};
  return place_rest(instance, blocks, n_blocks, 0, capacity, spots);
}

static memplan_status force(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int64_t capacity,
                            int64_t ticks, const memplan_limits *limits, memplan_fit *fit, memplan_error *error) {
  (void)limits;
  (void)error;
  assert_true(ticks > 0);
  for (int32_t k = 0; k < n_blocks; k++) {
    assert_true(instance->blocks[blocks[k]].bytes > 0);
    assert_true(k == 0 || blocks[k - 1] < blocks[k]);
  }
  *fit = fits_by_force(instance, blocks, n_blocks, capacity) ? MEMPLAN_FIT_YES : MEMPLAN_FIT_NO;
  return MEMPLAN_OK;
}

static memplan_solve_options quiet_options(void) {
  memplan_solve_options solve = memplan_solve_options_default();
  solve.limits = memplan_limits_start(&solve.limits);
  solve.limits.threads = 1;
  solve.place = "best-fit";
  return solve;
}

static void ask(const memplan_instance *instance, int64_t capacity, memplan_fits_function fits, memplan_arena *arena,
                memplan_capacity_answer *answer) {
  memplan_solve_options solve = quiet_options();
  const memplan_capacity_task task = {.instance = instance, .capacity = capacity, .solve = &solve, .fits = fits};
  memplan_error error = {.message = ""};
  if (memplan_capacity_explain(&task, arena, answer, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

// ---- worked examples

static void load_witness(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  (void)build_buffer(&problem.instance, "a", 0, 4, 10);
  (void)build_buffer(&problem.instance, "b", 2, 5, 7);
  (void)build_buffer(&problem.instance, "c", 2, 3, 4);
  (void)build_buffer(&problem.instance, "d", 8, 9, 15);
  build_finish(&problem);
  memplan_arena arena = {0};
  memplan_capacity_answer answer;
  ask(&problem.instance, 15, unknown_fit, &arena, &answer);
  assert_int_equal(answer.fit, MEMPLAN_FIT_NO);
  assert_int_equal(answer.kind, MEMPLAN_CORE_LOAD);
  assert_int_equal(answer.time, 2);
  assert_int_equal(answer.needs, 21); // a, b and c at once
  assert_int_equal(answer.n_blocks, 2);
  assert_int_equal(answer.blocks[0], place_block_of(&problem.instance, "a"));
  assert_int_equal(answer.blocks[1], place_block_of(&problem.instance, "b"));
  assert_int_equal(answer.load, 17);
  assert_int_equal(answer.core_needs, 17);
  assert_true(answer.core_exact);
  assert_int_equal(answer.n_unproven, 0);
  ask(&problem.instance, 21, unknown_fit, &arena, &answer);
  assert_int_equal(answer.fit, MEMPLAN_FIT_YES);
  assert_int_equal(answer.peak, 21);
  ask(&problem.instance, 9, unknown_fit, &arena, &answer);
  assert_int_equal(answer.kind, MEMPLAN_CORE_BUFFER);
  assert_int_equal(answer.n_blocks, 1);
  assert_int_equal(answer.core_needs, 15); // d, the largest
  assert_int_equal(answer.needs, 21);
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

// Load 4, optimum 5: the smallest kind of instance whose optimum lies above its load, and a bystander.
static void build_tight(memplan_problem *problem) {
  build_instance(problem);
  (void)build_buffer(&problem->instance, "far", 50, 60, 3);
  (void)build_buffer(&problem->instance, "p", 0, 6, 1);
  (void)build_buffer(&problem->instance, "q", 0, 2, 3);
  (void)build_buffer(&problem->instance, "r", 4, 9, 2);
  (void)build_buffer(&problem->instance, "s", 6, 11, 2);
  (void)build_buffer(&problem->instance, "t", 9, 13, 1);
  (void)build_buffer(&problem->instance, "u", 11, 13, 3);
  problem->instance.buffers[1].pin = 1;
  build_finish(problem);
}

static void search_witness(void **state) {
  (void)state;
  memplan_problem problem;
  build_tight(&problem);
  memplan_arena arena = {0};
  memplan_capacity_answer answer;
  ask(&problem.instance, 4, force, &arena, &answer);
  assert_int_equal(answer.fit, MEMPLAN_FIT_NO);
  assert_int_equal(answer.kind, MEMPLAN_CORE_SEARCH);
  assert_int_equal(answer.n_blocks, 2); // p, fixed to byte 1, and q
  assert_int_equal(answer.needs, 5);
  assert_true(answer.core_exact);
  assert_int_equal(answer.rank, -1);
  ask(&problem.instance, 4, unknown_fit, &arena, &answer);
  assert_int_equal(answer.fit, MEMPLAN_FIT_UNKNOWN);
  ask(&problem.instance, 5, force, &arena, &answer);
  assert_int_equal(answer.fit, MEMPLAN_FIT_YES);
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

static void pools_by_load(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_instance *instance = &problem.instance;
  static const memplan_interval reserved[] = {{0, 2}, {1, 3}};
  memplan_pool pools[2] = {{.id = "near", .capacity = 10, .reserved = reserved, .n_reserved = 2},
                           {.id = "far", .capacity = 20}};
  static const int32_t near[] = {0};
  instance->pools = pools;
  instance->n_pools = 2;
  for (int32_t k = 0; k < 3; k++) {
    memplan_buffer *buffer = build_buffer(instance, k == 0 ? "a" : k == 1 ? "b" : "c", k, 6, 4);
    buffer->pools = near;
    buffer->n_pools = 1;
  }
  (void)build_buffer(instance, "d", 0, 9, 16);
  build_finish(&problem);
  memplan_arena arena = {0};
  memplan_capacity_answer answer;
  ask(instance, -1, unknown_fit, &arena, &answer);
  assert_int_equal(answer.fit, MEMPLAN_FIT_NO);
  assert_int_equal(answer.kind, MEMPLAN_CORE_LOAD);
  assert_int_equal(answer.pool, 0);
  assert_int_equal(answer.room, 7);
  assert_int_equal(answer.capacity, 10);
  assert_int_equal(answer.needs, 15);
  assert_int_equal(answer.n_blocks, 2);
  instance->pools[0].capacity = 15;
  ask(instance, -1, unknown_fit, &arena, &answer);
  assert_int_equal(answer.fit, MEMPLAN_FIT_YES);
  instance->pools[1].capacity = 15;
  ask(instance, -1, unknown_fit, &arena, &answer);
  assert_int_equal(answer.kind, MEMPLAN_CORE_BUFFER);
  assert_int_equal(answer.n_blocks, 1);
  assert_string_equal(instance->buffers[instance->members[instance->blocks[answer.blocks[0]].first_member].buffer].id,
                      "d");
  instance->pools[0].capacity = instance->pools[1].capacity = -1;
  memplan_solve_options solve = quiet_options();
  const memplan_capacity_task task = {.instance = instance, .capacity = -1, .solve = &solve, .fits = unknown_fit};
  memplan_error error;
  assert_int_equal(memplan_capacity_explain(&task, &arena, &answer, &error), MEMPLAN_INPUT);
  assert_non_null(strstr(error.message, "--capacity"));
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

static void a_search_that_gives_up_leaves_marks(void **state) {
  (void)state;
  memplan_problem problem;
  build_instance(&problem);
  memplan_buffer *pinned = build_buffer(&problem.instance, "pinned", 0, 3, 4);
  pinned->pin = 3;
  (void)build_buffer(&problem.instance, "a", 0, 3, 6);
  (void)build_buffer(&problem.instance, "b", 1, 3, 2);
  build_finish(&problem);
  memplan_arena arena = {0};
  memplan_capacity_answer answer;
  ask(&problem.instance, 9, unknown_fit, &arena, &answer);
  assert_int_equal(answer.fit, MEMPLAN_FIT_NO);
  assert_int_equal(answer.n_blocks, 2);
  assert_int_equal(answer.n_unproven, 1); // what remains without "a" is pinned: no stack decides it
  assert_false(answer.core_exact);
  assert_int_equal(answer.core_needs, 10);
  ask(&problem.instance, 9, force, &arena, &answer);
  assert_int_equal(answer.n_unproven, 0);
  assert_true(answer.core_exact);
  assert_int_equal(answer.core_needs, 13);
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

// ---- random instances

typedef struct tally {
  int32_t yes, load, search, buffer, wide; // cores of each kind, of three blocks or more
} tally;

static void check_core(const memplan_instance *instance, int64_t capacity, const memplan_capacity_answer *answer,
                       tally *seen) {
  int32_t rest[BUILD_BUFFERS], all[BUILD_BUFFERS], n_all = 0;
  for (int32_t k = 0; k < instance->n_blocks; k++) {
    if (instance->blocks[k].bytes > 0) {
      all[n_all++] = k;
    }
  }
  assert_false(fits_by_force(instance, answer->blocks, answer->n_blocks, capacity));
  assert_int_equal(answer->n_unproven, 0);
  for (int32_t out = 0; out < answer->n_blocks; out++) {
    int32_t count = 0;
    for (int32_t k = 0; k < answer->n_blocks; k++) {
      if (k != out) {
        rest[count++] = answer->blocks[k];
      }
    }
    assert_true(fits_by_force(instance, rest, count, capacity));
  }
  if (instance->n_pools == 1) {
    assert_true(answer->core_exact);
    assert_true(answer->needs > answer->capacity);
    memplan_instance wider = *instance;
    memplan_pool pool = instance->pools[0];
    pool.capacity = -1;
    wider.pools = &pool;
    assert_true(fits_by_force(&wider, answer->blocks, answer->n_blocks, answer->core_needs));
    assert_false(fits_by_force(&wider, answer->blocks, answer->n_blocks, answer->core_needs - 1));
    assert_false(fits_by_force(&wider, all, n_all, answer->needs - 1));
  }
  seen->load += answer->kind == MEMPLAN_CORE_LOAD;
  seen->search += answer->kind == MEMPLAN_CORE_SEARCH;
  seen->buffer += answer->kind == MEMPLAN_CORE_BUFFER;
  seen->wide += answer->n_blocks >= 3;
}

static void check_random(uint64_t seed, uint64_t index, const random_instance_options *wishes,
                         memplan_fits_function fits, tally *seen) {
  static const int64_t slack[] = {-4, -2, -1, 0, 1};
  random_state random = random_start(seed, index);
  memplan_problem problem;
  memplan_error error;
  random_instance(&random, wishes, &problem);
  if (build_try(&problem, &error) != MEMPLAN_OK) {
    memplan_problem_free(&problem);
    return;
  }
  memplan_load load;
  assert_int_equal(memplan_instance_load(&problem.instance, false, &load, &error), MEMPLAN_OK);
  for (size_t k = 0; k < sizeof slack / sizeof *slack; k++) {
    int64_t capacity = load.bytes / problem.instance.n_pools + slack[k];
    memplan_arena arena = {0};
    memplan_capacity_answer answer;
    if (capacity < 0) {
      continue;
    }
    ask(&problem.instance, capacity, fits, &arena, &answer);
    int32_t all[BUILD_BUFFERS], count = 0;
    for (int32_t b = 0; b < problem.instance.n_blocks; b++) {
      if (problem.instance.blocks[b].bytes > 0) {
        all[count++] = b;
      }
    }
    bool expected = fits_by_force(&problem.instance, all, count, capacity);
    if (answer.fit != (expected ? MEMPLAN_FIT_YES : MEMPLAN_FIT_NO)) {
      fail_msg("seed %d, index %d, capacity %d: answer %d", (int)seed, (int)index, (int)capacity, (int)answer.fit);
    }
    if (expected) {
      assert_true(answer.peak <= capacity);
      seen->yes++;
    } else {
      check_core(&problem.instance, capacity, &answer, seen);
    }
    memplan_arena_free(&arena);
  }
  memplan_problem_free(&problem);
}

// The search that the command uses, and brute force in its place.
static void cores_are_minimal(void **state) {
  (void)state;
  for (int32_t round = 0; round < 2; round++) {
    tally seen = {0};
    for (uint64_t index = 0; index < 1500; index++) {
      const random_instance_options wishes = {
          .max_buffers = 6, .max_bytes = 5, .pins = index % 3 == 1, .rules = index % 3 == 2};
      check_random(4711, index, &wishes, round == 0 ? force : memplan_blocks_fit, &seen);
    }
    assert_true(seen.yes > 500);
    assert_true(seen.load > 500);
    assert_true(seen.search > 100);
    assert_true(seen.buffer > 50);
    assert_true(seen.wide > 100);
  }
}

static void cores_of_pools(void **state) {
  (void)state;
  tally seen = {0};
  for (uint64_t index = 0; index < 1500; index++) {
    const random_instance_options wishes = {
        .max_buffers = 4, .max_bytes = 5, .pools = true, .pins = index % 3 == 1, .rules = index % 3 == 2};
    check_random(4712, index, &wishes, memplan_blocks_fit, &seen);
  }
  assert_true(seen.yes > 500);
  assert_true(seen.load > 200);
  assert_true(seen.search > 100);
  assert_true(seen.buffer > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(load_witness),      cmocka_unit_test(search_witness),
      cmocka_unit_test(pools_by_load),     cmocka_unit_test(a_search_that_gives_up_leaves_marks),
      cmocka_unit_test(cores_are_minimal), cmocka_unit_test(cores_of_pools)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
