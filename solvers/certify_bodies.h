// SPDX-License-Identifier: Apache-2.0
// Certificates of the control-flow bodies of a plan, which certificates of their graph build on.
#ifndef MEMPLAN_SOLVERS_CERTIFY_BODIES_H
#define MEMPLAN_SOLVERS_CERTIFY_BODIES_H

#include "model/memplan.h"

// Begins as zeroes.
typedef struct memplan_certified_bodies {
  memplan_certificate *certificates; // by body of the plan; without text: nothing is proven of it
  int32_t n;
} memplan_certified_bodies;

// What a certificate of every order builds on.
typedef struct memplan_proven_bodies {
  int64_t *workspace; // by operator, with what is proven of its bodies on every order; malloc'd
  char *text;         // the list for its first line; malloc'd
} memplan_proven_bodies;

// Certifies each body of the plan. The bodies and their graph share the work of the limits. What is larger than
// `most_bytes` is left out, and so claims nothing.
memplan_status memplan_certify_bodies(const memplan_problem *problem, const memplan_plan *plan,
                                      const memplan_limits *limits, int64_t most_bytes,
                                      memplan_certified_bodies *bodies, memplan_error *error);
void memplan_certified_bodies_free(memplan_certified_bodies *bodies);

// Lowers the graph on the plan's order into `instance` (initialised) with what the certificates claim as the bodies'
// peaks. *text (malloc'd) is the list for the first line of the graph's certificate:
// [{"op":id,"body":name,"certificate":[lines]},…], in the order of the plan's bodies.
memplan_status memplan_certified_bodies_lower(const memplan_certified_bodies *bodies, const memplan_problem *problem,
                                              const memplan_plan *plan, memplan_instance *instance, char **text,
                                              memplan_error *error);

// The same from those certificates alone that are about every order.
memplan_status memplan_certified_bodies_prove(const memplan_certified_bodies *bodies, const memplan_problem *problem,
                                              const memplan_plan *plan, memplan_proven_bodies *proven,
                                              memplan_error *error);
void memplan_proven_bodies_free(memplan_proven_bodies *proven);

#endif
