// SPDX-License-Identifier: Apache-2.0
// What holds in every plan of a graph, as a check about all of them states it: clauses over Booleans, and arcs, the
// distances that these ask for.
#ifndef MEMPLAN_EVAL_CHECK_JOINT_RULES_H
#define MEMPLAN_EVAL_CHECK_JOINT_RULES_H

#include "eval/check_bounds.h"
#include "eval/check_joint_literals.h"

// If the guard is true, `to` lies at or above `from` + distance (offsets of items).
typedef struct memplan_joint_arc {
  int32_t from, to, guard;
  int64_t distance;
} memplan_joint_arc;

typedef struct memplan_joint_rules {
  const memplan_check_joint_model *model;
  const memplan_joint_literals *literals;
  int32_t *list; // literals of all clauses
  int64_t n_list, list_room;
  int64_t *starts; // by clause, and one more: its place in the list
  int64_t n_clauses, start_room;
  int64_t *first_of_side; // by side, and one more, into of_side: the clauses it stands in
  int32_t *of_side;
  memplan_joint_arc *arcs;
  int64_t n_arcs, arc_room;
  int32_t *first_leaving, *leaving, *first_entering, *entering; // arcs by item
  int32_t *below_arc;                                           // by pair of items: its arc, -1
  int32_t first_tie;                                            // two arcs for each in-place pair follow
} memplan_joint_rules;

// The rules of a model, but for transitivity of turns. `bounds` holds the turns that are certain; what else is certain
// is put there, not drawn. Model and literals have to outlive the rules. False if memory is out. O(items x items x
// operators that write one, items x operators x operators that read one).
bool memplan_joint_rules_init(memplan_joint_rules *rules, const memplan_check_joint_model *model,
                              const memplan_joint_literals *literals, memplan_check_bounds *bounds);
void memplan_joint_rules_free(memplan_joint_rules *rules); // what they hold; zeroes too

#endif
