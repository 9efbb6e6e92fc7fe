// SPDX-License-Identifier: Apache-2.0
// Certificates by clauses about every plan of tiny graphs with enumerated optima. Everything asserts (cmocka).
#ifndef MEMPLAN_TESTS_JOINT_PROOF_CASE_H
#define MEMPLAN_TESTS_JOINT_PROOF_CASE_H

#include "eval/check_proof.h"
#include "solvers/joint_proof.h"
#include "tests/support/random_problem.h"

typedef struct joint_proof_counts {
  int64_t certificates, steps, lemmas;
  int32_t mutants;               // wanted of each certificate
  int64_t made, refused, raised; // mutants; refused ones, those that claimed more than the optimum
} joint_proof_counts;

memplan_certificate joint_proof_certify(const memplan_problem *problem, int64_t claim);
memplan_check_result joint_proof_check(const memplan_problem *problem, const char *text, size_t length);

// For joint_counts.look, with joint_proof_counts as its context: the optimum has a certificate that is proven, one byte
// more has none; and no mutant of the certificate proves more than the optimum.
void joint_proof_look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum);

#endif
