// SPDX-License-Identifier: Apache-2.0
// The operators of a graph that have run, what is live, and what can run next, forwards or from the end; for checks,
// and straight from the order problem of the model.
#ifndef MEMPLAN_EVAL_ORDER_REPLAY_H
#define MEMPLAN_EVAL_ORDER_REPLAY_H

#include "model/ordering.h"

typedef struct memplan_replay_lists {
  int32_t *first, *list; // of i: list[first[i]] … list[first[i + 1] - 1]
} memplan_replay_lists;

typedef struct memplan_order_replay {
  const memplan_ordering *ordering;
  bool reversed;
  int64_t first, last; // what the first and the last step bear more
  memplan_replay_lists pred, succ;
  memplan_replay_lists births, deaths;       // by cell; without those of cells that are there before, or stay
  memplan_replay_lists op_births, op_deaths; // by operator
  int32_t *topological;                      // by operator: its place in an order that respects `pred`
  int32_t *by_place;                         // this order
  bool *lazy;                                // by operator
  int32_t *group_size;                       // by group: members
  // what has run
  int64_t live;
  uint64_t *done;    // by bit
  int32_t *sequence; // in this order
  int32_t n_done, n_hard_done, n_hard;
  int32_t *group_left, *group_missing; // by group: members, and predecessors outside, that have not run
  int32_t open_group;                  // begun and not finished, -1: none
  int32_t *missing;                    // by operator: predecessors that have not run
  int32_t *unmet;                      // by operator: the same without lazy ones that could run together with it
  int32_t *born, *to_die;              // by cell: births that have run, deaths that have not
  int32_t *ready, *ready_at;           // hard operators with unmet == 0 that have not run; place in there
  int32_t n_ready;
  // scratch
  int32_t *stack, *needs;
  bool *marked, *available;
  int32_t *chosen;
} memplan_order_replay;

// `before[k]` has to run before `after[k]` too (forwards). *cyclic: it cannot. Memory from `arena`. O(size of the
// graph).
memplan_status memplan_order_replay_init(memplan_order_replay *replay, const memplan_ordering *ordering, bool reversed,
                                         const int32_t *before, const int32_t *after, int32_t n_edges, bool *cyclic,
                                         memplan_arena *arena, memplan_error *error);

// Makes an operator lazy while nothing has run. False if it is not (solvers/search_proof.h), or is already. O(size of
// the graph) at worst; with 16,384 operators or more only direct successors count as descendants.
bool memplan_order_replay_set_lazy(memplan_order_replay *replay, int32_t op);

// Nothing has run yet; to be called once, after the lazy operators are set, if there is no cycle.
void memplan_order_replay_begin(memplan_order_replay *replay);

// May the operator run now, with all of its predecessors? Runs it, undoes the last one.
bool memplan_order_replay_may_run(const memplan_order_replay *replay, int32_t op);
void memplan_order_replay_run(memplan_order_replay *replay, int32_t op);
void memplan_order_replay_undo(memplan_order_replay *replay);

// Is it no matter of groups that keeps the operator from running next?
bool memplan_order_replay_admits(const memplan_order_replay *replay, int32_t op);

// Load while the operator runs now, all of whose predecessors have run; -1 if memory is out.
int64_t memplan_order_replay_load(memplan_order_replay *replay, int32_t op);

// The lazy operators that have to run before a ready one, in `needs`, in an order in which they can run. Their number.
int32_t memplan_order_replay_find_needs(memplan_order_replay *replay, int32_t op);

#endif
