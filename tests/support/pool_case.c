// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pool_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/shrink.h"

#include <inttypes.h>
#include <string.h>

const memplan_objective pool_objectives[POOL_OBJECTIVES] = {
    {MEMPLAN_MINIMIZE_PEAK, -1}, {MEMPLAN_MINIMIZE_TOTAL, -1}, {MEMPLAN_MINIMIZE_MAX, -1}, {MEMPLAN_MINIMIZE_POOL, 0}};

enum { last_reserved = 4 }; // end of a reserved range at most

static int32_t largest_size(int32_t n_buffers) { return n_buffers <= 3 ? 4 : 2; }

// ---- trying everything

static bool overlaps_others(const pool_trial *t, int32_t index) {
  const memplan_block *block = &t->instance->blocks[index];
  const memplan_pool *pool = &t->instance->pools[t->pool[index]];
  int64_t low = t->offset[index], high = low + block->bytes;
  bool bad = pool->capacity >= 0 && high > pool->capacity;
  for (int32_t k = 0; k < pool->n_reserved; k++) {
    bad |= low < pool->reserved[k].end && pool->reserved[k].start < high;
  }
  for (int32_t other = 0; other < index; other++) {
    const memplan_block *before = &t->instance->blocks[other];
    bad |= t->pool[other] == t->pool[index] && before->start < block->end && block->start < before->end &&
           low < t->offset[other] + before->bytes && t->offset[other] < high;
  }
  return bad;
}

static void look_at_plan(pool_trial *t) {
  int64_t peaks[POOL_POOLS], sum = 0, largest = 0;
  memplan_pool_peaks(t->instance, t->offset, t->pool, peaks);
  for (int32_t k = 0; k < t->instance->n_pools; k++) {
    t->least[k] = !t->any || peaks[k] < t->least[k] ? peaks[k] : t->least[k];
    sum += peaks[k];
    largest = peaks[k] > largest ? peaks[k] : largest;
  }
  t->total = !t->any || sum < t->total ? sum : t->total;
  t->largest = !t->any || largest < t->largest ? largest : t->largest;
  for (int32_t k = 0; k < POOL_OBJECTIVES; k++) {
    if (!t->any || memplan_pool_peaks_better(&pool_objectives[k], peaks, t->best[k], t->instance->n_pools)) {
      memcpy(t->best[k], peaks, sizeof peaks);
    }
  }
  t->any = true;
}

// Recursion depth: buffers.
static void try_rest(pool_trial *t, int32_t index) {
  if (index == POOL_BUFFERS || index == t->instance->n_blocks) {
    look_at_plan(t);
    return;
  }
  const memplan_block *block = &t->instance->blocks[index];
  for (int32_t p = 0; p < block->n_pools; p++) {
    t->pool[index] = t->instance->block_pools[block->first_pool + p];
    for (t->offset[index] = 0; t->offset[index] < t->most; t->offset[index]++) {
      if (!overlaps_others(t, index)) {
        try_rest(t, index + 1);
      }
    }
  }
}

void pool_try_all(pool_trial *trial) {
  int32_t n = trial->instance->n_buffers;
  assert_true(n <= POOL_BUFFERS && trial->instance->n_blocks <= n && trial->instance->n_pools <= POOL_POOLS);
  trial->any = false;
  trial->most = last_reserved + (n - 1) * largest_size(n) + 1; // no lowest plan has a larger offset
  try_rest(trial, 0);
}

