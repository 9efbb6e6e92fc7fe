// SPDX-License-Identifier: Apache-2.0
// The search by orders and nogoods on tiny graphs, against plain enumeration; each nogood by itself. Everything asserts
// (cmocka).
#ifndef MEMPLAN_TESTS_NOGOOD_CASE_H
#define MEMPLAN_TESTS_NOGOOD_CASE_H

#include "solvers/joint_exhaust.h"
#include "tests/support/joint_case.h"

typedef struct nogood_counts {
  joint_counts graphs;
  int64_t searched;    // graphs for which nogoods were found
  int64_t nogoods;     // that were found
  int64_t refuted;     // of them, again by trying all offsets
  int64_t linked;      // of them, with in-place links
  int64_t fixed;       // of them, with nothing that could be otherwise in some order
  int64_t certain;     // overlaps that are said to be there in every order, looked at in every order
  int64_t undecided;   // graphs with inputs that nobody reads
  int64_t unplanned;   // graphs searched below their optimum
  int64_t uncommitted; // graphs searched without commits
} nogood_counts;

// Random graphs and mutated gadgets with seeds first ... end - 1.
nogood_counts nogood_compare(uint64_t first, uint64_t end);

// One graph with a known optimum: `look` of joint_counts, whose context is a nogood_counts.
void nogood_look(void *counts, const memplan_problem *problem, uint64_t seed, int64_t optimum);

// A gadget that needs more than its peak amid a long chain, and beside it a buffer of `bytes` that is there from the
// first operator to the last, but moves when `swap` runs, which nothing keeps from running anywhere. Near the gadget
// nothing is certain but the gadget: that x or y lies beside it is known of whole orders only.
void nogood_make_swap(int32_t fillers, int64_t bytes, memplan_problem *problem);

// The least peak of a plan, from `lower` on, asserted to be proven; *n_nogoods: how many were found.
int64_t nogood_optimum(const memplan_ordering *ordering, int64_t lower, bool commits, int32_t *n_nogoods);

// Does it have inputs that nobody reads? Nogoods do not speak of these.
bool nogood_has_unread(const memplan_joint_graph *whole);

#endif
