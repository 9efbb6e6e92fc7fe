// SPDX-License-Identifier: Apache-2.0
// Integer programs against brute force, on seeded tiny problems. Everything asserts (cmocka).
#ifndef MEMPLAN_TESTS_ILP_CASE_H
#define MEMPLAN_TESTS_ILP_CASE_H

#include <stdint.h>

typedef struct ilp_counts {
  int64_t compared;
  int64_t gaps;    // the optimum lies above the load (a graph: above the least order peak)
  int64_t choices; // the plan has chosen in-place pairs
  int64_t cuts;    // that the programs have added, and rows that had waited; plans made by rounding
  int64_t lazy_rows, rounded;
} ilp_counts;

// Placements of instances with all features; graphs by both forms, order and joint, with MEMPLAN_TECHNIQUE_ILP_…
// switched off.
void ilp_compare_place(uint64_t seed, ilp_counts *counts);
void ilp_compare_graph(uint64_t seed, int32_t most_ops, uint64_t without, ilp_counts *counts);

// Each of the switches of the programs is off for some of the seeds, none of them for one of four; for another one of
// four, rows that can wait do.
uint64_t ilp_switches(uint64_t seed);

#endif
