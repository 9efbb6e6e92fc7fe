// SPDX-License-Identifier: Apache-2.0
// First-fit: the buffers in the order of a sort key, each at the lowest offset at which it fits. One file for each key.
#ifndef MEMPLAN_PLACE_FIRST_FIT_H
#define MEMPLAN_PLACE_FIRST_FIT_H

#include "model/base/compiler.h"
#include "model/method.h"

#include <stdint.h>

// Sort key of a block: the larger value goes first; ties by the second and third number, then by the canonical index.
typedef struct memplan_fit_key {
  memplan_int128 first;
  int64_t second, third;
  int32_t block;
} memplan_fit_key;

// The best first. O(n log n).
void memplan_fit_keys_sort(memplan_fit_key *keys, int32_t count);

// Fills everything but `block`.
typedef void memplan_fit_rank(const memplan_instance *instance, int32_t block, memplan_fit_key *key);

// Places all blocks of the instance. O(n log n) sorting, and a packing question for each part.
memplan_status memplan_place_first_fit(const memplan_instance *instance, memplan_fit_rank *rank,
                                       const memplan_limits *limits, memplan_method_result *result,
                                       memplan_error *error);

// Time from the first to the last moment of a block, saturated at INT64_MAX.
int64_t memplan_block_duration(const memplan_instance *instance, int32_t block);

// Sum over its parts of bytes x time.
memplan_int128 memplan_block_area(const memplan_instance *instance, int32_t block);

#endif
