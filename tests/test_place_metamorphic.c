// SPDX-License-Identifier: Apache-2.0
// What must not change the proven optimum, or must change it in a known way: time turned round, other rows and names,
// everything scaled, and a component beside the others. Instances with pins, gaps with windows, several lifetimes,
// rules, alignments with residues, reserved ranges, a base and a capacity.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/precedence_case.h"

enum { HORIZON = 30 };

static void *copy(memplan_arena *arena, const void *from, int32_t n, size_t size) {
  void *to = memplan_arena_alloc(arena, (size_t)n + 1, size);
  assert_non_null(to);
  if (n > 0) {
    memcpy(to, from, (size_t)n * size);
  }
  return to;
}

static void add_pool(random_state *random, memplan_instance *instance) {
  memplan_pool *pool = MEMPLAN_NEW(&instance->arena, memplan_pool, 1);
  memplan_interval *reserved = MEMPLAN_NEW(&instance->arena, memplan_interval, 1);
  assert_non_null(pool);
  assert_non_null(reserved);
  *pool = (memplan_pool){.id = "ram", .capacity = random_chance(random, 40) ? 10 + random_below(random, 20) : -1};
  pool->base = random_below(random, 4);
  reserved->start = random_below(random, 12);
  reserved->end = reserved->start + 1 + random_below(random, 3);
  pool->reserved = reserved;
  pool->n_reserved = random_below(random, 2);
  instance->pools = pool;
  instance->n_pools = 1;
}

// The same for the same number; not finished.
static void draw(uint64_t seed, memplan_problem *problem) {
  random_state random = random_start(75, seed);
  if (seed % 3 == 0) {
    tight_case one;
    tight_draw(&random, &one);
    build_instance(problem);
    for (int32_t k = 0; k < one.n; k++) {
      char id[16];
      (void)snprintf(id, sizeof id, "b%d", (int)k);
      build_buffer(&problem->instance, id, one.start[k], one.end[k], one.size[k])->align = one.align[k];
    }
    return;
  }
  random_instance_options wishes = {.max_buffers = 9, .max_bytes = 7};
  wishes.pins = random_chance(&random, 40);
  wishes.rules = random_chance(&random, 60);
  random_instance(&random, &wishes, problem);
  if (random_chance(&random, 40)) {
    add_pool(&random, &problem->instance);
  }
}

// ---- transformations of the unfinished problem

static void turn_time(memplan_problem *problem) {
  memplan_instance *instance = &problem->instance;
  for (int32_t b = 0; b < instance->n_buffers; b++) {
    memplan_buffer *buffer = &instance->buffers[b];
    memplan_interval *live = copy(&instance->arena, buffer->live, buffer->n_live, sizeof *live);
    memplan_gap *gaps = copy(&instance->arena, buffer->gaps, buffer->n_gaps, sizeof *gaps);
    for (int32_t k = 0; k < buffer->n_live; k++) {
      live[k] = (memplan_interval){HORIZON - buffer->live[k].end, HORIZON - buffer->live[k].start};
    }
    for (int32_t k = 0; k < buffer->n_gaps; k++) {
      gaps[k].start = HORIZON - buffer->gaps[k].end;
      gaps[k].end = HORIZON - buffer->gaps[k].start;
    }
    buffer->live = live;
    buffer->gaps = gaps;
  }
}

static void permute_rules(random_state *random, memplan_rule *rules, int32_t n, const int32_t *place) {
  for (int32_t k = 0; k < n; k++) {
    rules[k].first = place[rules[k].first];
    rules[k].second = place[rules[k].second];
  }
  for (int32_t k = 0; k < n; k++) {
    int32_t at = random_below(random, k + 1);
    memplan_rule rule = rules[k];
    rules[k] = rules[at];
    rules[at] = rule;
  }
}

static void shuffle_rows(memplan_problem *problem, uint64_t seed) {
  memplan_instance *instance = &problem->instance;
  random_state random = random_start(76, seed);
  int32_t n = instance->n_buffers, place[BUILD_BUFFERS];
  memplan_buffer *old = copy(&instance->arena, instance->buffers, n, sizeof *old);
  for (int32_t k = 0; k < n; k++) {
    int32_t at = random_below(&random, k + 1);
    place[k] = place[at];
    place[at] = k;
  }
  for (int32_t k = 0; k < n; k++) {
    char id[16];
    (void)snprintf(id, sizeof id, "x%03d", (int)random_below(&random, 9) * 100 + (int)k);
    instance->buffers[place[k]] = old[k];
    instance->buffers[place[k]].id = copy(&instance->arena, id, (int32_t)strlen(id), 1);
  }
  permute_rules(&random, instance->separate, instance->n_separate, place);
  permute_rules(&random, instance->colocate, instance->n_colocate, place);
  permute_rules(&random, instance->conflicts, instance->n_conflicts, place);
}

