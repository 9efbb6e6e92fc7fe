// SPDX-License-Identifier: Apache-2.0
// Certificates of order bounds by an exhausted search: kind "order-search" of the certificates of solvers/cut_proof.h.
//
// After line 1 come sections as of kind "probe", each of which finds a precedence (mostly there are none), then
// {"search":"forward","ops":[ids],"lazy":[numbers]}: all operators of the graph; from here on they are known by their
//   places in this list, from 0. With "reversed", orders are spoken of from their end: what runs before and after, what
//   is born and what dies, first and last step are exchanged.
// Then lines, counted from 1, of which each closes the set of operators Y that has run when those of "run" have run
// after the set of the line "from" (0: nothing has run; missing: the line before):
// {"run":[numbers],"from":line,"commit":[number,…,[numbers],…]}
// Closed means: no order that goes on from there has a peak below the claim. By commits one after the other, each of
// one or several operators, Y leads to the set Z, which is the set of this line for others; without commits, Z is Y.
//
// Let the threshold be the claim less one, M(X) the live bytes after a set X. Z is closed because each operator that
// can run next either has a load above the threshold or leads to a set that is closed by some line. Y is closed because
// Z is: a commit from X to S runs its operators with loads up to the threshold, and M(S) <= M(T) for all sets T in
// between that can be reached; then each order that goes on from X within the threshold can take this way first
// (solvers/order_commit.h). No line depends on itself, as sets only grow. The empty set is closed by a line too.
//
// "lazy": operators that never have to be tried by themselves (solvers/order_tables.h): without workspace and group, no
// successor in a group, and each cell that they touch outlives them, being kept or ended by a descendant too. They run
// together with the first operator that needs them. From the empty set, if nobody reads some input (forward), lazy
// operators are as others are, and nothing is committed; reversed, nothing is committed that could then come last. A
// member of a group is committed by itself and after another one of its group only. When none but lazy operators are
// left, a set is closed if running them all in any order passes the threshold.
#ifndef MEMPLAN_SOLVERS_SEARCH_PROOF_H
#define MEMPLAN_SOLVERS_SEARCH_PROOF_H

#include "model/method.h"
#include "solvers/order_extend.h"
#include "solvers/order_log.h"

typedef struct memplan_search_proof {
  memplan_arena arena;
  memplan_order_problem problems[2]; // forwards, reversed
  memplan_order_tables tables[2];
  memplan_order_log *logs[2];
  int32_t closed; // the direction whose search is closed, -1
  bool ended;     // both have ended without, or one has found an order below the claim
  int64_t slice;
} memplan_search_proof;

// Searches in both directions for orders with a peak below `claim` that respect the edges too. `most`: bytes of the
// certificate at most. `memory`: bytes that the searches may hold together; 0, or more than 2 GiB: 2 GiB. Freed by
// memplan_search_proof_free, also after a failure.
memplan_status memplan_search_proof_begin(memplan_search_proof *proof, const memplan_ordering *ordering,
                                          const memplan_order_edge *edges, int32_t n_edges, int64_t claim, int64_t most,
                                          int64_t memory, memplan_error *error);
void memplan_search_proof_free(memplan_search_proof *proof);

// Works for about `ticks` more in all, within limits that have been started, until one of the searches is closed.
memplan_status memplan_search_proof_run(memplan_search_proof *proof, int64_t ticks, const memplan_limits *limits,
                                        memplan_error *error);

// The lines of a closed one from {"search":…} on. Errors of writing stay in the stream; false if memory is out.
bool memplan_search_proof_write(const memplan_search_proof *proof, const memplan_graph *graph, FILE *out);

#endif
