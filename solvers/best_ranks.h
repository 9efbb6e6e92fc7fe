// SPDX-License-Identifier: Apache-2.0
// The smallest ranks of all that came, up to a number of them.
#ifndef MEMPLAN_SOLVERS_BEST_RANKS_H
#define MEMPLAN_SOLVERS_BEST_RANKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_best_ranks {
  int64_t *heap; // the largest on top; room for `most`
  int32_t n, most;
} memplan_best_ranks;

// Among the smallest so far?
static inline bool memplan_best_ranks_take(const memplan_best_ranks *best, int64_t rank) {
  return best->n < best->most || rank < best->heap[0];
}

// Of a rank that is among them; the largest one leaves if they are as many as can be. O(log most).
void memplan_best_ranks_add(memplan_best_ranks *best, int64_t rank);

#endif
