// SPDX-License-Identifier: Apache-2.0
// The greedy order methods by their definitions: at each step every operator is looked at and its gain computed anew
// from the set of operators that have run. Never benchmark. Shares nothing with heuristics/.
#ifndef MEMPLAN_TESTS_ORDER_REFERENCE_H
#define MEMPLAN_TESTS_ORDER_REFERENCE_H

#include "model/ordering.h"

typedef enum reference_rule {
  REFERENCE_LPMF,
  REFERENCE_GREEDY_PEAK,
  REFERENCE_WEIGHTED_SCORE,
  REFERENCE_BFS
} reference_rule;

enum { REFERENCE_OPS = 64, REFERENCE_CELLS = 128, REFERENCE_PAIRS = 64 };

// Fills order (n_ops <= REFERENCE_OPS). Returns false if no operator can run at some step.
bool reference_order(const memplan_ordering *ordering, reference_rule rule, int32_t *order);

// Post-order by plain recursion, smallest operands first.
void reference_depth_first(const memplan_ordering *ordering, int32_t *order);

#endif
