// SPDX-License-Identifier: Apache-2.0
// The bounds of a check: offsets, height and above/below decisions under assumptions, propagated through differences.
#ifndef MEMPLAN_EVAL_CHECK_REPLAY_H
#define MEMPLAN_EVAL_CHECK_REPLAY_H

#include "eval/check_bounds.h"
#include "eval/check_model.h"

// Variables: the items, the height, the pairs of the model (a is below b).
typedef struct memplan_replay memplan_replay;

// Heights <= top (units). NULL if memory is out. `model` and `meter` have to outlive it. Each look counts at the meter,
// and at most so many bounds are raised at one time.
memplan_replay *memplan_replay_new(const memplan_check_model *model, int64_t top, memplan_check_meter *meter,
                                   int64_t most_changes);
void memplan_replay_free(memplan_replay *replay);

// What is raised draws what follows from differences, allowed offsets and the roof.
memplan_check_bounds *memplan_replay_bounds(memplan_replay *replay);

#endif
