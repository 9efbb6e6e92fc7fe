// SPDX-License-Identifier: Apache-2.0
// Certificates of kinds `cut` and `probe` written by hand: the right one is accepted, and what lacks a premise, has
// another number or names something foreign is not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "eval/check_proof.h"
#include "tests/support/build_problem.h"

#include <stdio.h>
#include <string.h>

static memplan_check_result check(const memplan_problem *problem, const char *kind, const char *more, int claim,
                                  const char *lines) {
  char text[4096];
  int length = snprintf(text, sizeof text,
                        "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"%s\","
                        "\"claim\":%d%s}\n%s",
                        problem->fingerprint, kind, claim, more, lines);
  assert_true(length > 0 && (size_t)length < sizeof text);
  memplan_check_result result;
  memplan_error error = {.message = ""};
  assert_int_equal(memplan_check_certificate(problem, text, (size_t)length, &result, &error), MEMPLAN_OK);
  return result;
}

static void accept(const memplan_check_result result) {
  if (!result.proven) {
    fail_msg("line %d: %s", (int)result.line, result.reason);
  }
}

// Refused, and for a reason that holds this part.
static void refuse(const memplan_check_result result, const char *part) {
  assert_false(result.proven);
  if (strstr(result.reason, part) == NULL) {
    fail_msg("refused because '%s'", result.reason);
  }
}

// ---- cut: while v runs there are s (1) and y (3), and x or u (5): nothing ends x before u is there

#define CELL_X "{\"cell\":\"x\",\"bytes\":5,\"in\":[[\"p\",5]],\"out\":[[\"r\",5]]}\n"
#define CELL_U "{\"cell\":\"u\",\"bytes\":5,\"in\":[[\"w\",5]],\"out\":[[\"q\",5]]}\n"
#define BACK "{\"before\":\"w\",\"after\":\"r\",\"bytes\":5}\n"
#define OP_V ",\"op\":\"v\""

static void build_relay(memplan_problem *problem) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "x", 5, 0);
  build_tensor(graph, "s", 1, 0);
  build_tensor(graph, "y", 3, 0);
  build_tensor(graph, "u", 5, 0);
  build_tensor(graph, "k", 1, 0);
  build_tensor(graph, "z", 1, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "p", "", "x s");
  build_op(graph, "v", "s", "y");
  build_op(graph, "w", "", "u");
  build_after(graph, build_op(graph, "r", "x", "k"), "w");
  build_op(graph, "q", "u y k", "z");
  build_finish(problem);
}

static void cuts_that_lack_a_premise(void **state) {
  (void)state;
  memplan_problem problem;
  build_relay(&problem);
  accept(check(&problem, "cut", OP_V, 9, CELL_X CELL_U BACK));
  accept(check(&problem, "cut", OP_V, 9, BACK CELL_U CELL_X "{\"ideal\":[\"p\"]}\n"));
  accept(check(&problem, "cut", OP_V, 4, "")); // what v touches
  refuse(check(&problem, "cut", OP_V, 5, ""), "less than the claim");
  refuse(check(&problem, "cut", OP_V, 9, CELL_U BACK), "less than the claim");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X BACK), "less than the claim");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U), "less than the claim");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X), "less than the claim");
  refuse(check(&problem, "cut", "", 9, CELL_X CELL_U BACK), "an operator is named");
  refuse(check(&problem, "cut", OP_V, 9, "{\"cell\":\"x\",\"bytes\":5,\"out\":[[\"r\",5]]}\n" CELL_U BACK), "add up");
  refuse(check(&problem, "cut", OP_V, 9, "{\"cell\":\"x\",\"bytes\":5,\"in\":[[\"p\",5]]}\n" CELL_U BACK), "add up");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U "{\"after\":\"r\",\"bytes\":5}\n"), "an operator is named");
  memplan_problem_free(&problem);
}

