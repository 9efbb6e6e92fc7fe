// SPDX-License-Identifier: Apache-2.0
// A set of bytes as sorted spans that neither overlap nor touch, with the question placement asks: where is the next
// free room of a given size?
#ifndef MEMPLAN_SPANS_H
#define MEMPLAN_SPANS_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_span {
  int64_t low, high; // [low, high)
} memplan_span;

// `{0}` is the empty set.
typedef struct memplan_spans {
  memplan_span *spans;
  int64_t *widest; // for each run of 64 spans: the widest gap above one of them; kept once there is more than one run
  int32_t n, capacity;
} memplan_spans;

// Where sets get their memory from; what one outgrows is given to another.
typedef struct memplan_span_store {
  memplan_arena *arena;
  void *returned[32]; // by capacity, as power of two
} memplan_span_store;

// Joins [low, high), low < high, to the set. O(log n + spans moved). False if memory is out (the set is unchanged).
bool memplan_spans_add(memplan_span_store *store, memplan_spans *set, int64_t low, int64_t high);

// The smallest y >= at such that [y, y + size) is free; size >= 1, at + size must not overflow. *position is the first
// span that ends above `at`, as far as it is known: 0 at first, and then what the last call with a smaller `at` left
// there; afterwards it is the first span above y (n if there is none). O(log n) and the gaps passed over, at most n/64
// + 128 of them.
int64_t memplan_spans_next(const memplan_spans *set, int32_t *position, int64_t at, int64_t size);

#endif
