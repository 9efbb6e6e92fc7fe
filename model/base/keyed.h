// SPDX-License-Identifier: Apache-2.0
// Sorting many numbers with what they belong to.
#ifndef MEMPLAN_BASE_KEYED_H
#define MEMPLAN_BASE_KEYED_H

#include <stdint.h>

typedef struct memplan_keyed {
  int64_t key;
  int32_t index;
} memplan_keyed;

// By key, ascending; equal keys stay in the order in which they stand. `scratch` has room for as many. O(n) passes, one
// for each eleven bits in which the keys differ.
void memplan_keyed_sort(memplan_keyed *items, int32_t n, memplan_keyed *scratch);

#endif