static void cuts_with_other_numbers(void **state) {
  (void)state;
  memplan_problem problem;
  build_relay(&problem);
  refuse(check(&problem, "cut", OP_V, 10, CELL_X CELL_U BACK), "less than the claim");
  refuse(check(&problem, "cut", OP_V, 10,
               "{\"cell\":\"x\",\"bytes\":6,\"in\":[[\"p\",6]],\"out\":[[\"r\",6]]}\n" CELL_U BACK),
         "larger than what it runs through");
  refuse(check(&problem, "cut", OP_V, 10, CELL_X CELL_X CELL_U BACK), "larger than what it runs through"); // twice
  refuse(check(&problem, "cut", OP_V, 10,
               "{\"cell\":\"x\",\"bytes\":5,\"in\":[[\"p\",6]],\"out\":[[\"r\",5]]}\n" CELL_U BACK),
         "add up");
  refuse(check(&problem, "cut", OP_V, 9,
               "{\"cell\":\"x\",\"bytes\":5,\"in\":[[\"p\",5]],\"out\":[[\"r\",4]]}\n" CELL_U BACK),
         "add up");
  refuse(check(&problem, "cut", OP_V, 10,
               "{\"cell\":\"x\",\"bytes\":-5,\"in\":[[\"p\",-5]],\"out\":[[\"r\",-5]]}\n" CELL_U BACK),
         "no number of bytes");
  refuse(check(&problem, "cut", OP_V, 10, CELL_X CELL_U "{\"before\":\"w\",\"after\":\"r\",\"bytes\":-1}\n"),
         "no number of bytes");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U "{\"before\":\"w\",\"after\":\"r\",\"bytes\":4}\n"),
         "less than the claim");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U "{\"before\":\"w\",\"after\":\"r\",\"bytes\":6}\n"),
         "less than the claim"); // w gets more than it gives
  memplan_problem_free(&problem);
}

static void cuts_with_foreign_names(void **state) {
  (void)state;
  memplan_problem problem;
  build_relay(&problem);
  refuse(check(&problem, "cut", ",\"op\":\"o\"", 9, CELL_X CELL_U BACK), "an operator is named");
  refuse(check(&problem, "cut", ",\"op\":\"w\"", 9, CELL_X CELL_U BACK), "not live between operators");
  refuse(check(&problem, "cut", OP_V, 9, "{\"cell\":\"o\",\"bytes\":5}\n" CELL_U BACK), "not live between operators");
  refuse(check(&problem, "cut", OP_V, 10,
               CELL_X CELL_U BACK "{\"cell\":\"s\",\"bytes\":1,\"in\":[[\"p\",1]],\"out\":[[\"v\",1]]}\n"),
         "the operator touches");
  refuse(check(&problem, "cut", OP_V, 9,
               "{\"cell\":\"x\",\"bytes\":5,\"in\":[[\"p\",5]],\"out\":[[\"o\",5]]}\n" CELL_U BACK),
         "an operator is named");
  refuse(check(&problem, "cut", OP_V, 9,
               "{\"cell\":\"x\",\"bytes\":5,\"in\":[[\"p\",5]],\"out\":[[\"q\",5]]}\n" CELL_U BACK),
         "has no part in it"); // q does not end x
  refuse(
      check(&problem, "cut", OP_V, 9, CELL_X "{\"cell\":\"u\",\"bytes\":5,\"in\":[[\"p\",5]],\"out\":[[\"q\",5]]}\n"),
      "has no part in it"); // p does not make u
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U "{\"before\":\"w\",\"after\":\"v\",\"bytes\":5}\n"),
         "none is a predecessor");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U "{\"before\":\"r\",\"after\":\"w\",\"bytes\":5}\n"),
         "none is a predecessor"); // the other way round
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U BACK "{\"pair\":[\"y\",\"s\"],\"bytes\":0,\"out\":[]}\n"),
         "a pair is named");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U BACK "{\"ideal\":[\"o\"]}\n"), "an operator is named");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U BACK "{\"ideal\":[]}\n"), "cannot run directly after");
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U BACK "{\"ideal\":[\"p\",\"r\"]}\n"),
         "cannot run directly after"); // r without w
  refuse(check(&problem, "cut", OP_V, 9, CELL_X CELL_U BACK "{\"ideal\":[\"p\"]}\n{\"ideal\":[\"p\"]}\n"), "twice");
  memplan_problem_free(&problem);
}

