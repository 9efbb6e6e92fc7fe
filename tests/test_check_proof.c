// SPDX-License-Identifier: Apache-2.0
// Certificates of the precedence search: every one is accepted, and none that claims more than the optimum is, whatever
// is done to it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/check_proof.h"
#include "tests/support/build_problem.h"
#include "tests/support/precedence_case.h"

typedef struct certificate {
  char *text;
  size_t length;
  int64_t bound; // bytes
} certificate;

// The certificate that nothing lies below what the search ends with; text is NULL if there is none to write.
static certificate certify(const memplan_problem *problem, const memplan_place_problem *form,
                           memplan_precedence_settings settings, int64_t lower) {
  certificate made = {NULL, 0, -1};
  settings.proof = true;
  memplan_precedence *search = memplan_precedence_new(form, lower, form->pool_start[form->n_pools] + 1, &settings);
  assert_non_null(search);
  memplan_precedence_result result;
  do {
    result = memplan_precedence_run(search, 300);
    assert_int_not_equal(result, MEMPLAN_PRECEDENCE_NOMEM);
  } while (result != MEMPLAN_PRECEDENCE_CLOSED);
  memplan_arena arena = {0};
  memplan_proof proof;
  bool found = false;
  assert_true(memplan_precedence_prove(search, &arena, &proof, &found));
  if (found) {
    made.bound = proof.claim;
    assert_true(made.bound == memplan_precedence_lower(search) * form->unit || made.bound == form->axis + 1);
    FILE *out = open_memstream(&made.text, &made.length);
    assert_non_null(out);
    assert_true(memplan_proof_write(&proof, &problem->instance, form, problem->fingerprint, NULL, out));
    assert_int_equal(fclose(out), 0);
  }
  memplan_arena_free(&arena);
  memplan_precedence_free(search);
  return made;
}

static memplan_check_result check(const memplan_problem *problem, const char *text, size_t length) {
  memplan_error error = {0};
  memplan_check_result result;
  assert_int_equal(memplan_check_certificate(problem, text, length, &result, &error), MEMPLAN_OK);
  return result;
}

static void certificates_are_accepted(void **state) {
  (void)state;
  int32_t accepted = 0;
  for (uint64_t seed = 1; seed <= 1200; seed++) {
    random_state random = random_start(75, seed);
    memplan_problem problem;
    memplan_arena arena = {0};
    memplan_place_problem form;
    memplan_error error = {0};
    bool tight = random_chance(&random, 50), good = true;
    if (tight) {
      tight_case one;
      int32_t steps = 8 + random_below(&random, 4), load = 15 + random_below(&random, 30);
      bool aligned = random_chance(&random, 20);
      tight_random(&random, steps, load, aligned, &one);
      tight_problem(&one, &problem);
    } else {
      random_instance_options wishes = {.max_buffers = 8, .max_bytes = 6, .pins = random_chance(&random, 40)};
      wishes.rules = random_chance(&random, 50);
      random_instance(&random, &wishes, &problem);
      good = build_try(&problem, &error) == MEMPLAN_OK;
    }
    if (good) {
      precedence_build(&problem.instance, tight ? 70 : 12, &arena, &form);
      certificate made = certify(&problem, &form, precedence_settings(&random), 0);
      if (made.text != NULL) {
        memplan_check_result result = check(&problem, made.text, made.length);
        if (!result.proven) {
          fail_msg("seed %" PRIu64 ", line %" PRId64 ": %s", seed, result.line, result.reason);
        }
        assert_int_equal(result.claim, made.bound);
        accepted++;
        free(made.text);
      }
    }
    memplan_arena_free(&arena);
    memplan_problem_free(&problem);
  }
  assert_true(accepted > 900);
}

// ---- mutations

// Some digits of the text, and its claim, are changed.
static void change_number(random_state *random, char *text, size_t length) {
  for (int32_t tries = 0; tries < 1000; tries++) {
    size_t at = (size_t)random_below(random, (int32_t)length);
    if (isdigit((unsigned char)text[at])) {
      text[at] = (char)('0' + random_below(random, 10));
      return;
    }
  }
}

static size_t line_start(const char *text, size_t at) {
  while (at > 0 && text[at - 1] != '\n') {
    at--;
  }
  return at;
}

// Removes a line but the first.
static void drop_line(random_state *random, char *text, size_t *length) {
  size_t start = line_start(text, (size_t)random_below(random, (int32_t)*length));
  const char *end = memchr(text + start, '\n', *length - start);
  if (start > 0 && end != NULL) {
    size_t size = (size_t)(end + 1 - (text + start));
    memmove(text + start, end + 1, *length - start - size);
    *length -= size;
  }
}

