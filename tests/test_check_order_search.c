// SPDX-License-Identifier: Apache-2.0
// Certificates of closed order searches: those written are accepted, and what is wrong with others is found.
#include "eval/check_proof.h"
#include "solvers/cut_proof.h"
#include "tests/support/build_problem.h"
#include "tests/support/order_search_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { seed = 20240701, graphs = 400 };

static void certificates_prove_what_is_true(void **state) {
  (void)state;
  search_counts counts;
  search_check_graphs(seed, graphs, &counts);
  assert_true(counts.certificates >= 2 * counts.graphs && counts.graphs > graphs);
  assert_true(counts.groups > 50 && counts.pairs > 50 && counts.first > 10 && counts.lazy > 50);
  assert_true(counts.commits > 100 && counts.intervals > 10 && counts.narrowed > 0);
  assert_true(counts.changed > 1000 && counts.still_right > 100 && counts.wrong > 100);
}

static void larger_graphs_are_closed(void **state) {
  (void)state;
  search_counts counts;
  search_check_dags(seed + 1, 100, 14, 30, &counts);
  assert_true(counts.certificates == 200 && counts.commits > 100 && counts.intervals > 50 && counts.wrong > 20);
}

// ---- what is wrong with a certificate

static void check_lines(const memplan_problem *problem, int64_t claim, const char *lines,
                        memplan_check_result *result) {
  char text[2048];
  memplan_error error;
  int length = snprintf(text, sizeof text,
                        "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\","
                        "\"kind\":\"order-search\",\"claim\":%" PRId64 "}\n%s",
                        problem->fingerprint, claim, lines);
  assert_true(length > 0 && (size_t)length < sizeof text);
  assert_int_equal(memplan_check_certificate(problem, text, (size_t)length, result, &error), MEMPLAN_OK);
}

static void refused(const memplan_problem *problem, int64_t claim, const char *lines, int64_t line,
                    const char *reason) {
  memplan_check_result result;
  check_lines(problem, claim, lines, &result);
  assert_false(result.proven);
  if (strstr(result.reason, reason) == NULL || result.line != line) {
    fail_msg("line %" PRId64 ": %s, expected line %" PRId64 ": %s\n%s", result.line, result.reason, line, reason,
             lines);
  }
}

// Two chains of two operators, and one that joins them: 7 bytes at least.
static void build_chains(memplan_problem *problem) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "x", 1, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "p", 5, 0);
  build_tensor(graph, "q", 1, 0);
  build_tensor(graph, "r", 5, 0);
  build_tensor(graph, "s", 1, 0);
  build_tensor(graph, "y", 1, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "a", "x", "p");
  build_op(graph, "b", "p", "q");
  build_op(graph, "c", "x", "r");
  build_op(graph, "d", "r", "s");
  build_op(graph, "e", "q s", "y");
}

#define FORWARD "{\"search\":\"forward\",\"ops\":[\"a\",\"b\",\"c\",\"d\",\"e\"],\"lazy\":[]}\n"

