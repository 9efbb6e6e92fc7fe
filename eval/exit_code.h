// SPDX-License-Identifier: Apache-2.0
// Exit codes of the command. They are part of its interface: scripts and CI jobs rely on them.
#ifndef MEMPLAN_EVAL_EXIT_CODE_H
#define MEMPLAN_EVAL_EXIT_CODE_H

#include "model/base/status.h"

#include <stdint.h>

typedef enum memplan_exit {
  MEMPLAN_EXIT_GOAL = 0,
  MEMPLAN_EXIT_INVALID = 1,
  MEMPLAN_EXIT_INPUT = 2,
  MEMPLAN_EXIT_UNSUPPORTED = 3,
  MEMPLAN_EXIT_PARTIAL = 4,
  MEMPLAN_EXIT_FAILURE = 5,
  MEMPLAN_EXIT_FEASIBLE = 10,
  MEMPLAN_EXIT_INFEASIBLE = 20,
  MEMPLAN_EXIT_NO_PLAN = 30,
  MEMPLAN_EXIT_INTERRUPTED = 130,
  MEMPLAN_EXIT_PIPE = 141 // by the signal SIGPIPE itself, as a shell counts it
} memplan_exit;

typedef struct memplan_exit_text {
  memplan_exit code;
  const char *text;
} memplan_exit_text;

// All codes with their meaning, by number; *n receives how many.
const memplan_exit_text *memplan_exit_texts(int32_t *n);

// The code of a call that failed (or MEMPLAN_EXIT_GOAL).
memplan_exit memplan_exit_of_status(memplan_status status);

// The code of a run that an interrupt has ended early, which has `code` otherwise: what failed has failed.
memplan_exit memplan_exit_interrupted(memplan_exit code);

// The code of a run over several files: interrupted > partial failure > no plan > infeasible > feasible > goal.
memplan_exit memplan_exit_worse(memplan_exit a, memplan_exit b);

#endif
