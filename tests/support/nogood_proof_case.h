// SPDX-License-Identifier: Apache-2.0
// Certificates by nogoods about every plan of small graphs with known optima. Everything asserts (cmocka).
#ifndef MEMPLAN_TESTS_NOGOOD_PROOF_CASE_H
#define MEMPLAN_TESTS_NOGOOD_PROOF_CASE_H

#include "eval/check_proof.h"
#include "solvers/nogood_proof.h"
#include "tests/support/random_problem.h"

typedef struct nogood_proof_counts {
  int64_t certificates, steps, nogoods, searches, commits, choices; // certificates; their lines; those with commits,
                                                                    // and with chosen pairs
  int64_t groups;                                                   // certificates of graphs with groups
  int64_t unread;                // graphs with inputs that nobody reads, and without a certificate
  int32_t mutants;               // wanted of each certificate
  int64_t made, refused, raised; // mutants; refused ones, those that claimed more than the optimum
} nogood_proof_counts;

memplan_certificate nogood_proof_certify(const memplan_problem *problem, int64_t claim);
memplan_check_result nogood_proof_check(const memplan_problem *problem, const char *text, size_t length);

// Of a certificate that is proven: counts it, and no mutant of it proves more than the optimum.
void nogood_proof_look_at(nogood_proof_counts *counts, const memplan_problem *problem,
                          const memplan_certificate *certificate, uint64_t seed, int64_t optimum);

// For joint_counts.look, with nogood_proof_counts as its context: the optimum of a graph has a
// certificate that is proven, one byte more has none; and no mutant of the certificate proves more than the optimum.
void nogood_proof_look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum);

#endif
