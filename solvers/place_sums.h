// SPDX-License-Identifier: Apache-2.0
// The heights that a lowest packing can have. Where nothing but sizes keeps items apart, a packing can be pushed down
// until each item lies at 0 or on another one: then its height is a sum of sizes of different items. (Two of 5 bytes
// aligned to 8 end at 13, which is no sum: hence the conditions.)
#ifndef MEMPLAN_SOLVERS_PLACE_SUMS_H
#define MEMPLAN_SOLVERS_PLACE_SUMS_H

#include "solvers/place_problem.h"

typedef struct memplan_place_sums memplan_place_sums;

// The sums below `end` (units). *sums: NULL where they say nothing of the height (several pools, an alignment that does
// not divide the unit, a pin, reserved ranges below, windows) or where finding them would take too long. Memory belongs
// to `arena`. False: memory is out. O(items * end / 64), bounded by some 2^24 steps.
bool memplan_place_sums_find(const memplan_place_problem *problem, int64_t end, memplan_arena *arena,
                             const memplan_place_sums **sums);

// The least sum >= height, `end` if there is none below it. `sums` NULL: the height itself. O(end / 64).
int64_t memplan_place_sums_next(const memplan_place_sums *sums, int64_t height);

#endif
