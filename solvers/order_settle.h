// SPDX-License-Identifier: Apache-2.0
// Makes an order better by what is safe at each of its states: commits are run as soon as they can be.
#ifndef MEMPLAN_SOLVERS_ORDER_SETTLE_H
#define MEMPLAN_SOLVERS_ORDER_SETTLE_H

#include "solvers/order_commit.h"

// `order`: of the tables' problem, in its direction, with a peak of `peak`; changed in place, and no load of an
// operator is larger afterwards unless it stays below `peak`. So the peak never grows. `ticks` receives the work.
// Deterministic. O(n_ops x what commits look at in a state). Source: order_commit.h, applied along an order instead of
// in a search.
memplan_status memplan_order_settle(const memplan_order_tables *tables, const memplan_order_rules *rules, int64_t peak,
                                    int32_t *order, int64_t *ticks, memplan_error *error);

#endif
