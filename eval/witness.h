// SPDX-License-Identifier: Apache-2.0
// What is in memory together: the buffers of an instance at one time, or what one operator of a graph needs.
#ifndef MEMPLAN_EVAL_WITNESS_H
#define MEMPLAN_EVAL_WITNESS_H

#include "model/memplan.h"

typedef struct memplan_witness_item {
  const char *id;
  int64_t bytes;  // that it occupies
  int32_t buffer; // of the instance, -1 for a graph
} memplan_witness_item;

// Sorted by falling bytes, then as in the instance or graph. Empty buffers are left out.
typedef struct memplan_witness {
  memplan_arena arena;
  memplan_witness_item *items;
  int32_t n_items;
  int64_t bytes; // their sum
} memplan_witness;

// The buffers live at a time, with the bytes that they occupy then. O(n).
memplan_status memplan_witness_at_time(const memplan_instance *instance, int64_t time, memplan_witness *witness,
                                       memplan_error *error);

// What proves `bound`: the buffers live at its time (of one of several pools: those that may lie there), or of its
// clique; the storages in the arena that its operator
// touches, with the operator's workspace ("OP#workspace") and what is live throughout; all inputs or all outputs,
// likewise; of a cut what is in memory while its operator runs after those that have run before. No items where it
// names none of these. `bounds`: what `bound` was found with, for the workspace of operators and what has run before;
// NULL for the graph's own workspace.
memplan_status memplan_witness_of_bound(const memplan_problem *problem, const memplan_bounds *bounds,
                                        const memplan_bound *bound, memplan_witness *witness, memplan_error *error);

// "A (8), B (5)": the first `limit` items and how many more. Returns `text`.
const char *memplan_witness_text(const memplan_witness *witness, int32_t limit, char *text, size_t size);

void memplan_witness_free(memplan_witness *witness);

// "load of step 3", "what operator 'conv1' needs at once", …: how a bound is proven, and for which problem it holds.
const char *memplan_bound_text(const memplan_bound *bound, bool has_graph, char *text, size_t size);

#endif
