// SPDX-License-Identifier: Apache-2.0
// Checks of what the exact order search does without asking - commits, chains, splits - against brute force over all
// sets of operators. They assert.
#ifndef MEMPLAN_TESTS_REDUCE_ORDER_CASE_H
#define MEMPLAN_TESTS_REDUCE_ORDER_CASE_H

#include <stdint.h>

typedef struct reduce_order_counts {
  int64_t graphs, groups, pairs;   // graphs, and those with groups and in-place pairs
  int64_t commits, several;        // commits, and those of several operators
  int64_t refused;                 // what is no commit, and was called so
  int64_t joined, valleys, passes; // operators joined, splits, other sets that every order passes
  int64_t nodes, known;            // sets of trees compared with their keys
} reduce_order_counts;

// `count` random graphs of at most 9 operators with all features of the model, and as many plain ones of at most 11.
void reduce_order_check(uint64_t seed, int32_t count, reduce_order_counts *counts);

// Walks through `count` random graphs of 65 to 120 operators: each commit, and what is none, is looked at by the audit
// without samples.
void reduce_order_audit_all(uint64_t seed, int32_t count, reduce_order_counts *counts);

#endif
