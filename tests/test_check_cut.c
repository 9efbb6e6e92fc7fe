// SPDX-License-Identifier: Apache-2.0
// Certificates of bounds for every order: those written are accepted, changed ones never prove more than is true.
#include "eval/check_proof.h"
#include "eval/witness.h"
#include "solvers/cut_proof.h"
#include "tests/support/cut_case.h"
#include "tests/support/order_optimum.h"
#include "tests/support/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { seed = 20240620, graphs = 600, changes = 12, most_ops = 9 };

typedef struct text {
  char bytes[1 << 15];
  size_t length;
} text;

static void append(text *to, const char *from, size_t length) {
  assert_true(to->length + length < sizeof to->bytes);
  memcpy(to->bytes + to->length, from, length);
  to->length += length;
  to->bytes[to->length] = '\0';
}

static memplan_check_result check(const memplan_problem *problem, const char *bytes, size_t length) {
  memplan_check_result result;
  memplan_error error;
  assert_int_equal(memplan_check_certificate(problem, bytes, length, &result, &error), MEMPLAN_OK);
  assert_true(result.proven == (result.reason[0] == '\0'));
  return result;
}

// The text of a bound's certificate, malloc'd; NULL: there is none.
static char *certify_bound(const memplan_problem *problem, const memplan_bound *bound) {
  static const memplan_proof_effort probing = {.probing = INT64_MAX};
  memplan_certificate certificate;
  assert_int_equal(memplan_cut_certify(problem, bound, NULL, &probing, INT64_MAX, &certificate, NULL), MEMPLAN_OK);
  assert_true(certificate.text == NULL || certificate.length == strlen(certificate.text));
  return certificate.text;
}

// The largest cut bound of the operator that a certificate is found for.
static char *certify(const memplan_problem *problem, const char *op, int64_t most, int64_t *claim) {
  char *certificate = NULL;
  int64_t low = 0, high = most + 1; // one is found for low, none for high
  while (high - low > 1) {
    memplan_bound bound = {.kind = MEMPLAN_BOUND_CUT, .joint = true, .bytes = low + (high - low) / 2, .op = op};
    char *found = certify_bound(problem, &bound);
    if (found != NULL) {
      free(certificate);
      certificate = found;
      low = bound.bytes;
    } else {
      high = bound.bytes;
    }
  }
  *claim = low;
  return certificate;
}

// The certificate with another claim.
static void claim_more(const char *certificate, int64_t claim, text *changed) {
  const char *at = strstr(certificate, "\"claim\":");
  assert_non_null(at);
  at += strlen("\"claim\":");
  char number[32];
  changed->length = 0;
  append(changed, certificate, (size_t)(at - certificate));
  append(changed, number, (size_t)snprintf(number, sizeof number, "%" PRId64, claim));
  at += strspn(at, "0123456789");
  append(changed, at, strlen(at));
}

static const char *random_line(random_state *random, const char *bytes, size_t *length) {
  int32_t n = 0;
  for (const char *at = bytes; *at != '\0'; at++) {
    n += *at == '\n' ? 1 : 0;
  }
  const char *at = bytes;
  for (int32_t skip = random_below(random, n); skip > 0; skip--) {
    at = strchr(at, '\n') + 1;
  }
  *length = (size_t)(strchr(at, '\n') - at) + 1;
  return at;
}

// Another number, a line of another certificate more, a line less, or a name for another.
static void change(random_state *random, text *certificate, const char *other) {
  size_t length;
  int32_t kind = random_below(random, 4);
  if (kind == 0) {
    const char *line = random_line(random, other, &length);
    append(certificate, line, length);
    return;
  }
  char *line = certificate->bytes + (random_line(random, certificate->bytes, &length) - certificate->bytes);
  char *behind = line + length;
  if (kind == 1 && line != certificate->bytes) {
    memmove(line, behind, strlen(behind) + 1);
    certificate->length -= length;
    return;
  }
  char *first = line == certificate->bytes ? strstr(line, "\"op\":") : line;
  for (char *at = first; at != NULL && at < behind; at++) {
    if (*at >= '0' && *at <= '9' && random_chance(random, 30)) {
      *at = (char)('0' + random_below(random, 10));
      return;
    }
  }
}

