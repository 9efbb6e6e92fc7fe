// SPDX-License-Identifier: Apache-2.0
// Precedences that probing tells the joint engine: what it proves with them is the enumerated optimum, and no change to
// the sections that show them proves more. (The search itself is told them in half of tests/test_joint_engine.c.)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "tests/support/build_problem.h"
#include "tests/support/joint_case.h"
#include "tests/support/joint_proof_case.h"

#include <stdio.h>
#include <string.h>

enum { probing = 1 << 22 };

static void report(const joint_proof_counts *proofs) {
  print_message("%lld certificates with %lld precedences, %lld steps; %lld mutants, %lld refused, %lld with too large "
                "a claim\n",
                (long long)proofs->certificates, (long long)proofs->precedences, (long long)proofs->steps,
                (long long)proofs->made, (long long)proofs->refused, (long long)proofs->raised);
}

static void of_tiny_graphs(void **state) {
  (void)state;
  static joint_proof_counts proofs;
  proofs = (joint_proof_counts){.mutants = 10, .probing = probing};
  joint_counts counts = {.look = joint_proof_look, .context = &proofs};
  joint_compare_all(joint_compare_random, 0, 500, &counts);
  joint_compare_all(joint_compare_gadget, 0, 500, &counts);
  report(&proofs);
  assert_true(proofs.certificates > 700 && proofs.precedences > 40);
}

static int64_t solved(const char *family, int64_t n, uint64_t seed, memplan_problem *problem) {
  const memplan_generator_wishes wishes = {.seed = seed, .n = n};
  memplan_solution solution;
  memplan_error error = {0};
  memplan_problem_init(problem);
  memplan_solution_init(&solution);
  assert_int_equal(memplan_generate_problem(memplan_generator_find(family), &wishes, problem, &error), MEMPLAN_OK);
  assert_int_equal(memplan_solve(problem, NULL, &solution, &error), MEMPLAN_OK);
  assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
  int64_t peak = solution.plan.peak;
  memplan_solution_free(&solution);
  return peak;
}

// The plan shows that no more can be proven than its peak.
static void of_layers_and_gaps(void **state) {
  (void)state;
  joint_proof_counts proofs = {.mutants = 40, .probing = probing};
  for (uint64_t seed = 0; seed < 40; seed++) {
    memplan_problem problem;
    int64_t peak = solved(seed % 2 == 0 ? "layered" : "gap", 12 + (int64_t)(seed % 12), seed, &problem);
    joint_proof_look(&proofs, &problem, seed, peak);
    memplan_problem_free(&problem);
  }
  report(&proofs);
  assert_true(proofs.precedences > 40);
}

// ---- constructed cases

// While v runs, it holds 4 bytes and, if u has run before it, 2 more: orders below 6 have v before u.
static void two_operators(memplan_problem *problem) {
  build_graph(problem);
  build_tensor(&problem->graph, "x", 2, MEMPLAN_ROLE_OUTPUT);
  build_tensor(&problem->graph, "y", 1, MEMPLAN_ROLE_OUTPUT);
  build_op(&problem->graph, "u", "", "x");
  build_op(&problem->graph, "v", "", "y")->workspace = 3;
  build_finish(problem);
}

static const char lists[] = "\"unit\":1,\"ops\":[\"u\",\"v\"],\"items\":[\"x\",\"y\",\"v#workspace\"],\"pairs\":[]";
static const char section[] = "{\"op\":\"v\",\"before\":\"u\"}\n";
static const char flow[] = "{\"cell\":\"x\",\"bytes\":2,\"in\":[[\"u\",2]]}\n";
static const char clause[] = "{\"c\":[11,0],\"h\":[]}\n"; // v before u: the second turn of those from side 8 on

static void says(const memplan_problem *problem, const char *claim, const char *head, const char *first,
                 const char *second, const char *third, const char *why) {
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"joint-clauses\","
                 "\"claim\":%s,%s}\n%s%s%s",
                 problem->fingerprint, claim, head, first, second, third);
  memplan_check_result result = joint_proof_check(problem, text, strlen(text));
  if (result.proven || strstr(result.reason, why) == NULL) {
    fail_msg("'%s' is not in '%s'", why, result.reason);
  }
}

static void what_is_changed_fails(void **state) {
  (void)state;
  static const char less[] = "less than the claim", ends[] = "ends before its claim";
  memplan_problem problem;
  two_operators(&problem);
  says(&problem, "6", lists, section, flow, clause, ends); // all is right, and not enough
  says(&problem, "6", lists, section, flow, "", ends);
  says(&problem, "6", lists, "", "", clause, "no contradiction");
  says(&problem, "6", lists, section, flow, "{\"c\":[10,1],\"h\":[]}\n", "no contradiction");
  says(&problem, "7", lists, section, flow, clause, less);
  says(&problem, "6", lists, section, "", clause, less);
  says(&problem, "6", lists, "{\"op\":\"v\",\"not_before\":\"u\"}\n", flow, clause, less);
  says(&problem, "6", lists, "{\"op\":\"u\",\"before\":\"v\"}\n", "", clause, less);
  says(&problem, "6", lists, "{\"op\":\"v\"}\n", flow, clause, less);
  says(&problem, "6", lists, section, "{\"cell\":\"x\",\"bytes\":3,\"in\":[[\"u\",3]]}\n", clause, "is larger than");
  says(&problem, "6", lists, section, "{\"cell\":\"y\",\"bytes\":1,\"in\":[[\"v\",1]]}\n", clause,
       "runs through something");
  says(&problem, "6", lists, "{\"op\":\"w\",\"before\":\"u\"}\n", flow, clause, "does not have");
  says(&problem, "6", lists, "{\"op\":\"v\",\"before\":\"v\"}\n", flow, clause, "in any case");
  says(&problem, "6", lists, flow, "", clause, "does not name its operator");
  says(&problem, "6", lists, section, clause, flow, less);
  says(&problem, "6", lists, "{\"c\":[10,1,11,0],\"h\":[]}\n", section, flow, "stand before all clauses");
  says(&problem, "6",
       "\"unit\":1,\"window\":true,\"ops\":[\"u\",\"v\"],\"items\":[\"x\",\"y\",\"v#workspace\"],\"pairs\":[]", section,
       flow, clause, "not in one of a window");
  memplan_problem_free(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_tiny_graphs),
      cmocka_unit_test(of_layers_and_gaps),
      cmocka_unit_test(what_is_changed_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
