// SPDX-License-Identifier: Apache-2.0
// What a certificate about every plan of a graph speaks of, rebuilt from the model alone: operators, items (what
// occupies memory from some operators to others) and in-place pairs. Shares no code with the solvers.
//
// Numbers are in units of a number of bytes that the certificate states. That is sound if the unit divides every size,
// distance, pin and residue, and every alignment (or the other way round): the lowest offsets with the same order,
// pairs and above/below decisions as those of any given plan, which are no higher, are multiples of the unit then.
#ifndef MEMPLAN_EVAL_CHECK_JOINT_MODEL_H
#define MEMPLAN_EVAL_CHECK_JOINT_MODEL_H

#include "model/ordering.h"

#include <jansson.h>

typedef struct memplan_check_joint_item {
  const char *id;
  int64_t bytes, align, residue, pin; // offset = residue (modulo align); pin -1: none
  const int32_t *births, *deaths;     // operators that write it, that have to finish before it is dead
  int32_t n_births, n_deaths;
  bool init, keep; // live from the start, to the end
  bool unread;     // live at the first step only
  bool reserved;   // takes room, but neither load nor height
} memplan_check_joint_item;

typedef struct memplan_check_joint_pair {
  int32_t op, born, dying; // items
  int32_t index;           // in ordering.pairs
  int64_t delta;           // off(born) = off(dying) + delta
  int64_t shared;          // what they have in common at the operator's step
} memplan_check_joint_pair;

// May it tie these two items?
static inline bool memplan_check_joint_pair_ties(const memplan_check_joint_pair *pair, int32_t a, int32_t b) {
  return (pair->born == a && pair->dying == b) || (pair->born == b && pair->dying == a);
}

typedef struct memplan_check_joint_model {
  const memplan_ordering *ordering;
  int32_t n_ops, n_items, n_pairs;
  const int32_t *ops;               // by operator: that of the graph; NULL: all of them, in its order
  const int32_t *succ_first, *succ; // by operator: operators that run after it, all or such that the others follow
  memplan_check_joint_item *items;
  memplan_check_joint_pair *pairs;
  const int32_t *leader; // by operator: the first of its group, or itself
  int64_t unit, top;     // top: units, no higher arena is spoken of
} memplan_check_joint_model;

// In bytes, and without a top. *reason is set where the model is none for such a certificate, else NULL. A status only
// for MEMPLAN_NOMEM. O(size of the graph). Memory from `arena`.
memplan_status memplan_check_joint_model_build(const memplan_ordering *ordering, memplan_arena *arena,
                                               memplan_check_joint_model *model, const char **reason,
                                               memplan_error *error);

// Arenas of less than `claim` bytes, in units. NULL, or why the claim or the unit is none for the model. O(items,
// pairs).
const char *memplan_check_joint_model_scale(memplan_check_joint_model *model, int64_t unit, int64_t claim);

// Are "ops" (unless the model is a window, which names its own), "items" and "pairs" of the first line of a certificate
// those of the model, in its order?
bool memplan_check_joint_model_is_named(const memplan_check_joint_model *model, const json_t *head);

#endif
