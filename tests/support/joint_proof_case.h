// SPDX-License-Identifier: Apache-2.0
// Certificates by clauses about every plan of tiny graphs with enumerated optima. Everything asserts (cmocka).
#ifndef MEMPLAN_TESTS_JOINT_PROOF_CASE_H
#define MEMPLAN_TESTS_JOINT_PROOF_CASE_H

#include "eval/check_proof.h"
#include "solvers/joint_proof.h"
#include "tests/support/random_problem.h"

#include <jansson.h>

typedef struct joint_proof_counts {
  int64_t certificates, steps, lemmas;
  int32_t mutants;               // wanted of each certificate
  int64_t made, refused, raised; // mutants; refused ones, those that claimed more than the optimum
  int64_t tight;                 // certificates of windows that prove the optimum
  int64_t probing;               // asked for: work of probing before the engine begins
  int64_t precedences;           // lines that begin a section of one
} joint_proof_counts;

enum { JOINT_PROOF_MOST = 1 << 30 }; // bytes of a certificate

memplan_certificate joint_proof_certify(const memplan_problem *problem, int64_t claim);
memplan_certificate joint_proof_certify_claim(const memplan_problem *problem, const memplan_joint_claim *claim);
memplan_check_result joint_proof_check(const memplan_problem *problem, const char *text, size_t length);

// For joint_counts.look, with joint_proof_counts as its context: the optimum has a certificate that is proven, one byte
// more has none; and no mutant of the certificate proves more than the optimum.
void joint_proof_look(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum);

// The same from windows of random operators: what is proven of them is no more than the optimum, which some of them
// reach; in their mutants operators, items and pairs of the window are changed too.
void joint_proof_look_windows(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum);

// The certificate holds, and its mutants prove no more than the optimum. `windows`: they name other windows too.
void joint_proof_look_at(joint_proof_counts *counts, const memplan_problem *problem,
                         const memplan_certificate *certificate, bool windows, uint64_t seed, int64_t optimum,
                         random_state *random);

// The lines of a certificate as an array of JSON objects, and the other way round (malloc'd).
json_t *joint_proof_split(const char *text, size_t length);
char *joint_proof_unite(const json_t *lines, size_t *length);

#endif
