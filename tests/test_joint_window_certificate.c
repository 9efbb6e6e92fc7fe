// SPDX-License-Identifier: Apache-2.0
// Certificates by clauses about windows of a graph: those of tiny graphs prove no more than the enumerated optimum,
// changed or not, and those of large ones prove joint gaps that no other certificate reaches.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "instances/generators.h"
#include "tests/support/joint_case.h"
#include "tests/support/joint_example.h"
#include "tests/support/joint_proof_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const joint_proof_counts *proofs, const joint_counts *counts) {
  print_message(
      "%lld graphs, %lld with a joint gap, %lld certificates, %lld of the optimum by a part, %lld steps; %lld "
      "mutants, %lld refused, %lld with too large a claim\n",
      (long long)counts->compared, (long long)counts->gaps, (long long)proofs->certificates, (long long)proofs->tight,
      (long long)proofs->steps, (long long)proofs->made, (long long)proofs->refused, (long long)proofs->raised);
}

static void of_random_graphs(void **state) {
  (void)state;
  joint_proof_counts proofs = {.mutants = 4};
  joint_counts counts = {.look = joint_proof_look_windows, .context = &proofs};
  for (uint64_t seed = 50000; seed < 50650; seed++) {
    joint_compare_random(seed, &counts);
  }
  report(&proofs, &counts);
  assert_true(proofs.certificates > 500 && proofs.tight > 100);
}

static void of_gadgets(void **state) {
  (void)state;
  joint_proof_counts proofs = {.mutants = 6};
  joint_counts counts = {.look = joint_proof_look_windows, .context = &proofs};
  for (uint64_t seed = 50000; seed < 50650; seed++) {
    joint_compare_gadget(seed, &counts);
  }
  report(&proofs, &counts);
  assert_true(proofs.certificates > 500 && proofs.tight > 100 && proofs.raised > 2000);
}

// ---- constructed cases

// 8 operators in a row of gadgets, each writes the tensor of its number. Order peak 9, optimum 10.
static const joint_example built = {"built", "41422244", "012 13 234 345 456 56 67", "", -1, 9, 10};

typedef struct subject {
  memplan_problem problem;
  memplan_certificate certificate;
} subject;

static memplan_certificate certify(const memplan_problem *problem, int64_t claim, const char *const *ops,
                                   int32_t n_ops) {
  const memplan_joint_claim window = {.bytes = claim, .ops = ops, .n_ops = n_ops};
  return joint_proof_certify_claim(problem, &window);
}

// With a value of the first line replaced (NULL: removed) it is refused for this reason, or holds if that is NULL.
static void replaced(const subject *of, const char *key, const char *value, const char *why) {
  json_t *lines = joint_proof_split(of->certificate.text, of->certificate.length);
  json_t *head = json_array_get(lines, 0), *new = value != NULL ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
  assert_true((value == NULL) == (new == NULL));
  if (new == NULL) {
    json_object_del(head, key);
  } else {
    json_object_set_new(head, key, new);
  }
  size_t length;
  char *text = joint_proof_unite(lines, &length);
  memplan_check_result result = joint_proof_check(&of->problem, text, length);
  if (result.proven != (why == NULL) || (why != NULL && strstr(result.reason, why) == NULL)) {
    fail_msg("%s %s: '%s' is not in '%s'\n%s", key, value != NULL ? value : "", why != NULL ? why : "", result.reason,
             text);
  }
  free(text);
  json_decref(lines);
}

static const char *const window[] = {"o2", "o4", "o5", "o6", "o7"};
enum { window_size = 5 };

