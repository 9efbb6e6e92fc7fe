// SPDX-License-Identifier: Apache-2.0
// Why an order cannot be placed: a few of its overlaps and in-place links that no placement below a height satisfies.
//
// Whether an order and its choice can be placed within a capacity depends on which items overlap and which are linked
// alone, and fewer overlaps are easier. So what refutes one order refutes all that have these overlaps and links, at
// this capacity and every smaller one.
#ifndef MEMPLAN_SOLVERS_JOINT_NOGOOD_H
#define MEMPLAN_SOLVERS_JOINT_NOGOOD_H

#include "solvers/joint_refute.h"

typedef struct memplan_joint_nogood {
  const int32_t *items; // ascending: what the refutation speaks of
  int32_t n_items;
  // Overlaps: the first n_open can be otherwise in some order, the others are there in every one.
  const memplan_joint_overlap *overlaps;
  int32_t n_open, n_overlaps;
  const int32_t *links; // chosen pairs of the graph
  int32_t n_links;
  int64_t height; // proven: no placement ends below it; INT64_MAX: there is none at all
} memplan_joint_nogood;

// Nothing of it can be otherwise: no order has a plan below the height.
static inline bool memplan_joint_nogood_is_static(const memplan_joint_nogood *nogood) {
  return nogood->n_open + nogood->n_links == 0;
}

// Do the items overlap in every order, whatever is chosen? True only if that is certain; *at: an operator at which they
// do, -1: both are there from the start, or stay to the end. O(operators x births and deaths of the two + pairs).
bool memplan_joint_overlap_always(const memplan_joint_graph *whole, int32_t first, int32_t second, int32_t *at);

// May the two items be one pair's? (Then they overlap at its operator unless it is chosen.)
bool memplan_joint_may_link(const memplan_joint_pair *pair, int32_t first, int32_t second);

typedef struct memplan_joint_nogood_task {
  const memplan_joint_graph *whole; // an outline
  const int32_t *order;             // a valid one
  const int32_t *choice;            // pairs of the ordering that are chosen
  int32_t n_choices;
  const int64_t *end; // by item: where it ends in some placement of these, NULL: none is known
  int64_t capacity;   // placements within it are to be refuted
  int64_t upper;      // heights above it are of no interest
  int64_t ticks;      // of each question, more for windows of more steps
  uint64_t without;   // techniques of the placement, as memplan_solve_options.without
  const memplan_limits *limits;
} memplan_joint_nogood_task;

typedef struct memplan_joint_nogood_news {
  bool found;
  int64_t ticks;     // work done
  int32_t questions; // asked
} memplan_joint_nogood_news;

// Refutes a window of steps of the order, the smallest ones first, and leaves out all that the refutation does without:
// items, then overlaps and links. Not found says nothing: no window was refuted within its ticks. Memory of the nogood
// from `arena`. A function of the task alone, unless time is over.
memplan_status memplan_joint_nogood_find(const memplan_joint_nogood_task *task, memplan_arena *arena,
                                         memplan_joint_nogood *nogood, memplan_joint_nogood_news *news,
                                         memplan_error *error);

#endif
