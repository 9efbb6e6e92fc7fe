// SPDX-License-Identifier: Apache-2.0
// Could two things of a graph be in memory at different times, in any order? Internal to explain_pair.
#ifndef MEMPLAN_SOLVERS_EXPLAIN_ORDER_H
#define MEMPLAN_SOLVERS_EXPLAIN_ORDER_H

#include "model/memplan.h"

// When something is in memory: born by the first of `births` that runs (or there from the start: init), gone after the
// last of `deaths` (or never: keep). `first_only`: at step 0 alone, whatever runs then (an input that nobody reads).
typedef struct memplan_presence {
  const int32_t *births, *deaths; // operators
  int32_t n_births, n_deaths;
  bool init, keep, first_only;
} memplan_presence;

typedef enum memplan_precede_result {
  MEMPLAN_PRECEDE_POSSIBLE = 0,
  MEMPLAN_PRECEDE_KEPT,   // the earlier one stays to the end
  MEMPLAN_PRECEDE_INIT,   // the later one is there from the start
  MEMPLAN_PRECEDE_OPS,    // an operator that gives birth to the later one has to run before one that ends the earlier
                          // one, or is the same
  MEMPLAN_PRECEDE_GROUPS, // the groups of operators that run consecutively leave no room
  MEMPLAN_PRECEDE_UNKNOWN // too many operators touch the two
} memplan_precede_result;

typedef struct memplan_precede {
  memplan_precede_result result;
  int32_t birth, death; // OPS: the two operators (equal: one does both), else -1
} memplan_precede;

// Can `earlier` be gone before `later` is born, in some order of the operators that respects predecessors and groups?
// O(size of the graph + births x deaths), the product up to a fixed limit.
memplan_status memplan_presence_precede(const memplan_ordering *ordering, const memplan_presence *earlier,
                                        const memplan_presence *later, memplan_precede *precede, memplan_error *error);

#endif
