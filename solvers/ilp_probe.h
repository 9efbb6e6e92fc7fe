// SPDX-License-Identifier: Apache-2.0
// Probing: what follows from a binary being 0, and from its being 1, taken together.
#ifndef MEMPLAN_SOLVERS_ILP_PROBE_H
#define MEMPLAN_SOLVERS_ILP_PROBE_H

#include "model/method.h"
#include "solvers/ilp_propagate.h"

typedef struct memplan_ilp_prober {
  memplan_ilp_propagator *work;
  memplan_ilp_change *zero, *both; // n_columns each: bounds under 0; bounds common to both
  int32_t *at;                     // by column: index in `zero`, -1: not there
} memplan_ilp_prober;

memplan_status memplan_ilp_prober_init(memplan_ilp_prober *prober, memplan_ilp_propagator *work, memplan_arena *arena,
                                       memplan_error *error);

// Tries both values of all free binaries again and again, until nothing follows any more, `looks` terms were looked at,
// or a limit (of started limits) is reached. A value without solution leaves the other one; of two with solutions the
// bounds hold that hold for both. False: no solution at all. Needs a level of the propagator.
bool memplan_ilp_probe(memplan_ilp_prober *prober, int64_t looks, const memplan_limits *limits);

// How many bounds follow from the column being `value`, -1: no solution is left. Needs a level, changes nothing.
int64_t memplan_ilp_try(memplan_ilp_propagator *work, int32_t column, int64_t value);

#endif
