// SPDX-License-Identifier: Apache-2.0
// All that finds the joint optimum, on the same tiny graphs, against plain enumeration. Everything asserts (cmocka).
#ifndef MEMPLAN_TESTS_JOINT_METHODS_CASE_H
#define MEMPLAN_TESTS_JOINT_METHODS_CASE_H

#include "tests/support/nogood_case.h"

typedef struct joint_methods_counts {
  joint_counts graphs;
  nogood_counts nogoods;
  int64_t work;     // ticks for each integer program
  int64_t programs; // that were solved to their end
  // graphs with 10 operators, in-place pairs, workspaces, views, several writers of a buffer, alignments 4 and 64
  int64_t largest, pairs, workspaces, views, writers, aligned[2];
} joint_methods_counts;

// Gadgets of 7 to 10 operators with seeds first ... end - 1: the optimum by orders x choices x placements is that of
// the clause engine, of the search by orders and nogoods, of a default solve (proven, with its plan) and of the integer
// program, where this ends within `work` ticks; else that program claims nothing else. Prints what was compared.
const joint_methods_counts *joint_methods_compare(uint64_t first, uint64_t end, int64_t work);

// All this of one graph with a known optimum.
void joint_methods_look(const memplan_problem *problem, uint64_t seed, int64_t optimum, joint_methods_counts *counts);

// Prints what was compared.
void joint_methods_report(const joint_methods_counts *counts);

#endif
