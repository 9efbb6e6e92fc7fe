// SPDX-License-Identifier: Apache-2.0
#include "tests/support/precedence_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/build_problem.h"
#include "tests/support/oracle.h"
#include "tests/support/shrink.h"

void precedence_build(const memplan_instance *instance, int64_t limit, memplan_arena *arena,
                      memplan_place_problem *problem) {
  memplan_error error = {0};
  int32_t n = 0;
  int32_t *blocks = MEMPLAN_NEW(arena, int32_t, instance->n_blocks);
  int64_t *limits = MEMPLAN_NEW(arena, int64_t, instance->n_pools);
  assert_non_null(blocks);
  assert_non_null(limits);
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    if (instance->blocks[block].bytes > 0) {
      blocks[n++] = block;
    }
  }
  for (int32_t pool = 0; pool < instance->n_pools; pool++) {
    int64_t capacity = instance->pools[pool].capacity;
    limits[pool] = capacity >= 0 && capacity < limit ? capacity : limit;
  }
  assert_int_equal(memplan_place_problem_build(instance, blocks, n, limits, NULL, arena, problem, &error), MEMPLAN_OK);
}

int64_t precedence_optimum(const memplan_place_problem *problem, const memplan_precedence_settings *settings,
                           int64_t lower) {
  int64_t upper = problem->pool_start[problem->n_pools] + 1;
  char reason[256];
  assert_true(memplan_precedence_accepts(problem, upper, reason));
  memplan_precedence *search = memplan_precedence_new(problem, lower, upper, settings);
  assert_non_null(search);
  int64_t best = -1;
  for (;;) {
    int64_t old_lower = memplan_precedence_lower(search), old_upper = memplan_precedence_upper(search);
    memplan_precedence_result result = memplan_precedence_run(search, 50);
    assert_int_not_equal(result, MEMPLAN_PRECEDENCE_NOMEM);
    assert_true(memplan_precedence_lower(search) >= old_lower);
    assert_true(memplan_precedence_upper(search) <= old_upper);
    if (result == MEMPLAN_PRECEDENCE_IMPROVED) {
      best = memplan_precedence_upper(search);
      assert_true(best < old_upper);
      assert_true(memplan_place_problem_holds(problem, memplan_precedence_offsets(search), best));
    } else if (result == MEMPLAN_PRECEDENCE_CLOSED) {
      assert_int_equal(memplan_precedence_lower(search), memplan_precedence_upper(search));
      break;
    }
  }
  memplan_precedence_free(search);
  return best;
}

memplan_precedence_settings precedence_settings(random_state *random) {
  memplan_precedence_settings settings = memplan_precedence_settings_default();
  int32_t kind = random_below(random, 3);
  if (kind == 0) {
    return settings;
  }
  settings.seed = (uint64_t)random_below(random, 1000);
  settings.driver = (memplan_precedence_driver)random_below(random, 3);
  if (kind == 1) {
    settings.overload = random_chance(random, 50);
    settings.edges = random_chance(random, 50);
    settings.lift = random_chance(random, 50);
    settings.drop = random_chance(random, 50);
    settings.symmetry = random_chance(random, 50);
    settings.minimise = random_chance(random, 70);
    settings.bound_branching = random_chance(random, 70);
    settings.start_activity = random_chance(random, 50);
  }
  return settings;
}

// ---- tight ones

enum { most_buffers = 16 };

void tight_random(random_state *random, int32_t steps, int64_t load, bool aligned, tight_case *one) {
  static const int64_t aligns[] = {1, 1, 1, 2, 4};
  int64_t level[16] = {0};
  *one = (tight_case){.n = 0};
  for (int32_t k = random_below(random, 4); k > 0; k--) {
    int32_t start = random_below(random, steps), end = start + 1 + random_below(random, steps - start);
    int64_t size = 1 + random_below(random, (int32_t)load / 2);
    bool fits = true;
    for (int32_t t = start; t < end; t++) {
      fits = fits && level[t] + size <= load;
    }
    for (int32_t t = start; t < end && fits; t++) {
      level[t] += size;
    }
    if (fits) {
      one->start[one->n] = start;
      one->end[one->n] = end;
      one->size[one->n++] = size;
    }
  }
  for (int32_t t = 0; t < steps && one->n < most_buffers; t++) {
    while (level[t] < load && one->n < most_buffers) {
      int64_t room = load - level[t];
      int64_t size = load / 6 + 1 + random_below(random, (int32_t)load / 3);
      size = size > room || room - size < load / 8 ? room : size;
      int32_t end = t;
      for (int32_t want = 1 + random_below(random, 4); want > 0 && end < steps && level[end] + size <= load; want--) {
        level[end++] += size;
      }
      one->start[one->n] = t;
      one->end[one->n] = end;
      one->size[one->n++] = size;
    }
  }
  for (int32_t k = 0; k < one->n; k++) {
    one->align[k] = aligned ? aligns[random_below(random, 5)] : 1;
  }
  for (int32_t t = 0; t < steps; t++) {
    one->load = level[t] > one->load ? level[t] : one->load;
  }
}

