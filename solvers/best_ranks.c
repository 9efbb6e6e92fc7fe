// SPDX-License-Identifier: Apache-2.0
// A binary heap in an array: no rank is smaller than those below it.
#include "solvers/best_ranks.h"

void memplan_best_ranks_add(memplan_best_ranks *best, int64_t rank) {
  int64_t *heap = best->heap;
  int32_t at;
  if (best->n < best->most) {
    for (at = best->n++; at > 0 && heap[(at - 1) / 2] < rank; at = (at - 1) / 2) {
      heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = rank;
    return;
  }
  for (at = 0; 2 * at + 1 < best->n;) {
    int32_t below = 2 * at + 1;
    below += below + 1 < best->n && heap[below + 1] > heap[below];
    if (heap[below] <= rank) {
      break;
    }
    heap[at] = heap[below];
    at = below;
  }
  heap[at] = rank;
}
