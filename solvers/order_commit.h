// SPDX-License-Identifier: Apache-2.0
// Safe commits: what can be run at once without losing an order whose peak is at most a threshold.
//
// Let X be the operators run, S a larger ideal with M(S) <= M(Y) for all ideals Y between X and S (M: live bytes), and
// let a path lead from X to S on which no load passes the threshold. If any order goes on from X within the threshold,
// then so does one that takes this path first: M is submodular, so that each later state Y of the order has
// M(Y + S) <= M(Y), operators bring no more bytes from there, and what an in-place pair loses because its output is
// there already is not brought in any more. An operator of an open group stands for itself; else no member of a group
// with others is committed. Before the first step nothing is if `first` bytes are on it; and if there are `last` bytes
// with which not every operator can come last, none that may come last is, for the order's last one has to stay so.
// What is held is not committed, for reasons of whoever holds it (solvers/joint_watch.h).
//
// In the problem turned round commits are the mirror of this: they fix the end of the order.
#ifndef MEMPLAN_SOLVERS_ORDER_COMMIT_H
#define MEMPLAN_SOLVERS_ORDER_COMMIT_H

#include "solvers/order_state.h"

enum { MEMPLAN_ORDER_INTERVAL = 14 }; // operators of an interval at most

typedef struct memplan_order_interval memplan_order_interval; // scratch

typedef struct memplan_order_commit {
  memplan_order_state *state;
  memplan_order_rules rules;
  int64_t threshold;
  int64_t last_load; // largest load of an operator that comes last; 0 if the last step bears no more than others
  memplan_order_interval *interval; // scratch
  int32_t *ends;                    // n_ops, or NULL if not wanted: operators run at the end of each commit
  int32_t n_ends;                   // of the last memplan_order_commit_run
  int64_t n_audited;                // by solvers/order_audit.h
  const int32_t *held;              // by operator: not to be committed unless 0; NULL: none is held
} memplan_order_commit;

// `state` stands at the empty set. Memory from `arena`.
memplan_status memplan_order_commit_init(memplan_order_commit *commit, memplan_order_state *state,
                                         const memplan_order_rules *rules, memplan_arena *arena, memplan_error *error);

// Runs on the state all that is found to be safe under the threshold. `intervals`: also sets of operators; where the
// state after `from_step` operators had `from_live` live bytes and no interval to commit (-1: nothing is known), only
// those that the operators run since then may have changed are looked at.
void memplan_order_commit_run(memplan_order_commit *commit, bool intervals, int32_t from_step, int64_t from_live);

// A move of the search: an operator, together with the lazy ones that it needs.
typedef struct memplan_order_move {
  int64_t after; // live bytes after it
  int64_t load;  // its largest load
  int32_t op;
} memplan_order_move;

// The moves from the state, all that an optimal continuation needs, by operator as they come. `moves` has room for
// n_ops. Returns their number.
int32_t memplan_order_commit_moves(memplan_order_commit *commit, memplan_order_move *moves);

// Runs the operator of a move, and before it the lazy ones that it needs.
void memplan_order_commit_move(memplan_order_commit *commit, int32_t op);

#endif
