// SPDX-License-Identifier: Apache-2.0
// Which of two placements over several pools is better.
#ifndef MEMPLAN_SOLVERS_OBJECTIVE_H
#define MEMPLAN_SOLVERS_OBJECTIVE_H

#include "model/memplan.h"

// First the number that is asked for, then the peaks of the pools from the last one to the first.
typedef struct memplan_objective {
  memplan_minimize minimize;
  int32_t pool; // for MEMPLAN_MINIMIZE_POOL
} memplan_objective;

// MEMPLAN_INPUT, with the pools there are, if the options name none of them.
memplan_status memplan_objective_find(const memplan_solve_options *solve, const memplan_pool *pools, int32_t n_pools,
                                      memplan_objective *objective, memplan_error *error);

// Is the reuse cost to be made small within the capacities, as the instance asks, and nothing else asked for?
bool memplan_objective_is_reuse(const memplan_solve_options *solve, const memplan_instance *instance);

// Peak of each pool of the instance, into an array of n_pools.
void memplan_pool_peaks(const memplan_instance *instance, const int64_t *offset, const int32_t *pool, int64_t *peaks);

// Is `peaks` smaller than `best`?
bool memplan_pool_peaks_better(const memplan_objective *objective, const int64_t *peaks, const int64_t *best,
                               int32_t n_pools);

// The number asked for: 0 for MEMPLAN_MINIMIZE_PEAK, which has none before the peaks themselves.
int64_t memplan_objective_value(const memplan_objective *objective, const int64_t *peaks, int32_t n_pools);

#endif
