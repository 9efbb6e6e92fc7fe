// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reduce_case.h"

#include "solvers/place_components.h"
#include "solvers/place_optimal.h"
#include "solvers/place_reduce.h"
#include "solvers/techniques.h"
#include "tests/support/oracle.h"
#include "tests/support/precedence_case.h"
#include "tests/support/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 10 };

// Long buffers, which may go to the bottom, and short ones, which may be left out.
static void add_buffers(random_state *random, memplan_instance *instance, int64_t last) {
  static const int64_t aligns[] = {1, 1, 1, 2, 4};
  int32_t n_long = random_below(random, 3);
  int32_t n_short = random_below(random, 5);
  for (int32_t k = 0; k < n_long + n_short; k++) {
    char id[24];
    (void)snprintf(id, sizeof id, "%s%d", k < n_long ? "long" : "short", (int)k);
    int64_t start = k < n_long ? 0 : random_below(random, (int32_t)last);
    int64_t end = k < n_long ? last + 4 : start + 1 + random_below(random, 2);
    int64_t bytes = 1 + random_below(random, k < n_long ? 8 : 2);
    build_buffer(instance, id, start, end, bytes)->align = aligns[random_below(random, 5)];
  }
}

static void add_pool(random_state *random, memplan_instance *instance) {
  memplan_pool *pool = MEMPLAN_NEW(&instance->arena, memplan_pool, 1);
  memplan_interval *reserved = MEMPLAN_NEW(&instance->arena, memplan_interval, 1);
  assert_non_null(pool);
  assert_non_null(reserved);
  *pool = (memplan_pool){.id = "ram", .capacity = random_chance(random, 50) ? 8 + random_below(random, 30) : -1};
  pool->base = random_chance(random, 50) ? random_below(random, 5) : 0;
  reserved->start = random_below(random, 20);
  reserved->end = reserved->start + 1 + random_below(random, 3);
  pool->reserved = reserved;
  pool->n_reserved = random_chance(random, 40) ? 1 : 0;
  instance->pools = pool;
  instance->n_pools = 1;
}

static void add_tight(random_state *random, memplan_instance *instance, const char *name, int64_t from) {
  tight_case one;
  tight_draw(random, &one);
  for (int32_t k = 0; k < one.n; k++) {
    char id[24];
    (void)snprintf(id, sizeof id, "%s%d", name, (int)k);
    build_buffer(instance, id, from + one.start[k], from + one.end[k], one.size[k])->align = one.align[k];
  }
}

static bool draw(uint64_t seed, memplan_problem *problem) {
  random_state random = random_start(74, seed);
  int64_t last = STEPS;
  if (random_chance(&random, 50)) {
    build_instance(problem);
    add_tight(&random, &problem->instance, "b", 0);
    if (random_chance(&random, 40)) { // what holds them together may go to the bottom
      add_tight(&random, &problem->instance, "c", STEPS);
      last = 2 * STEPS;
    }
  } else {
    random_instance_options wishes = {.max_buffers = 9, .max_bytes = 6};
    wishes.pins = random_chance(&random, 30);
    wishes.rules = random_chance(&random, 40);
    random_instance(&random, &wishes, problem);
  }
  add_buffers(&random, &problem->instance, last);
  if (random_chance(&random, 30)) {
    add_pool(&random, &problem->instance);
  }
  memplan_error error = {0};
  return build_try(problem, &error) == MEMPLAN_OK;
}

static bool is_valid(const memplan_problem *problem, const int64_t *offset, int64_t peak) {
  const memplan_instance *instance = &problem->instance;
  oracle_place places[ORACLE_ITEMS] = {0};
  int64_t end = 0;
  for (int32_t buffer = 0; buffer < instance->n_buffers; buffer++) {
    places[buffer].offset = offset[instance->block_of[buffer]] + instance->delta_of[buffer];
  }
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    int64_t top = instance->blocks[block].bytes > 0 ? offset[block] + instance->blocks[block].bytes : 0;
    end = top > end ? top : end;
  }
  return end == peak && oracle_instance_placement_is_valid(instance, &problem->options, places);
}

static void run(const memplan_problem *problem, memplan_optimal_task *task, memplan_arena *arena,
                memplan_optimal_result *result) {
  memplan_error error = {0};
  assert_int_equal(memplan_place_optimal(task, arena, result, &error), MEMPLAN_OK);
  if (result->placement.offset != NULL && !is_valid(problem, result->placement.offset, result->peak)) {
    fail_msg("rules left out %d: a placement of %lld bytes is invalid", (int)(task->without / MEMPLAN_TECHNIQUE_PARTS),
             (long long)result->peak);
  }
}