typedef struct counts {
  int64_t graphs, certificates, pairs, probes, sections, changed, still_right;
} counts;

// A certificate must be accepted, and must not be with a claim above the optimum.
static void check_certificate(const memplan_problem *problem, const char *certificate, int64_t claim, int64_t optimum,
                              counts *all) {
  memplan_check_result result = check(problem, certificate, strlen(certificate));
  if (!result.proven || result.claim != claim) {
    fail_msg("not accepted: line %" PRId64 ": %s\n%s", result.line, result.reason, certificate);
  }
  text *more = malloc(sizeof *more);
  assert_non_null(more);
  claim_more(certificate, optimum + 1, more);
  assert_false(check(problem, more->bytes, more->length).proven);
  free(more);
  all->certificates++;
  all->pairs += strstr(certificate, "\"pair\":") != NULL ? 1 : 0;
}

static void change_certificates(const memplan_problem *problem, random_state *random, char *const *certificates,
                                int32_t n, int64_t optimum, counts *all) {
  for (int32_t k = 0; k < changes && n > 0; k++) {
    text *changed = malloc(sizeof *changed);
    assert_non_null(changed);
    bool larger = random_chance(random, 70);
    claim_more(certificates[random_below(random, n)], optimum + (larger ? 1 : 0), changed);
    for (int32_t times = 1 + random_below(random, 3); times > 0; times--) {
      change(random, changed, certificates[random_below(random, n)]);
    }
    memplan_check_result result = check(problem, changed->bytes, changed->length);
    all->changed++;
    all->still_right += result.proven ? 1 : 0;
    if (result.proven && result.claim > optimum) {
      fail_msg("proves %" PRId64 ", optimum %" PRId64 "\n%s", result.claim, optimum, changed->bytes);
    }
    free(changed);
  }
}

typedef struct graph_question {
  random_state random;
  counts all;
} graph_question;

static void check_graph(const memplan_problem *problem, void *context) {
  graph_question *question = context;
  random_state *random = &question->random;
  counts *all = &question->all;
  memplan_ordering ordering;
  assert_int_equal(memplan_ordering_init(&ordering, &problem->graph, &problem->options, NULL, NULL), MEMPLAN_OK);
  int64_t optimum = order_optimum(&ordering), claim;
  char *certificates[most_ops + 1] = {NULL}, *probe;
  int32_t n = 0;
  for (int32_t op = 0; op < ordering.n_ops; op++) {
    char *certificate = certify(problem, problem->graph.ops[op].id, optimum, &claim);
    if (certificate != NULL) {
      check_certificate(problem, certificate, claim, optimum, all);
      certificates[n++] = certificate;
    }
  }
  memplan_bound bound = {.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = optimum};
  probe = certify_bound(problem, &bound);
  if (probe != NULL && strstr(probe, "\"kind\":\"probe\"") != NULL) {
    check_certificate(problem, probe, optimum, optimum, all);
    certificates[n++] = probe;
    all->probes++;
    all->sections += strstr(probe, "before\":") != NULL ? 1 : 0;
    change_certificates(problem, random, &probe, 1, optimum, all);
  } else { // a search, for which there are other tests
    free(probe);
  }
  bound.bytes = optimum + 1;
  probe = certify_bound(problem, &bound);
  assert_null(probe);
  change_certificates(problem, random, certificates, n, optimum, all);
  for (int32_t k = 0; k < n; k++) {
    free(certificates[k]);
  }
  all->graphs++;
  memplan_ordering_free(&ordering);
}

