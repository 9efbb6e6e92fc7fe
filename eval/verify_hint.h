// SPDX-License-Identifier: Apache-2.0
// Why a plan was made for another problem, where options explain it: some change what a file says and are no part of a
// plan, so that they have to be repeated.
#ifndef MEMPLAN_EVAL_VERIFY_HINT_H
#define MEMPLAN_EVAL_VERIFY_HINT_H

#include "eval/command.h"

// For a plan whose fingerprint is not that of the problem that was read from `path`: prints a note if the file has the
// plan's fingerprint under the plan's own options, with or without --pin and --dup-ids rename; else in what the two
// problems differ, as far as the plan tells. Reads the file up to four times, unless it is a pipe.
void memplan_verify_hint(memplan_context *context, const char *path, memplan_problem *problem,
                         const memplan_plan *plan);

#endif
