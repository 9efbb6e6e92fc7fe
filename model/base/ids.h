// SPDX-License-Identifier: Apache-2.0
// Ids in the order of their bytes, which is the order of every canonical form; equal ids by position.
#ifndef MEMPLAN_BASE_IDS_H
#define MEMPLAN_BASE_IDS_H

#include <stdint.h>

typedef struct memplan_id {
  const char *text;
  int32_t index;
} memplan_id;

void memplan_ids_sort(memplan_id *ids, int32_t count);

// Position of `text` in sorted ids (the first of equal ones), or -1. O(log count) comparisons.
int32_t memplan_ids_find(const memplan_id *ids, int32_t count, const char *text);

#endif
