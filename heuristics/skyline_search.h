// SPDX-License-Identifier: Apache-2.0
// The skyline under rankings drawn from the key family, until a placement meets the load or the work is done.
#ifndef MEMPLAN_SKYLINE_SEARCH_H
#define MEMPLAN_SKYLINE_SEARCH_H

#include "model/method.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_skyline_wishes {
  int64_t work; // blocks placed in all rankings together; -1: the default for the instance's size, about a second for a
                // thousand blocks
  int64_t goal; // a peak that is small enough: the search ends there; -1: only the bound is
  bool sure;    // the first ranking is finished, whatever the limits; after them in the quickest way
} memplan_skyline_wishes;

typedef struct memplan_skyline_outcome {
  int64_t peak;  // of all blocks, INT64_MAX if there is no placement
  int64_t bound; // lower bound of the peak: load with alignments, pinned blocks
  bool met;      // peak == bound: the placement is optimal
  int64_t rankings;
} memplan_skyline_outcome;

// Why the search does not take an instance (several pools), into `error`; true if it does.
bool memplan_skyline_search_accepts(const memplan_instance *instance, memplan_error *error);

// That default.
int64_t memplan_skyline_search_work(int32_t n_blocks);

// Fills result->offset and ->pool (arrays by block), with all blocks placed, and result->nodes with the work done. The
// limits must be started. result->stop says if time or an interrupt ended it; the best placement so far is kept then.
// Outcome MEMPLAN_UNKNOWN: stopped before the first placement was complete, or failed_block says which one does not
// fit the pool's capacity. The same placement for any number of threads, a time limit apart. Memory linear in blocks,
// for each thread. `outcome` may be NULL.
memplan_status memplan_skyline_search(const memplan_instance *instance, const memplan_skyline_wishes *wishes,
                                      const memplan_limits *limits, memplan_method_result *result,
                                      memplan_skyline_outcome *outcome, memplan_error *error);

#endif