static void certificates_prove_what_is_true(void **state) {
  (void)state;
  graph_question question = {.all = {0}};
  for (uint64_t index = 0; index < graphs; index++) {
    question.random = random_start(seed, index);
    memplan_problem problem;
    if (cut_random_graph(&question.random, index, &problem)) {
      shrink_checked(&problem, check_graph, &question, sizeof question, "certificates of cuts, seed %d, %" PRIu64,
                     (int)seed, index);
    }
    memplan_problem_free(&problem);
  }
  const counts all = question.all;
  print_message("%" PRId64 " graphs, %" PRId64 " certificates, %" PRId64 " with pairs, %" PRId64 " of probing, %" PRId64
                " of them with assumptions; %" PRId64 " changed, %" PRId64 " of them still prove something\n",
                all.graphs, all.certificates, all.pairs, all.probes, all.sections, all.changed, all.still_right);
  assert_true(all.probes > graphs / 2 && all.sections > graphs / 40);
  assert_true(all.certificates > 3 * graphs && all.pairs > graphs / 20 && all.changed > 8 * graphs);
  assert_true(all.still_right > graphs / 4);
}

// What is shown as in memory adds up to the bound.
static void cuts_show_what_is_in_memory(void **state) {
  (void)state;
  int32_t cuts = 0;
  for (uint64_t index = 0; index < 400; index++) {
    random_state random = random_start(seed + 1, index);
    random_graph_options wishes = {.max_ops = 7, .max_bytes = 9};
    memplan_problem problem;
    if (index % 2 == 0) {
      random_graph(&random, &wishes, &problem);
    } else {
      order_random_dag(&random, 5 + random_below(&random, 20), 12, &problem);
    }
    problem.options.inplace = MEMPLAN_INPLACE_NONE;
    memplan_bounds bounds = {.n_bounds = 0};
    memplan_error error;
    if (build_try(&problem, &error) == MEMPLAN_OK) {
      assert_int_equal(memplan_find_bounds(&problem, NULL, &bounds, &error), MEMPLAN_OK);
    }
    for (int32_t k = 0; k < bounds.n_bounds; k++) {
      if (bounds.bounds[k].kind == MEMPLAN_BOUND_CUT) {
        memplan_witness witness;
        assert_int_equal(memplan_witness_of_bound(&problem, &bounds, &bounds.bounds[k], &witness, &error), MEMPLAN_OK);
        assert_int_equal(witness.bytes, bounds.bounds[k].bytes);
        memplan_witness_free(&witness);
        cuts++;
      }
    }
    memplan_bounds_free(&bounds);
    memplan_problem_free(&problem);
  }
  assert_true(cuts > 50);
}