static void scale(memplan_problem *problem, int64_t factor) {
  memplan_instance *instance = &problem->instance;
  for (int32_t b = 0; b < instance->n_buffers; b++) {
    memplan_buffer *buffer = &instance->buffers[b];
    memplan_gap *gaps = copy(&instance->arena, buffer->gaps, buffer->n_gaps, sizeof *gaps);
    for (int32_t k = 0; k < buffer->n_gaps; k++) {
      gaps[k].low *= factor;
      gaps[k].high *= factor;
    }
    buffer->gaps = gaps;
    buffer->bytes *= factor;
    buffer->align *= factor;
    buffer->residue *= factor;
    buffer->pin *= buffer->pin >= 0 ? factor : 1;
  }
  for (int32_t k = 0; k < instance->n_colocate; k++) {
    instance->colocate[k].delta *= factor;
  }
  for (int32_t p = 0; p < instance->n_pools; p++) {
    memplan_pool *pool = &instance->pools[p];
    memplan_interval *reserved = copy(&instance->arena, pool->reserved, pool->n_reserved, sizeof *reserved);
    for (int32_t k = 0; k < pool->n_reserved; k++) {
      reserved[k] = (memplan_interval){pool->reserved[k].start * factor, pool->reserved[k].end * factor};
    }
    pool->reserved = reserved;
    pool->capacity *= pool->capacity >= 0 ? factor : 1;
    pool->base *= factor;
  }
  problem->options.align *= factor;
}

// Live after all others: two that need `bytes` together, and a third that fits beside the smaller.
static void add_component(memplan_problem *problem, int64_t bytes) {
  build_buffer(&problem->instance, "y1", HORIZON, HORIZON + 2, bytes - bytes / 3);
  build_buffer(&problem->instance, "y2", HORIZON + 1, HORIZON + 3, bytes / 3);
  build_buffer(&problem->instance, "y3", HORIZON + 2, HORIZON + 3, bytes / 3);
}

// ---- the optimum

// Finishes, solves and frees the problem. -1: proven that nothing fits; -2: the problem contradicts itself.
static int64_t optimum_of(memplan_problem *problem, uint64_t seed) {
  memplan_error error = {0};
  int64_t optimum = -2;
  if (build_try(problem, &error) == MEMPLAN_OK) {
    memplan_solve_options options = memplan_solve_options_default();
    options.limits.seed = seed;
    options.limits.threads = 1;
    options.place = "optimal";
    memplan_solution solution;
    memplan_solution_init(&solution);
    assert_int_equal(memplan_solve(problem, &options, &solution, &error), MEMPLAN_OK);
    if (solution.outcome != MEMPLAN_OPTIMAL && solution.outcome != MEMPLAN_INFEASIBLE) {
      fail_msg("seed %llu: %s", (unsigned long long)seed, memplan_outcome_name(solution.outcome));
    }
    optimum = solution.outcome == MEMPLAN_OPTIMAL ? solution.plan.peak : -1;
    memplan_solution_free(&solution);
  }
  memplan_problem_free(problem);
  return optimum;
}

static void expect(const char *what, uint64_t seed, int64_t found, int64_t expected) {
  if (found != expected) {
    fail_msg("seed %llu, %s: %lld instead of %lld", (unsigned long long)seed, what, (long long)found,
             (long long)expected);
  }
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void the_optimum_follows(void **state) {
  (void)state;
  int32_t solved = 0, infeasible = 0;
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    memplan_problem problem;
    draw(seed, &problem);
    int64_t expected = optimum_of(&problem, seed);

    draw(seed, &problem);
    turn_time(&problem);
    expect("time turned round", seed, optimum_of(&problem, seed), expected);

    draw(seed, &problem);
    shuffle_rows(&problem, seed);
    expect("other rows and names", seed, optimum_of(&problem, seed + 1), expected);

    draw(seed, &problem);
    scale(&problem, 3);
    expect("scaled", seed, optimum_of(&problem, seed), expected > 0 ? 3 * expected : expected);
    draw(seed, &problem);
    scale(&problem, INT64_C(1000000007));
    expect("scaled far", seed, optimum_of(&problem, seed), expected > 0 ? INT64_C(1000000007) * expected : expected);

    int64_t bytes = 6 + (int64_t)(seed % 40);
    draw(seed, &problem);
    problem.instance.n_buffers = 0;
    problem.instance.n_separate = problem.instance.n_colocate = problem.instance.n_conflicts = 0;
    add_component(&problem, bytes);
    int64_t alone = optimum_of(&problem, seed);
    draw(seed, &problem);
    add_component(&problem, bytes);
    bool fits = expected >= 0 && alone >= 0;
    int64_t both = expected == -2 ? -2 : fits ? larger(expected, alone) : -1;
    expect("one more component", seed, optimum_of(&problem, seed), both);

    solved += expected >= 0;
    infeasible += expected == -1;
  }
  assert_true(solved > 1800);
  assert_true(infeasible > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_optimum_follows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
