// SPDX-License-Identifier: Apache-2.0
// Propagator of implied differences: for each arc, a literal of a Boolean asks for `to >= from + distance`. Other than
// engine_difference, a Boolean may guard many arcs, or none on one of its sides. O(arcs of a variable) for each rise of
// its bound; reasons are made when they are asked for. Source: as engine_difference.
#ifndef MEMPLAN_SOLVERS_ENGINE_ARC_H
#define MEMPLAN_SOLVERS_ENGINE_ARC_H

#include "solvers/engine.h"

typedef struct memplan_arc {
  int32_t from, to; // variables
  int32_t guard;    // side of a Boolean: even for true, odd for false
  int64_t distance;
} memplan_arc;

// Copies the arcs. Their variables are below n_variables, which the Booleans are not. False if memory is out.
bool memplan_engine_add_arcs(memplan_engine *engine, const memplan_arc *arcs, int32_t n, int32_t n_variables);

#endif
