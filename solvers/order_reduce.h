// SPDX-License-Identifier: Apache-2.0
// The order problem that is searched in the place of the given one, with the same optimum: chains contracted, valley
// splits tied; and how orders go from one to the other.
#ifndef MEMPLAN_SOLVERS_ORDER_REDUCE_H
#define MEMPLAN_SOLVERS_ORDER_REDUCE_H

#include "solvers/order_splits.h"

enum { MEMPLAN_ORDER_CHAINS = 1, MEMPLAN_ORDER_VALLEYS = 2 };

typedef struct memplan_order_reduction {
  memplan_order_problem problems[2]; // forwards, reversed
  memplan_order_lists members;       // by operator: the given ones that it stands for, in the order in which they run
  int32_t *anchor;                   // by operator: that of them whose place in an order is its own
  int32_t *part;                     // by operator: parts run one after the other
  int32_t n_given;                   // operators of the given problem
  int32_t n_joined, n_valleys, n_edges;
  int64_t work;
} memplan_order_reduction;

// `given`: forwards, reversed. `rules`: MEMPLAN_ORDER_CHAINS, MEMPLAN_ORDER_VALLEYS, both or none. What changes nothing
// leaves the given problems. Memory from `arena`, but for what is shared with `given`.
memplan_status memplan_order_reduce(const memplan_order_problem given[2], int32_t rules, memplan_arena *arena,
                                    memplan_order_reduction *reduction, memplan_error *error);

// The given order (forwards) of an order of the reduced problem in its own direction: the same peak.
void memplan_order_reduction_expand(const memplan_order_reduction *reduction, const int32_t *order, bool reversed,
                                    int32_t *given);

// The order of the reduced problem (forwards) nearest to a valid given one: its peak is no larger. `scratch` has room
// for 2 (n_given + 1).
void memplan_order_reduction_project(const memplan_order_reduction *reduction, const int32_t *given, int32_t *scratch,
                                     int32_t *order);

#endif
