// SPDX-License-Identifier: Apache-2.0
// Tiny graphs with several pools against trying every order, in-place choice, assignment of pools and offset. Asserts
// (cmocka).
#ifndef MEMPLAN_TESTS_POOL_GRAPH_CASE_H
#define MEMPLAN_TESTS_POOL_GRAPH_CASE_H

#include <stdint.h>

typedef struct pool_graph_counts {
  int64_t graphs;                // compared, each by all objectives
  int64_t infeasible;            // of those
  int64_t forced;                // all that takes bytes admits one pool only
  int64_t free;                  // something admits several
  int64_t capacities;            // questions whether a capacity holds
  int64_t refuted;               // of those
  int64_t orders;                // some order is worse than the best one
  int64_t hurried, hurried_best; // questions with little work, and of those the plans said to be the best
  int64_t pairs, pins, workspaces, bases, reserved, three; // graphs with such
} pool_graph_counts;

typedef struct pool_graph_wishes {
  int32_t max_ops;                      // <= 6
  int32_t forced_percent, wide_percent; // wide: little of the order is given, and capacities are small
  int32_t most_items;                   // larger ones are left out
} pool_graph_wishes;

// Draws the graph of an index, and fails the test unless the plan for each objective is the best by all its tie-breaks
// and said to be optimal, or there is none and that is said; the same for a capacity. Nothing where the graph has one
// pool, is not legal, or would take too long.
void pool_graph_compare(uint64_t index, const pool_graph_wishes *wishes, pool_graph_counts *counts);

#endif
