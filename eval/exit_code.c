// SPDX-License-Identifier: Apache-2.0
#include "eval/exit_code.h"

#include <stdbool.h>

static const memplan_exit_text texts[] = {
    {MEMPLAN_EXIT_GOAL,
     "goal reached: optimal, or fits --capacity, or within --gap; the plan is valid; the certificate proves its claim"},
    {MEMPLAN_EXIT_INVALID,
     "the plan is not valid for its problem, or larger than verify --capacity; the certificate proves nothing"},
    {MEMPLAN_EXIT_INPUT, "usage error, or the input contradicts its format or the model"},
    {MEMPLAN_EXIT_UNSUPPORTED, "the input uses something that memplan does not know"},
    {MEMPLAN_EXIT_PARTIAL, "some of several files failed; their rows say why"},
    {MEMPLAN_EXIT_FAILURE, "out of memory, output not written, or internal error"},
    {MEMPLAN_EXIT_FEASIBLE, "a valid plan, not proven optimal"},
    {MEMPLAN_EXIT_INFEASIBLE, "proven: no plan fits the capacity"},
    {MEMPLAN_EXIT_NO_PLAN, "stopped without a plan that fits, nothing proven"},
    {MEMPLAN_EXIT_INTERRUPTED, "interrupted; the best plan so far was written, or a message says that none was"},
    {MEMPLAN_EXIT_PIPE, "ended by SIGPIPE: the reader of standard output went away, as head does"},
};

const memplan_exit_text *memplan_exit_texts(int32_t *n) {
  *n = (int32_t)(sizeof texts / sizeof *texts);
  return texts;
}

memplan_exit memplan_exit_of_status(memplan_status status) {
  switch (status) {
  case MEMPLAN_OK:
    return MEMPLAN_EXIT_GOAL;
  case MEMPLAN_INPUT:
    return MEMPLAN_EXIT_INPUT;
  case MEMPLAN_UNSUPPORTED:
    return MEMPLAN_EXIT_UNSUPPORTED;
  case MEMPLAN_NOMEM:
  case MEMPLAN_IO:
  case MEMPLAN_INTERNAL:
    break;
  }
  return MEMPLAN_EXIT_FAILURE;
}

memplan_exit memplan_exit_interrupted(memplan_exit code) {
  bool failed = code == MEMPLAN_EXIT_INPUT || code == MEMPLAN_EXIT_UNSUPPORTED || code == MEMPLAN_EXIT_FAILURE;
  return failed ? code : MEMPLAN_EXIT_INTERRUPTED;
}

static int32_t severity(memplan_exit code) {
  switch (code) {
  case MEMPLAN_EXIT_GOAL:
    return 0;
  case MEMPLAN_EXIT_FEASIBLE:
    return 1;
  case MEMPLAN_EXIT_INFEASIBLE:
    return 2;
  case MEMPLAN_EXIT_NO_PLAN:
    return 3;
  case MEMPLAN_EXIT_INTERRUPTED:
    return 5;
  default:
    return 4;
  }
}

memplan_exit memplan_exit_worse(memplan_exit a, memplan_exit b) { return severity(b) > severity(a) ? b : a; }
