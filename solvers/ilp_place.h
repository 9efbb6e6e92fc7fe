// SPDX-License-Identifier: Apache-2.0
// Placement on a fixed order as an integer program.
//
//   peak >= off(i) + size(i)
//   each exclusion of i and j: off(j) >= off(i) + up, or off(i) >= off(j) + down, by one binary "j above i" and a
//   large number as small as the bounds of the two offsets allow
//   tightening: the members of a section lie on each other, so that each lies above all that is below it together, and
//   the peak lies above all that is above it (a relaxation then knows the load)
//   offset sets: first + step x integer variable; with several ranges one binary for each range
//   cutoff: peak below that of a placement known before; twins by index; of one pair without twins the lower one is
//   given where turning the arena round changes nothing
//
// All numbers are in units of the place problem.
#ifndef MEMPLAN_SOLVERS_ILP_PLACE_H
#define MEMPLAN_SOLVERS_ILP_PLACE_H

#include "solvers/ilp_model.h"
#include "solvers/place_problem.h"

typedef struct memplan_ilp_place {
  const memplan_place_problem *problem;
  int32_t peak;                // column
  const int32_t *first_column; // by item, and one more: columns of its ranges
} memplan_ilp_place;

// `ids`: a name for each item. `bound` <= peak <= `ceiling` (units). A problem of several pools is refused by the
// caller. Memory belongs to the model's arena. O(exclusions + members of sections squared).
memplan_status memplan_ilp_place_build(const memplan_place_problem *problem, const char *const *ids, int64_t bound,
                                       int64_t ceiling, memplan_ilp *model, memplan_ilp_place *place,
                                       memplan_error *error);

// The offsets (units, by item) that values of the columns mean; for memplan_ilp_settle.
void memplan_ilp_place_read(const memplan_ilp_place *place, const int64_t *value, int64_t *wish);

#endif
