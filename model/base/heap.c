// SPDX-License-Identifier: Apache-2.0
// Entries move into a hole until the new or last one fits there, which saves half of the exchanges.
#include "model/base/heap.h"

#include <stdbool.h>

static bool is_before(memplan_heap_entry a, memplan_heap_entry b) {
  return a.key != b.key ? a.key < b.key : a.tie < b.tie;
}

void memplan_heap_push(memplan_heap *heap, memplan_heap_entry entry) {
  memplan_heap_entry *entries = heap->entries;
  int32_t hole = heap->n++;
  while (hole > 0 && is_before(entry, entries[(hole - 1) / 2])) {
    entries[hole] = entries[(hole - 1) / 2];
    hole = (hole - 1) / 2;
  }
  entries[hole] = entry;
}

memplan_heap_entry memplan_heap_pop(memplan_heap *heap) {
  memplan_heap_entry *entries = heap->entries;
  memplan_heap_entry top = entries[0];
  memplan_heap_entry last = entries[--heap->n];
  int32_t hole = 0;
  for (;;) {
    int32_t child = 2 * hole + 1;
    if (child + 1 < heap->n && is_before(entries[child + 1], entries[child])) {
      child++;
    }
    if (child >= heap->n || !is_before(entries[child], last)) {
      break;
    }
    entries[hole] = entries[child];
    hole = child;
  }
  entries[hole] = last;
  return top;
}
