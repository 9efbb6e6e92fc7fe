// SPDX-License-Identifier: Apache-2.0
// The bounds of a check: offsets, height and above/below decisions under assumptions, propagated through differences.
#ifndef MEMPLAN_EVAL_CHECK_REPLAY_H
#define MEMPLAN_EVAL_CHECK_REPLAY_H

#include "eval/check_meter.h"
#include "eval/check_model.h"

// Variables: the items, the height, the pairs of the model. Side 2x: x >= value, 2x + 1: -x >= value.
typedef struct memplan_replay memplan_replay;

// Heights <= top (units). NULL if memory is out. `model` and `meter` have to outlive it. Each look counts at the meter,
// and at most so many bounds are raised at one time.
memplan_replay *memplan_replay_new(const memplan_check_model *model, int64_t top, memplan_check_meter *meter,
                                   int64_t most_changes);
void memplan_replay_free(memplan_replay *replay);

int32_t memplan_replay_sides(const memplan_replay *replay);

bool memplan_replay_is_true(const memplan_replay *replay, int32_t side, int64_t value);

// Makes it true and draws what follows from differences, allowed offsets and the roof; O(1) if it is true already.
// Contradictions are kept: memplan_replay_failed. After one, nothing more happens until it is taken back.
void memplan_replay_raise(memplan_replay *replay, int32_t side, int64_t value);
bool memplan_replay_failed(const memplan_replay *replay);
bool memplan_replay_nomem(const memplan_replay *replay);
bool memplan_replay_spent(const memplan_replay *replay); // too much work: nothing happens any more, ever

// Takes back everything since the mark, contradictions too.
int64_t memplan_replay_mark(const memplan_replay *replay);
void memplan_replay_undo(memplan_replay *replay, int64_t mark);

#endif
