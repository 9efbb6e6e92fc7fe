// SPDX-License-Identifier: Apache-2.0
// What an order decides about nogoods while it grows, operator by operator, from its start or, turned, from its end.
//
// An overlap is decided when the later of its two items is born, a link when its operator runs. After a set of
// operators the decided ones are known; so all that differs between two ways to the set is which nogoods are broken:
// have an overlap or link that did not come. One that is decided as a whole and not broken is violated.
#ifndef MEMPLAN_SOLVERS_JOINT_WATCH_H
#define MEMPLAN_SOLVERS_JOINT_WATCH_H

#include "solvers/joint_nogood.h"

typedef enum memplan_watch_decision {
  MEMPLAN_WATCH_FREE = 0, // no nogood that could still be violated speaks of the pair
  MEMPLAN_WATCH_CHOSEN,
  MEMPLAN_WATCH_REFUSED
} memplan_watch_decision;

typedef struct memplan_joint_watch memplan_joint_watch;

// `nogoods`, each with an open overlap or a link, and `whole` must outlive the object; its memory is the arena's. Takes
// memplan_joint_watch_ticks: O(size of the graph and of the nogoods, and for each open overlap the pairs that have one
// of its items as their output).
memplan_status memplan_joint_watch_new(const memplan_joint_graph *whole, const memplan_joint_nogood *const *nogoods,
                                       int32_t n_nogoods, bool turned, memplan_arena *arena,
                                       memplan_joint_watch **watch, memplan_error *error);

// The pairs of an operator that could run now of which it has to be decided whether they are chosen: they may be, and a
// nogood that is not broken speaks of them. `pairs` has room for `most`. Returns their number, also where that is more.
int32_t memplan_joint_watch_ask(const memplan_joint_watch *watch, int32_t op, int32_t *pairs, int32_t most);

// The operator runs, with these of the pairs that were asked about chosen: bit k of `mask` for pairs[k]. False: a
// nogood is violated (undo it then).
bool memplan_joint_watch_run(memplan_joint_watch *watch, int32_t op, const int32_t *pairs, int32_t n_pairs,
                             uint64_t mask);
void memplan_joint_watch_undo(memplan_joint_watch *watch); // the last one

// By nogood, as bits: is it broken? memplan_joint_watch_words of them.
const uint64_t *memplan_joint_watch_broken(const memplan_joint_watch *watch);
int32_t memplan_joint_watch_words(const memplan_joint_watch *watch);
int64_t memplan_joint_watch_ticks(const memplan_joint_watch *watch);

// By operator: by how many nogoods that are not broken it is held. Others bring none of their items and run none of
// their pairs, so that running some of them earlier than the rest lets no overlap come that did not come otherwise (T4:
// births of the nogood's items keep their order, deaths only come earlier).
const int32_t *memplan_joint_watch_held(const memplan_joint_watch *watch);

// By pair of the graph: what was decided on the way.
const uint8_t *memplan_joint_watch_decisions(const memplan_joint_watch *watch);

#endif
