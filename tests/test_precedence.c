// SPDX-License-Identifier: Apache-2.0
// The precedence search: optima of tiny problems against enumeration, each
// learned clause against every placement, the rule against circular
// minimisation, and optima that are known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/engine.h"
#include "tests/support/build_problem.h"
#include "tests/support/oracle.h"
#include "tests/support/precedence_case.h"

static void equals_enumeration(void **state) {
  (void)state;
  assert_true(precedence_compare_random(1, 3000) > 1500);
}

static void equals_enumeration_when_tight(void **state) {
  (void)state;
  assert_true(precedence_compare_tight(1, 1500) > 30);
}

// ---- several pools, one behind the other

typedef struct pool_case {
  const memplan_instance *instance;
  const memplan_problem_options *options;
  const memplan_place_problem *form;
  oracle_place places[ORACLE_ITEMS];
  int64_t best;
} pool_case;

static void try_pools(pool_case *one, int32_t item, int64_t height) {
  if (item == one->form->n_items) {
    if ((one->best < 0 || height < one->best) &&
        oracle_instance_placement_is_valid(one->instance, one->options, one->places)) {
      one->best = height;
    }
    return;
  }
  const memplan_block *block = &one->instance->blocks[one->form->block[item]];
  for (int32_t pool = 0; pool < one->form->n_pools; pool++) {
    int64_t start = one->form->pool_start[pool] * one->form->unit;
    int64_t limit = one->form->pool_start[pool + 1] * one->form->unit - start;
    for (int64_t offset = 0; offset + block->bytes <= limit; offset++) {
      for (int32_t k = 0; k < block->n_members; k++) {
        const memplan_member *member = &one->instance->members[block->first_member + k];
        one->places[member->buffer] = (oracle_place){offset + member->delta, pool};
      }
      int64_t end = start + offset + block->bytes;
      try_pools(one, item + 1, end > height ? end : height);
    }
  }
}

static void equals_enumeration_in_pools(void **state) {
  (void)state;
  int32_t compared = 0;
  for (uint64_t seed = 1; seed <= 600; seed++) {
    random_state random = random_start(71, seed);
    random_instance_options wishes = {
        .max_buffers = 3, .max_bytes = 3, .pins = random_chance(&random, 30), .pools = true};
    wishes.rules = random_chance(&random, 30);
    memplan_problem problem;
    random_instance(&random, &wishes, &problem);
    memplan_error error = {0};
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      memplan_arena arena = {0};
      memplan_place_problem form;
      precedence_build(&problem.instance, 7, &arena, &form);
      pool_case one = {.instance = &problem.instance, .options = &problem.options, .form = &form, .best = -1};
      for (int32_t i = 0; i < problem.instance.n_buffers; i++) {
        const memplan_buffer *buffer = &problem.instance.buffers[i];
        one.places[i] = (oracle_place){buffer->pin >= 0 ? buffer->pin : 0, buffer->n_pools > 0 ? buffer->pools[0] : 0};
      }
      try_pools(&one, 0, 0);
      memplan_precedence_settings settings = precedence_settings(&random);
      int64_t optimum = precedence_optimum(&form, &settings, 0);
      if (form.n_items > 0 && (optimum < 0 ? -1 : optimum * form.unit) != one.best) {
        fail_msg("seed %llu: %lld instead of %lld", (unsigned long long)seed, (long long)(optimum * form.unit),
                 (long long)one.best);
      }
      compared++;
      memplan_arena_free(&arena);
    }
    memplan_problem_free(&problem);
  }
  assert_true(compared > 300);
}

// ---- learned clauses

static void learned_clauses_hold(void **state) {
  (void)state;
  int64_t clauses = 0;
  int32_t problems = 0;
  uint64_t seed = 0;
  while (problems < 300 && ++seed <= 1000) { // some of them are illegal
    random_state random = random_start(71, seed);
    memplan_problem problem;
    memplan_arena arena = {0};
    memplan_place_problem form;
    bool good = true;
    if (random_chance(&random, 60)) {
      tight_case one;
      do {
        int32_t steps = 3 + random_below(&random, 2);
        bool aligned = random_chance(&random, 20);
        tight_random(&random, steps, 5, aligned, &one);
      } while (one.n > 6);
      tight_problem(&one, &problem);
    } else {
      random_instance_options wishes = {.max_buffers = 5, .max_bytes = 3, .pins = true, .rules = true};
      random_instance(&random, &wishes, &problem);
      memplan_error error = {0};
      good = build_try(&problem, &error) == MEMPLAN_OK;
    }
    if (good) {
      precedence_build(&problem.instance, 7, &arena, &form);
      clauses += precedence_check_clauses(&form, precedence_settings(&random));
      problems++;
    }
    memplan_arena_free(&arena);
    memplan_problem_free(&problem);
  }
  assert_int_equal(problems, 300);
  assert_true(clauses > 500);
}

typedef struct first_clause {
  memplan_literal literals[8];
  int32_t n;
} first_clause;

static void keep_first(void *context, const memplan_literal *literals, int32_t n) {
  first_clause *first = context;
  if (first->n == 0) {
    assert_in_range(n, 1, 8);
    memcpy(first->literals, literals, (size_t)n * sizeof *literals);
    first->n = n;
  }
}

