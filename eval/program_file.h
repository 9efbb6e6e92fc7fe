// SPDX-License-Identifier: Apache-2.0
// Files of integer programs: formats of `convert --to` beside those of problems and plans.
#ifndef MEMPLAN_EVAL_PROGRAM_FILE_H
#define MEMPLAN_EVAL_PROGRAM_FILE_H

#include "eval/command.h"
#include "solvers/ilp_export.h"

typedef struct memplan_program_format {
  const char *name, *extension, *description, *carries;
  memplan_ilp_syntax syntax;
} memplan_program_format;

// By index from 0, NULL after the last.
const memplan_program_format *memplan_program_format_at(int32_t index);
// The format that `to` names or, if it is NULL, that the extension of `path` (may be NULL) tells. NULL: another one.
const memplan_program_format *memplan_program_format_for(const char *to, const char *path);

// Writes the program of the settings' method to their output.
memplan_status memplan_program_write(memplan_context *context, const memplan_problem *problem,
                                     const memplan_program_format *format, memplan_error *error);
// Reads the settings' solution file into an empty solution; messages begin with its path.
memplan_status memplan_program_read(memplan_context *context, const memplan_problem *problem,
                                    memplan_solution *solution, memplan_error *error);

#endif