static void wrong_lines_are_found(void **state) {
  (void)state;
  memplan_problem problem;
  memplan_check_result result;
  build_chains(&problem);
  build_finish(&problem);
  check_lines(&problem, 7, FORWARD "{\"run\":[]}\n{\"run\":[0]}\n{\"run\":[2],\"from\":1}\n", &result);
  assert_true(result.proven && result.every_order && result.claim == 7);
  // the same sets with other numbers, and in another order
  check_lines(&problem, 7,
              "{\"search\":\"forward\",\"ops\":[\"e\",\"d\",\"c\",\"b\",\"a\"]}\n"
              "{\"run\":[2]}\n{\"run\":[4],\"from\":0}\n{\"run\":[],\"from\":0}\n",
              &result);
  assert_true(result.proven);
  // a premise less, or another one
  static const char unproven[] = "ends before its claim is proven";
  refused(&problem, 7, FORWARD "{\"run\":[]}\n{\"run\":[0]}\n", 4, unproven);
  refused(&problem, 7, FORWARD "{\"run\":[0],\"from\":0}\n{\"run\":[2],\"from\":0}\n", 4, unproven);
  refused(&problem, 7, FORWARD "{\"run\":[]}\n{\"run\":[0]}\n{\"run\":[2],\"from\":2}\n", 5, unproven);
  refused(&problem, 7, FORWARD, 2, unproven);
  refused(&problem, 7, "", 1, unproven);
  // another number
  refused(&problem, 8, FORWARD "{\"run\":[]}\n{\"run\":[0]}\n{\"run\":[2],\"from\":1}\n", 5, unproven);
  refused(&problem, 7, FORWARD "{\"run\":[]}\n{\"run\":[0],\"from\":2}\n", 4, "comes from one that is not");
  refused(&problem, 7, FORWARD "{\"run\":[]}\n{\"run\":[0]}\n{\"run\":[2],\"from\":1}\n{\"run\":[1],\"from\":2}\n", 6,
          "comes from one that is not");
  refused(&problem, 99, FORWARD "{\"run\":[0,1,2,3,4]}\n", 3, "an order ends below the claim");
  // operators that are not there, or cannot run
  refused(&problem, 7, FORWARD "{\"run\":[5]}\n", 3, "is named that the list does not have");
  refused(&problem, 7, FORWARD "{\"run\":[-1]}\n", 3, "is named that the list does not have");
  refused(&problem, 7, FORWARD "{\"run\":[\"a\"]}\n", 3, "is named that the list does not have");
  refused(&problem, 7, FORWARD "{\"run\":[1]}\n", 3, "runs before it can");
  refused(&problem, 7, FORWARD "{\"run\":[0,0]}\n", 3, "runs before it can");
  refused(&problem, 7, FORWARD "{\"from\":0}\n", 3, "does not say what has run");
  refused(&problem, 7, "{\"search\":\"sideways\",\"ops\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}\n", 2, "neither forward nor");
  refused(&problem, 7, "{\"search\":\"forward\",\"ops\":[\"a\",\"b\",\"c\",\"d\"]}\n", 2, "not that of the graph");
  refused(&problem, 7, "{\"search\":\"forward\",\"ops\":[\"a\",\"b\",\"c\",\"d\",\"a\"]}\n", 2, "or twice");
  refused(&problem, 7, "{\"search\":\"forward\",\"ops\":[\"a\",\"b\",\"c\",\"d\",\"f\"]}\n", 2,
          "does not have, or twice");
  refused(&problem, 7, "{\"search\":\"forward\",\"ops\":[\"a\",\"b\",\"c\",\"d\",\"e\"],\"lazy\":[0]}\n{\"run\":[]}\n",
          2, "called lazy that is not");
  // commits
  refused(&problem, 7, FORWARD "{\"run\":[],\"commit\":[0]}\n", 3, "more is live after a commit");
  refused(&problem, 7, FORWARD "{\"run\":[0],\"commit\":[1]}\n", 3, "is not below the claim");
  refused(&problem, 7, FORWARD "{\"run\":[],\"commit\":[1]}\n", 3, "committed before it can run");
  refused(&problem, 7, FORWARD "{\"run\":[],\"commit\":[[]]}\n", 3, "a commit is empty");
  refused(&problem, 7, FORWARD "{\"run\":[],\"commit\":[{}]}\n", 3, "is named that the list does not have");
  // not a search at all
  refused(&problem, 7, "{\"run\":[]}\n", 2, "the first section does not name its operator");
  refused(&problem, 7, FORWARD FORWARD, 3, "does not say what has run");
  memplan_problem_free(&problem);
}

// Two operators of which the first frees more than both together: to commit them as one is not safe.
static void unsafe_commits_are_found(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "big", 6, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "z", 1, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "t", 1, 0);
  build_tensor(graph, "w", 3, 0);
  build_tensor(graph, "y", 1, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "u", "big", "t");
  build_op(graph, "v", "z", "w");
  build_op(graph, "e", "z t w", "y");
  build_finish(&problem);
  static const char ops[] = "{\"search\":\"forward\",\"ops\":[\"u\",\"v\",\"e\"]}\n";
  char lines[256];
  (void)snprintf(lines, sizeof lines, "%s{\"run\":[],\"commit\":[[0,1]]}\n", ops);
  refused(&problem, 99, lines, 3, "passes over a set with fewer live bytes");
  (void)snprintf(lines, sizeof lines, "%s{\"run\":[],\"commit\":[[1,0]]}\n", ops);
  refused(&problem, 99, lines, 3, "passes over a set with fewer live bytes");
  (void)snprintf(lines, sizeof lines, "%s{\"run\":[],\"commit\":[0,1]}\n", ops);
  refused(&problem, 99, lines, 3, "more is live after a commit");
  (void)snprintf(lines, sizeof lines, "%s{\"run\":[],\"commit\":[0]}\n", ops);
  refused(&problem, 99, lines, 3, "ends before its claim is proven");
  memplan_problem_free(&problem);
}

