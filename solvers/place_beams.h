// SPDX-License-Identifier: Apache-2.0
// Beam searches by turns: virtual workers, each with a search of its own, of growing width, at the bound and between
// the bound and the best packing.
#ifndef MEMPLAN_SOLVERS_PLACE_BEAMS_H
#define MEMPLAN_SOLVERS_PLACE_BEAMS_H

#include "model/method.h"
#include "solvers/epoch.h"
#include "solvers/place_shape.h"

typedef struct memplan_beams memplan_beams;

typedef struct memplan_beams_news {
  const int64_t *offset; // by item, of the lowest packing that the epoch found; NULL: none
  int64_t height;        // of it
} memplan_beams_news;

// NULL in *beams if the problem is nothing for the search. `shape` and `limits` must outlive it.
memplan_status memplan_beams_new(const memplan_place_shape *shape, const memplan_limits *limits, memplan_beams **beams,
                                 memplan_error *error);
void memplan_beams_free(memplan_beams *beams); // may be NULL

// One epoch: some states for each worker, in search of packings with aim <= height < upper (in units, aim < upper).
// Searches that are not at their end go on in the next one. `begin` sets the workers' tasks, which know nothing of each
// other but `aim` and `upper`; `end`, after they have run, looks at their results in the order of the workers.
memplan_status memplan_beams_begin(memplan_beams *beams, int64_t aim, int64_t upper, memplan_epoch_part *part,
                                   memplan_error *error);
memplan_status memplan_beams_end(memplan_beams *beams, memplan_beams_news *news, memplan_error *error);

int64_t memplan_beams_states(const memplan_beams *beams); // looked at

#endif
