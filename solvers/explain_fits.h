// SPDX-License-Identifier: Apache-2.0
// Does a set of blocks fit into its pools? The question that explanations ask again and again about small sets, each
// time with a budget.
#ifndef MEMPLAN_SOLVERS_EXPLAIN_FITS_H
#define MEMPLAN_SOLVERS_EXPLAIN_FITS_H

#include "solvers/explain_capacity.h"

// A memplan_fits_function for any number of pools. `capacity`: of each pool, at most its own; -1: their own, and pools
// without one take everything. `ticks`: work budget. UNKNOWN where the set is too
// large for the search, the budget ends, or a limit is reached.
memplan_status memplan_blocks_fit(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks,
                                  int64_t capacity, int64_t ticks, const memplan_limits *limits, memplan_fit *fit,
                                  memplan_error *error);

#endif