// Apart, s and y take 8; with y in the place of s, 4, but then r has run, and k (1) is there.
static void cuts_with_pairs(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  memplan_graph *graph = &problem.graph;
  build_tensor(graph, "s", 4, 0);
  build_tensor(graph, "y", 4, 0);
  build_tensor(graph, "k", 1, 0);
  build_tensor(graph, "z", 1, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "p", "", "s");
  memplan_op *v = build_op(graph, "v", "s", "y");
  build_inplace(graph, v, "y", "s");
  build_op(graph, "r", "s", "k"); // s is only free for y if r is done
  build_op(graph, "q", "y k", "z");
  build_finish(&problem);
  static const char pair[] = "{\"pair\":[\"y\",\"s\"],\"bytes\":1,\"out\":[[\"r\",1]]}\n";
  static const char cell[] = "{\"cell\":\"k\",\"bytes\":1,\"in\":[[\"r\",1]],\"out\":[[\"q\",1]]}\n";
  char lines[512];
  (void)snprintf(lines, sizeof lines, "%s%s", pair, cell);
  accept(check(&problem, "cut", OP_V, 5, lines)); // k is there where the pair is chosen
  accept(check(&problem, "cut", OP_V, 4, ""));
  refuse(check(&problem, "cut", OP_V, 6, lines), "less than the claim");
  refuse(check(&problem, "cut", OP_V, 5, pair), "less than the claim");
  refuse(check(&problem, "cut", OP_V, 5, cell), "less than the claim");
  refuse(check(&problem, "cut", OP_V, 9, "{\"pair\":[\"y\",\"s\"],\"bytes\":5,\"out\":[[\"r\",5]]}\n"),
         "a pair loses less");
  refuse(check(&problem, "cut", OP_V, 5, "{\"pair\":[\"y\",\"s\"],\"bytes\":1,\"out\":[[\"q\",1]]}\n"),
         "has no part in it");
  refuse(check(&problem, "cut", OP_V, 5, "{\"pair\":[\"y\",\"k\"],\"bytes\":1,\"out\":[[\"r\",1]]}\n"),
         "a pair is named");
  memplan_problem_free(&problem);
}

// ---- probe: two branches that each need 7; the one that comes second finds 1 of the other

#define ASSUME "{\"op\":\"a2\",\"before\":\"b2\"}\n"
#define FLOW_B "{\"cell\":\"tb2\",\"bytes\":1,\"in\":[[\"b2\",1]],\"out\":[[\"c\",1]]}\n"
#define REST "{\"op\":\"b2\"}\n"
#define FLOW_A "{\"cell\":\"ta2\",\"bytes\":1,\"in\":[[\"a2\",1]],\"out\":[[\"c\",1]]}\n"

static void build_branches(memplan_problem *problem) {
  build_graph(problem);
  memplan_graph *graph = &problem->graph;
  build_tensor(graph, "ta", 6, 0);
  build_tensor(graph, "ta2", 1, 0);
  build_tensor(graph, "tb", 6, 0);
  build_tensor(graph, "tb2", 1, 0);
  build_tensor(graph, "z", 1, MEMPLAN_ROLE_OUTPUT);
  build_op(graph, "a", "", "ta");
  build_op(graph, "a2", "ta", "ta2");
  build_op(graph, "b", "", "tb");
  build_op(graph, "b2", "tb", "tb2");
  build_op(graph, "c", "ta2 tb2", "z");
  build_finish(problem);
}

static void probes_that_lack_a_premise(void **state) {
  (void)state;
  memplan_problem problem;
  build_branches(&problem);
  accept(check(&problem, "probe", "", 8, ASSUME FLOW_B REST FLOW_A)); // 8 is the least peak
  accept(check(&problem, "probe", "", 7, REST));
  refuse(check(&problem, "probe", "", 8, REST FLOW_A), "less than the claim"); // nothing says that a2 runs before b2
  refuse(check(&problem, "probe", "", 8, ASSUME REST FLOW_A), "less than the claim");
  refuse(check(&problem, "probe", "", 8, ASSUME FLOW_B REST), "less than the claim");
  assert_false(check(&problem, "probe", "", 8, ASSUME FLOW_B).proven); // only an assumption is refuted
  assert_false(check(&problem, "probe", "", 8, "").proven);
  assert_false(check(&problem, "probe", "", 8, FLOW_B REST FLOW_A).proven); // a flow of no section
  // without the assumption the flow is one from an operator that may come later
  refuse(check(&problem, "probe", "", 8, "{\"op\":\"a2\"}\n" FLOW_B REST FLOW_A), "less than the claim");
  memplan_problem_free(&problem);
}

