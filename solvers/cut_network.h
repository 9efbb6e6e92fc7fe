// SPDX-License-Identifier: Apache-2.0
// The network of an order problem whose least cut says how few bytes can be in memory while an operator runs, whatever
// the order: the cuts are the ideals after which it can run. What cut bounds and probing share.
#ifndef MEMPLAN_SOLVERS_CUT_NETWORK_H
#define MEMPLAN_SOLVERS_CUT_NETWORK_H

#include "solvers/flow.h"
#include "solvers/order_problem.h"

// Edges of the network by number: of a cell first its births, then itself, then its deaths; then those of in-place
// pairs, then precedences. Nodes: the operators, the source, the sink, then ends of cells and pairs.
typedef struct memplan_cut_network {
  const memplan_order_problem *problem;
  memplan_flow *flow;
  int32_t source, sink;     // nodes
  int32_t *cell_first;      // n_cells + 1: edges
  int32_t *cell_edge;       // its own edge, -1: it is never live between two steps
  int32_t *pair_first;      // n_pairs + 1: edges; that of the pair itself first, then one for each other operator
  int32_t first_precedence; // edges from an operator to one before it, added ones last
  int32_t op;               // in focus, -1: none
  int64_t constant;         // what is live while it runs whatever has run before, less what its pairs save at most
  int64_t *pair_loss;       // by pair: what is lost at least if it is not available
  memplan_flow_side *side;  // by operator: runs before `op` in any case (source), not before it (sink)
  // scratch and added precedences
  struct memplan_cut_room *room;
} memplan_cut_network;

// Memory from `arena`, which has to stay. `most_added`: how many precedences can be added. *network NULL if the problem
// is too large for a network, or its sizes for a flow. O(size of the problem).
memplan_status memplan_cut_network_new(const memplan_order_problem *problem, int32_t most_added, memplan_arena *arena,
                                       memplan_cut_network **network, memplan_error *error);

// Puts an operator into focus: its ancestors on the source side, itself and its descendants on the sink side. The flow
// of the operator in focus before is kept as far as it fits. O(size of the problem) at worst.
void memplan_cut_network_focus(memplan_cut_network *network, int32_t op);

// Nothing that runs `op` in focus needs less, whatever the state of the flow.
int64_t memplan_cut_network_bound(const memplan_cut_network *network);

// Adds the precedence `before` -> `after`, if there is room; the operator in focus has to be put into focus again.
bool memplan_cut_network_add(memplan_cut_network *network, int32_t before, int32_t after);

// The operators that added precedences put directly before (or after) one: memplan_cut_edges_next until it returns -1.
typedef struct memplan_cut_edges {
  const int32_t *next, *ends;
  int32_t at;
} memplan_cut_edges;

memplan_cut_edges memplan_cut_network_added(const memplan_cut_network *network, int32_t op, bool before);
int32_t memplan_cut_edges_next(memplan_cut_edges *edges);

#endif