void pool_draw(random_state *random, int32_t n_buffers, memplan_instance *instance) {
  memplan_instance_init(instance);
  memplan_arena *arena = &instance->arena;
  static const char *const pool_ids[] = {"p", "q", "r"}, *const ids[] = {"a", "b", "c", "d"};
  instance->n_pools = 2 + random_below(random, 2);
  instance->pools = MEMPLAN_NEW(arena, memplan_pool, POOL_POOLS);
  instance->buffers = MEMPLAN_NEW(arena, memplan_buffer, POOL_BUFFERS);
  assert_true(n_buffers <= POOL_BUFFERS && instance->pools != NULL && instance->buffers != NULL);
  for (int32_t k = 0; k < instance->n_pools; k++) {
    instance->pools[k] = (memplan_pool){.id = pool_ids[k], .capacity = -1};
    if (random_chance(random, 60)) {
      instance->pools[k].capacity = 1 + random_below(random, 6);
    }
    if (random_chance(random, 30)) {
      memplan_interval *range = MEMPLAN_NEW(arena, memplan_interval, 1);
      assert_non_null(range);
      range->start = random_below(random, 3);
      range->end = range->start + 1 + random_below(random, 2);
      instance->pools[k].reserved = range;
      instance->pools[k].n_reserved = 1;
    }
  }
  instance->n_buffers = n_buffers;
  for (int32_t k = 0; k < n_buffers; k++) {
    memplan_interval *live = MEMPLAN_NEW(arena, memplan_interval, 1);
    int32_t *pools = MEMPLAN_NEW(arena, int32_t, POOL_POOLS), count = 0;
    assert_true(live != NULL && pools != NULL);
    live->start = random_below(random, 3);
    live->end = live->start + 1 + random_below(random, 3);
    for (int32_t p = 0; p < instance->n_pools; p++) {
      if (random_chance(random, 60)) {
        pools[count++] = p;
      }
    }
    instance->buffers[k] = (memplan_buffer){.id = ids[k],
                                            .bytes = 1 + random_below(random, largest_size(n_buffers)),
                                            .align = 1,
                                            .pin = -1,
                                            .offset = -1,
                                            .hint = -1,
                                            .live = live,
                                            .n_live = 1,
                                            .pools = pools,
                                            .n_pools = count};
  }
}

// ---- what is found

void pool_solve(const memplan_problem *problem, const char *place, memplan_minimize minimize, const char *pool,
                memplan_solution *solution) {
  memplan_error error = {.message = ""};
  memplan_solve_options options = memplan_solve_options_default();
  options.place = place;
  options.limits.threads = 1;
  options.minimize = minimize;
  options.minimize_pool = pool;
  memplan_solution_init(solution);
  if (memplan_solve(problem, &options, solution, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

typedef struct pool_question {
  uint64_t index;
  pool_counts counts;
} pool_question;

static void check(const memplan_problem *problem, void *context) {
  pool_question *question = context;
  pool_trial t = {.instance = &problem->instance};
  pool_try_all(&t);
  for (int32_t k = 0; k < POOL_OBJECTIVES; k++) {
    memplan_solution solution;
    int64_t peaks[POOL_POOLS];
    pool_solve(problem, "optimal", pool_objectives[k].minimize, "p", &solution);
    if (solution.outcome != (t.any ? MEMPLAN_OPTIMAL : MEMPLAN_INFEASIBLE)) {
      fail_msg("index %" PRIu64 ", objective %d: the outcome is '%s'", question->index, (int)k,
               memplan_outcome_name(solution.outcome));
    }
    if (t.any) {
      memplan_pool_peaks(&problem->instance, solution.offset, solution.pool, peaks);
    }
    for (int32_t pool = 0; pool < problem->instance.n_pools && t.any; pool++) {
      if (peaks[pool] != t.best[k][pool]) {
        fail_msg("index %" PRIu64 ", objective %d: pool %d has %" PRId64 ", best %" PRId64, question->index, (int)k,
                 (int)pool, peaks[pool], t.best[k][pool]);
      }
    }
    memplan_solution_free(&solution);
  }
  question->counts.compared++;
  question->counts.infeasible += !t.any;
  question->counts.ties +=
      t.any && memplan_pool_peaks_better(&pool_objectives[0], t.best[0], t.best[1], problem->instance.n_pools);
}

void pool_compare(uint64_t index, int32_t n_buffers, pool_counts *counts) {
  random_state random = random_start(15, index);
  memplan_problem problem;
  memplan_error error = {.message = ""};
  memplan_problem_init(&problem);
  pool_draw(&random, n_buffers, &problem.instance);
  problem.has_instance = true;
  assert_int_equal(build_try(&problem, &error), MEMPLAN_OK);
  pool_question question = {index, *counts};
  shrink_checked(&problem, check, &question, sizeof question, "pools, index %" PRIu64 ", %d buffers", index,
                 (int)n_buffers);
  *counts = question.counts;
  memplan_problem_free(&problem);
}
