// SPDX-License-Identifier: Apache-2.0
// Threshold search for an order of least peak, in one direction: depth-first over the sets of operators that can be
// reached with loads up to a threshold, which rises to the least load that was turned away once all of them have been
// seen; that load is then a proven lower bound. It stops and goes on at any time, so that several share the work.
//
// Complexity: exponential in general; a state costs O(ready operators + what its commits look at), and about 60 bytes.
// Deterministic: what it finds after a number of ticks depends on nothing else. Sources: Serenity (Ahn et al. 2020) for
// the states, the valleys of Liu (1987) for the commits; see order_commit.h.
#ifndef MEMPLAN_SOLVERS_ORDER_SEARCH_H
#define MEMPLAN_SOLVERS_ORDER_SEARCH_H

#include "solvers/order_commit.h"

typedef struct memplan_order_search memplan_order_search;

typedef enum memplan_order_search_outcome {
  MEMPLAN_ORDER_RUNNING = 0,
  MEMPLAN_ORDER_FOUND,    // an order within the threshold
  MEMPLAN_ORDER_EXHAUSTED // no order has a peak below the ceiling
} memplan_order_search_outcome;

typedef struct memplan_order_search_look {
  memplan_order_search_outcome outcome;
  int64_t bound; // no order has a smaller peak
  int64_t threshold;
  const int32_t *order; // FOUND: in the problem's own direction
  int64_t states, ticks, memory;
} memplan_order_search_look;

// Orders with a peak of `ceiling` or more are of no interest; the search begins at `threshold` < ceiling, and `bound`
// is known (a threshold above the bound decides whether there is an order within it). Freed by
// memplan_order_search_free.
memplan_status memplan_order_search_new(const memplan_order_tables *tables, const memplan_order_rules *rules,
                                        int64_t bound, int64_t threshold, int64_t ceiling,
                                        memplan_order_search **search, memplan_error *error);
void memplan_order_search_free(memplan_order_search *search);

// Lowers the ceiling, raises the bound and with it the threshold, as others find them.
void memplan_order_search_tell(memplan_order_search *search, int64_t bound, int64_t ceiling);

// Works for about `ticks` more.
memplan_status memplan_order_search_run(memplan_order_search *search, int64_t ticks, memplan_error *error);

void memplan_order_search_state(const memplan_order_search *search, memplan_order_search_look *look);

#endif
