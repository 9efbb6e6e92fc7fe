// SPDX-License-Identifier: Apache-2.0
// From a placement that an integer program has found in floating point to an exact one.
#ifndef MEMPLAN_SOLVERS_ILP_SETTLE_H
#define MEMPLAN_SOLVERS_ILP_SETTLE_H

#include "solvers/place_problem.h"

// Takes from `wish` (offsets by item, in units, that may be wrong by less than half of each distance) only which of two
// items lies above the other, and gives each item the least allowed offset under these decisions (a longest path). The
// largest end, or INT64_MAX if the decisions contradict each other or an item has no place. O(items x exclusions).
int64_t memplan_ilp_settle(const memplan_place_problem *problem, const int64_t *wish, int64_t *offset);

#endif
