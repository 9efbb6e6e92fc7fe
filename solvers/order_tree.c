// SPDX-License-Identifier: Apache-2.0
// A node is made after its parent, so that the numbers on a path increase and the last node that two paths have in
// common is found by binary search.
#include "solvers/order_tree.h"

#include "model/base/grow.h"
#include "solvers/order_audit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { first_keys = 1024 };

static const uint64_t mark = UINT64_C(0x9e3779b97f4a7c15); // keeps the key of the empty set from being 0

static bool add_node(memplan_order_tree *tree, int32_t parent, int32_t first_step) {
  const memplan_order_state *state = tree->state;
  int32_t *parents = memplan_grow_heap(tree->parent, tree->n_nodes, &tree->node_capacity, sizeof *parents);
  if (parents == NULL || tree->n_nodes == INT32_MAX) {
    return false;
  }
  tree->parent = parents;
  int64_t *from = memplan_grow_heap(tree->from, (int64_t)tree->n_nodes + 1, &tree->from_capacity, sizeof *from);
  if (from == NULL) {
    return false;
  }
  tree->from = from;
  int64_t n_pool = tree->n_pool;
  for (int32_t step = first_step; step < state->n_done; step++) {
    int32_t *pool = memplan_grow_heap(tree->pool, n_pool, &tree->pool_capacity, sizeof *pool);
    if (pool == NULL) {
      return false;
    }
    tree->pool = pool;
    pool[n_pool++] = state->sequence[step];
  }
  parents[tree->n_nodes] = parent;
  from[tree->n_nodes] = tree->n_pool;
  from[tree->n_nodes + 1] = n_pool;
  tree->n_pool = n_pool;
  tree->n_nodes++;
  return true;
}

static void count_memory(memplan_order_tree *tree) {
  tree->memory = tree->node_capacity * (int64_t)sizeof *tree->parent +
                 tree->from_capacity * (int64_t)sizeof *tree->from + tree->pool_capacity * (int64_t)sizeof *tree->pool +
                 tree->key_capacity * (int64_t)sizeof *tree->keys;
}

memplan_status memplan_order_tree_init(memplan_order_tree *tree, memplan_order_state *state, memplan_arena *arena,
                                       memplan_error *error) {
  *tree = (memplan_order_tree){.state = state};
  tree->path = MEMPLAN_NEW(arena, int32_t, (int64_t)state->problem->n_ops + 1);
  tree->path_steps = MEMPLAN_NEW(arena, int32_t, (int64_t)state->problem->n_ops + 1);
  tree->path_live = MEMPLAN_NEW(arena, int64_t, (int64_t)state->problem->n_ops + 1);
  tree->chain = MEMPLAN_NEW(arena, int32_t, (int64_t)state->problem->n_ops + 1);
  tree->keys = calloc(first_keys, sizeof *tree->keys);
  if (tree->path == NULL || tree->path_steps == NULL || tree->path_live == NULL || tree->chain == NULL ||
      tree->keys == NULL || !add_node(tree, -1, 0)) {
    return memplan_fail_nomem(error);
  }
  tree->key_capacity = first_keys;
  tree->n_path = 1;
  tree->path_live[0] = state->live;
  count_memory(tree);
  return MEMPLAN_OK;
}

void memplan_order_tree_free(memplan_order_tree *tree) {
  free(tree->parent);
  free(tree->from);
  free(tree->pool);
  free(tree->keys);
  memplan_order_audit_free(tree->audit);
  tree->audit = NULL;
  tree->parent = tree->pool = NULL;
  tree->from = NULL;
  tree->keys = NULL;
}

static bool insert_key(uint64_t (*keys)[2], int64_t capacity, uint64_t first, uint64_t second) {
  uint64_t at = first & (uint64_t)(capacity - 1);
  while (keys[at][0] != 0 || keys[at][1] != 0) {
    if (keys[at][0] == first && keys[at][1] == second) {
      return false;
    }
    at = (at + 1) & (uint64_t)(capacity - 1);
  }
  keys[at][0] = first;
  keys[at][1] = second;
  return true;
}

static bool grow_keys(memplan_order_tree *tree) {
  int64_t capacity = 2 * tree->key_capacity;
  uint64_t(*keys)[2] = calloc((size_t)capacity, sizeof *keys);
  if (keys == NULL) {
    return false;
  }
  for (int64_t k = 0; k < tree->key_capacity; k++) {
    if (tree->keys[k][0] != 0 || tree->keys[k][1] != 0) {
      insert_key(keys, capacity, tree->keys[k][0], tree->keys[k][1]);
    }
  }
  free(tree->keys);
  tree->keys = keys;
  tree->key_capacity = capacity;
  return true;
}

bool memplan_order_tree_note(memplan_order_tree *tree, bool *is_new) {
  if (tree->n_keys * 10 >= tree->key_capacity * 7 && !grow_keys(tree)) {
    return false;
  }
  const uint64_t *key = tree->state->key;
  *is_new = insert_key(tree->keys, tree->key_capacity, key[0] ^ mark, key[1]);
  tree->n_keys += *is_new;
  assert(*is_new || memplan_order_audit_known(tree));
  count_memory(tree);
  return true;
}

static void push(memplan_order_tree *tree, int32_t node) {
  tree->path[tree->n_path] = node;
  tree->path_live[tree->n_path] = tree->state->live;
  tree->path_steps[tree->n_path++] = tree->state->n_done;
}

int32_t memplan_order_tree_add(memplan_order_tree *tree) {
  int32_t node = tree->n_nodes;
  if (!add_node(tree, tree->path[tree->n_path - 1], tree->path_steps[tree->n_path - 1])) {
    return -1;
  }
  push(tree, node);
  assert(memplan_order_audit_added(tree));
  return node;
}

void memplan_order_tree_rebuild(const memplan_order_tree *tree, int32_t node, uint64_t *set) {
  for (; node > 0; node = tree->parent[node]) {
    for (int64_t k = tree->from[node]; k < tree->from[node + 1]; k++) {
      set[tree->pool[k] / 64] |= UINT64_C(1) << (tree->pool[k] % 64);
    }
  }
}

void memplan_order_tree_back(memplan_order_tree *tree) {
  while (tree->state->n_done > tree->path_steps[tree->n_path - 1]) {
    memplan_order_state_undo(tree->state);
  }
}

void memplan_order_tree_leave(memplan_order_tree *tree) {
  tree->n_path--;
  memplan_order_tree_back(tree);
}

// Place of the node on the path, or -1.
static int32_t find_on_path(const memplan_order_tree *tree, int32_t node) {
  int32_t low = 0, high = tree->n_path - 1;
  while (low < high) {
    int32_t middle = high - (high - low) / 2;
    if (tree->path[middle] <= node) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return tree->path[low] == node ? low : -1;
}

void memplan_order_tree_go(memplan_order_tree *tree, int32_t node) {
  int32_t length = 0, place = find_on_path(tree, node);
  while (place < 0) {
    tree->chain[length++] = node;
    node = tree->parent[node];
    place = find_on_path(tree, node);
  }
  tree->n_path = place + 1;
  memplan_order_tree_back(tree);
  while (length > 0) {
    node = tree->chain[--length];
    for (int64_t k = tree->from[node]; k < tree->from[node + 1]; k++) {
      memplan_order_state_run(tree->state, tree->pool[k]);
    }
    push(tree, node);
  }
}