// A member of a group that has not begun, and what the first and the last step forbid.
static void ends_and_groups_are_heeded(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "unread", 9, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "x", 4, MEMPLAN_ROLE_INPUT);
  build_tensor(graph, "p", 1, 0);
  build_tensor(graph, "y", 4, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "a", "x", "p");
  build_op(graph, "b", "p", "y");
  build_finish(&problem);
  refused(&problem, 99, "{\"search\":\"forward\",\"ops\":[\"a\",\"b\"]}\n{\"run\":[],\"commit\":[0]}\n", 3,
          "nothing is safe before the first step");
  refused(&problem, 99, "{\"search\":\"reversed\",\"ops\":[\"a\",\"b\"]}\n{\"run\":[1],\"commit\":[0]}\n", 3,
          "its group, or the last step, keeps from it");
  memplan_problem_free(&problem);
  build_chains(&problem);
  problem.graph.ops[0].group = problem.graph.ops[1].group = 0;
  problem.graph.groups[0] = "pair";
  problem.graph.n_groups = 1;
  build_finish(&problem);
  refused(&problem, 99, FORWARD "{\"run\":[],\"commit\":[0]}\n", 3, "its group, or the last step, keeps from it");
  refused(&problem, 99, FORWARD "{\"run\":[0,2]}\n", 3, "runs before it can");
  refused(&problem, 99, FORWARD "{\"run\":[0],\"commit\":[[1,2]]}\n", 3, "its group, or the last step, keeps from it");
  memplan_problem_free(&problem);
}

// Lines cut anywhere, and any byte changed, are survived.
static void bytes_may_be_anything(void **state) {
  (void)state;
  memplan_problem problem;
  build_chains(&problem);
  build_finish(&problem);
  char *good = search_certificate(&problem, false, 7);
  assert_non_null(good);
  size_t length = strlen(good);
  memplan_check_result result;
  for (size_t at = 0; at < length; at++) {
    assert_int_equal(memplan_check_certificate(&problem, good, at, &result, NULL), MEMPLAN_OK);
    for (int32_t bit = 0; bit < 8; bit++) {
      char before = good[at];
      good[at] = (char)(before ^ (1 << bit));
      assert_int_equal(memplan_check_certificate(&problem, good, length, &result, NULL), MEMPLAN_OK);
      assert_true(!result.proven || result.claim <= 7);
      good[at] = before;
    }
  }
  free(good);
  memplan_problem_free(&problem);
}

// A certificate of every size below its own is left out, as are all once an interrupt, or no work, ends the search.
static void limits_are_heeded(void **state) {
  (void)state;
  static const memplan_proof_effort no_probing = {.first = INT64_MAX};
  memplan_problem problem;
  build_chains(&problem);
  build_finish(&problem);
  memplan_bound bound = {.kind = MEMPLAN_BOUND_SEARCH, .joint = true, .bytes = 7};
  memplan_certificate made, less;
  assert_int_equal(memplan_cut_certify(&problem, &bound, NULL, &no_probing, INT64_MAX, &made, NULL), MEMPLAN_OK);
  assert_non_null(made.text);
  assert_string_equal(made.kind, "order-search");
  assert_true(made.every_order && made.claim == 7 && made.length == strlen(made.text));
  for (int64_t most = 0; most < (int64_t)made.length; most++) {
    assert_int_equal(memplan_cut_certify(&problem, &bound, NULL, &no_probing, most, &less, NULL), MEMPLAN_OK);
    assert_null(less.text);
    assert_string_equal(less.kind, "none");
    assert_non_null(strstr(less.missing, "larger than the limit"));
  }
  memplan_certificate_free(&made);
  volatile int cancelled = 1;
  for (int32_t k = 0; k < 3; k++) {
    memplan_limits limits = memplan_limits_default();
    limits.cancel = k == 0 ? &cancelled : NULL;
    limits.time_ms = k == 1 ? 0 : -1;
    limits.work = k == 2 ? 0 : -1;
    assert_int_equal(memplan_cut_certify(&problem, &bound, &limits, NULL, INT64_MAX, &less, NULL), MEMPLAN_OK);
    assert_null(less.text);
    assert_null(less.missing);
  }
  for (int64_t memory = 1; memory <= 1 << 20; memory <<= 20) { // the search needs some thousand bytes
    memplan_limits limits = memplan_limits_default();
    limits.memory = memory;
    assert_int_equal(memplan_cut_certify(&problem, &bound, &limits, &no_probing, INT64_MAX, &less, NULL), MEMPLAN_OK);
    assert_int_equal(strcmp(less.kind, "order-search") == 0, memory > 1);
    memplan_certificate_free(&less);
  }
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_lines_are_found),
      cmocka_unit_test(unsafe_commits_are_found),
      cmocka_unit_test(ends_and_groups_are_heeded),
      cmocka_unit_test(bytes_may_be_anything),
      cmocka_unit_test(limits_are_heeded),
      cmocka_unit_test(larger_graphs_are_closed),
      cmocka_unit_test(certificates_prove_what_is_true),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
