// SPDX-License-Identifier: Apache-2.0
// The bounds of a check about every plan of a graph, under assumptions: offsets, height, and the Booleans that
// solvers/joint_proof.h numbers. It draws what follows from their definitions, from transitivity, differences, allowed
// offsets and the roof.
#ifndef MEMPLAN_EVAL_CHECK_JOINT_REPLAY_H
#define MEMPLAN_EVAL_CHECK_JOINT_REPLAY_H

#include "eval/check_bounds.h"
#include "eval/check_joint_model.h"

typedef struct memplan_joint_replay memplan_joint_replay;

// Variables of the model. A check takes at most 2^22, and 400 operators.
int64_t memplan_joint_replay_count(const memplan_check_joint_model *model);

// Of the plans that reach no higher than the top of the model. NULL if memory is out. Model and meter have to outlive
// it: each look counts at the meter, and at most so many bounds are raised at one time. O(operators^3, and what its
// rules take).
memplan_joint_replay *memplan_joint_replay_new(const memplan_check_joint_model *model, memplan_check_meter *meter,
                                               int64_t most_changes);
void memplan_joint_replay_free(memplan_joint_replay *replay);

// What is raised there draws all that follows.
memplan_check_bounds *memplan_joint_replay_bounds(memplan_joint_replay *replay);

// Literals (sides) of Booleans, which say yes.
int32_t memplan_joint_replay_dead(const memplan_joint_replay *replay, int32_t item, int32_t op);
int32_t memplan_joint_replay_unborn(const memplan_joint_replay *replay, int32_t item, int32_t op);
int32_t memplan_joint_replay_turn(const memplan_joint_replay *replay, int32_t first, int32_t second); // two operators
int32_t memplan_joint_replay_choice(const memplan_joint_replay *replay, int32_t pair);
bool memplan_joint_replay_holds(const memplan_joint_replay *replay, int32_t literal); // known to be true
void memplan_joint_replay_set(memplan_joint_replay *replay, int32_t literal);

#endif
