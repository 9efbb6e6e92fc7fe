// SPDX-License-Identifier: Apache-2.0
// The joint optimum by orders and nogoods, and its certificates, against enumeration on many more graphs than
// test_joint_nogoods and test_nogood_certificate.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/nogood_case.h"
#include "tests/support/nogood_proof_case.h"

static void equals_enumeration(void **state) {
  (void)state;
  nogood_counts counts = nogood_compare(600000, 630000);
  assert_true(counts.graphs.compared > 30000);
  assert_true(counts.graphs.gaps > 1000 && counts.nogoods > 1000 && counts.refuted > 1000 && counts.linked > 100);
}

static void certificates_are_accepted(void **state) {
  (void)state;
  static nogood_proof_counts proofs;
  proofs = (nogood_proof_counts){.mutants = 15};
  joint_counts counts = {.look = nogood_proof_look, .context = &proofs};
  for (uint64_t seed = 1100000; seed < 1115000; seed++) {
    joint_compare_random(seed, &counts);
    joint_compare_gadget(seed, &counts);
  }
  print_message("%lld certificates, %lld with nogoods, %lld with choices; %lld mutants, %lld refused\n",
                (long long)proofs.certificates, (long long)proofs.nogoods, (long long)proofs.choices,
                (long long)proofs.made, (long long)proofs.refused);
  assert_true(proofs.certificates > 15000 && proofs.nogoods > 1000 && proofs.choices > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equals_enumeration), cmocka_unit_test(certificates_are_accepted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
