// SPDX-License-Identifier: Apache-2.0
// Probing in turns, at targets that follow the best peak and the bound of a search of orders.
#ifndef MEMPLAN_SOLVERS_ORDER_TARGETS_H
#define MEMPLAN_SOLVERS_ORDER_TARGETS_H

#include "solvers/order_probe.h"

// Precedences that every order with a peak up to the target respects.
typedef struct memplan_order_edges {
  memplan_order_edge *list;
  int32_t count;
  int64_t target; // -1: none
} memplan_order_edges;

typedef struct memplan_order_targets {
  memplan_order_prober *prober;     // at work, or NULL
  int64_t target;                   // of it
  bool at_top;                      // the target was just below the best peak
  int64_t open;                     // the least target that could not be refuted, INT64_MAX: none
  int64_t top;                      // the target below the best peak that was looked at last, INT64_MAX: none
  int64_t seen;                     // work of the prober that is counted already
  bool closed;                      // the problem is too large
  memplan_order_edges wide, narrow; // of the best peak, of the least open target
} memplan_order_targets;

void memplan_order_targets_init(memplan_order_targets *targets);
void memplan_order_targets_free(memplan_order_targets *targets); // what they hold

// Before a turn, for the bound and the peak of now: ends a prober whose target lies no longer between them, and says in
// *wants whether another one is to begin.
memplan_status memplan_order_targets_choose(memplan_order_targets *targets, int64_t bound, int64_t peak, bool *wants,
                                            memplan_error *error);

// Begins it, from any order of the problem, which has to outlive it.
memplan_status memplan_order_targets_begin(memplan_order_targets *targets, const memplan_order_problem *problem,
                                           const int32_t *order, memplan_error *error);

// A turn of the prober, if one is at work.
memplan_status memplan_order_targets_run(memplan_order_targets *targets, int64_t work, const memplan_limits *limits,
                                         memplan_error *error);

// After a turn: what it has proven of every order, the greater of *bound and that, and its work, added to *ticks.
memplan_status memplan_order_targets_merge(memplan_order_targets *targets, int64_t *bound, int64_t *ticks,
                                           memplan_error *error);

// What is known of orders with a peak up to the target, NULL: nothing. It stays until the next turn.
const memplan_order_edges *memplan_order_targets_edges(const memplan_order_targets *targets, int64_t target);

#endif
