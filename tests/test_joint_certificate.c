// SPDX-License-Identifier: Apache-2.0
// Certificates by clauses about every plan of a graph: those of tiny graphs prove the enumerated optimum, and nothing
// that is changed in them proves more.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "tests/support/build_problem.h"
#include "tests/support/joint_case.h"
#include "tests/support/joint_example.h"
#include "tests/support/joint_proof_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const joint_proof_counts *proofs, const joint_counts *counts) {
  print_message("%lld certificates, %lld with a joint gap, %lld steps, %lld lemmas; %lld mutants, %lld refused, "
                "%lld with too large a claim\n",
                (long long)proofs->certificates, (long long)counts->gaps, (long long)proofs->steps,
                (long long)proofs->lemmas, (long long)proofs->made, (long long)proofs->refused,
                (long long)proofs->raised);
}

static void of_random_graphs(void **state) {
  (void)state;
  static joint_proof_counts proofs;
  proofs = (joint_proof_counts){.mutants = 4};
  joint_counts counts = {.look = joint_proof_look, .context = &proofs};
  joint_compare_all(joint_compare_random, 0, 1500, &counts);
  report(&proofs, &counts);
  assert_true(proofs.certificates > 800 && counts.gaps > 100);
}

static void of_gadgets(void **state) {
  (void)state;
  static joint_proof_counts proofs;
  proofs = (joint_proof_counts){.mutants = 10};
  joint_counts counts = {.look = joint_proof_look, .context = &proofs};
  joint_compare_all(joint_compare_gadget, 0, 1500, &counts);
  report(&proofs, &counts);
  assert_true(proofs.certificates > 1000 && counts.gaps > 50 && proofs.raised > 5000);
}

static void worked_examples(void **state) {
  (void)state;
  joint_proof_counts proofs = {.mutants = 300};
  joint_counts counts = {0};
  for (size_t k = 0; k < JOINT_EXAMPLES; k++) {
    memplan_problem problem;
    joint_example_build(&joint_examples[k], &problem);
    joint_proof_look(&proofs, &problem, k, joint_examples[k].optimum);
    memplan_problem_free(&problem);
  }
  report(&proofs, &counts);
}

