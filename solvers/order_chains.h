// SPDX-License-Identifier: Apache-2.0
// Chain contraction: operators that some optimal order runs directly after another one, whatever the threshold, become
// one operator with it.
//
// Operator v joins u, or the operators that have joined u before, if each other predecessor of v is an ancestor of u,
// each cell that v begins has been begun by them or by an ancestor of u or is made in place, v has no more workspace
// than u, neither is in a group, and the last step bears no more than others. In place: v alone begins it, instead of a
// cell of the same size that v in any case ends, as the last one, through an in-place pair of these two. Then v adds
// nothing: wherever an order runs it, running it directly after u leaves no set in between with more live bytes, no
// operator with more to begin or fewer in-place pairs available, and v itself bears no more than u did, whose load held
// all that is live after it. So no load gets larger. Of cells that are made in place of each other one is left, which
// lives as long as both. In the problem turned round the same rule joins what runs directly before another operator.
#ifndef MEMPLAN_SOLVERS_ORDER_CHAINS_H
#define MEMPLAN_SOLVERS_ORDER_CHAINS_H

#include "solvers/order_problem.h"

typedef struct memplan_order_chains {
  int32_t n_ops;               // of the contracted problem
  int32_t *chain;              // by old operator: its new one
  memplan_order_lists members; // by new operator: old ones, in the order in which they run
} memplan_order_chains;

// `contracted` shares with `problem` what it can; an order of it, with each operator's members in its place, is an
// order of `problem` with the same peak, and both have the same optimum. If nothing joins, it is a copy. New operators
// come in the order of their first members. Problems with 16,384 operators or more are left as they are. Memory from
// `arena`. O(size of the problem x (1 + n_ops / 64)). Source: join rule of HMCOS (2022), without a threshold.
memplan_status memplan_order_chains_contract(const memplan_order_problem *problem, memplan_arena *arena,
                                             memplan_order_problem *contracted, memplan_order_chains *chains,
                                             memplan_error *error);

#endif