// Removes the number behind a comma.
static void drop_number(random_state *random, char *text, size_t *length) {
  for (int32_t tries = 0; tries < 1000; tries++) {
    size_t at = (size_t)random_below(random, (int32_t)*length), end = at + 1;
    while (end < *length && (isdigit((unsigned char)text[end]) || text[end] == '-')) {
      end++;
    }
    if (text[at] == ',' && end > at + 1) {
      memmove(text + at, text + end, *length - end);
      *length -= end - at;
      return;
    }
  }
}

static void set_claim(char **text, size_t *length, int64_t claim) {
  char *at = strstr(*text, "\"claim\":");
  assert_non_null(at);
  size_t before = (size_t)(at - *text) + strlen("\"claim\":");
  size_t digits = strspn(*text + before, "0123456789");
  char number[32];
  (void)snprintf(number, sizeof number, "%" PRId64, claim);
  size_t after = *length - before - digits;
  char *changed = malloc(*length + sizeof number + 1);
  assert_non_null(changed);
  memcpy(changed, *text, before);
  memcpy(changed + before, number, strlen(number));
  memcpy(changed + before + strlen(number), *text + before + digits, after);
  *length = before + strlen(number) + after;
  changed[*length] = '\0';
  free(*text);
  *text = changed;
}

static void mutations_prove_no_more(void **state) {
  (void)state;
  int32_t tried = 0, accepted = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_state random = random_start(76, seed);
    tight_case one;
    memplan_problem problem;
    memplan_arena arena = {0};
    memplan_place_problem form;
    int32_t load = 15 + random_below(&random, 14);
    bool aligned = random_chance(&random, 30);
    tight_random(&random, 8, load, aligned, &one);
    int64_t optimum = tight_optimum(&one);
    tight_problem(&one, &problem);
    precedence_build(&problem.instance, 60, &arena, &form);
    certificate made = certify(&problem, &form, precedence_settings(&random), 0);
    for (int32_t k = 0; k < 15 && made.text != NULL; k++) {
      size_t length = made.length;
      char *text = malloc(length + 1);
      assert_non_null(text);
      memcpy(text, made.text, length + 1);
      if (k % 3 != 0) {
        set_claim(&text, &length, made.bound + 1 + random_below(&random, 2));
      }
      for (int32_t times = 1 + random_below(&random, 3); times > 0 && k > 2; times--) {
        switch (random_below(&random, 3)) {
        case 0:
          change_number(&random, text, length);
          break;
        case 1:
          drop_line(&random, text, &length);
          break;
        default:
          drop_number(&random, text, &length);
          break;
        }
      }
      memplan_check_result result = check(&problem, text, length);
      if (result.proven && result.claim > optimum) {
        fail_msg("seed %" PRIu64 ": claims %" PRId64 ", the optimum is %" PRId64 ":\n%.*s", seed, result.claim, optimum,
                 (int)length, text);
      }
      tried++;
      accepted += result.proven;
      free(text);
    }
    free(made.text);
    memplan_arena_free(&arena);
    memplan_problem_free(&problem);
  }
  assert_true(tried >= 2000);
  assert_true(accepted < tried);
}

// ---- constructed ones: a 3 and b 2 always together, c 4 beside them: 9 units are needed

static void build_three(memplan_problem *problem) {
  build_instance(problem);
  (void)build_buffer(&problem->instance, "a", 0, 2, 3);
  (void)build_buffer(&problem->instance, "b", 0, 2, 2);
  (void)build_buffer(&problem->instance, "c", 1, 3, 4);
  (void)build_buffer(&problem->instance, "d", 2, 3, 1);
  build_finish(problem);
}

static memplan_check_result check_steps(const memplan_problem *problem, const char *claim, const char *buffers,
                                        const char *steps) {
  char text[2048];
  int length = snprintf(text, sizeof text,
                        "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"clauses\","
                        "\"claim\":%s,\"unit\":1,\"buffers\":%s}\n%s",
                        problem->fingerprint, claim, buffers, steps);
  return check(problem, text, (size_t)length);
}

static bool accepts(const memplan_problem *problem, const char *claim, const char *buffers, const char *steps) {
  return check_steps(problem, claim, buffers, steps).proven;
}

