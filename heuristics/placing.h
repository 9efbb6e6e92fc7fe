// SPDX-License-Identifier: Apache-2.0
// What the placement methods have in common: pinned blocks come first, blocks that are live sometime are the
// method's business, the rest goes to the lowest legal offset at the end; pools are tried in the block's order.
#ifndef MEMPLAN_PLACING_H
#define MEMPLAN_PLACING_H

#include "heuristics/packing.h"
#include "model/method.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_placing {
  const memplan_instance *instance;
  memplan_arena *arena;
  memplan_method_result *result;
  memplan_packing *packing;
  int32_t *todo; // blocks with bytes and lifetime that are not pinned, in canonical order
  int32_t n_todo;
  const memplan_limits *limits; // NULL: runs to the end
  int64_t n_steps;
  bool stopped; // before all blocks were placed
} memplan_placing;

// The method itself: places what is to do. result->failed_block >= 0, which it or a function below sets, means that
// this block fits in none of its pools (the status is still MEMPLAN_OK): the method must return; so it must if
// memplan_placing_stops.
typedef memplan_status memplan_placing_method(memplan_placing *placing, void *context, memplan_error *error);

// Runs a method between the pinned blocks and those that are never live or empty, and sets the outcome: MEMPLAN_UNKNOWN
// if it was stopped before it had a placement, with the reason in result->stop. Limits NULL: nothing stops it.
memplan_status memplan_placing_run(const memplan_instance *instance, memplan_placing_method *method, void *context,
                                   const memplan_limits *limits, memplan_method_result *result, memplan_error *error);

// Counts a step of the method; looks at the limits now and then, and if one is reached marks the placing as stopped and
// keeps the reason.
bool memplan_placing_stops(memplan_placing *placing);

// The lowest legal offset >= from[pool] (NULL: 0) in the first of the block's pools that has one.
memplan_status memplan_placing_find(memplan_placing *placing, int32_t block, const int64_t *from, int32_t *pool,
                                    int64_t *offset, memplan_error *error);

// Places the block there.
memplan_status memplan_placing_lowest(memplan_placing *placing, int32_t block, memplan_error *error);

#endif
