// SPDX-License-Identifier: Apache-2.0
// Several pools: the objective of the model, as a sequence of questions "is there a packing within these limits?".
#ifndef MEMPLAN_SOLVERS_PLACE_POOLS_H
#define MEMPLAN_SOLVERS_PLACE_POOLS_H

#include "solvers/place_optimal.h"

// Contract of memplan_place_optimal, for more than one pool.
memplan_status memplan_place_pools(const memplan_optimal_task *task, memplan_arena *arena,
                                   memplan_optimal_result *result, memplan_error *error);

#endif
