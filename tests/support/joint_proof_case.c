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

memplan_certificate joint_proof_certify_claim(const memplan_problem *problem, const memplan_joint_claim *claim) {
  memplan_certificate certificate;
  memplan_error error = {0};
  memplan_limits limits = memplan_limits_default();
  limits.work = 100000000;
  if (memplan_joint_certify_claim(problem, claim, &limits, JOINT_PROOF_MOST, &certificate, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_null(certificate.missing);
  return certificate;
}

memplan_certificate joint_proof_certify(const memplan_problem *problem, int64_t claim) {
  const memplan_joint_claim all = {.bytes = claim};
  return joint_proof_certify_claim(problem, &all);
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

json_t *joint_proof_split(const char *text, size_t length) {
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

char *joint_proof_unite(const json_t *lines, size_t *length) {
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

// Another operator, another way round, or another number of bytes in a section that shows a precedence.
static void mutate_section(json_t *lines, size_t at, random_state *random) {
  static const char *const keys[] = {"op", "before", "not_before", "after", "cell"};
  json_t *line = json_array_get(lines, at), *from = json_array_get(lines, 1 + draw(random, json_array_size(lines) - 1));
  json_t *before = json_object_get(line, "before"), *not_before = json_object_get(line, "not_before");
  const char *key = keys[random_below(random, 5)];
  switch (random_below(random, 6)) {
  case 0:
    json_array_remove(lines, at);
    break;
  case 1:
    json_array_insert(lines, at, from);
    break;
  case 2:
    if (json_object_get(line, "op") != NULL && (before != NULL || not_before != NULL)) {
      json_object_set(line, before != NULL ? "not_before" : "before", before != NULL ? before : not_before);
      json_object_del(line, before != NULL ? "before" : "not_before");
    }
    break;
  case 3:
    json_object_set_new(line, "bytes", draw_number(random, json_integer_value(json_object_get(line, "bytes"))));
    break;
  case 4:
    change_number(json_array_get(json_object_get(line, random_chance(random, 50) ? "in" : "out"), 0), random);
    break;
  default:
    if (json_object_get(from, key) != NULL) {
      json_object_set(line, key, json_object_get(from, key));
    }
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
  if (clause == NULL) {
    mutate_section(lines, at, random);
    return;
  }
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

static json_t *draw_entry(random_state *random, const json_t *list) {
  return json_array_get(list, draw(random, json_array_size(list)));
}

// Another window is named, or other things of it.
static void mutate_window(const memplan_problem *problem, json_t *head, random_state *random) {
  static const char *const keys[] = {"ops", "items", "pairs"};
  json_t *list = json_object_get(head, keys[random_chance(random, 60) ? 0 : 1 + random_below(random, 2)]);
  size_t n = json_array_size(list);
  if (n == 0) {
    return;
  }
  size_t at = draw(random, n);
  switch (random_below(random, 5)) {
  case 0:
    json_array_remove(list, at);
    break;
  case 1:
    json_array_insert(list, at, draw_entry(random, list));
    break;
  case 2: {
    json_t *first = json_incref(json_array_get(list, at));
    size_t other = draw(random, n);
    json_array_set(list, at, json_array_get(list, other));
    json_array_set_new(list, other, first);
    break;
  }
  case 3:
    json_array_set_new(list, at, json_string(problem->graph.ops[random_below(random, problem->graph.n_ops)].id));
    break;
  default:
    json_object_del(head, "window");
  }
}

// `windows`: it is of one.
static void try_mutant(joint_proof_counts *counts, const memplan_problem *problem, const memplan_certificate *from,
                       bool windows, uint64_t seed, int64_t optimum, random_state *random) {
  json_t *lines = joint_proof_split(from->text, from->length);
  int32_t changes = 1 + random_below(random, 3);
  for (int32_t k = 0; k < changes; k++) {
    if (windows && random_chance(random, 40)) {
      mutate_window(problem, json_array_get(lines, 0), random);
    } else {
      mutate(lines, random);
    }
  }
  if (random_chance(random, 70)) {
    json_object_set_new(json_array_get(lines, 0), "claim", json_integer(optimum + 1 + random_below(random, 3)));
  }
  size_t length;
  char *text = joint_proof_unite(lines, &length);
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

void joint_proof_look_at(joint_proof_counts *counts, const memplan_problem *problem,
                         const memplan_certificate *certificate, bool windows, uint64_t seed, int64_t optimum,
                         random_state *random) {
  memplan_check_result result = joint_proof_check(problem, certificate->text, certificate->length);
  if (!result.proven || result.claim != certificate->claim || !result.every_order) {
    fail_msg("seed %" PRIu64 ", line %" PRId64 ": %s\n%.2000s", seed, result.line, result.reason, certificate->text);
  }
  counts->certificates++;
  counts->steps += result.steps;
  for (const char *at = strstr(certificate->text, "{\"op\":"); at != NULL; at = strstr(at + 1, "{\"op\":")) {
    counts->precedences++;
  }
  for (const char *at = strstr(certificate->text, "\"h\":["); at != NULL && *at != '\0'; at++) {
    counts->lemmas += *at == '[' && at[1] >= '0' && at[1] <= '2' && at[2] == ',';
  }
  for (int32_t k = 0; k < counts->mutants; k++) {
    try_mutant(counts, problem, certificate, windows, seed, optimum, random);
  }
}

void joint_proof_look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  joint_proof_counts *counts = context;
  if (optimum == 0) {
    return;
  }
  memplan_joint_claim claim = {.bytes = optimum, .probing = counts->probing};
  memplan_certificate certificate = joint_proof_certify_claim(problem, &claim);
  if (certificate.text == NULL) {
    fail_msg("seed %" PRIu64 ": no certificate of %" PRId64, seed, optimum);
  }
  random_state random = random_start(193, seed);
  joint_proof_look_at(counts, problem, &certificate, false, seed, optimum, &random);
  assert_int_equal(certificate.claim, optimum);
  memplan_certificate_free(&certificate);
  claim.bytes++;
  certificate = joint_proof_certify_claim(problem, &claim);
  assert_null(certificate.text);
  memplan_certificate_free(&certificate);
}

// The largest claim of the window that is tried; the optimum may be too much for it, one more always is.
static void look_at_window(joint_proof_counts *counts, const memplan_problem *problem, const char *const *ops,
                           int32_t n_ops, uint64_t seed, int64_t optimum, random_state *random) {
  enum { most_tries = 5 };
  memplan_joint_claim claim = {.bytes = optimum + 1, .ops = ops, .n_ops = n_ops};
  memplan_certificate certificate = joint_proof_certify_claim(problem, &claim);
  assert_null(certificate.text);
  claim.bytes = optimum;
  for (int32_t tries = 0; tries < most_tries && certificate.text == NULL && claim.bytes > 0; tries++) {
    certificate = joint_proof_certify_claim(problem, &claim);
    claim.bytes -= 1 + random_below(random, (int32_t)(claim.bytes / 3 + 1));
  }
  if (certificate.text != NULL) {
    counts->tight += certificate.claim == optimum && n_ops < problem->graph.n_ops;
    joint_proof_look_at(counts, problem, &certificate, true, seed, optimum, random);
  }
  memplan_certificate_free(&certificate);
}

void joint_proof_look_windows(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  joint_proof_counts *counts = context;
  const memplan_graph *graph = &problem->graph;
  random_state random = random_start(197, seed);
  const char *ops[BUILD_OPS];
  assert_true(graph->n_ops <= BUILD_OPS);
  for (int32_t round = 0; round < 2 && optimum > 0; round++) {
    int32_t n = 0, share = 30 + random_below(&random, 70);
    for (int32_t op = 0; op < graph->n_ops; op++) {
      if (random_chance(&random, share)) {
        ops[n++] = graph->ops[op].id;
      }
    }
    look_at_window(counts, problem, ops, n, seed, optimum, &random);
  }
}
