// SPDX-License-Identifier: Apache-2.0
// Valley splits: sets that some optimal order passes, so that the operators in them and those after them are ordered
// apart.
//
// M: live bytes after an ideal. Let A and B be ideals that orders pass, S one between them, and let M(S) <= M(X ∩ S)
// and M(S) <= M(X ∪ S) for all ideals X between A and B that neither hold S nor lie in it. Then the order that runs
// what the given one has of S, and after it the rest, each as it was, has no larger peak. M is submodular,
// M(X ∩ S) + M(X ∪ S) <= M(X) + M(S), so that both are at most M(X); a cell that begins anew at X ∩ S, or an in-place
// pair that is lost there, counts in this inequality once more than it has to, which pays for it; after X ∪ S no
// operator begins more or has fewer pairs. So S may be tied by precedences. It is one if it has the fewest live bytes
// of all between A and B.
#ifndef MEMPLAN_SOLVERS_ORDER_SPLITS_H
#define MEMPLAN_SOLVERS_ORDER_SPLITS_H

#include "solvers/order_probe.h"

typedef struct memplan_order_splits {
  int32_t *part;             // by operator: its part, from 0; some optimal order runs them one after the other
  int32_t n_parts;           // 1: none was found
  int32_t n_valleys;         // ends of parts that not every order passes
  memplan_order_edge *edges; // that tie the parts where the problem does not
  int32_t n_edges;
  int64_t work; // edges looked at
} memplan_order_splits;

// `problem`: forwards. Where the first step bears more than others, or operators are in groups, only sets that every
// order passes are found. Stops looking when so much `work` is spent. Memory from `arena`. Deterministic. Source:
// valleys of Liu (1987) for arbitrary graphs; minimum cuts.
memplan_status memplan_order_splits_find(const memplan_order_problem *problem, int64_t work, memplan_arena *arena,
                                         memplan_order_splits *splits, memplan_error *error);

#endif