// What each component loses when the optimum is known.
static void count_reductions(const memplan_instance *instance, int64_t optimum, memplan_arena *arena,
                             reduce_tally *tally) {
  memplan_error error = {0};
  memplan_place_components parts;
  int64_t *offset = MEMPLAN_NEW(arena, int64_t, instance->n_blocks);
  assert_non_null(offset);
  assert_int_equal(memplan_place_components_find(instance, arena, &parts, &error), MEMPLAN_OK);
  bool split = false, reduced = false;
  for (int32_t c = 0; c < parts.n_components; c++) {
    memplan_place_reduction reduction;
    assert_int_equal(memplan_place_reduce(instance, &parts.blocks[parts.first[c]], parts.first[c + 1] - parts.first[c],
                                          optimum, optimum, MEMPLAN_REDUCE_ALL, false, offset, NULL, arena, &reduction,
                                          &error),
                     MEMPLAN_OK);
    tally->bottoms += reduction.n_bottom;
    tally->holes += reduction.n_holes;
    split = split || reduction.n_rests > 1;
    reduced = reduced || reduction.n_bottom + reduction.n_holes > 0;
    assert_true(reduction.bound <= optimum);
  }
  tally->splits += split;
  tally->reduced += reduced;
}

typedef struct reduce_question {
  uint64_t seed;
  reduce_tally tally;
} reduce_question;

static void compare(const memplan_problem *problem, void *context) {
  reduce_question *question = context;
  reduce_tally *tally = &question->tally;
  uint64_t seed = question->seed;
  memplan_arena arena = {0};
  const memplan_instance *instance = &problem->instance;
  memplan_limits limits = memplan_limits_default();
  limits.threads = 1;
  limits.seed = seed;
  limits = memplan_limits_start(&limits);
  memplan_optimal_task any = {.instance = instance, .limits = &limits, .goal = INT64_MAX, .capacity = -1};
  any.without = MEMPLAN_REDUCE_ALL * MEMPLAN_TECHNIQUE_PARTS;
  memplan_optimal_result start, expected, found;
  run(problem, &any, &arena, &start);
  memplan_optimal_task task = {.instance = instance, .limits = &limits, .capacity = -1};
  task.without = MEMPLAN_REDUCE_ALL * MEMPLAN_TECHNIQUE_PARTS;
  run(problem, &task, &arena, &expected);
  assert_true(expected.outcome == MEMPLAN_OPTIMAL || expected.outcome == MEMPLAN_INFEASIBLE);
  for (uint32_t off = 0; off < MEMPLAN_REDUCE_ALL; off++) {
    static const uint32_t forms[] = {0, MEMPLAN_TECHNIQUE_GCD, MEMPLAN_TECHNIQUE_CLIQUES,
                                     MEMPLAN_TECHNIQUE_GCD | MEMPLAN_TECHNIQUE_CLIQUES};
    uint32_t form = forms[(seed + off) % 4];
    for (int known = 0; known < 2; known++) {
      if (known == 1 && start.placement.offset == NULL) {
        continue;
      }
      task.without = off * MEMPLAN_TECHNIQUE_PARTS | form;
      task.start = known == 1 ? &start.placement : NULL;
      task.bound = known == 1 && seed % 2 == 0 ? oracle_instance_load(instance) : 0;
      run(problem, &task, &arena, &found);
      if (found.outcome != expected.outcome ||
          (found.outcome == MEMPLAN_OPTIMAL && (found.peak != expected.peak || found.bound != expected.peak))) {
        fail_msg("rules left out %d, from a placement %d: %s %lld, bound %lld instead of %s %lld",
                 (int)(task.without / MEMPLAN_TECHNIQUE_PARTS), known, memplan_outcome_name(found.outcome),
                 (long long)found.peak, (long long)found.bound, memplan_outcome_name(expected.outcome),
                 (long long)expected.peak);
      }
    }
  }
  tally->instances++;
  tally->infeasible += expected.outcome == MEMPLAN_INFEASIBLE;
  if (expected.outcome == MEMPLAN_OPTIMAL) {
    tally->above += expected.peak > oracle_instance_load(instance);
    count_reductions(instance, expected.peak, &arena, tally);
  }
  memplan_arena_free(&arena);
}

reduce_tally reduce_compare(uint64_t first, uint64_t last) {
  reduce_question question = {.seed = first};
  for (; question.seed <= last; question.seed++) {
    memplan_problem problem;
    if (draw(question.seed, &problem)) {
      shrink_checked(&problem, compare, &question, sizeof question, "reduce_compare, seed %llu",
                     (unsigned long long)question.seed);
    }
    memplan_problem_free(&problem);
  }
  return question.tally;
}
