// SPDX-License-Identifier: Apache-2.0
// The joint optimum of tiny graphs by orders x in-place choices x placements. Straight from the model's chapter
// "Semantics", on the raw fields and the literal oracle: shares no code with the library. Never benchmark.
#ifndef MEMPLAN_TESTS_BRUTE_FORCE_H
#define MEMPLAN_TESTS_BRUTE_FORCE_H

#include "tests/support/oracle.h"

typedef struct brute_result {
  int64_t order_optimum; // least order peak
  int64_t optimum;       // least peak; -1: there is no plan, since alignments or pins contradict each other
  int64_t orders;        // that were looked at
  int64_t placements;    // different ones that were searched
  bool gave_up;          // it would have taken too long; only order_optimum holds then
} brute_result;

// A graph that the oracle finds legal, with one pool, 1 to ORACLE_OPS operators, at most ORACLE_ITEMS buffers and
// workspaces, and ORACLE_PAIRS pairs. Gives up beyond `most_orders` orders whose peak does not rule them out, or as
// many searches of placements that are not done elsewhere.
void brute_force(const memplan_graph *graph, const memplan_problem_options *options,
                 const oracle_precedence *precedence, int64_t most_orders, brute_result *result);

// The least order peak by walking through all orders, each as far as its loads stay below the best peak.
int64_t brute_order_optimum(const memplan_graph *graph, const memplan_problem_options *options,
                            const oracle_precedence *precedence);

#endif
