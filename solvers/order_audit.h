// SPDX-License-Identifier: Apache-2.0
// What the order search takes for granted, looked at once more from the definitions of solvers/order_problem.h: that
// commits are safe, and that a set known by its key is the set that was meant. Debug builds ask as they go, inside
// assert; tests ask in every build. Where memory is out the answer is that all is well, and the state says so.
#ifndef MEMPLAN_SOLVERS_ORDER_AUDIT_H
#define MEMPLAN_SOLVERS_ORDER_AUDIT_H

#include "solvers/order_commit.h"
#include "solvers/order_tree.h"

// Operators of a commit whose every subset is looked at; and with rules.audit_all.
enum { MEMPLAN_ORDER_AUDIT_OPS = 10, MEMPLAN_ORDER_AUDIT_MOST = 20 };

// Are the operators of the state's sequence from `from` to `end` - 1 a commit that is safe under the threshold? Each
// can run after those before it, with a load up to the threshold; no ideal between has fewer live bytes than the last
// one (of larger commits only the first is looked at); what groups and the first and the last step ask for is kept. In
// problems with more than 64 operators one commit in 64 is looked at, with rules.audit_all each. O(ideals x cells
// touched + operators x cells).
bool memplan_order_audit_commit(memplan_order_commit *commit, int32_t from, int32_t end);

// The tree's last node has been added: is the set that its parents and operators give that of the state?
bool memplan_order_audit_added(memplan_order_tree *tree);

// The set of the state is known by its key: is it the one that the key was first noted for? Rebuilt from the chain of
// parents; the first 65,536 times, and then once in 64, with audit_all each time.
bool memplan_order_audit_known(memplan_order_tree *tree);

void memplan_order_audit_free(memplan_order_audit *audit);

#endif