static void constructed_ones(void **state) {
  (void)state;
  memplan_problem problem;
  build_three(&problem);
  const char *all = "[\"a\",\"b\",\"c\"]", *overload = "{\"c\":[],\"h\":[[0,0,8,0,1,2]]}\n";
  assert_true(accepts(&problem, "9", all, overload));
  assert_false(accepts(&problem, "10", all, overload));                                 // [0, 8) is not the arena then
  assert_false(accepts(&problem, "10", all, "{\"c\":[],\"h\":[[0,0,9,0,1,2]]}\n"));     // they fit in 9
  assert_false(accepts(&problem, "10", all, "{\"c\":[],\"h\":[[0,5,3]]}\n"));           // nothing overloads nothing
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[0,0,8,0,1]]}\n"));        // a member is missing
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[0,0,8,0,1,2,2]]}\n"));    // a member twice
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[0,0,8,0,1,3]]}\n"));      // an item that is none
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[0,0,8,0,1,-3,0,5]]}\n")); // a window that c has not
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[0,1,8,0,1,2]]}\n")); // nothing says that they start at 1
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[2,0,8,0,1,2]]}\n")); // unknown kind
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[1]}\n"));             // itself
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[]}\n"));              // no hint
  assert_false(accepts(&problem, "9", all, ""));                                   // no step
  assert_false(accepts(&problem, "9", "[\"a\",\"b\",\"e\"]", overload));           // a foreign buffer
  assert_false(accepts(&problem, "9", "[\"a\",\"b\",\"b\"]", overload));           // one twice
  // d and a never meet: their sizes do not add up
  assert_false(accepts(&problem, "6", "[\"a\",\"b\",\"d\"]", "{\"c\":[],\"h\":[[0,0,5,0,1,2]]}\n"));
  // a and d do not exclude each other, a and b are no twins, and the second turn is one too many
  assert_false(accepts(&problem, "9", "[\"a\",\"d\"]", "{\"g\":[0,1]}\n"));
  assert_true(accepts(&problem, "9", all, "{\"g\":[0,1]}\n{\"c\":[],\"h\":[[0,0,8,0,1,2]]}\n"));
  assert_string_equal(check_steps(&problem, "12", all, "{\"g\":[0,1]}\n{\"g\":[0,2]}\n").reason,
                      "a pair is given that no symmetry gives");
  assert_false(accepts(&problem, "9", all, "{\"g\":[1,0]}\n{\"c\":[],\"h\":[[0,0,8,0,1,2]]}\n"));
  // edge: with b and c in [0, 6) a comes after them, at 6, too high for 8; only with the whole set
  assert_true(accepts(&problem, "9", all,
                      "{\"c\":[1,0,3,-4,5,-2],\"h\":[[1,0,0,0,6,6,0,1,1,1,2]]}\n"
                      "{\"c\":[],\"h\":[[0,0,8,0,1,2]]}\n"));
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[1,0,0,0,6,7,0,1,1,1,2]]}\n")); // goal too high
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[1,0,0,0,9,6,0,1,1,1,2]]}\n")); // there is room
  assert_false(accepts(&problem, "9", all, "{\"c\":[],\"h\":[[1,0,0,0,6,0,0,0,1,0,2]]}\n")); // nobody pushes
  memplan_problem_free(&problem);
}

static void load_certificates(void **state) {
  (void)state;
  memplan_problem problem;
  build_three(&problem);
  for (int64_t claim = 8; claim <= 10; claim++) {
    for (int64_t time = 0; time <= 3; time++) {
      char *text = NULL;
      size_t length = 0;
      FILE *out = open_memstream(&text, &length);
      assert_non_null(out);
      const memplan_load load = {claim, time};
      assert_true(memplan_proof_write_load(&load, NULL, problem.fingerprint, NULL, out));
      assert_int_equal(fclose(out), 0);
      assert_int_equal(check(&problem, text, length).proven, time == 1 && claim <= 9);
      free(text);
    }
  }
  memplan_problem_free(&problem);
}

static void other_texts(void **state) {
  (void)state;
  memplan_problem problem;
  build_three(&problem);
  static const char *const texts[] = {"", "\n", "{}", "[]", "{\"format\":\"memplan-certificate\"}", "null\n", "\0"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    assert_false(check(&problem, texts[k], strlen(texts[k])).proven);
  }
  memplan_problem other;
  build_instance(&other);
  (void)build_buffer(&other.instance, "a", 0, 2, 4);
  build_finish(&other);
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  const memplan_load load = {4, 0};
  assert_true(memplan_proof_write_load(&load, NULL, other.fingerprint, NULL, out));
  assert_int_equal(fclose(out), 0);
  assert_true(check(&other, text, length).proven);
  assert_false(check(&problem, text, length).proven); // another problem
  free(text);
  memplan_problem_free(&other);
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certificates_are_accepted),
      cmocka_unit_test(mutations_prove_no_more),
      cmocka_unit_test(constructed_ones),
      cmocka_unit_test(load_certificates),
      cmocka_unit_test(other_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
