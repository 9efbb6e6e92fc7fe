// SPDX-License-Identifier: Apache-2.0
// The joint search on tiny graphs, against plain enumeration. Everything asserts (cmocka).
#ifndef MEMPLAN_TESTS_JOINT_CASE_H
#define MEMPLAN_TESTS_JOINT_CASE_H

#include "solvers/joint_search.h"
#include "tests/support/random_problem.h"

typedef struct joint_counts {
  int64_t compared;
  int64_t gaps;     // the optimum lies above the least order peak
  int64_t choices;  // the plan has chosen in-place pairs
  bool bounds;      // asked for: bounds are raised by windows of some plan, and must not pass the optimum
  bool repairs;     // asked for: some plan is repaired, with slices that hold all operators to the optimum
  bool windows;     // asked for: windows of random operators are compared, not the whole; their optima must not be
                    // larger, and that of all operators the same unless there are inputs that nobody reads
  bool larger;      // asked for: gadgets of up to ORACLE_OPS operators
  int64_t raised;   // bounds
  int64_t repaired; // plans that were improved
  int64_t tight;    // windows of some of the operators that have the optimum of the whole
  // instead of a comparison with the search; NULL: none. The context is static (shrink_checked)
  void (*look)(void *context, const memplan_problem *problem, uint64_t seed, int64_t optimum);
  void *context;
} joint_counts;

// Half with all on; else rules, drivers and seeds are drawn.
memplan_joint_settings joint_settings(random_state *random);

// Least peak below `upper` of a graph that is accepted, -1 if there is none. Runs in small budgets; asserts that bounds
// move towards each other, that every plan holds (by the model's own rules) and has the peak that is said, and that the
// end is reached. With an even `upper` and without a proof, precedences of probing are told to the search.
int64_t joint_optimum(const memplan_problem *problem, const memplan_joint_settings *settings, int64_t lower,
                      int64_t upper, int32_t *n_choices);

// Asserts that a plan holds, by the model's own rules, and has the peak that it says.
void joint_check_plan(const memplan_problem *problem, const memplan_ordering *ordering, const memplan_joint_plan *plan);

// A random graph with all features against orders x choices x offsets.
void joint_compare_random(uint64_t seed, joint_counts *counts);

// A mutated graph of those that are known for a joint gap, with in-place pairs, workspaces, views, several writers,
// alignments and pins, against the same enumeration with the placements searched.
void joint_compare_gadget(uint64_t seed, joint_counts *counts);

// One of these with seeds first … end - 1.
void joint_compare_all(void (*one)(uint64_t seed, joint_counts *counts), uint64_t first, uint64_t end,
                       joint_counts *counts);

// Prints what was compared.
void joint_report(const joint_counts *counts);

#endif
