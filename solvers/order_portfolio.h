// SPDX-License-Identifier: Apache-2.0
// The search for the least order peak of a graph, in turns: greedy orders, cut bounds, then beams, threshold searches
// in both directions and decisions in the middle of the gap, which share the work in rounds.
#ifndef MEMPLAN_SOLVERS_ORDER_PORTFOLIO_H
#define MEMPLAN_SOLVERS_ORDER_PORTFOLIO_H

#include "model/method.h"
#include "model/ordering.h"

typedef struct memplan_order_optimal_task {
  const memplan_ordering *ordering; // not of one order only
  const memplan_limits *limits;     // started
  const int32_t *start;             // a valid order to begin with, or NULL: the given one
  int64_t bound;                    // a lower bound of the order peak known before
  int64_t gap_millionths;           // an order this near to the bound is enough; 0: only the optimum
  uint64_t without;                 // techniques that are switched off, as memplan_solve_options.without
  int64_t slice;                    // ticks of each part in the first round; 0: the default
} memplan_order_optimal_task;

typedef struct memplan_order_optimal_result {
  int32_t *order; // the portfolio's, or the arena's where one is given
  int64_t peak;   // its order peak
  int64_t bound;  // no order has a smaller peak
  memplan_outcome outcome;
  memplan_stop stop;
  const char *bound_by, *order_by; // parts of the search that found them: "start", "cut", "reversed search", …
  int64_t states, ticks;
} memplan_order_optimal_result;

// Each run goes on where the one before has stopped. `task` and its limits are copied, what they point to has to stay;
// its bound holds for all runs.
typedef struct memplan_order_portfolio memplan_order_portfolio;

memplan_status memplan_order_portfolio_new(const memplan_order_optimal_task *task, memplan_order_portfolio **portfolio,
                                           memplan_error *error);
void memplan_order_portfolio_free(memplan_order_portfolio *portfolio);

// Goes on for `work` more ticks (< 0: no limit). `order`: a valid one found elsewhere since, or NULL; `bound`: a lower
// bound that is known now, or 0. *result is what is known after all runs, its order the portfolio's, ticks and states
// those of all runs. Deterministic for any number of threads; a wall-clock limit is looked at between rounds. Not to be
// run again after an error.
memplan_status memplan_order_portfolio_run(memplan_order_portfolio *portfolio, const int32_t *order, int64_t bound,
                                           int64_t work, memplan_order_optimal_result *result, memplan_error *error);

#endif
