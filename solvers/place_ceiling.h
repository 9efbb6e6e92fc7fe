// SPDX-License-Identifier: Apache-2.0
// How far up a search for packings has to look.
#ifndef MEMPLAN_SOLVERS_PLACE_CEILING_H
#define MEMPLAN_SOLVERS_PLACE_CEILING_H

#include "model/instance.h"

// Bytes of the pool within which the blocks (NULL: all of the instance) fit side by side, above all their pins and the
// reserved ranges; at most MEMPLAN_SIZE_LIMIT. The pool's capacity is not looked at. O(blocks + ranges).
int64_t memplan_place_ceiling(const memplan_instance *instance, const int32_t *blocks, int32_t n_blocks, int32_t pool);

// The pool's capacity, or without one the ceiling of all blocks.
int64_t memplan_place_limit(const memplan_instance *instance, int32_t pool);

#endif
