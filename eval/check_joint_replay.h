// SPDX-License-Identifier: Apache-2.0
// The bounds of a check about every plan of a graph, under assumptions: offsets, height, and the Booleans that
// solvers/joint_proof.h numbers. It draws what follows from their definitions, from transitivity, differences, allowed
// offsets and the roof.
#ifndef MEMPLAN_EVAL_CHECK_JOINT_REPLAY_H
#define MEMPLAN_EVAL_CHECK_JOINT_REPLAY_H

#include "eval/check_joint_model.h"
#include "eval/check_meter.h"

typedef struct memplan_joint_replay memplan_joint_replay;

// Variables of the model. A check takes at most 2^22, and 400 operators.
int64_t memplan_joint_replay_count(const memplan_check_joint_model *model);

// Of the plans that reach no higher than the top of the model. NULL if memory is out. Model and meter have to outlive
// it: each look counts at the meter, and at most so many bounds are raised at one time. O(items x items x operators
// that write one, operators^3).
memplan_joint_replay *memplan_joint_replay_new(const memplan_check_joint_model *model, memplan_check_meter *meter,
                                               int64_t most_changes);
void memplan_joint_replay_free(memplan_joint_replay *replay);

int32_t memplan_joint_replay_sides(const memplan_joint_replay *replay);

// Literals (sides) of Booleans, which say yes.
int32_t memplan_joint_replay_dead(const memplan_joint_replay *replay, int32_t item, int32_t op);
int32_t memplan_joint_replay_unborn(const memplan_joint_replay *replay, int32_t item, int32_t op);
int32_t memplan_joint_replay_choice(const memplan_joint_replay *replay, int32_t pair);
bool memplan_joint_replay_holds(const memplan_joint_replay *replay, int32_t literal); // known to be true
void memplan_joint_replay_set(memplan_joint_replay *replay, int32_t literal);

bool memplan_joint_replay_is_true(const memplan_joint_replay *replay, int32_t side, int64_t value);
int64_t memplan_joint_replay_bound(const memplan_joint_replay *replay, int32_t side);

// Makes it true and draws what follows; O(1) if it is true already. Contradictions are kept:
// memplan_joint_replay_failed. After one, nothing more happens until it is taken back.
void memplan_joint_replay_raise(memplan_joint_replay *replay, int32_t side, int64_t value);
void memplan_joint_replay_contradict(memplan_joint_replay *replay);
bool memplan_joint_replay_failed(const memplan_joint_replay *replay);
bool memplan_joint_replay_nomem(const memplan_joint_replay *replay);
bool memplan_joint_replay_spent(const memplan_joint_replay *replay); // too much work: nothing is drawn any more, ever

// Takes back everything since the mark, contradictions too.
int64_t memplan_joint_replay_mark(const memplan_joint_replay *replay);
void memplan_joint_replay_undo(memplan_joint_replay *replay, int64_t mark);

#endif
