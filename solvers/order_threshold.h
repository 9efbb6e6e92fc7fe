// SPDX-License-Identifier: Apache-2.0
// The threshold of the decisions of a search of orders: is there an order with a peak up to it? It lies between bound
// and peak; precedences that probing knows at it make the question smaller.
#ifndef MEMPLAN_SOLVERS_ORDER_THRESHOLD_H
#define MEMPLAN_SOLVERS_ORDER_THRESHOLD_H

#include "solvers/order_search.h"
#include "solvers/order_targets.h"

typedef struct memplan_order_threshold {
  int64_t value;     // -1: there is nothing to decide
  int64_t undecided; // the largest one given up, -1: none
  int32_t rounds;    // that the value has had
  int32_t patience;
  int32_t n_edges; // precedences that the question is asked with
  memplan_arena arena;
  memplan_order_problem problems[2]; // if there are any: with them, forwards and reversed
  memplan_order_tables tables[2];
} memplan_order_threshold;

void memplan_order_threshold_init(memplan_order_threshold *threshold);
void memplan_order_threshold_free(memplan_order_threshold *threshold); // what it holds

// Is there a value between bound and peak that has not been given up?
bool memplan_order_threshold_has_next(const memplan_order_threshold *threshold, int64_t bound, int64_t peak);

// Once a round, for the bound and the peak of now, with what probing has found; `ended`: the question was given up.
// True if the value has changed, or there are more precedences at it: then the question is asked anew.
bool memplan_order_threshold_move(memplan_order_threshold *threshold, int64_t bound, int64_t peak, bool ended,
                                  const memplan_order_targets *targets);

// The question with the precedences that hold at the value, of the problems forwards and reversed, which have to
// outlive it.
memplan_status memplan_order_threshold_narrow(memplan_order_threshold *threshold,
                                              const memplan_order_problem problems[2], const memplan_order_rules *rules,
                                              const memplan_order_targets *targets, memplan_error *error);

// A bound that was proven of the question, as one of every order.
int64_t memplan_order_threshold_bound(const memplan_order_threshold *threshold, int64_t bound);

#endif
