// SPDX-License-Identifier: Apache-2.0
// Probing at a target: precedences that every order with a peak within it respects, or that there is no such order.
#ifndef MEMPLAN_SOLVERS_ORDER_PROBE_H
#define MEMPLAN_SOLVERS_ORDER_PROBE_H

#include "model/method.h"
#include "solvers/order_problem.h"

typedef struct memplan_order_edge {
  int32_t before, after;
} memplan_order_edge;

typedef struct memplan_order_probe {
  bool refuted;              // every order has a peak above the target
  bool done;                 // false: limits, work or room for edges ended it, and more might follow
  memplan_order_edge *edges; // all that the target implies as far as found, those given included; arena's
  int32_t *focus;            // by edge: its end while which runs the other order is ruled out, -1 if it was given
  int32_t op;                // if refuted: what needs more than the target with the edges, or has to run before itself
  int32_t n_edges;
  int64_t bound; // the largest cut bound with these edges: as a bound it holds for orders within the target
  int64_t work;  // edges of networks looked at
} memplan_order_probe;

typedef struct memplan_order_prober memplan_order_prober;

// Every order of the problem whose peak is at most `target` also respects the edges. `order`: any order of the problem.
// `given`: edges known to hold at this target already (such as those of a larger one). `patience`: operators without a
// new edge after which it ends, -1: none. Holds for the problem turned round with each edge turned round. Memory from
// `arena`. Source: minimum cuts with one more operator forced onto a side; cuts already found bear witness for most.
memplan_status memplan_order_probe_run(const memplan_order_problem *problem, int64_t target, const int32_t *order,
                                       const memplan_order_edge *given, int32_t n_given, int32_t patience, int64_t work,
                                       const memplan_limits *limits, memplan_arena *arena, memplan_order_probe *probe,
                                       memplan_error *error);

// The same in slices. *prober is NULL if the problem is too large. Freed by memplan_order_prober_free; `problem` has to
// outlive it.
memplan_status memplan_order_prober_new(const memplan_order_problem *problem, int64_t target, const int32_t *order,
                                        const memplan_order_edge *given, int32_t n_given, int32_t patience,
                                        memplan_order_prober **prober, memplan_error *error);
void memplan_order_prober_free(memplan_order_prober *prober);

// Goes on for about `work` more: an operator that has been begun is finished, unless it needs far more, in which case
// it is passed over. What is found does not depend on how the work is sliced unless one is.
memplan_status memplan_order_prober_run(memplan_order_prober *prober, int64_t work, const memplan_limits *limits,
                                        memplan_error *error);

// What has been found so far; it lives as long as the prober. `done`: there is nothing left to do.
const memplan_order_probe *memplan_order_prober_look(const memplan_order_prober *prober);

#endif
