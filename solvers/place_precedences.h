// SPDX-License-Identifier: Apache-2.0
// Precedence searches side by side: virtual workers, each with an engine of its own and other first choices, that tell
// each other at the end of each epoch what they have proven, found and learned.
#ifndef MEMPLAN_SOLVERS_PLACE_PRECEDENCES_H
#define MEMPLAN_SOLVERS_PLACE_PRECEDENCES_H

#include "model/method.h"
#include "solvers/epoch.h"
#include "solvers/place_precedence.h"

typedef struct memplan_precedences memplan_precedences;

typedef struct memplan_precedences_news {
  const int64_t *offset; // by item, of the lowest packing that the epoch found; NULL: none
  int64_t height;        // of it
  int64_t lower;         // no packing is lower: the bound given, or one that the epoch has proven
  bool full;             // a worker holds as much memory as it may: nothing more will come
} memplan_precedences_news;

// `problem` must be accepted by memplan_precedence_accepts for `upper` and outlive the object. Seed and driver of the
// settings are those of the first worker, which has so many `alone` ticks for itself before there are others; searches
// that keep a proof have no other one. Workers share the memory of the settings. NULL if memory is out.
memplan_precedences *memplan_precedences_new(const memplan_place_problem *problem, int64_t lower, int64_t upper,
                                             const memplan_precedence_settings *settings, int64_t alone);
void memplan_precedences_free(memplan_precedences *searches); // may be NULL

// One epoch of some ticks for each worker, in search of packings with lower <= height < upper; a worker that has found
// one of height <= aim is done with it. `begin` sets the workers' tasks, `end`, after they have run, looks at their
// results in the order of the workers.
memplan_status memplan_precedences_begin(memplan_precedences *searches, int64_t lower, int64_t aim, int64_t upper,
                                         int64_t ticks, memplan_epoch_part *part, memplan_error *error);
memplan_status memplan_precedences_end(memplan_precedences *searches, memplan_precedences_news *news,
                                       memplan_error *error);

// Sums over the workers.
memplan_engine_counts memplan_precedences_count(const memplan_precedences *searches);

// As memplan_precedence_prove.
bool memplan_precedences_prove(const memplan_precedences *searches, memplan_arena *arena, memplan_proof *proof,
                               bool *found);

#endif
