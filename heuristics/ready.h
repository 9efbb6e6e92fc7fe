// SPDX-License-Identifier: Apache-2.0
// The operators that may run next, sorted so that the best one under a threshold is found in O(log n).
//
// Each operator has a weight (bytes by which it raises the load) and a rank given by `before`. The question asked at
// each step is: of those with weight <= threshold, which comes first? The threshold moves with the load, so two heaps
// would have to exchange their contents again and again; a tree by weight that knows the best of each subtree does not.
// Two sets share the storage (operators at large, and those of an open group); an operator is in one of them at most.
#ifndef MEMPLAN_READY_H
#define MEMPLAN_READY_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEMPLAN_READY_SETS = 2 };

typedef struct memplan_ready {
  // Strict total order on operators; must not change for an operator while it is in a set.
  bool (*before)(const void *context, int32_t a, int32_t b);
  const void *context;
  int32_t root[MEMPLAN_READY_SETS]; // -1: empty
  // by operator
  int64_t *weight;
  int32_t *left, *right, *parent;
  int32_t *best; // first by `before` in the subtree
  int8_t *set;   // -1: in none
} memplan_ready;

// False if memory is out.
bool memplan_ready_init(memplan_ready *ready, int32_t n_ops, bool (*before)(const void *context, int32_t a, int32_t b),
                        const void *context, memplan_arena *arena);

// Expected O(log n) each.
void memplan_ready_insert(memplan_ready *ready, int32_t set, int32_t op, int64_t weight);
void memplan_ready_remove(memplan_ready *ready, int32_t op);

// The first operator by `before` among those with weight <= threshold; if there is none, the first by (weight, before);
// -1 if the set is empty.
int32_t memplan_ready_select(const memplan_ready *ready, int32_t set, int64_t threshold);

#endif