// The plan shows that no more can be proven than its peak.
static void of_the_gap_family(void **state) {
  (void)state;
  joint_proof_counts proofs = {.mutants = 5};
  joint_counts counts = {0};
  for (uint64_t seed = 0; seed < 200; seed++) {
    memplan_generator_wishes wishes = {.seed = seed, .n = 10 + (int64_t)(seed % 25)};
    memplan_problem problem;
    memplan_solution solution;
    memplan_error error = {0};
    memplan_problem_init(&problem);
    memplan_solution_init(&solution);
    assert_int_equal(memplan_generate_problem(memplan_generator_find("gap"), &wishes, &problem, &error), MEMPLAN_OK);
    assert_int_equal(memplan_solve(&problem, NULL, &solution, &error), MEMPLAN_OK);
    assert_int_equal(solution.outcome, MEMPLAN_OPTIMAL);
    joint_proof_look(&proofs, &problem, seed, solution.plan.peak);
    counts.gaps += solution.order_peak < solution.plan.peak;
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
  report(&proofs, &counts);
}

// ---- constructed cases

// 8 operators in a row of gadgets, each writes the tensor of its number. Order peak 9, optimum 10.
static const joint_example built = {"built", "41422244", "012 13 234 345 456 56 67", "", -1, 9, 10};

static const char lists[] = "\"unit\":1,\"ops\":[\"o0\",\"o1\",\"o2\",\"o3\",\"o4\",\"o5\",\"o6\",\"o7\"],"
                            "\"items\":[\"t0\",\"t1\",\"t2\",\"t3\",\"t4\",\"t5\",\"t6\",\"t7\"],\"pairs\":[]";

// Below 10, t2 lies at most at 3, since else t3 and t4, which meet it, and t5 lie below it and have no room; so they
// have to lie above it, and again have no room.
static const char proof[] = "{\"c\":[5,-3],\"h\":[[0,5,0,5,3,4,5]]}\n"
                            "{\"c\":[],\"h\":[1,[0,5,4,9,3,4,5]]}\n";

static memplan_check_result replay(const memplan_problem *problem, const char *claim, const char *head,
                                   const char *steps) {
  char text[2000];
  (void)snprintf(text, sizeof text,
                 "{\"format\":\"memplan-certificate\",\"version\":1,\"fingerprint\":\"%s\",\"kind\":\"joint-clauses\","
                 "\"claim\":%s,%s}\n%s",
                 problem->fingerprint, claim, head, steps);
  return joint_proof_check(problem, text, strlen(text));
}

// With `old` replaced by `new` in the lists or in the steps it is refused for this reason.
static void refused(const memplan_problem *problem, const char *old, const char *new, const char *why) {
  char head[sizeof lists + 200], steps[sizeof proof + 200];
  const char *in_head = strstr(lists, old), *in_steps = strstr(proof, old);
  assert_true((in_head != NULL) != (in_steps != NULL));
  const char *from = in_head != NULL ? lists : proof, *at = in_head != NULL ? in_head : in_steps;
  char *to = in_head != NULL ? head : steps;
  size_t size = in_head != NULL ? sizeof head : sizeof steps;
  (void)snprintf(to, size, "%.*s%s%s", (int)(at - from), from, new, at + strlen(old));
  memplan_check_result result = replay(problem, "10", in_head != NULL ? head : lists, in_head != NULL ? proof : steps);
  if (result.proven || strstr(result.reason, why) == NULL) {
    fail_msg("'%s' instead of '%s': '%s' is not in '%s'", new, old, why, result.reason);
  }
}

static void what_is_changed_fails(void **state) {
  (void)state;
  static const char no_contradiction[] = "no contradiction", ends[] = "ends before its claim";
  memplan_problem problem;
  joint_example_build(&built, &problem);
  memplan_check_result result = replay(&problem, "10", lists, proof);
  assert_true(result.proven && result.every_order && result.steps == 2 && result.claim == 10);
  assert_false(replay(&problem, "11", lists, proof).proven);
  assert_false(replay(&problem, "10", lists, "").proven);
  // a dropped premise
  refused(&problem, "[5,-3]", "[]", no_contradiction);
  refused(&problem, "{\"c\":[5,-3],\"h\":[[0,5,0,5,3,4,5]]}\n", "", "no earlier step");
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,0,5,3,4]", "they fit");
  refused(&problem, "[0,5,0,5,3,4,5]", "", no_contradiction);
  refused(&problem, "{\"c\":[],\"h\":[1,[0,5,4,9,3,4,5]]}\n", "", ends);
  // a changed number
  refused(&problem, "[5,-3]", "[5,0]", no_contradiction);
  refused(&problem, "[5,-3]", "[4,4]", no_contradiction);
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,0,6,3,4,5]", "they fit");
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,1,5,3,4,5]", no_contradiction);
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,0,4,3,4,5]", no_contradiction);
  refused(&problem, "[0,5,0,5,3,4,5]", "[1,5,0,0,0,5,9,3,1,4]", "there is room");
  refused(&problem, "[0,5,0,5,3,4,5]", "[1,5,0,0,0,5,5,3,1,4,1,5]", "there is room"); // 4 is all that they push
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,5,3]", "no members");
  refused(&problem, "[0,5,0,5,3,4,5]", "[3,5]", "unknown kind");
  refused(&problem, "[0,5,0,5,3,4,5]", "[2,5]", no_contradiction);
  refused(&problem, "\"unit\":1", "\"unit\":2", "unit does not divide");
  refused(&problem, "\"unit\":1", "\"unit\":0", "lacks a unit");
  // a foreign one
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,0,5,3,4,4]", "or twice");
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,0,5,3,4,8]", "that is none");
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,0,5,3,4,2]", no_contradiction); // not live then
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,6,0,5,3,4,5]", no_contradiction);
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,8,0,5,3,4,5]", "names no operator");
  refused(&problem, "[0,5,0,5,3,4,5]", "[0,5,0,5,3,4,-6,0,3]", "that is none");
  refused(&problem, "[5,-3]", "[3,-3]", no_contradiction);
  refused(&problem, "[5,-3]", "[100000,-3]", "names no side");
  refused(&problem, "h\":[1,", "h\":[2,", "no earlier step");
  refused(&problem, "\"o3\"", "\"o4\"", "not those of the model");
  refused(&problem, "\"t7\"", "\"t8\"", "not those of the model");
  refused(&problem, ",\"t7\"", "", "not those of the model");
  refused(&problem, "\"pairs\":[]", "\"pairs\":[[\"t1\",\"t0\"]]", "not those of the model");
  refused(&problem, "\"pairs\":[]", "\"pair\":[]", "not those of the model");
  memplan_problem_free(&problem);
}