// p gives s >= 5, that gives a, and a gives s >= 7. Then q makes a and s >= 7
// contradict each other. In the learned clause (not q, not a, not s >= 7) each
// of the last two follows from the other if age is not looked at: s >= 7 covers
// the s >= 5 behind a.
static first_clause learn_in_trap(bool check_older) {
  memplan_engine_settings settings = memplan_engine_settings_default();
  settings.check_older = check_older;
  memplan_engine *engine = memplan_engine_new(&settings);
  assert_non_null(engine);
  int32_t s = memplan_engine_add_variable(engine, 0, 10, NULL);
  int32_t p = memplan_engine_add_boolean(engine, 1000, true), q = memplan_engine_add_boolean(engine, 900, true);
  int32_t a = memplan_engine_add_boolean(engine, 10, false), r = memplan_engine_add_boolean(engine, 5, false);
  memplan_literal s5 = memplan_literal_make(2 * s, 5), s7 = memplan_literal_make(2 * s, 7);
  const memplan_literal clauses[5][4] = {{memplan_literal_make(2 * p + 1, 0), s5, 0, 0},
                                         {memplan_literal_negate(s5), memplan_literal_make(2 * a, 1), 0, 0},
                                         {memplan_literal_make(2 * a + 1, 0), s7, 0, 0},
                                         {memplan_literal_make(2 * a + 1, 0), memplan_literal_negate(s7),
                                          memplan_literal_make(2 * q + 1, 0), memplan_literal_make(2 * r, 1)},
                                         {memplan_literal_make(2 * a + 1, 0), memplan_literal_negate(s7),
                                          memplan_literal_make(2 * q + 1, 0), memplan_literal_make(2 * r + 1, 0)}};
  for (int32_t k = 0; k < 5; k++) {
    assert_true(memplan_engine_add_clause(engine, clauses[k], k < 3 ? 2 : 4));
  }
  first_clause first = {.n = 0};
  memplan_engine_watch_learning(engine, keep_first, &first);
  assert_int_equal(memplan_engine_run(engine, 100000), MEMPLAN_ENGINE_SOLUTION);
  memplan_engine_free(engine);
  return first;
}

static void minimisation_looks_at_age(void **state) {
  (void)state;
  first_clause right = learn_in_trap(true);
  assert_int_equal(right.n,
                   2); // not q, not a: s >= 7 follows from a, a not from s >= 7
  assert_int_equal(right.literals[0], memplan_literal_make(2 * 2 + 1, 0));
  assert_int_equal(right.literals[1], memplan_literal_make(2 * 3 + 1, 0));
  first_clause wrong = learn_in_trap(false);
  assert_int_equal(wrong.n,
                   1); // not q alone is false: q may hold where p does not
}

// ---- news from outside

static void takes_bounds_between_runs(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_state random = random_start(71, seed);
    tight_case one;
    tight_random(&random, 6, 12, false, &one);
    memplan_problem problem;
    memplan_arena arena = {0};
    memplan_place_problem form;
    tight_problem(&one, &problem);
    precedence_build(&problem.instance, 40, &arena, &form);
    int64_t optimum = tight_optimum(&one) / form.unit;
    memplan_precedence_settings settings = precedence_settings(&random);
    memplan_precedence *search = memplan_precedence_new(&form, 0, 40 / form.unit, &settings);
    assert_non_null(search);
    (void)memplan_precedence_run(search, 1);
    memplan_precedence_set_upper(search, optimum + random_below(&random, 2));
    memplan_precedence_set_lower(search, optimum - random_below(&random, 3));
    memplan_precedence_result result;
    do {
      result = memplan_precedence_run(search, 20);
    } while (result != MEMPLAN_PRECEDENCE_CLOSED);
    assert_int_equal(memplan_precedence_upper(search), optimum);
    memplan_precedence_free(search);
    memplan_arena_free(&arena);
    memplan_problem_free(&problem);
  }
}

static void height_may_be_given(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_arena arena = {0};
  memplan_place_problem form;
  build_instance(&problem);
  (void)build_buffer(&problem.instance, "a", 0, 2, 6);
  (void)build_buffer(&problem.instance, "b", 0, 2, 4);
  build_finish(&problem);
  precedence_build(&problem.instance, 9, &arena, &form);
  memplan_precedence_settings settings = memplan_precedence_settings_default();
  assert_int_equal(precedence_optimum(&form, &settings, 0),
                   -1); // 10 bytes do not fit in 9
  memplan_arena_free(&arena);
  arena = (memplan_arena){0};
  precedence_build(&problem.instance, 10, &arena, &form);
  assert_int_equal(form.unit, 2);
  assert_int_equal(precedence_optimum(&form, &settings, 0), 5);
  memplan_arena_free(&arena);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_enumeration),          cmocka_unit_test(equals_enumeration_when_tight),
      cmocka_unit_test(equals_enumeration_in_pools), cmocka_unit_test(learned_clauses_hold),
      cmocka_unit_test(minimisation_looks_at_age),   cmocka_unit_test(takes_bounds_between_runs),
      cmocka_unit_test(height_may_be_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
