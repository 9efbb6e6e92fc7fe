// SPDX-License-Identifier: Apache-2.0
// Certificates by clauses about every plan of a graph: those of tiny graphs prove the enumerated optimum, and nothing
// that is changed in them proves more.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_case.h"
#include "tests/support/joint_example.h"
#include "tests/support/joint_proof_case.h"

static void report(const joint_proof_counts *proofs, const joint_counts *counts) {
  print_message("%lld certificates, %lld with a joint gap, %lld steps, %lld lemmas; %lld mutants, %lld refused, "
                "%lld with too large a claim\n",
                (long long)proofs->certificates, (long long)counts->gaps, (long long)proofs->steps,
                (long long)proofs->lemmas, (long long)proofs->made, (long long)proofs->refused,
                (long long)proofs->raised);
}

static void of_random_graphs(void **state) {
  (void)state;
  joint_proof_counts proofs = {.mutants = 4};
  joint_counts counts = {.look = joint_proof_look, .context = &proofs};
  for (uint64_t seed = 0; seed < 1500; seed++) {
    joint_compare_random(seed, seed % 2 == 0 ? 5 : 6, 7, &counts);
  }
  report(&proofs, &counts);
  assert_true(proofs.certificates > 800 && counts.gaps > 100);
}

static void of_gadgets(void **state) {
  (void)state;
  joint_proof_counts proofs = {.mutants = 10};
  joint_counts counts = {.look = joint_proof_look, .context = &proofs};
  for (uint64_t seed = 0; seed < 1500; seed++) {
    joint_compare_gadget(seed, &counts);
  }
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_random_graphs),
      cmocka_unit_test(of_gadgets),
      cmocka_unit_test(worked_examples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
