// SPDX-License-Identifier: Apache-2.0
// The variables of a check about every plan of a graph, numbered as solvers/joint_proof.h says. A literal is the side
// that makes one of the Booleans true, or false: with the last bit turned.
#ifndef MEMPLAN_EVAL_CHECK_JOINT_LITERALS_H
#define MEMPLAN_EVAL_CHECK_JOINT_LITERALS_H

#include "eval/check_joint_model.h"

typedef struct memplan_joint_literals {
  const int32_t *leader;                             // by operator: the first of its group, or itself
  int32_t n, m;                                      // operators, items
  int32_t n_variables;                               // the items' offsets, the height, then the Booleans
  int32_t turns, choices, dead, unborn, gone, below; // the first of each kind
} memplan_joint_literals;

static inline int64_t memplan_joint_literals_count(const memplan_check_joint_model *model) {
  int64_t n = model->n_ops, m = model->n_items;
  return m + 1 + n * n + model->n_pairs + 2 * m * n + 2 * m * m;
}

// Of a model that has at most 2^30 variables.
static inline memplan_joint_literals memplan_joint_literals_of(const memplan_check_joint_model *model) {
  memplan_joint_literals all = {.leader = model->leader, .n = model->n_ops, .m = model->n_items};
  all.turns = all.m + 1;
  all.choices = all.turns + all.n * all.n;
  all.dead = all.choices + model->n_pairs;
  all.unborn = all.dead + all.m * all.n;
  all.gone = all.unborn + all.m * all.n;
  all.below = all.gone + all.m * all.m;
  all.n_variables = all.below + all.m * all.m;
  return all;
}

// The bound that makes a literal true.
static inline int64_t memplan_joint_literal_truth(int32_t literal) { return 1 - (literal & 1); }

// a runs before b, which is another one. Of two groups, their first ones do.
static inline int32_t memplan_joint_literal_turn(const memplan_joint_literals *all, int32_t a, int32_t b) {
  if (all->leader[a] != all->leader[b]) {
    a = all->leader[a];
    b = all->leader[b];
  }
  return a < b ? 2 * (all->turns + a * all->n + b) : 2 * (all->turns + b * all->n + a) + 1;
}

// The in-place pair is chosen.
static inline int32_t memplan_joint_literal_choice(const memplan_joint_literals *all, int32_t pair) {
  return 2 * (all->choices + pair);
}

// The item is dead, or not yet born, while the operator runs.
static inline int32_t memplan_joint_literal_dead(const memplan_joint_literals *all, int32_t item, int32_t op) {
  return 2 * (all->dead + item * all->n + op);
}

static inline int32_t memplan_joint_literal_unborn(const memplan_joint_literals *all, int32_t item, int32_t op) {
  return 2 * (all->unborn + item * all->n + op);
}

// Item a is dead before b is born; a lies below b.
static inline int32_t memplan_joint_literal_gone(const memplan_joint_literals *all, int32_t a, int32_t b) {
  return 2 * (all->gone + a * all->m + b);
}

static inline int32_t memplan_joint_literal_below(const memplan_joint_literals *all, int32_t a, int32_t b) {
  return 2 * (all->below + a * all->m + b);
}

#endif
