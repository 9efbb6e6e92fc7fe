// SPDX-License-Identifier: Apache-2.0
// What the certificates of one placement problem have in common: of an instance, of a graph on the order of its plan,
// or of one of several pools.
#ifndef MEMPLAN_SOLVERS_CERTIFY_WRITER_H
#define MEMPLAN_SOLVERS_CERTIFY_WRITER_H

#include "model/memplan.h"
#include "solvers/certify_bodies.h"
#include "solvers/joint_proof.h"
#include "solvers/text_sink.h"

#include <stdio.h>

typedef struct memplan_certify_writer {
  const memplan_problem *problem;
  const memplan_solution *solution;
  const memplan_instance *instance; // that is spoken of
  const memplan_limits *limits;
  int64_t most;                    // bytes
  char *options;                   // members of the first line that say which problem is meant; malloc'd
  memplan_certified_bodies bodies; // of the plan
  memplan_proven_bodies proven;    // of them, for every order
  memplan_instance lowered;        // with what is proven of bodies
  memplan_certificate *certificate;
  const char *stronger; // why what would say more was not written, or NULL
  memplan_text_sink into;
  FILE *out;
} memplan_certify_writer;

// Sets the options: {…} or, of a graph, {…},"order":[…],"inplace":[…] of the plan.
memplan_status memplan_certify_describe(memplan_certify_writer *w, memplan_error *error);

// A member more after those; `text` is its value as JSON, NULL: memory is out.
memplan_status memplan_certify_add_member(memplan_certify_writer *w, const char *key, const char *text,
                                          memplan_error *error);

// Each writes the certificate; where it does not, `missing` says why. A load; `pool` NULL: of the only pool. A clique.
// Clauses that prove a claim about the instance, found anew. The bound of a search: clauses about the buffers that it
// names, if they suffice, else about those that are found anew.
memplan_status memplan_certify_load(memplan_certify_writer *w, memplan_load load, const char *pool,
                                    memplan_error *error);
memplan_status memplan_certify_clique(memplan_certify_writer *w, const memplan_bound *bound, memplan_error *error);
memplan_status memplan_certify_clauses(memplan_certify_writer *w, int64_t claim, memplan_error *error);
memplan_status memplan_certify_searched(memplan_certify_writer *w, const memplan_bound *bound, memplan_error *error);

// Of every order of `problem`, the writer's or one of its pools, by the joint engine, or else by nogoods. Nothing where
// a proof was too large already.
memplan_status memplan_certify_by_engines(memplan_certify_writer *w, const memplan_problem *problem,
                                          const memplan_joint_claim *claim, const memplan_limits *limits,
                                          memplan_error *error);

// Makes room for what says less, unless there is a certificate. That a peak is not proven is no news, that a proof is
// too large is.
bool memplan_certify_is_settled(memplan_certify_writer *w);

#endif
