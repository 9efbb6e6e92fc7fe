// SPDX-License-Identifier: Apache-2.0
// The cut bound: the least that can be in memory while an operator runs, over all ideals after which it can run, at its
// largest over the operators. It holds for every order; the ideal and the flow prove it.
#ifndef MEMPLAN_SOLVERS_BOUND_CUT_H
#define MEMPLAN_SOLVERS_BOUND_CUT_H

#include "model/method.h"
#include "solvers/bounds.h"
#include "solvers/order_problem.h"

typedef struct memplan_cut {
  int64_t bytes; // no order of the problem has a smaller peak; 0 if op is -1
  int32_t op;    // that needs so much, -1: none was found that needs more than `known`
  bool *ideal;   // by operator: runs before `op` where it needs the least; arena's, NULL if op is -1
  int32_t flows; // operators looked at
  int64_t work;  // spent
  bool done;     // false: limits or `work` ended it, and some operator may need more
} memplan_cut;

// `order`: any order of the problem, `upper`: the load at each operator (by operator) in it or, where smaller, in other
// orders: what an operator needs at least is no more than that, so that most are never looked at. `known`: a bound that
// holds already; only what exceeds it is sought. `work`: edges that may be looked at. Where the operators' ideals allow
// it the flow of one operator is the start for the next. Memory for the ideal from `arena`. Groups and what the first
// and the last step bear are left out of account: the bound holds with them. Source: per-operator minimum cuts of the
// live bytes, which are submodular over ideals; with in-place pairs whose other readers count.
memplan_status memplan_cut_bound(const memplan_order_problem *problem, const int32_t *order, const int64_t *upper,
                                 int64_t known, int64_t work, const memplan_limits *limits, memplan_arena *arena,
                                 memplan_cut *cut, memplan_error *error);

// Adds the cut bound of the graph, from the loads of the given order, if it exceeds those in the list that are bounds
// of the order peak. NULL limits: none but its own share of work. *cut (may be NULL) receives it, its ideal from
// `arena`.
memplan_status memplan_bound_cut(const memplan_ordering *ordering, const memplan_limits *limits, memplan_arena *arena,
                                 memplan_bound_list *list, memplan_cut *cut, memplan_error *error);

#endif
