// SPDX-License-Identifier: Apache-2.0
// An order problem with more precedences, such as those that probing finds for orders within a target.
#ifndef MEMPLAN_SOLVERS_ORDER_EXTEND_H
#define MEMPLAN_SOLVERS_ORDER_EXTEND_H

#include "solvers/order_probe.h"

// `extended` shares all but the precedences with `problem`; `edges` are those of the forward direction, and turned
// round for a reversed problem. They must leave it free of cycles. Memory from `arena`. O(edges log edges).
memplan_status memplan_order_extend(const memplan_order_problem *problem, const memplan_order_edge *edges,
                                    int32_t n_edges, memplan_arena *arena, memplan_order_problem *extended,
                                    memplan_error *error);

#endif