static void what_is_changed_fails(void **state) {
  (void)state;
  static const char others[] = "not those of its window",
                    items[] = "[\"t0\",\"t2\",\"t3\",\"t4\",\"t5\",\"t6\",\"t7\"]";
  subject of;
  joint_example_build(&built, &of.problem);
  of.certificate = certify(&of.problem, 10, window, window_size);
  assert_non_null(of.certificate.text);
  assert_non_null(strstr(of.certificate.text, "\"window\":true"));
  replaced(&of, "claim", "10", NULL);
  replaced(&of, "claim", "11", "no contradiction");
  replaced(&of, "window", NULL, "unit does not divide");
  replaced(&of, "window", "false", "unit does not divide");
  // an operator is missing, foreign, named twice; the operators stand in another order
  replaced(&of, "ops", "[\"o2\",\"o4\",\"o5\",\"o6\"]", others);
  replaced(&of, "ops", "[\"o4\",\"o5\",\"o6\",\"o7\"]", others);
  replaced(&of, "ops", "[\"o2\",\"o5\",\"o6\",\"o7\"]", "no contradiction");
  replaced(&of, "ops", "[\"o2\",\"o4\",\"o5\",\"o6\",\"o9\"]", "is none of the model");
  replaced(&of, "ops", "[\"o2\",\"o4\",\"o5\",\"o6\",7]", "is none of the model");
  replaced(&of, "ops", "[\"o2\",\"o4\",\"o5\",\"o6\",\"o6\"]", "named twice");
  replaced(&of, "ops", "[\"o6\",\"o5\",\"o4\",\"o2\",\"o7\"]", "no contradiction");
  replaced(&of, "ops", "[]", "1 to 400 operators");
  replaced(&of, "ops", NULL, "1 to 400 operators");
  // items and pairs that the window does not have
  replaced(&of, "items", items, NULL);
  replaced(&of, "items", "[\"t2\",\"t3\",\"t4\",\"t5\",\"t6\",\"t7\"]", others);
  replaced(&of, "items", "[\"t1\",\"t2\",\"t3\",\"t4\",\"t5\",\"t6\",\"t7\"]", others);
  replaced(&of, "pairs", "[[\"t3\",\"t2\"]]", others);
  replaced(&of, "unit", "3", "unit does not divide");
  replaced(&of, "unit", "1", "no contradiction"); // its units are of two bytes
  // a window states no precedences: those of the model hold, whatever else stands there
  replaced(&of, "after", "[[\"o7\",\"o2\"]]", NULL);
  memplan_certificate_free(&of.certificate);
  memplan_problem_free(&of.problem);
}

static void no_window_proves_more(void **state) {
  (void)state;
  memplan_problem problem;
  joint_example_build(&built, &problem);
  memplan_certificate certificate = certify(&problem, 11, window, window_size);
  assert_null(certificate.text);
  for (int32_t n = 0; n < window_size; n++) { // all of it is needed
    certificate = certify(&problem, 10, window, n);
    assert_null(certificate.text);
  }
  certificate = certify(&problem, 10, (const char *const[]){"o2", "none"}, 2);
  assert_null(certificate.text);
  memplan_problem_free(&problem);
}

// ---- of a solve

// Graphs of more operators than the joint engine takes, whose joint optimum lies above their order optimum.
static void of_large_gaps(void **state) {
  (void)state;
  static const struct {
    int32_t n;
    uint64_t seed;
    int64_t optimum;
  } cases[] = {{450, 2, 122}, {800, 2, 122}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    memplan_generator_wishes wishes = {.n = cases[k].n, .fill = 90, .seed = cases[k].seed};
    memplan_problem problem;
    memplan_solution solution;
    memplan_certificate certificate;
    memplan_error error = {0};
    memplan_solve_options options = memplan_solve_options_default();
    memplan_problem_init(&problem);
    memplan_solution_init(&solution);
    assert_int_equal(memplan_generate_problem(memplan_generator_find("gap"), &wishes, &problem, &error), MEMPLAN_OK);
    assert_int_equal(memplan_solve(&problem, &options, &solution, &error), MEMPLAN_OK);
    assert_int_equal(solution.plan.peak, cases[k].optimum);
    assert_true(solution.plan.bound.n_ops > 0);
    assert_int_equal(memplan_certify(&problem, &solution, &options.limits, JOINT_PROOF_MOST, &certificate, &error),
                     MEMPLAN_OK);
    assert_true(certificate.every_order);
    assert_string_equal(certificate.kind, "joint-clauses");
    memplan_check_result result = joint_proof_check(&problem, certificate.text, certificate.length);
    assert_true(result.proven && result.every_order);
    assert_int_equal(result.claim, cases[k].optimum);
    print_message("%d operators, window of %d: %zu bytes, %lld steps\n", (int)cases[k].n,
                  (int)solution.plan.bound.n_ops, certificate.length, (long long)result.steps);
    memplan_certificate_free(&certificate);
    memplan_solution_free(&solution);
    memplan_problem_free(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_random_graphs),      cmocka_unit_test(of_gadgets),    cmocka_unit_test(what_is_changed_fails),
      cmocka_unit_test(no_window_proves_more), cmocka_unit_test(of_large_gaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
