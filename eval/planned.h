// SPDX-License-Identifier: Apache-2.0
// A problem read as a plan for it was made.
#ifndef MEMPLAN_EVAL_PLANNED_H
#define MEMPLAN_EVAL_PLANNED_H

#include "eval/command.h"

// Reads the plan, then the command's file under the plan's options (those given go before), without a capacity, and
// verifies. Both must be initialised and empty. *invalid: the plan is none for the file, which is MEMPLAN_INPUT with
// what verify says first.
memplan_status memplan_planned_read(memplan_context *context, const char *path, memplan_problem *problem,
                                    memplan_plan *plan, bool *invalid, memplan_error *error);

#endif
