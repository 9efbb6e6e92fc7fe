// SPDX-License-Identifier: Apache-2.0
// Presolve rule: an item that finds room wherever the others lie is left out, and put back at the end.
//
// Each exclusion of the item forbids an open interval of offsets, (off(other) - up, off(other) + down), wherever the
// other item lies: at most ceil((up + down - 1) / step) of the offsets allowed to the item. If it has more of them
// below a height, one is free in every placement of the others; and if nothing is lower than that height anyway, the
// item changes no optimum. For items that exclude each other wholly this is the rule `k neighbours of total size T, and
// height >= T + (k + 1) * size - k units`.
//
// Conditions: all offsets are multiples of the unit, as those of every search are. Pins, alignments, reserved ranges,
// windows, several lifetimes and separations are all in the numbers.
#ifndef MEMPLAN_SOLVERS_PLACE_PIGEONHOLE_H
#define MEMPLAN_SOLVERS_PLACE_PIGEONHOLE_H

#include "model/base/compiler.h"
#include "solvers/place_problem.h"

// Offsets of the exclusion's item (with the step given) that it forbids at most.
int64_t memplan_place_pigeonhole_forbids(const memplan_exclusion *exclusion, int64_t step);

// Has the item more than `forbidden` offsets from `base` on at which it ends at or below `height`? O(ranges).
bool memplan_place_pigeonhole_holds(const memplan_place_problem *problem, int32_t item, int64_t base, int64_t height,
                                    memplan_int128 forbidden);

// The lowest offset (units) of an item beside those that it excludes and that are present; INT64_MAX: none. `offset`:
// bytes, by block of the instance; `present`: by item; `stretches`: room for one of each exclusion of the item.
// O(e log e) in its exclusions.
int64_t memplan_place_pigeonhole_find(const memplan_place_problem *problem, int32_t item, const int64_t *offset,
                                      const bool *present, memplan_interval *stretches);

#endif
