// SPDX-License-Identifier: Apache-2.0
// Checks of the exact order search that several test programs share. They assert.
#ifndef MEMPLAN_TESTS_ORDER_CASE_H
#define MEMPLAN_TESTS_ORDER_CASE_H

#include "model/memplan.h"

typedef struct order_counts {
  int64_t graphs, groups, pairs, lazy, first; // graphs checked, and those with groups, pairs, lazy operators, unread
                                              // inputs
  int64_t workspaces, afters, writers, views; // those with these, where writers are several of one buffer
  int64_t walked;                             // those of at most 9 operators, of which all orders were looked at
} order_counts;

// `count` random graphs of a seed, from number `first` on, of at most 9 operators with all features of the model:
// searches in both directions under all combinations of rules that matter, from different thresholds, beams, greedy
// orders, and the whole portfolio with and without limits, against a table over sets of operators and a walk through
// all orders.
order_counts order_check_graphs(uint64_t seed, int32_t first, int32_t count);

// The same with plain graphs of `low` to `high` operators.
order_counts order_check_dags(uint64_t seed, int32_t count, int32_t low, int32_t high);

// Larger graphs: all rules, none, and the portfolio give the same optimum, and any number of threads the same bytes.
void order_compare_rules(uint64_t seed, int32_t count, int32_t low, int32_t high);

// The same result with 1, 2, 3 and 8 threads, within so much work, from a first round of so many ticks (0: the
// default).
void order_compare_threads(const memplan_ordering *ordering, int64_t work, int64_t slice);

#endif
