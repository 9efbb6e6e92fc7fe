// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_proof_case.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t any_size = INT64_C(1) << 30;

memplan_certificate joint_proof_certify(const memplan_problem *problem, int64_t claim) {
  memplan_certificate certificate;
  memplan_error error = {0};
  memplan_limits limits = memplan_limits_default();
  limits.work = 100000000;
  if (memplan_joint_certify(problem, claim, &limits, any_size, &certificate, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_null(certificate.missing);
  return certificate;
}

memplan_check_result joint_proof_check(const memplan_problem *problem, const char *text, size_t length) {
  memplan_check_result result;
  memplan_error error = {0};
  if (memplan_check_certificate(problem, text, length, &result, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return result;
}

// ---- mutants

// The lines as JSON objects.
static json_t *split(const char *text, size_t length) {
  json_t *lines = json_array();
  for (size_t at = 0; at < length;) {
    const char *end = memchr(text + at, '\n', length - at);
    size_t own = end != NULL ? (size_t)(end - text) - at : length - at;
    json_t *line = json_loadb(text + at, own, 0, NULL);
    assert_non_null(line);
    assert_int_equal(json_array_append_new(lines, line), 0);
    at += own + 1;
  }
  return lines;
}

static char *unite(const json_t *lines, size_t *length) {
  size_t n = json_array_size(lines);
  char *text = NULL;
  *length = 0;
  for (size_t k = 0; k < n; k++) {
    char *line = json_dumps(json_array_get(lines, k), JSON_COMPACT);
    assert_non_null(line);
    size_t own = strlen(line);
    text = realloc(text, *length + own + 2);
    assert_non_null(text);
    memcpy(text + *length, line, own);
    text[*length + own] = '\n';
    *length += own + 1;
    text[*length] = '\0';
    free(line);
  }
  return text;
}

static size_t draw(random_state *random, size_t n) { return (size_t)random_below(random, (int32_t)n); }

static json_t *draw_number(random_state *random, int64_t from) {
  int64_t to = random_chance(random, 70)   ? from + (random_chance(random, 50) ? 1 : -1) * (1 + random_below(random, 3))
               : random_chance(random, 50) ? -from
                                           : random_below(random, 400) - 20;
  return json_integer(to);
}

// A number of the array, or of one within it, becomes another.
static void change_number(json_t *array, random_state *random) {
  size_t n = json_array_size(array);
  if (n > 0) {
    size_t at = draw(random, n);
    json_t *value = json_array_get(array, at);
    if (json_is_array(value)) {
      change_number(value, random);
    } else {
      json_array_set_new(array, at, draw_number(random, json_integer_value(value)));
    }
  }
}

static void drop_entries(json_t *array, random_state *random, size_t together) {
  size_t n = json_array_size(array) / together;
  for (size_t k = 0, at = n > 0 ? draw(random, n) * together : 0; n > 0 && k < together; k++) {
    json_array_remove(array, at);
  }
}

static void change_hint(json_t *hints, random_state *random) {
  size_t n = json_array_size(hints);
  json_t *hint = n > 0 ? json_array_get(hints, draw(random, n)) : NULL;
  if (hint != NULL && json_is_array(hint)) {
    if (random_chance(random, 60)) {
      change_number(hint, random);
    } else if (random_chance(random, 50)) {
      drop_entries(hint, random, 1);
    } else {
      json_array_append(hint, json_array_get(hint, draw(random, json_array_size(hint))));
    }
  } else {
    change_number(hints, random);
  }
}

static void mutate(json_t *lines, random_state *random) {
  size_t n = json_array_size(lines);
  if (n < 2) {
    json_t *unit = json_object_get(json_array_get(lines, 0), "unit");
    json_object_set_new(json_array_get(lines, 0), "unit", draw_number(random, json_integer_value(unit)));
    return;
  }
  size_t at = 1 + draw(random, n - 1);
  json_t *line = json_array_get(lines, at);
  json_t *clause = json_object_get(line, "c"), *hints = json_object_get(line, "h");
  switch (random_below(random, 8)) {
  case 0:
    drop_entries(clause, random, 2);
    break;
  case 1:
    change_number(clause, random);
    break;
  case 2:
    drop_entries(hints, random, 1);
    break;
  case 3:
    json_array_remove(lines, at);
    break;
  case 4:
    json_array_insert(lines, at, json_array_get(lines, 1 + draw(random, n - 1)));
    break;
  case 5: { // a lemma out of nothing
    json_t *lemma = json_array();
    int32_t length = 2 + random_below(random, 8);
    for (int32_t k = 0; k < length; k++) {
      json_array_append_new(lemma, json_integer(k == 0 ? random_below(random, 3) : random_below(random, 12) - 3));
    }
    json_array_insert_new(hints, 0, lemma);
    break;
  }
  default:
    change_hint(hints, random);
  }
}

static void try_mutant(joint_proof_counts *counts, const memplan_problem *problem, const memplan_certificate *from,
                       uint64_t seed, int64_t optimum, random_state *random) {
  json_t *lines = split(from->text, from->length);
  int32_t changes = 1 + random_below(random, 3);
  for (int32_t k = 0; k < changes; k++) {
    mutate(lines, random);
  }
  if (random_chance(random, 70)) {
    json_object_set_new(json_array_get(lines, 0), "claim", json_integer(optimum + 1 + random_below(random, 3)));
  }
  size_t length;
  char *text = unite(lines, &length);
  memplan_check_result result = joint_proof_check(problem, text, length);
  if (result.proven && result.claim > optimum) {
    fail_msg("seed %" PRIu64 ": more than the optimum %" PRId64 " is proven by\n%.3000s", seed, optimum, text);
  }
  counts->made++;
  counts->refused += !result.proven;
  counts->raised += result.claim > optimum;
  free(text);
  json_decref(lines);
}

void joint_proof_look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  joint_proof_counts *counts = context;
  if (optimum == 0) {
    return;
  }
  memplan_certificate certificate = joint_proof_certify(problem, optimum);
  if (certificate.text == NULL) {
    fail_msg("seed %" PRIu64 ": no certificate of %" PRId64, seed, optimum);
  }
  memplan_check_result result = joint_proof_check(problem, certificate.text, certificate.length);
  if (!result.proven || result.claim != optimum || !result.every_order) {
    fail_msg("seed %" PRIu64 ", line %" PRId64 ": %s\n%.2000s", seed, result.line, result.reason, certificate.text);
  }
  counts->certificates++;
  counts->steps += result.steps;
  for (const char *at = strstr(certificate.text, "\"h\":["); at != NULL && *at != '\0'; at++) {
    counts->lemmas += *at == '[' && at[1] >= '0' && at[1] <= '2' && at[2] == ',';
  }
  random_state random = random_start(193, seed);
  for (int32_t k = 0; k < counts->mutants; k++) {
    try_mutant(counts, problem, &certificate, seed, optimum, &random);
  }
  memplan_certificate_free(&certificate);
  certificate = joint_proof_certify(problem, optimum + 1);
  assert_null(certificate.text);
  memplan_certificate_free(&certificate);
}
