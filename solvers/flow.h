// SPDX-License-Identifier: Apache-2.0
// Maximum flow and minimum cuts in one network whose ends move: nodes are put on the source side or the sink side,
// taken off again, and capacities change, while the flow found so far is kept. After each change only the difference
// has to be routed.
//
// A run after changes costs O(nodes^2 edges) at worst, and little more than a few walks over the network in practice.
// Deterministic: the same calls give the same flow. Source: blocking flows in level networks (Dinic 1970); the flow is
// kept through changes as in Kohli and Torr (2007), by imbalances of nodes.
#ifndef MEMPLAN_SOLVERS_FLOW_H
#define MEMPLAN_SOLVERS_FLOW_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// An edge that no finite cut crosses; also what a run returns if the source side meets the sink side on such edges. All
// finite capacities together have to stay below 2^62.
#define MEMPLAN_FLOW_INFINITE INT64_MAX

typedef struct memplan_flow memplan_flow;

typedef enum memplan_flow_side { MEMPLAN_FLOW_FREE = 0, MEMPLAN_FLOW_SOURCE, MEMPLAN_FLOW_SINK } memplan_flow_side;

// Room for so many nodes and edges. NULL if memory is out.
memplan_flow *memplan_flow_new(int32_t n_nodes, int32_t n_edges, memplan_arena *arena);

// `n_nodes` free nodes and no edges, within the room. O(n_nodes).
void memplan_flow_clear(memplan_flow *flow, int32_t n_nodes);

// Adds an edge and returns its number: 0, 1, … The nodes must differ.
int32_t memplan_flow_add(memplan_flow *flow, int32_t from, int32_t to, int64_t capacity);

// Changes a capacity; O(1). What the edge carried beyond it stays with its ends as imbalance.
void memplan_flow_set_capacity(memplan_flow *flow, int32_t edge, int64_t capacity);

// Puts a node on a side, or takes it off; O(1). Not from one side to the other with FREE left out.
void memplan_flow_put(memplan_flow *flow, int32_t node, memplan_flow_side side);

// No flow, no imbalance; sides and capacities stay. O(nodes + edges).
void memplan_flow_reset(memplan_flow *flow);

// Must it be reset, before sums of what was ever routed can pass 2^62?
bool memplan_flow_needs_reset(const memplan_flow *flow);

// Routes as much as possible, but stops once more than `limit` went through or `memplan_flow_work` passes `work`.
// Returns what this call routed, with what nodes put on a side since the last run had to give at once: after a run to
// the end, by how much the minimum cut has grown if only nodes were put on sides since. MEMPLAN_FLOW_INFINITE if there
// is no finite cut.
int64_t memplan_flow_run(memplan_flow *flow, int64_t limit, int64_t work);

int32_t memplan_flow_nodes(const memplan_flow *flow);
int32_t memplan_flow_edges(const memplan_flow *flow);

bool memplan_flow_is_maximum(const memplan_flow *flow); // the last run ended because nothing more can be routed
int64_t memplan_flow_work(const memplan_flow *flow);    // edges looked at since memplan_flow_new

// What the edge carries, and where it leads from and to.
int64_t memplan_flow_on(const memplan_flow *flow, int32_t edge);
int32_t memplan_flow_from(const memplan_flow *flow, int32_t edge);
int32_t memplan_flow_to(const memplan_flow *flow, int32_t edge);

// No cut is smaller, whatever the state of the flow; the least cut once it is maximum. O(nodes).
int64_t memplan_flow_value(const memplan_flow *flow);

// By node: is it on the source side of the smallest, of the largest minimum cut? The flow has to be maximum.
// O(nodes + edges).
void memplan_flow_smallest(memplan_flow *flow, bool *inside);
void memplan_flow_largest(memplan_flow *flow, bool *inside);

// Keeps a copy of the flow, sides and capacities, and goes back to it (as often as wanted). One copy at a time; its
// memory comes from the arena of memplan_flow_new, with it. O(nodes + edges).
void memplan_flow_save(memplan_flow *flow);
void memplan_flow_restore(memplan_flow *flow);

#endif
