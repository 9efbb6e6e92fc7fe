// SPDX-License-Identifier: Apache-2.0
// The valley skyline: fills the time x offset plane from the bottom. The skyline is the top of what is placed at each
// time; its lowest valley takes the best-ranked buffer whose lifetime lies inside it, or is raised to its lower
// neighbour if there is none. What lies in one valley is out of sight of any other until the two are one, so that the
// same ranking on reversed time gives the same offsets; the two directions of time differ in how equal keys are ranked
// alone (memplan_key_rule.reversed).
#ifndef MEMPLAN_SKYLINE_H
#define MEMPLAN_SKYLINE_H

#include "heuristics/fill.h"
#include "model/base/arena.h"
#include "model/instance.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_skyline memplan_skyline;

// For the blocks `todo`, in one pool, without pins, reserved ranges and rules about separate blocks. NULL if memory is
// out. O(parts log parts).
memplan_skyline *memplan_skyline_new(const memplan_instance *instance, const int32_t *todo, int32_t n_todo,
                                     memplan_arena *arena);

// Places all blocks; ranked[i] is the i-th best. Fills offset (by block) and returns the peak, or -1 if it would
// pass the limit of sizes or the fill says so. May be called again with another ranking; allocates nothing.
// O(n log n) in blocks and parts in practice: a query of the search tree may look at more than O(log n) nodes.
int64_t memplan_skyline_place(memplan_skyline *skyline, const int32_t *ranked, memplan_fill *fill, int64_t *offset);

#endif
