// SPDX-License-Identifier: Apache-2.0
// Joint certificates of tens of thousands of tiny graphs, and hundreds of thousands of their mutants.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/joint_case.h"
#include "tests/support/joint_proof_case.h"

static void report(const joint_proof_counts *proofs, const joint_counts *counts) {
  print_message("%lld certificates, %lld with a joint gap, %lld steps, %lld lemmas; %lld mutants, %lld refused\n",
                (long long)proofs->certificates, (long long)counts->gaps, (long long)proofs->steps,
                (long long)proofs->lemmas, (long long)proofs->made, (long long)proofs->refused);
}

static void of_random_graphs(void **state) {
  (void)state;
  static joint_proof_counts proofs;
  proofs = (joint_proof_counts){.mutants = 10};
  joint_counts counts = {.look = joint_proof_look, .context = &proofs};
  joint_compare_all(joint_compare_random, 1000000, 1025000, &counts);
  report(&proofs, &counts);
  assert_true(proofs.certificates > 15000);
}

static void of_gadgets(void **state) {
  (void)state;
  static joint_proof_counts proofs;
  proofs = (joint_proof_counts){.mutants = 20};
  joint_counts counts = {.look = joint_proof_look, .context = &proofs};
  joint_compare_all(joint_compare_gadget, 1000000, 1015000, &counts);
  report(&proofs, &counts);
  assert_true(proofs.certificates > 10000 && counts.gaps > 500);
}

static void of_windows(void **state) {
  (void)state;
  joint_proof_counts proofs = {.mutants = 20};
  joint_counts counts = {.look = joint_proof_look_windows, .context = &proofs};
  for (uint64_t seed = 2000000; seed < 2012000; seed++) {
    joint_compare_random(seed, &counts);
    joint_compare_gadget(seed, &counts);
  }
  report(&proofs, &counts);
  assert_true(proofs.certificates > 10000 && proofs.tight > 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_random_graphs),
      cmocka_unit_test(of_gadgets),
      cmocka_unit_test(of_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