static void probes_with_other_numbers(void **state) {
  (void)state;
  memplan_problem problem;
  build_branches(&problem);
  refuse(check(&problem, "probe", "", 9, ASSUME FLOW_B REST FLOW_A), "less than the claim");
  refuse(check(&problem, "probe", "", 9,
               ASSUME "{\"cell\":\"tb2\",\"bytes\":2,\"in\":[[\"b2\",2]],\"out\":[[\"c\",2]]}\n" REST FLOW_A),
         "larger than what it runs through");
  refuse(check(&problem, "probe", "", 9, ASSUME FLOW_B FLOW_B REST FLOW_A), "larger than what it runs through");
  refuse(check(&problem, "probe", "", 8,
               ASSUME "{\"cell\":\"tb2\",\"bytes\":1,\"in\":[[\"b2\",1]],\"out\":[[\"c\",0]]}\n" REST FLOW_A),
         "add up");
  refuse(check(&problem, "probe", "", 8, ASSUME FLOW_B REST "{\"before\":\"a2\",\"after\":\"b2\",\"bytes\":-1}\n"),
         "no number of bytes");
  memplan_problem_free(&problem);
}

static void probes_with_foreign_names(void **state) {
  (void)state;
  memplan_problem problem;
  build_branches(&problem);
  refuse(check(&problem, "probe", "", 8, "{\"op\":\"a3\",\"before\":\"b2\"}\n" FLOW_B REST FLOW_A), "is named");
  refuse(check(&problem, "probe", "", 8, "{\"op\":\"a2\",\"before\":\"b3\"}\n" FLOW_B REST FLOW_A), "is named");
  // a and c run before and after a2 in any case, and nothing is assumed of an operator and itself
  static const char *const settled[] = {"a", "c", "a2"};
  for (size_t k = 0; k < sizeof settled / sizeof *settled; k++) {
    char lines[512];
    (void)snprintf(lines, sizeof lines, "{\"op\":\"a2\",\"before\":\"%s\"}\n" FLOW_B REST FLOW_A, settled[k]);
    refuse(check(&problem, "probe", "", 8, lines), "in any case");
  }
  // the assumption of another precedence, and the same one turned round
  refuse(check(&problem, "probe", "", 8, "{\"op\":\"a2\",\"before\":\"b\"}\n" FLOW_B REST FLOW_A),
         "less than the claim");
  refuse(check(&problem, "probe", "", 8, "{\"op\":\"a2\",\"not_before\":\"b2\"}\n" FLOW_B REST FLOW_A),
         "less than the claim");
  // the flow of another one's tensor
  refuse(check(&problem, "probe", "", 8, ASSUME FLOW_A REST FLOW_A), "the operator touches");
  refuse(check(&problem, "probe", "", 8, ASSUME FLOW_B REST FLOW_B), "the operator touches");
  // a precedence that was found may be used, others may not
  accept(
      check(&problem, "probe", "", 8, ASSUME FLOW_B REST FLOW_A "{\"before\":\"a2\",\"after\":\"b2\",\"bytes\":0}\n"));
  refuse(check(&problem, "probe", "", 8, ASSUME FLOW_B REST FLOW_A "{\"before\":\"a2\",\"after\":\"b\",\"bytes\":0}\n"),
         "none is a predecessor");
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuts_that_lack_a_premise),   cmocka_unit_test(cuts_with_other_numbers),
      cmocka_unit_test(cuts_with_foreign_names),    cmocka_unit_test(cuts_with_pairs),
      cmocka_unit_test(probes_that_lack_a_premise), cmocka_unit_test(probes_with_other_numbers),
      cmocka_unit_test(probes_with_foreign_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