void tight_draw(random_state *random, tight_case *one) {
  int32_t steps = 8 + random_below(random, 3); // one after the other: a call's arguments have no order
  int32_t load = 18 + random_below(random, 11);
  tight_random(random, steps, load, random_chance(random, 20), one);
}

void tight_problem(const tight_case *one, memplan_problem *problem) {
  build_instance(problem);
  for (int32_t k = 0; k < one->n; k++) {
    char id[16];
    (void)snprintf(id, sizeof id, "b%d", (int)k);
    build_buffer(&problem->instance, id, one->start[k], one->end[k], one->size[k])->align = one->align[k];
  }
  build_finish(problem);
}

void tight_read(const memplan_problem *problem, tight_case *one) {
  int64_t level[16] = {0};
  *one = (tight_case){.n = problem->instance.n_buffers};
  assert_true(one->n <= most_buffers);
  for (int32_t k = 0; k < one->n; k++) {
    const memplan_buffer *buffer = &problem->instance.buffers[k];
    assert_true(buffer->n_live == 1 && buffer->live[0].start >= 0 && buffer->live[0].end <= 16);
    one->start[k] = (int32_t)buffer->live[0].start;
    one->end[k] = (int32_t)buffer->live[0].end;
    one->size[k] = buffer->bytes;
    one->align[k] = buffer->align > 0 ? buffer->align : 1;
    for (int32_t t = one->start[k]; t < one->end[k]; t++) {
      level[t] += buffer->bytes;
      one->load = level[t] > one->load ? level[t] : one->load;
    }
  }
}

static bool tight_rest(const tight_case *one, int32_t index, int64_t height, uint64_t *used) {
  if (index == one->n) {
    return true;
  }
  for (int64_t offset = 0; offset + one->size[index] <= height; offset += one->align[index]) {
    uint64_t mask = ((UINT64_C(1) << one->size[index]) - 1) << offset;
    bool free_there = true;
    for (int32_t t = one->start[index]; t < one->end[index]; t++) {
      free_there = free_there && (used[t] & mask) == 0;
    }
    if (!free_there) {
      continue;
    }
    for (int32_t t = one->start[index]; t < one->end[index]; t++) {
      used[t] |= mask;
    }
    bool found = tight_rest(one, index + 1, height, used);
    for (int32_t t = one->start[index]; t < one->end[index]; t++) {
      used[t] &= ~mask;
    }
    if (found) {
      return true;
    }
  }
  return false;
}

int64_t tight_optimum(const tight_case *one) {
  uint64_t used[16] = {0};
  int64_t height = one->load;
  while (!tight_rest(one, 0, height, used)) {
    height++;
    assert_true(height < 63);
  }
  return height;
}

// ---- learned clauses

typedef struct clause_list {
  memplan_literal literals[100000];
  int32_t first[20001];
  int32_t n;
} clause_list;

static void keep_clause(void *context, const memplan_literal *literals, int32_t n) {
  clause_list *list = context;
  if (list->n < 20000 && list->first[list->n] + n <= 100000) {
    memcpy(&list->literals[list->first[list->n]], literals, (size_t)n * sizeof *literals);
    list->first[list->n + 1] = list->first[list->n] + n;
    list->n++;
  }
}

// Values of the variables in a placement: items, height, guards.
static bool holds(const memplan_literal *literals, int32_t n, const int64_t *values) {
  for (int32_t k = 0; k < n; k++) {
    int32_t side = memplan_literal_side(literals[k]);
    int64_t value = values[side >> 1];
    if (((side & 1) == 0 ? value : -value) >= memplan_literal_value(literals[k])) {
      return true;
    }
  }
  return false;
}

static void check_placement(const memplan_place_problem *problem, const clause_list *list, int64_t *values) {
  int32_t n = problem->n_items, at = n + 1;
  int64_t height = 0;
  for (int32_t a = 0; a < n; a++) {
    height = values[a] + problem->size[a] > height ? values[a] + problem->size[a] : height;
    for (int32_t k = problem->first_exclusion[a]; k < problem->first_exclusion[a + 1]; k++) {
      if (problem->exclusions[k].other > a) {
        values[at++] = values[problem->exclusions[k].other] >= values[a] + problem->exclusions[k].up;
      }
    }
  }
  for (values[n] = height; values[n] <= problem->pool_start[problem->n_pools]; values[n]++) {
    for (int32_t k = 0; k < list->n; k++) {
      assert_true(holds(&list->literals[list->first[k]], list->first[k + 1] - list->first[k], values));
    }
  }
}

