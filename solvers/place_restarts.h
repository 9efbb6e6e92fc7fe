// SPDX-License-Identifier: Apache-2.0
// Search for packings by restarts: virtual workers, each with a nogood search of its own, try one ranking of the items
// after the other, at the bound and between the bound and the best packing.
#ifndef MEMPLAN_SOLVERS_PLACE_RESTARTS_H
#define MEMPLAN_SOLVERS_PLACE_RESTARTS_H

#include "model/method.h"
#include "solvers/epoch.h"
#include "solvers/place_shape.h"

typedef struct memplan_restarts memplan_restarts;

typedef struct memplan_restarts_news {
  const int64_t *offset; // by item, of the lowest packing that the epoch found; NULL: none
  int64_t height;        // of it
  int64_t lower;         // no packing is lower: the bound given, or one that the epoch has proven
} memplan_restarts_news;

// NULL in *restarts if the problem is too large for the search or breaks its normal form. `problem` and `limits` must
// outlive it.
memplan_status memplan_restarts_new(const memplan_instance *instance, const memplan_place_problem *problem,
                                    const memplan_limits *limits, memplan_restarts **restarts, memplan_error *error);
void memplan_restarts_free(memplan_restarts *restarts); // may be NULL

// Switches techniques off (a sum of MEMPLAN_TECHNIQUE_*), before the first step.
void memplan_restarts_switch_off(memplan_restarts *restarts, uint64_t techniques);

// One epoch: a restart of some nodes for each worker, for packings with aim <= height < upper (in units, lower <= aim <
// upper): `aim` is a height that is good enough, or `lower`. `begin` sets the workers' tasks, `end`, after they have
// run, looks at their results in the order of the workers.
memplan_status memplan_restarts_begin(memplan_restarts *restarts, int64_t lower, int64_t aim, int64_t upper,
                                      memplan_epoch_part *part, memplan_error *error);
void memplan_restarts_end(memplan_restarts *restarts, memplan_restarts_news *news);

int64_t memplan_restarts_nodes(const memplan_restarts *restarts);

// The problem as the searches see it, for others; belongs to the object.
const memplan_place_shape *memplan_restarts_shape(const memplan_restarts *restarts);

#endif
