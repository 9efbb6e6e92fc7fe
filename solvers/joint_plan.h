// SPDX-License-Identifier: Apache-2.0
// Plans of a joint problem: by block of the placement problem, as plans are kept, and by item of a joint graph.
#ifndef MEMPLAN_SOLVERS_JOINT_PLAN_H
#define MEMPLAN_SOLVERS_JOINT_PLAN_H

#include "solvers/assemble.h"
#include "solvers/joint_graph.h"

// An order, its in-place choice (pairs of the ordering, in step order), and a placement by block of the instance that
// memplan_ordering_lower makes of the two.
typedef struct memplan_joint_plan {
  const int32_t *order, *choice;
  int32_t n_choices;
  memplan_placement placement;
  int32_t n_blocks;
  int64_t peak;
} memplan_joint_plan;

// Is this pair of the ordering chosen?
bool memplan_joint_plan_chooses(const memplan_joint_plan *plan, int32_t pair);

// The placement problem of an order and a choice, and where the items of the graph are in it.
typedef struct memplan_joint_lowered {
  const memplan_joint_graph *graph;
  memplan_arena arena;
  memplan_instance instance;
  int32_t *buffer; // by item; -1: a reserved range
} memplan_joint_lowered;

// `plan`: its placement does not count. To be freed even where this fails. O(size of the graph).
memplan_status memplan_joint_lower(const memplan_joint_graph *graph, const memplan_joint_plan *plan,
                                   memplan_joint_lowered *lowered, memplan_error *error);
void memplan_joint_lowered_free(memplan_joint_lowered *lowered);

// Where an item lies in a placement, in bytes; a reserved range: where it is.
int64_t memplan_joint_lowered_offset(const memplan_joint_lowered *lowered, const memplan_placement *placement,
                                     int32_t item);

// The placement, blocks and peak of the plan that was lowered, from offsets by item in so many bytes. Memory from
// `arena`.
memplan_status memplan_joint_lowered_place(const memplan_joint_lowered *lowered, const int64_t *offset, int64_t unit,
                                           memplan_arena *arena, memplan_joint_plan *plan, memplan_error *error);

#endif
