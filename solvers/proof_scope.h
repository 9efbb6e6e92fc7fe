// SPDX-License-Identifier: Apache-2.0
// What a certificate of every order speaks of beside its graph: further members of its first line, in the words of
// solvers/proof.h.
#ifndef MEMPLAN_SOLVERS_PROOF_SCOPE_H
#define MEMPLAN_SOLVERS_PROOF_SCOPE_H

#include <stdint.h>

typedef struct memplan_proof_scope {
  const int64_t *workspace; // by operator, with what is proven of its control-flow bodies; NULL: the graph's
  const char *bodies;       // the list of their certificates, each of every order, as JSON; NULL: none
  const char *pool;         // id of the pool that the graph is of (model/graph_pool.h); NULL: the problem has but one
} memplan_proof_scope;

#endif
