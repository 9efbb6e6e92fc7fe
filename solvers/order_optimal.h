// SPDX-License-Identifier: Apache-2.0
// The least order peak of a graph, proven: the method `optimal`.
#ifndef MEMPLAN_SOLVERS_ORDER_OPTIMAL_H
#define MEMPLAN_SOLVERS_ORDER_OPTIMAL_H

#include "solvers/order_portfolio.h"

// The descriptor by which lists, benchmarks and plans name the search.
extern const memplan_method memplan_order_optimal_method;

// Is this the name of the order method that ends with a proof? NULL is none.
bool memplan_order_is_exact(const char *order);

// The portfolio's search to its end, or to the limits. limits->work: ticks. The order is the arena's.
memplan_status memplan_order_optimal(const memplan_order_optimal_task *task, memplan_arena *arena,
                                     memplan_order_optimal_result *result, memplan_error *error);

#endif
