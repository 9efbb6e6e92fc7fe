// SPDX-License-Identifier: Apache-2.0
// Binary heap: the entry with the smallest (key, tie) comes first.
#ifndef MEMPLAN_BASE_HEAP_H
#define MEMPLAN_BASE_HEAP_H

#include <stdint.h>

typedef struct memplan_heap_entry {
  int64_t key;
  int32_t tie;
  int32_t item; // the caller's
} memplan_heap_entry;

typedef struct memplan_heap {
  memplan_heap_entry *entries; // the caller's, with room for all that are in it at a time; entries[0] is the first
  int32_t n;
} memplan_heap;

// O(log n). Entries that are equal in key and tie come in no particular, but always the same order.
void memplan_heap_push(memplan_heap *heap, memplan_heap_entry entry);
memplan_heap_entry memplan_heap_pop(memplan_heap *heap); // of a heap that is not empty

#endif
