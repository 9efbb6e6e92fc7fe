// SPDX-License-Identifier: Apache-2.0
// One state of the exact order search: the operators run so far, what is live, and what each operator would do. Running
// and undoing an operator cost O(its degree), amortised over the members of its cells.
#ifndef MEMPLAN_SOLVERS_ORDER_STATE_H
#define MEMPLAN_SOLVERS_ORDER_STATE_H

#include "solvers/order_tables.h"

typedef struct memplan_order_op_state {
  int64_t born;         // bytes of the cells that begin with it now
  int64_t freed;        // bytes of the cells that end with it now
  int32_t missing;      // predecessors
  int32_t missing_hard; // hard predecessors
  int32_t ready_at;     // place in the ready list, -1: not there
  bool done;
} memplan_order_op_state;

typedef struct memplan_order_cell_state {
  int64_t death_sum; // of the indices of its missing deaths
  int32_t births;    // that have run
  int32_t missing;   // deaths
  int32_t live_at;   // place in the list of live cells, -1: not there
} memplan_order_cell_state;

typedef struct memplan_order_state {
  const memplan_order_problem *problem;
  const memplan_order_tables *tables;
  int64_t live;      // base and live cells
  uint64_t key[2];   // of the set of operators that have run
  uint64_t *done;    // the set itself, as bits
  int32_t *sequence; // the operators run
  int32_t n_done;
  int32_t *ready; // hard operators without missing hard predecessors, lazy ones without missing predecessors
  int32_t n_ready;
  int32_t *dying; // live cells that can still end
  int32_t n_dying;
  int32_t open_group; // started and not finished, or -1
  int64_t ticks;      // work done: operators run, undone and asked
  bool out_of_memory; // a matching found none; savings are too large since then
  memplan_order_op_state *ops;
  memplan_order_cell_state *cells;
  int32_t *group_left, *group_missing; // by group: members, and edges from outside
  bool *available;                     // scratch of the matching
  int32_t *chosen;
} memplan_order_state;

// At the empty set. Memory from `arena`.
memplan_status memplan_order_state_init(memplan_order_state *state, const memplan_order_tables *tables,
                                        memplan_arena *arena, memplan_error *error);

// Runs an operator, whose predecessors must all have run; undoes the last one.
void memplan_order_state_run(memplan_order_state *state, int32_t op);
void memplan_order_state_undo(memplan_order_state *state);

// May the operator, which is ready, run now as far as groups are concerned?
bool memplan_order_state_admits(const memplan_order_state *state, int32_t op);

// Load while the operator, of which no predecessor is missing, runs now; and live bytes after it.
int64_t memplan_order_state_load(memplan_order_state *state, int32_t op);
int64_t memplan_order_state_after(const memplan_order_state *state, int32_t op);

// Takes an operator of which no successor has run out of the set of all operators, or puts it back. The order of
// `sequence` is not kept: for questions about the last step alone.
int64_t memplan_order_state_last_load(memplan_order_state *state, int32_t op);

#endif