// Is the first step right, whatever is missing after it?
static bool passes(const memplan_problem *problem, const char *claim, const char *head, const char *step) {
  memplan_check_result result = replay(problem, claim, head, step);
  return result.proven || strstr(result.reason, "ends before") != NULL;
}

// Of an output that takes over its input only the window beyond it counts, and only if the pair is chosen.
static void windows_need_their_pair(void **state) {
  (void)state;
  memplan_problem problem;
  build_graph(&problem);
  build_tensor(&problem.graph, "x", 4, MEMPLAN_ROLE_INPUT);
  problem.graph.tensors[0].donatable = true;
  build_tensor(&problem.graph, "y", 6, MEMPLAN_ROLE_OUTPUT);
  build_tensor(&problem.graph, "u", 3, MEMPLAN_ROLE_INPUT);
  build_tensor(&problem.graph, "v", 3, MEMPLAN_ROLE_INPUT);
  build_inplace(&problem.graph, build_op(&problem.graph, "one", "x u v", "y"), "y", "x");
  build_finish(&problem);
  static const char head[] =
      "\"unit\":1,\"ops\":[\"one\"],\"items\":[\"x\",\"y\",\"u\",\"v\"],\"pairs\":[[\"y\",\"x\"]]";
  // sides: offsets 0 to 7, height 8 and 9, the only turn 10 and 11, the pair 12 and 13
  assert_true(replay(&problem, "12", head, "{\"c\":[],\"h\":[[2,0]]}\n").proven);
  assert_false(replay(&problem, "13", head, "{\"c\":[],\"h\":[[2,0]]}\n").proven);
  // without the pair both lie there as a whole
  assert_true(passes(&problem, "13", head, "{\"c\":[12,1],\"h\":[[0,0,0,12,0,1,2,3]]}\n"));
  assert_false(passes(&problem, "13", head, "{\"c\":[],\"h\":[[0,0,0,12,0,1,2,3]]}\n"));
  assert_false(passes(&problem, "13", head, "{\"c\":[13,0],\"h\":[[0,0,0,12,0,1,2,3]]}\n"));
  // with it, from 4 on
  assert_true(passes(&problem, "12", head, "{\"c\":[13,0],\"h\":[[0,0,0,11,0,-2,4,6,2,3]]}\n"));
  assert_false(passes(&problem, "12", head, "{\"c\":[],\"h\":[[0,0,0,11,0,-2,4,6,2,3]]}\n"));
  assert_false(passes(&problem, "13", head, "{\"c\":[13,0],\"h\":[[0,0,0,12,0,-2,3,6,2,3]]}\n"));
  memplan_problem_free(&problem);
}

static void other_problems(void **state) {
  (void)state;
  memplan_problem problem, other;
  joint_example_build(&built, &problem);
  joint_example_build(&joint_examples[0], &other);
  memplan_certificate certificate = joint_proof_certify(&problem, 10);
  assert_non_null(certificate.text);
  assert_true(joint_proof_check(&problem, certificate.text, certificate.length).proven);
  assert_true(joint_proof_check(&other, certificate.text, certificate.length).other);
  memplan_certificate small;
  memplan_error error = {0};
  assert_int_equal(memplan_joint_certify(&problem, 10, NULL, 100, &small, &error), MEMPLAN_OK);
  assert_true(small.text == NULL && small.missing != NULL);
  memplan_certificate_free(&certificate);
  memplan_problem_free(&problem);
  memplan_problem_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_random_graphs),      cmocka_unit_test(of_gadgets),
      cmocka_unit_test(of_the_gap_family),     cmocka_unit_test(worked_examples),
      cmocka_unit_test(what_is_changed_fails), cmocka_unit_test(windows_need_their_pair),
      cmocka_unit_test(other_problems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