static void check_placements(const memplan_place_problem *problem, const clause_list *list, int32_t item,
                             int64_t *values) {
  if (item == problem->n_items) {
    check_placement(problem, list, values);
    return;
  }
  int64_t limit = problem->pool_start[problem->n_pools] - problem->size[item];
  for (int64_t offset = memplan_offset_set_up(&problem->offsets[item], 0); offset <= limit;
       offset = memplan_offset_set_up(&problem->offsets[item], offset + 1)) {
    values[item] = offset;
    bool apart = true;
    for (int32_t k = problem->first_exclusion[item]; k < problem->first_exclusion[item + 1]; k++) {
      const memplan_exclusion *exclusion = &problem->exclusions[k];
      apart = apart && (exclusion->other > item || values[exclusion->other] >= offset + exclusion->up ||
                        offset >= values[exclusion->other] + exclusion->down);
    }
    if (apart) {
      check_placements(problem, list, item + 1, values);
    }
  }
}

int64_t precedence_check_clauses(const memplan_place_problem *problem, memplan_precedence_settings settings) {
  clause_list *list = calloc(1, sizeof *list);
  int64_t *values =
      calloc((size_t)problem->n_items + 2 + (size_t)problem->first_exclusion[problem->n_items], sizeof *values);
  assert_non_null(list);
  assert_non_null(values);
  settings.symmetry = false;
  memplan_precedence *search = memplan_precedence_new(problem, 0, problem->pool_start[problem->n_pools] + 1, &settings);
  assert_non_null(search);
  memplan_engine_watch_learning(memplan_precedence_engine(search), keep_clause, list);
  memplan_precedence_result result;
  do {
    result = memplan_precedence_run(search, 1000);
  } while (result != MEMPLAN_PRECEDENCE_CLOSED);
  memplan_precedence_free(search);
  check_placements(problem, list, 0, values);
  int64_t n = list->n;
  free(values);
  free(list);
  return n;
}

// ---- against enumeration

typedef struct random_question {
  random_state random;
  int64_t compared;
} random_question;

static void expect(int64_t optimum, int64_t expected) {
  if (optimum != expected) {
    fail_msg("%lld instead of %lld", (long long)optimum, (long long)expected);
  }
}

static void check_random(const memplan_problem *problem, void *context) {
  enum { limit = 16 };
  random_question *question = context;
  oracle_place places[ORACLE_ITEMS];
  memplan_arena arena = {0};
  memplan_place_problem form;
  precedence_build(&problem->instance, limit - 1, &arena, &form);
  int64_t expected = oracle_instance_optimum(&problem->instance, &problem->options, limit, places);
  memplan_precedence_settings settings = precedence_settings(&question->random);
  int64_t optimum = precedence_optimum(&form, &settings, 0);
  if (form.n_items == 0) {
    optimum = 0;
  }
  if (expected != ORACLE_TOO_LONG) {
    expect(optimum < 0 ? -1 : optimum * form.unit, expected);
    question->compared++;
  }
  memplan_arena_free(&arena);
}

int64_t precedence_compare_random(uint64_t first, uint64_t last) {
  random_question question = {.compared = 0};
  for (uint64_t seed = first; seed <= last; seed++) {
    random_state random = random_start(71, seed);
    random_instance_options wishes = {.max_buffers = 5, .max_bytes = 4, .pins = random_chance(&random, 40)};
    wishes.rules = random_chance(&random, 50);
    memplan_problem problem;
    random_instance(&random, &wishes, &problem);
    if (build_try(&problem, NULL) == MEMPLAN_OK) {
      question.random = random;
      shrink_checked(&problem, check_random, &question, sizeof question, "precedence_compare_random, seed %llu",
                     (unsigned long long)seed);
    }
    memplan_problem_free(&problem);
  }
  return question.compared;
}

typedef struct tight_question {
  random_state random;
  int64_t above;
} tight_question;

static void check_tight(const memplan_problem *problem, void *context) {
  tight_question *question = context;
  tight_case one;
  memplan_arena arena = {0};
  memplan_place_problem form;
  tight_read(problem, &one);
  precedence_build(&problem->instance, 60, &arena, &form);
  memplan_precedence_settings settings = precedence_settings(&question->random);
  int64_t optimum = precedence_optimum(&form, &settings, (one.load + form.unit - 1) / form.unit) * form.unit;
  int64_t expected = tight_optimum(&one);
  expect(optimum, expected);
  question->above += expected > one.load;
  memplan_arena_free(&arena);
}

int64_t precedence_compare_tight(uint64_t first, uint64_t last) {
  tight_question question = {.above = 0};
  for (uint64_t seed = first; seed <= last; seed++) {
    random_state random = random_start(71, seed);
    tight_case one;
    tight_draw(&random, &one);
    memplan_problem problem;
    tight_problem(&one, &problem);
    question.random = random;
    shrink_checked(&problem, check_tight, &question, sizeof question, "precedence_compare_tight, seed %llu",
                   (unsigned long long)seed);
    memplan_problem_free(&problem);
  }
  return question.above;
}
