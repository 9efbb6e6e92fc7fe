// SPDX-License-Identifier: Apache-2.0
// The order problem in one direction, flat: what the exact order search and its bounds work on.
//
// An order is sought of operators that respects `pred`, with the least peak. After an ideal X (a set of operators that
// holds the predecessors of its members) a cell is live iff (init, or one of its births is in X) and (keep, or one of
// its deaths is not in X). While operator v runs after X, the load is base + live cells + cells born by v (none of
// their births is in X, not init) + workspace(v) - the best matching of the available pairs of v. A pair is available
// iff its `born` cell is born by v, and v is the last of the deaths of `dying` that is missing. The first step bears
// `first` more, the last one `last` more.
//
// Turned round (edges reversed, births <-> deaths, init <-> keep, born <-> dying, first <-> last) it is a problem of
// the same kind, and an order has the same peak as its reversal; so each rule is written once and used in both
// directions.
#ifndef MEMPLAN_SOLVERS_ORDER_PROBLEM_H
#define MEMPLAN_SOLVERS_ORDER_PROBLEM_H

#include "model/ordering.h"

typedef struct memplan_order_cell {
  int64_t bytes;
  bool init, keep;
  int32_t source; // cell of the ordering
} memplan_order_cell;

typedef struct memplan_order_pair {
  int32_t op, born, dying; // born, dying: cells
  int32_t source;          // pair of the ordering
  int64_t saving;
} memplan_order_pair;

// Lists by index: entries of i are list[first[i]] … list[first[i + 1] - 1], sorted, without repetition.
typedef struct memplan_order_lists {
  const int32_t *first, *list;
} memplan_order_lists;

// The same turned round: by entry, of which there are n_entries, the ascending indices of the n lists that hold it.
// Memory from `arena`; false if that is out.
bool memplan_order_lists_turn(const memplan_order_lists *lists, int32_t n, int32_t n_entries,
                              memplan_order_lists *turned, memplan_arena *arena);

typedef struct memplan_order_problem {
  int32_t n_ops, n_cells, n_pairs, n_groups;
  bool reversed;
  memplan_order_lists pred, succ;           // by operator
  memplan_order_lists births, deaths;       // by cell: operators
  memplan_order_lists op_births, op_deaths; // by operator: cells
  const int32_t *group;                     // by operator, or -1
  const memplan_order_cell *cells;          // those with bytes only
  const int64_t *workspace;                 // by operator
  const memplan_order_pair *pairs;          // by operator
  const int32_t *pair_first;                // n_ops + 1
  int64_t base, first, last;
} memplan_order_problem;

// The problem of an ordering, forwards or turned round. Memory from `arena`. O(size of the ordering).
memplan_status memplan_order_problem_init(memplan_order_problem *problem, const memplan_ordering *ordering,
                                          bool reversed, memplan_arena *arena, memplan_error *error);

#endif
