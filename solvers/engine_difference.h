// SPDX-License-Identifier: Apache-2.0
// Propagator of guarded differences: for each pair, a literal decides between `b >= a + up` (true) and `a >= b + down`
// (false). O(pairs of a variable) for each rise of its bound; reasons are made when they are asked for. Source: the
// precedence constraints of lazy clause generation (Schutt, Feydy, Stuckey and Wallace, Constraints 2011).
#ifndef MEMPLAN_SOLVERS_ENGINE_DIFFERENCE_H
#define MEMPLAN_SOLVERS_ENGINE_DIFFERENCE_H

#include "solvers/engine.h"

typedef struct memplan_difference {
  int32_t a, b;  // variables
  int32_t guard; // Boolean
  int64_t up, down;
} memplan_difference;

// Copies the pairs. Pairs are numbered as given, and guards are Booleans of this propagator alone. False if memory is
// out.
bool memplan_engine_add_differences(memplan_engine *engine, const memplan_difference *pairs, int32_t n,
                                    int32_t n_variables);

#endif
