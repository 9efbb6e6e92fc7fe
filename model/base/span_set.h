// SPDX-License-Identifier: Apache-2.0
// Disjoint spans of numbers that come and go, and the room between them. All of it lies in little memory, however many
// spans have been there before.
#ifndef MEMPLAN_BASE_SPAN_SET_H
#define MEMPLAN_BASE_SPAN_SET_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct memplan_span_set memplan_span_set;

// An empty set in `arena`, NULL if memory is out.
memplan_span_set *memplan_span_set_new(memplan_arena *arena);

// Adds [low, high), low < high, unless it meets a span of the set: *met says so. False if memory is out. O(log n) and
// the length of a chunk, and rarely O(n / chunk).
bool memplan_span_set_add(memplan_span_set *set, int64_t low, int64_t high, bool *met);

// Removes the span that begins at `low`, if there is one.
void memplan_span_set_remove(memplan_span_set *set, int64_t low);

// Length of the longest run of [from, to) that no span covers; any that is not below `enough` will do. O(n / chunk) at
// most; O(1) as long as the run found last is still enough.
int64_t memplan_span_set_longest(memplan_span_set *set, int64_t from, int64_t to, int64_t enough);

#endif
