// SPDX-License-Identifier: Apache-2.0
// A slice of a plan: consecutive steps whose order, choices and placements may change while everything else stays.
#ifndef MEMPLAN_SOLVERS_JOINT_SLICE_H
#define MEMPLAN_SOLVERS_JOINT_SLICE_H

#include "solvers/joint_graph.h"

// A plan as the outline of its problem sees it.
typedef struct memplan_joint_layout {
  int32_t *order;        // by step
  bool *chosen;          // by pair of the outline
  int64_t *offset;       // by item, bytes
  int32_t *step;         // by operator
  int32_t *first, *last; // by item: steps at which it is live; first > last: it never is
} memplan_joint_layout;

// Fills `step`, `first` and `last` from the order.
void memplan_joint_layout_live(const memplan_joint_graph *whole, memplan_joint_layout *layout);

// Where a plan of the slice is written back.
typedef struct memplan_joint_slice {
  memplan_joint_graph graph;
  int32_t start, end; // steps
  int32_t *item;      // of the outline, by item of the graph
} memplan_joint_slice;

// The steps [start, end), which must not cut a group. Items that live beyond them keep their offsets; of those the ones
// that end above `limit` take room below it, but are not asked to lie there. Every plan of the graph within the limit,
// written back, gives a plan of the whole in which nothing but those items is live in the slice and ends above it.
// Memory from `arena`. O((end - start) x (end - start + pairs) + items x their births and deaths).
memplan_status memplan_joint_slice_init(memplan_joint_slice *slice, const memplan_joint_graph *whole,
                                        const memplan_joint_layout *layout, int32_t start, int32_t end, int64_t limit,
                                        memplan_arena *arena, memplan_error *error);

// Writes a plan of the slice into the layout: operators by step and offsets by item of its graph, and the chosen pairs
// of the graph. `order`: room for the operators of the slice.
void memplan_joint_slice_write(const memplan_joint_slice *slice, const memplan_joint_graph *whole, const int32_t *steps,
                               const int64_t *offset, const int32_t *choice, int32_t n_choices, int32_t *order,
                               memplan_joint_layout *layout);

#endif
