// SPDX-License-Identifier: Apache-2.0
// Lowers the reuse cost of a placement (model/instance.h: reuse penalties) without leaving given limits.
#ifndef MEMPLAN_SOLVERS_PLACE_REUSE_H
#define MEMPLAN_SOLVERS_PLACE_REUSE_H

#include "model/memplan.h"
#include "solvers/assemble.h"

// Moves blocks of a valid placement, one at a time and in small groups, to where they incur less, until nothing is
// incurred or a fixed number of steps is done: a local search, which proves nothing. `most`: by pool, the number of
// bytes that its peak may not pass; at least its peak now and no more than its capacity. The placement stays valid and
// its cost never rises; where it falls, the arrays are replaced by new ones of `arena`, and slots are given up. Left as
// it is where there are more blocks than pairs can be compared of, or offsets that lie on no unit of the problem.
// Deterministic for one seed; a time limit or interrupt ends it earlier.
memplan_status memplan_place_lower_reuse(const memplan_instance *instance, const int64_t *most,
                                         const memplan_limits *limits, memplan_placement *placement,
                                         memplan_arena *arena, memplan_error *error);

#endif
