// SPDX-License-Identifier: Apache-2.0
// What the exact order search looks up in a problem, computed once for a direction and then read by all of its parts.
//
// Lazy operators: v is lazy iff it is in no group and has no successor in one, has no workspace, and each cell that it
// gives birth to is kept or also ended by a descendant of v, as is each cell that it is a death of. Some optimal order
// runs v directly before its first successor (at the end without one): later, v adds less to the loads in between, ends
// nothing either way, no in-place pair is lost since the descendant touches the same cell, and its own load is at most
// the live bytes after it. So the search never branches on v: a candidate is a hard (not lazy) operator whose missing
// predecessors are all lazy; it runs together with them. With `first` bytes this holds from the second step on.
#ifndef MEMPLAN_SOLVERS_ORDER_TABLES_H
#define MEMPLAN_SOLVERS_ORDER_TABLES_H

#include "solvers/order_problem.h"

typedef struct memplan_order_tables {
  const memplan_order_problem *problem;
  bool *lazy; // by operator
  int32_t n_lazy;
  memplan_order_lists hard_pred;   // by operator: hard ones that reach it through lazy ones alone, or directly
  memplan_order_lists hard_succ;   // the same edges turned round
  memplan_order_lists lazy_before; // by operator: lazy ones that reach it through lazy ones alone, in an order in which
                                   // they can run
  int32_t *topological;            // operators in an order in which they can run
  uint64_t (*zobrist)[2];          // by operator
  // By cell: the operators that run before it ends, as bits (`words` of them), and their number. NULL with 16,384
  // operators or more, and intervals are not committed then.
  uint64_t *closure;
  int32_t *closure_size;
  size_t words;
  // By number of operators run: as memplan_order_reach_passes. NULL with as many operators, or if it is not wanted.
  int32_t *passes;
  memplan_pair *pairs;  // the problem's, in the form that memplan_pairs_match takes; cells as tensors
  bool *single_sided;   // by operator: all its pairs have one cell in common on one side
  int32_t most_pairs;   // of one operator
  int32_t *group_size;  // by group
  int32_t *group_edges; // by group: edges from operators outside
} memplan_order_tables;

typedef struct memplan_order_rules {
  bool lazy, intervals, commits, passes; // all of them by default; what is off is not used (for tests and measurements)
  bool audit_all;                        // solvers/order_audit.h takes no samples; off by default
} memplan_order_rules;

memplan_order_rules memplan_order_rules_default(void);

// Memory from `arena`. O(size of the problem), and n_ops^2 / 64 words while it runs if n_ops is below 16,384 (with more
// operators only direct successors count as descendants, so that fewer operators are found to be lazy).
memplan_status memplan_order_tables_init(memplan_order_tables *tables, const memplan_order_problem *problem,
                                         const memplan_order_rules *rules, memplan_arena *arena, memplan_error *error);

#endif
