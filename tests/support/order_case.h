// SPDX-License-Identifier: Apache-2.0
// Checks of the exact order search that several test programs share. They assert.
#ifndef MEMPLAN_TESTS_ORDER_CASE_H
#define MEMPLAN_TESTS_ORDER_CASE_H

#include <stdint.h>

typedef struct order_counts {
  int64_t graphs, groups, pairs, lazy, first; // graphs checked, and those with groups, pairs, lazy operators, unread
                                              // inputs
} order_counts;

// `count` random graphs of at most 9 operators with all features of the model: the optimum in both directions under all
// combinations of rules that matter, from different thresholds.
order_counts order_check_graphs(uint64_t seed, int32_t count);

// The same with plain graphs of `low` to `high` operators.
order_counts order_check_dags(uint64_t seed, int32_t count, int32_t low, int32_t high);

// Larger graphs: all rules and none give the same optimum.
void order_compare_rules(uint64_t seed, int32_t count, int32_t low, int32_t high);

#endif