// All inputs and all outputs.
static void ends_are_certified(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  (void)build_tensor(&problem.graph, "a", 3, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(&problem.graph, "b", 4, MEMPLAN_ROLE_INPUT);
  (void)build_tensor(&problem.graph, "c", 5, MEMPLAN_ROLE_OUTPUT);
  (void)build_op(&problem.graph, "o", "a", "c");
  build_finish(&problem);
  static const memplan_bound_kind kinds[] = {MEMPLAN_BOUND_INPUTS, MEMPLAN_BOUND_OUTPUTS};
  static const int64_t bytes[] = {7, 5};
  for (int32_t k = 0; k < 2; k++) {
    for (int64_t more = 0; more < 2; more++) {
      memplan_bound bound = {.kind = kinds[k], .joint = true, .bytes = bytes[k] + more};
      char *certificate = certify_bound(&problem, &bound);
      assert_non_null(certificate);
      assert_int_equal(check(&problem, certificate, strlen(certificate)).proven, more == 0);
      free(certificate);
    }
  }
  // What has no flow has no certificate.
  memplan_bound bound = {.kind = MEMPLAN_BOUND_SEARCH, .bytes = 1};
  assert_null(certify_bound(&problem, &bound));
  memplan_problem_free(&problem);
}

// The certificate with the fingerprint of another problem, the pool named or not.
static void speak_of(const char *certificate, const char *fingerprint, const char *pool, text *changed) {
  const char *at = strstr(certificate, "\"fingerprint\":\"");
  assert_non_null(at);
  at += strlen("\"fingerprint\":\"");
  const char *behind = strchr(at, '"') + 1;
  changed->length = 0;
  append(changed, certificate, (size_t)(at - certificate));
  append(changed, fingerprint, strlen(fingerprint));
  append(changed, "\"", 1);
  append(changed, pool, strlen(pool));
  append(changed, behind, strlen(behind));
}

enum { pool_graphs = 1000, kinds_of_every_order = 5 };

static const char *const every_order_kinds[kinds_of_every_order] = {"cut", "probe", "order-search", "inputs",
                                                                    "outputs"};

// What is true of all pools together says nothing about the peak of one of them: here nothing has to lie in either.
static int32_t refuse_of_pools(const memplan_problem *pools, const char *certificate) {
  static const char *const named[] = {"", ",\"pool\":\"a\"", ",\"pool\":\"b\""};
  text *changed = malloc(sizeof *changed);
  int32_t kind = 0;
  char label[40];
  assert_non_null(changed);
  for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
    speak_of(certificate, pools->fingerprint, named[k], changed);
    memplan_check_result result = check(pools, changed->bytes, changed->length);
    assert_true(!result.proven || (k > 0 && result.claim == 0));
    assert_true(k > 0 || strstr(result.reason, "names no pool of the problem, which has several") != NULL);
  }
  for (int32_t k = 0; k < kinds_of_every_order; k++) {
    (void)snprintf(label, sizeof label, "\"kind\":\"%s\"", every_order_kinds[k]);
    kind = strstr(certificate, label) != NULL ? k : kind;
  }
  free(changed);
  return kind;
}

static void of_several_pools_there_are_none(void **state) {
  (void)state;
  int32_t refused[kinds_of_every_order] = {0};
  for (uint64_t index = 0; index < pool_graphs; index++) {
    random_state random = random_start(seed + 2, index);
    memplan_problem one, pools;
    order_random_dag(&random, 2 + random_below(&random, 8), 12, &one);
    random = random_start(seed + 2, index);
    order_random_dag(&random, 2 + random_below(&random, 8), 12, &pools);
    pools.graph.pools = MEMPLAN_NEW(&pools.graph.arena, memplan_pool, 2);
    assert_non_null(pools.graph.pools);
    pools.graph.pools[0] = (memplan_pool){.id = "a", .capacity = -1};
    pools.graph.pools[1] = (memplan_pool){.id = "b", .capacity = -1};
    pools.graph.n_pools = 2;
    build_finish(&one);
    build_finish(&pools);
    memplan_ordering ordering;
    assert_int_equal(memplan_ordering_init(&ordering, &one.graph, &one.options, NULL, NULL), MEMPLAN_OK);
    int64_t optimum = order_optimum(&ordering), claim;
    char *certificates[4] = {certify(&one, one.graph.ops[0].id, optimum, &claim)};
    static const memplan_bound_kind kinds[] = {MEMPLAN_BOUND_SEARCH, MEMPLAN_BOUND_INPUTS, MEMPLAN_BOUND_OUTPUTS};
    for (int32_t k = 0; k < 3; k++) {
      memplan_bound bound = {.kind = kinds[k], .joint = true, .bytes = k == 0 ? optimum : 0};
      certificates[k + 1] = certify_bound(&one, &bound);
    }
    for (int32_t k = 0; k < 4; k++) {
      if (certificates[k] != NULL) {
        refused[refuse_of_pools(&pools, certificates[k])]++;
      }
      free(certificates[k]);
    }
    memplan_ordering_free(&ordering);
    memplan_problem_free(&one);
    memplan_problem_free(&pools);
  }
  for (int32_t k = 0; k < kinds_of_every_order; k++) {
    assert_true(refused[k] > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certificates_prove_what_is_true),
      cmocka_unit_test(cuts_show_what_is_in_memory),
      cmocka_unit_test(ends_are_certified),
      cmocka_unit_test(of_several_pools_there_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
