// SPDX-License-Identifier: Apache-2.0
// A treap: search tree by (weight, before), heap by a mixed operator index, so that its shape depends on its contents
// alone and its depth is logarithmic in expectation. Each node knows the first operator by `before` in its subtree.
// Reference: Seidel, Aragon: Randomized search trees. Algorithmica 16 (1996).
#include "heuristics/ready.h"

bool memplan_ready_init(memplan_ready *ready, int32_t n_ops, bool (*before)(const void *context, int32_t a, int32_t b),
                        const void *context, memplan_arena *arena) {
  *ready = (memplan_ready){.before = before, .context = context, .root = {-1, -1}};
  ready->weight = MEMPLAN_NEW(arena, int64_t, n_ops);
  ready->left = MEMPLAN_NEW(arena, int32_t, n_ops);
  ready->right = MEMPLAN_NEW(arena, int32_t, n_ops);
  ready->parent = MEMPLAN_NEW(arena, int32_t, n_ops);
  ready->best = MEMPLAN_NEW(arena, int32_t, n_ops);
  ready->set = MEMPLAN_NEW(arena, int8_t, n_ops);
  if (ready->weight == NULL || ready->left == NULL || ready->right == NULL || ready->parent == NULL ||
      ready->best == NULL || ready->set == NULL) {
    return false;
  }
  for (int32_t op = 0; op < n_ops; op++) {
    ready->set[op] = -1;
  }
  return true;
}

// Heap key of an operator: the finaliser of MurmurHash3, a bijection on 32 bits.
static uint32_t priority(int32_t op) {
  uint32_t x = (uint32_t)op + 1;
  x ^= x >> 16;
  x *= UINT32_C(0x85ebca6b);
  x ^= x >> 13;
  x *= UINT32_C(0xc2b2ae35);
  return x ^ (x >> 16);
}

static int32_t first_of(const memplan_ready *ready, int32_t a, int32_t b) {
  if (a < 0 || b < 0) {
    return a < 0 ? b : a;
  }
  return ready->before(ready->context, b, a) ? b : a;
}

static void refresh(memplan_ready *ready, int32_t node) {
  int32_t best = node;
  if (ready->left[node] >= 0) {
    best = first_of(ready, best, ready->best[ready->left[node]]);
  }
  if (ready->right[node] >= 0) {
    best = first_of(ready, best, ready->best[ready->right[node]]);
  }
  ready->best[node] = best;
}

static void replace_child(memplan_ready *ready, int32_t set, int32_t parent, int32_t old, int32_t child) {
  if (parent < 0) {
    ready->root[set] = child;
  } else if (ready->left[parent] == old) {
    ready->left[parent] = child;
  } else {
    ready->right[parent] = child;
  }
  if (child >= 0) {
    ready->parent[child] = parent;
  }
}

// Turns the edge between `node` and its parent.
static void rotate_up(memplan_ready *ready, int32_t set, int32_t node) {
  int32_t parent = ready->parent[node];
  replace_child(ready, set, ready->parent[parent], parent, node);
  bool was_left = ready->left[parent] == node;
  int32_t middle = was_left ? ready->right[node] : ready->left[node];
  if (was_left) {
    ready->left[parent] = middle;
    ready->right[node] = parent;
  } else {
    ready->right[parent] = middle;
    ready->left[node] = parent;
  }
  if (middle >= 0) {
    ready->parent[middle] = parent;
  }
  ready->parent[parent] = node;
  refresh(ready, parent);
}

static bool goes_left(const memplan_ready *ready, int32_t op, int32_t node) {
  if (ready->weight[op] != ready->weight[node]) {
    return ready->weight[op] < ready->weight[node];
  }
  return ready->before(ready->context, op, node);
}

void memplan_ready_insert(memplan_ready *ready, int32_t set, int32_t op, int64_t weight) {
  ready->weight[op] = weight;
  ready->left[op] = -1;
  ready->right[op] = -1;
  ready->parent[op] = -1;
  ready->best[op] = op;
  ready->set[op] = (int8_t)set;
  int32_t node = ready->root[set];
  if (node < 0) {
    ready->root[set] = op;
    return;
  }
  for (;;) {
    ready->best[node] = first_of(ready, ready->best[node], op);
    int32_t *child = goes_left(ready, op, node) ? &ready->left[node] : &ready->right[node];
    if (*child < 0) {
      *child = op;
      ready->parent[op] = node;
      break;
    }
    node = *child;
  }
  while (ready->parent[op] >= 0 && priority(ready->parent[op]) < priority(op)) {
    rotate_up(ready, set, op);
    refresh(ready, op);
  }
}

void memplan_ready_remove(memplan_ready *ready, int32_t op) {
  int32_t set = ready->set[op];
  while (ready->left[op] >= 0 && ready->right[op] >= 0) {
    int32_t left = ready->left[op];
    int32_t right = ready->right[op];
    rotate_up(ready, set, priority(left) > priority(right) ? left : right);
  }
  int32_t parent = ready->parent[op];
  replace_child(ready, set, parent, op, ready->left[op] >= 0 ? ready->left[op] : ready->right[op]);
  ready->set[op] = -1;
  for (int32_t node = parent; node >= 0; node = ready->parent[node]) {
    refresh(ready, node);
  }
}

int32_t memplan_ready_select(const memplan_ready *ready, int32_t set, int64_t threshold) {
  int32_t best = -1;
  int32_t node = ready->root[set];
  int32_t lightest = -1;
  while (node >= 0) {
    if (ready->weight[node] <= threshold) {
      best = first_of(ready, best, node);
      if (ready->left[node] >= 0) {
        best = first_of(ready, best, ready->best[ready->left[node]]);
      }
      node = ready->right[node];
    } else {
      lightest = node;
      node = ready->left[node];
    }
  }
  return best >= 0 ? best : lightest;
}
