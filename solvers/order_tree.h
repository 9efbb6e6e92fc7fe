// SPDX-License-Identifier: Apache-2.0
// The states that a search has met, on one mutable state: each holds its parent and the operators run since then, so
// that a state costs about 60 bytes. Sets are known by 128-bit keys: 10^8 of them collide with a probability of about
// 10^-23.
#ifndef MEMPLAN_SOLVERS_ORDER_TREE_H
#define MEMPLAN_SOLVERS_ORDER_TREE_H

#include "solvers/order_state.h"

typedef struct memplan_order_audit memplan_order_audit; // solvers/order_audit.h

typedef struct memplan_order_tree {
  memplan_order_state *state;
  int32_t n_nodes; // node 0: nothing has run
  int64_t memory;  // bytes in use
  // the path from node 0 to the state: nodes, and how many operators have run and what is live at each
  int32_t *path, *path_steps;
  int64_t *path_live;
  int32_t n_path;
  // private
  int32_t *parent;
  int64_t *from; // by node: its first operator in `pool`; those of node k end where those of k + 1 begin
  int32_t *pool;
  uint64_t (*keys)[2]; // open addressing
  int64_t n_keys, key_capacity, node_capacity, from_capacity, pool_capacity, n_pool;
  int32_t *chain;             // scratch
  bool audit_all;             // each key that is met again is looked at (memplan_order_rules)
  memplan_order_audit *audit; // NULL unless a debug build, or a test, looks at keys
} memplan_order_tree;

// `state` stands at the empty set, which becomes node 0. Freed by memplan_order_tree_free, also after a failure.
memplan_status memplan_order_tree_init(memplan_order_tree *tree, memplan_order_state *state, memplan_arena *arena,
                                       memplan_error *error);
void memplan_order_tree_free(memplan_order_tree *tree);

// Notes the set of the state; *is_new says whether it was unknown. False if memory is out.
bool memplan_order_tree_note(memplan_order_tree *tree, bool *is_new);

// Makes the state a node, child of the path's last one, and puts it on the path. Its number, or -1 if memory is out or
// numbers are.
int32_t memplan_order_tree_add(memplan_order_tree *tree);

// Undoes what has run since the last node of the path; leaves that node for its parent.
void memplan_order_tree_back(memplan_order_tree *tree);
void memplan_order_tree_leave(memplan_order_tree *tree);

// Adds the operators that have run at a node to a set, from the chain of its parents alone.
void memplan_order_tree_rebuild(const memplan_order_tree *tree, int32_t node, uint64_t *set);

// Brings the state to a node.
void memplan_order_tree_go(memplan_order_tree *tree, int32_t node);

#endif
