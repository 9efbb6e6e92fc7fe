// SPDX-License-Identifier: Apache-2.0
// Integer programs against brute force, on seeded tiny problems. Everything asserts (cmocka).
#ifndef MEMPLAN_TESTS_ILP_CASE_H
#define MEMPLAN_TESTS_ILP_CASE_H

#include <stdint.h>

typedef struct ilp_counts {
  int64_t compared;
  int64_t gaps;    // the optimum lies above the load (a graph: above the least order peak)
  int64_t choices; // the plan has chosen in-place pairs
} ilp_counts;

// Placements of instances with all features; graphs by both forms, order and joint.
void ilp_compare_place(uint64_t seed, ilp_counts *counts);
void ilp_compare_graph(uint64_t seed, int32_t most_ops, ilp_counts *counts);

#endif
