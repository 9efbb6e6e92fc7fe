// SPDX-License-Identifier: Apache-2.0
// Beam search for an order with a peak below a ceiling, in one direction: of the sets of operators with equal size that
// can be reached below it, only the `width` best ones go on. If it dies out and never
// had to leave a set behind, it has proven that there is no such order.
//
// Complexity: O(n x width) states, each with its moves and single commits. Deterministic, stops and goes on at any
// time.
#ifndef MEMPLAN_SOLVERS_ORDER_BEAM_H
#define MEMPLAN_SOLVERS_ORDER_BEAM_H

#include "solvers/order_search.h"

typedef struct memplan_order_beam memplan_order_beam;

typedef struct memplan_order_beam_options {
  int32_t width;
  int64_t noise;   // bytes: up to so much is added to the live bytes by which sets are ranked
  uint64_t salt;   // of the noise
  int64_t ceiling; // only orders with a smaller peak are sought
} memplan_order_beam_options;

typedef struct memplan_order_beam_look {
  memplan_order_search_outcome outcome; // EXHAUSTED: it died out
  bool complete;                        // nothing was left behind: EXHAUSTED is a proof of
  int64_t bound;                        // the ceiling
  const int32_t *order;                 // FOUND: in the problem's own direction
  int64_t states, ticks, memory;
} memplan_order_beam_look;

// Freed by memplan_order_beam_free.
memplan_status memplan_order_beam_new(const memplan_order_tables *tables, const memplan_order_rules *rules,
                                      const memplan_order_beam_options *options, memplan_order_beam **beam,
                                      memplan_error *error);
void memplan_order_beam_free(memplan_order_beam *beam);

// Works for about `ticks` more.
memplan_status memplan_order_beam_run(memplan_order_beam *beam, int64_t ticks, memplan_error *error);

void memplan_order_beam_state(const memplan_order_beam *beam, memplan_order_beam_look *look);

// The order that always takes the move with the fewest live bytes after it, or (`by_load`) the least load. `order` has
// room for n_ops; `ticks` receives the work.
memplan_status memplan_order_greedy(const memplan_order_tables *tables, bool by_load, int32_t *order, int64_t *ticks,
                                    memplan_error *error);

#endif
