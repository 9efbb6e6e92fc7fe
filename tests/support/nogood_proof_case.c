// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/nogood_proof_case.h"

#include "tests/support/nogood_case.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t any_size = INT64_C(1) << 30;

memplan_certificate nogood_proof_certify(const memplan_problem *problem, int64_t claim) {
  memplan_certificate certificate;
  memplan_error error = {.message = ""};
  memplan_limits limits = memplan_limits_default();
  limits.work = 300000000;
  limits.threads = 1;
  if (memplan_nogood_certify(problem, claim, &limits, any_size, &certificate, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_null(certificate.missing);
  return certificate;
}

memplan_check_result nogood_proof_check(const memplan_problem *problem, const char *text, size_t length) {
  memplan_check_result result;
  memplan_error error = {.message = ""};
  if (memplan_check_certificate(problem, text, length, &result, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  return result;
}

// ---- mutants

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
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  assert_non_null(out);
  for (size_t k = 0; k < json_array_size(lines); k++) {
    assert_int_equal(json_dumpf(json_array_get(lines, k), out, JSON_COMPACT), 0);
    fputc('\n', out);
  }
  assert_int_equal(fclose(out), 0);
  return text;
}

static size_t draw(random_state *random, size_t n) { return (size_t)random_below(random, (int32_t)n); }

static int64_t other_number(random_state *random, int64_t from) {
  return random_chance(random, 70) ? from + (random_chance(random, 50) ? 1 : -1) * (1 + random_below(random, 2))
                                   : random_below(random, 12) - 2;
}

// A number within the value becomes another, or an entry is dropped, doubled or added.
static void change(json_t *value, random_state *random) {
  if (json_is_integer(value)) {
    json_integer_set(value, other_number(random, json_integer_value(value)));
    return;
  }
  if (json_is_object(value)) {
    size_t n = json_object_size(value), at = n > 0 ? draw(random, n) : 0, k = 0;
    const char *key;
    json_t *member;
    void *next;
    json_object_foreach_safe(value, next, key, member) {
      if (k++ == at) {
        if (random_chance(random, 8)) {
          json_object_del(value, key);
        } else {
          change(member, random);
        }
        return;
      }
    }
    return;
  }
  size_t n = json_array_size(value), at = n > 0 ? draw(random, n) : 0;
  int32_t kind = random_below(random, 10);
  if (n == 0 || kind == 0) {
    json_array_insert_new(value, at, json_integer(random_below(random, 10)));
  } else if (kind < 4) {
    json_array_remove(value, at);
  } else if (kind == 4) {
    json_array_append(value, json_array_get(value, at));
  } else {
    change(json_array_get(value, at), random);
  }
}

static size_t find_line(const json_t *lines, const char *key, random_state *random) {
  size_t n = json_array_size(lines), start = draw(random, n);
  for (size_t k = 0; k < n; k++) {
    if (json_object_get(json_array_get(lines, (start + k) % n), key) != NULL) {
      return (start + k) % n;
    }
  }
  return 0;
}

static void mutate(json_t *lines, random_state *random) {
  static const char *const keys[] = {"items",  "overlaps", "always", "links", "run",
                                     "choose", "commit",   "from",   "search"};
  size_t n = json_array_size(lines);
  const char *key = keys[random_below(random, (int32_t)(sizeof keys / sizeof *keys))];
  size_t at = find_line(lines, key, random);
  json_t *line = json_array_get(lines, at), *member = json_object_get(line, key);
  switch (random_below(random, 9)) {
  case 0: // a line less
    if (n > 1) {
      json_array_remove(lines, 1 + draw(random, n - 1));
    }
    break;
  case 1: // again
    json_array_insert(lines, 1 + draw(random, n), json_array_get(lines, draw(random, n)));
    break;
  case 2: { // what can be otherwise is said to be there always
    json_t *overlaps = json_object_get(line, "overlaps"), *always = json_object_get(line, "always");
    size_t size = json_array_size(overlaps) / 2, k = size > 0 ? draw(random, size) : 0;
    if (size > 0) {
      json_array_append(always, json_array_get(overlaps, 2 * k));
      json_array_append(always, json_array_get(overlaps, 2 * k + 1));
      json_array_append_new(always, json_integer(random_below(random, 9) - 1));
      json_array_remove(overlaps, 2 * k + 1);
      json_array_remove(overlaps, 2 * k);
    }
    break;
  }
  case 3: // a commit
    if (json_object_get(line, "run") != NULL) {
      if (json_object_get(line, "commit") == NULL) {
        json_object_set_new(line, "commit", json_array());
      }
      json_array_append_new(json_object_get(line, "commit"), json_integer(random_below(random, 9)));
    }
    break;
  case 4: { // the other end of the graph
    const char *from =
        json_string_value(json_object_get(json_array_get(lines, find_line(lines, "search", random)), "search"));
    if (from != NULL) {
      json_t *turned = json_string(strcmp(from, "forward") == 0 ? "reversed" : "forward");
      json_object_set_new(json_array_get(lines, find_line(lines, "search", random)), "search", turned);
    }
    break;
  }
  case 5: // the proof of a nogood
    at = find_line(lines, "proof", random);
    member = json_object_get(json_array_get(lines, at), "proof");
    if (member != NULL && !json_is_null(member)) {
      change(member, random);
    }
    break;
  default:
    if (member != NULL && !json_is_string(member)) {
      change(member, random);
    }
  }
}

// The proofs of nogoods claim as much as the certificate.
static void raise_claims(json_t *lines, int64_t claim) {
  json_object_set_new(json_array_get(lines, 0), "claim", json_integer(claim));
  for (size_t k = 1; k < json_array_size(lines); k++) {
    json_t *head = json_array_get(json_object_get(json_array_get(lines, k), "proof"), 0);
    if (json_is_object(head)) {
      json_object_set_new(head, "claim", json_integer(claim));
    }
  }
}

static void try_mutant(nogood_proof_counts *counts, const memplan_problem *problem, const memplan_certificate *from,
                       uint64_t seed, int64_t optimum, random_state *random) {
  json_t *lines = split(from->text, from->length);
  int32_t changes = 1 + random_below(random, 3);
  for (int32_t k = 0; k < changes; k++) {
    mutate(lines, random);
  }
  if (random_chance(random, 70)) {
    raise_claims(lines, optimum + 1 + random_below(random, 3));
  }
  size_t length;
  char *text = unite(lines, &length);
  memplan_check_result result = nogood_proof_check(problem, text, length);
  if (result.proven && result.claim > optimum) {
    fail_msg("seed %" PRIu64 ": more than the optimum %" PRId64 " is proven by\n%.3000s", seed, optimum, text);
  }
  counts->made++;
  counts->refused += !result.proven;
  counts->raised += result.claim > optimum;
  free(text);
  json_decref(lines);
}

static bool has_unread(const memplan_problem *problem) {
  memplan_ordering ordering;
  memplan_arena arena = {0};
  memplan_joint_graph whole;
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  assert_int_equal(memplan_joint_graph_outline(&whole, &ordering, &arena, NULL), MEMPLAN_OK);
  bool has = nogood_has_unread(&whole);
  memplan_arena_free(&arena);
  memplan_ordering_free(&ordering);
  return has;
}

void nogood_proof_look_at(nogood_proof_counts *counts, const memplan_problem *problem,
                          const memplan_certificate *certificate, uint64_t seed, int64_t optimum) {
  memplan_check_result result = nogood_proof_check(problem, certificate->text, certificate->length);
  if (!result.proven || result.claim != certificate->claim || !result.every_order) {
    fail_msg("seed %" PRIu64 ", line %" PRId64 ": %s\n%.3000s", seed, result.line, result.reason, certificate->text);
  }
  counts->certificates++;
  counts->steps += result.steps;
  counts->nogoods += strstr(certificate->text, "\"overlaps\"") != NULL;
  counts->searches += strstr(certificate->text, "\"search\"") != NULL;
  counts->commits += strstr(certificate->text, "\"commit\"") != NULL;
  counts->choices += strstr(certificate->text, "\"choose\"") != NULL;
  counts->groups += problem->graph.n_groups > 0;
  random_state random = random_start(313, seed);
  for (int32_t k = 0; k < counts->mutants; k++) {
    try_mutant(counts, problem, certificate, seed, optimum, &random);
  }
}

void nogood_proof_look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum) {
  nogood_proof_counts *counts = context;
  if (optimum == 0) {
    return;
  }
  memplan_certificate certificate = nogood_proof_certify(problem, optimum);
  if (certificate.text == NULL && has_unread(problem)) {
    counts->unread++;
    return;
  }
  if (certificate.text == NULL) {
    fail_msg("seed %" PRIu64 ": no certificate of %" PRId64, seed, optimum);
  }
  nogood_proof_look_at(counts, problem, &certificate, seed, optimum);
  memplan_certificate_free(&certificate);
  certificate = nogood_proof_certify(problem, optimum + 1);
  assert_null(certificate.text);
  memplan_certificate_free(&certificate);
}
