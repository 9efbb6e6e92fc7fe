// SPDX-License-Identifier: Apache-2.0
// The pairs of buffers of which no placement shares a byte: both are live with all of their bytes at some time, or a
// rule `separate` or `conflicts` keeps them apart. Pins, alignments and colocations are not looked at.
#ifndef MEMPLAN_CONFLICT_PAIRS_H
#define MEMPLAN_CONFLICT_PAIRS_H

#include "model/instance.h"
#include "model/method.h"

typedef struct memplan_conflict_pair {
  int32_t first, second; // buffers, first < second
} memplan_conflict_pair;

typedef struct memplan_conflict_pairs {
  memplan_conflict_pair *pairs; // sorted, none twice; malloc'd
  int64_t n_pairs;
  bool too_many; // more than were asked for: then there are none
  bool stopped;  // by the limits: then there are none
} memplan_conflict_pairs;

// At most `most` pairs, within the started limits (NULL: none); buffers without bytes, and those that keep only a part
// of them during a gap, conflict by rules alone (empty ones not at all). MEMPLAN_NOMEM only. O(n log n + pairs log
// pairs), with a pair counted once for each time that it meets.
memplan_status memplan_conflict_pairs_find(const memplan_instance *instance, int64_t most, const memplan_limits *limits,
                                           memplan_conflict_pairs *found, memplan_error *error);
void memplan_conflict_pairs_free(memplan_conflict_pairs *found);

#endif
