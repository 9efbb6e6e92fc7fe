// SPDX-License-Identifier: Apache-2.0
// A graph with several pools as a joint graph with one arena: under limits by pool, the pools lie one behind the other
// on one axis, the one whose peak is sought as the last, so that the height of the arena is its peak above where it
// begins. An offset on the axis is the start of its pool plus the offset within it.
#ifndef MEMPLAN_SOLVERS_JOINT_AXIS_H
#define MEMPLAN_SOLVERS_JOINT_AXIS_H

#include "solvers/joint_plan.h"
#include "solvers/joint_search.h"

typedef struct memplan_joint_axis {
  memplan_joint_graph graph; // for memplan_joint_search_new
  int64_t *start, *limit;    // by pool, units
  int32_t n_pools, last;
} memplan_joint_axis;

// `limits` in bytes, by pool, at least 0. What has no place within them makes the search closed from the start.
// MEMPLAN_UNSUPPORTED: more than MEMPLAN_MASK_POOLS pools, numbers that the joint search does not take, alignments that
// contradict each other. Memory from `arena`. O(ops^3 + items x pools x reserved ranges).
memplan_status memplan_joint_axis_init(memplan_joint_axis *axis, const memplan_ordering *ordering,
                                       const int64_t *limits, int32_t last, memplan_arena *arena, memplan_error *error);

// The bounds for memplan_joint_search_new: the last pool's peak is at least `least` bytes, and within its limit.
int64_t memplan_joint_axis_lower(const memplan_joint_axis *axis, int64_t least);
int64_t memplan_joint_axis_upper(const memplan_joint_axis *axis);

// The plan found, and its peaks by pool (memory of `arena`).
memplan_status memplan_joint_axis_read(const memplan_joint_axis *axis, const memplan_joint_solution *solution,
                                       memplan_arena *arena, memplan_joint_plan *plan, int64_t **peaks,
                                       memplan_error *error);

#endif
