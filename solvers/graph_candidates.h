// SPDX-License-Identifier: Apache-2.0
// Candidates of a graph's plan: pairs of an order and an in-place choice, each of which is a placement problem.
#ifndef MEMPLAN_SOLVERS_GRAPH_CANDIDATES_H
#define MEMPLAN_SOLVERS_GRAPH_CANDIDATES_H

#include "model/instance.h"
#include "model/ordering.h"

typedef struct memplan_candidate {
  int32_t index; // in the order in which they were added, the last word in every tie
  const int32_t *order;
  const int32_t *choice; // pairs
  int32_t n_choices;
  int64_t order_peak;  // of the order, with its best choice
  int64_t peak;        // largest load under this choice: no placement of it can be smaller
  const int64_t *load; // under this choice, by step
  const char *method;
} memplan_candidate;

// Entries stay where they are when more are added, and live in `arena`.
typedef struct memplan_candidates {
  const memplan_ordering *ordering;
  memplan_arena *arena;
  const memplan_candidate **entries;
  int32_t count;
  int32_t n_added; // by memplan_candidates_add: the next index
  int64_t capacity;
} memplan_candidates;

// Adds a valid order (kept by reference) with its best in-place choice, with only those of its pairs that its peak
// needs, and with none; nothing if the order is there already. `method` names what the order comes from. O(candidates +
// size of the graph).
memplan_status memplan_candidates_add(memplan_candidates *list, const int32_t *order, const char *method,
                                      memplan_error *error);

// The one with the least order peak, of those the one with the least load, of those the first. NULL: there is none.
const memplan_candidate *memplan_candidates_best(const memplan_candidates *list);

// Adds a copy of one that was made apart, with the index that it has.
memplan_status memplan_candidates_append(memplan_candidates *list, const memplan_candidate *entry,
                                         memplan_error *error);

// Sorts by (peak, index).
void memplan_candidates_sort(memplan_candidates *list);

// The candidate of an order and a choice of its own, which need not be the best one; `instance` is what they lower to.
// Not added to a list; all of it is the arena's.
memplan_status memplan_candidate_make(const memplan_ordering *ordering, const int32_t *order, const int32_t *choice,
                                      int32_t n_choices, const memplan_instance *instance, const char *method,
                                      memplan_arena *arena, memplan_candidate *entry, memplan_error *error);

#endif
