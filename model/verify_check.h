// SPDX-License-Identifier: Apache-2.0
// What the verification of graphs and of instances has in common: things to be placed, what each demands of its offset,
// and the placed entries of the plan.
#ifndef MEMPLAN_VERIFY_CHECK_H
#define MEMPLAN_VERIFY_CHECK_H

#include "model/instance.h"
#include "model/verify_report.h"

// One thing that the plan has to give one offset: a buffer, a storage, a workspace.
typedef struct memplan_check_item {
  const char *id;
  int64_t bytes;
  bool tied;   // a rule ties its offset to another's: an empty one need not be at 0
  bool apart;  // it may stand outside of slots: its place or that of one it lies on is fixed, or it is never live
  bool placed; // from here on what the plan says
  int64_t offset;
  int32_t pool; // -1: unknown
  int32_t slot;
} memplan_check_item;

// What one tensor or buffer demands of the offset of the item that it lies in, `shift` bytes after the item's own:
//   base + offset + shift = residue (modulo align);  offset + shift = pin, if pin >= 0;  pool among `pools`, if any.
typedef struct memplan_check_demand {
  int32_t item;
  const char *id; // whose demand it is
  int64_t shift, align, residue, pin;
  const int32_t *pools;
  int32_t n_pools;
} memplan_check_demand;

typedef struct memplan_check {
  const memplan_plan *plan;
  const memplan_problem_options *options;
  memplan_findings *findings;
  memplan_arena *arena; // for the check alone
  const memplan_pool *pools;
  int32_t n_pools; // >= 1
  memplan_check_item *items;
  int32_t n_items;
  int64_t peak;                        // of the offsets that are there
  const memplan_instance *least_reuse; // whose objective is the least reuse cost; items are its buffers. Else NULL
} memplan_check;

// Finds the offset of each item in the plan: missing, unknown, duplicate, negative or huge offsets, pools, capacity,
// reserved bytes, slots; computes the peak and compares it with the plan's, and with its bound.
memplan_status memplan_check_placement(memplan_check *check, memplan_error *error);

// Alignment, pins and admissible pools.
memplan_status memplan_check_demands(const memplan_check *check, const memplan_check_demand *demands, int32_t n_demands,
                                     memplan_error *error);

// Has the item an offset in range, in a known pool?
bool memplan_check_is_placed(const memplan_check_item *item);

// Does it take bytes there?
bool memplan_check_takes_bytes(const memplan_check_item *item);

// A pool without capacity, for problems that have none.
extern const memplan_pool memplan_check_whole_arena;

#endif
