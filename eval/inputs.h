// SPDX-License-Identifier: Apache-2.0
// Which files a command works on, and where their plans go.
#ifndef MEMPLAN_EVAL_INPUTS_H
#define MEMPLAN_EVAL_INPUTS_H

#include "eval/command.h"

typedef struct memplan_inputs {
  memplan_arena arena;
  const char **paths;
  int32_t n_paths;
  bool single; // exactly one file was named, no folder
  int32_t path_width;
  int32_t n_skipped; // files of folders with the extension of a format that are no problems
} memplan_inputs;

// The arguments; a folder stands for those files in it that are problems (eval/folder_entry.h), by name; -v names the
// others. MEMPLAN_INPUT: a folder without such files, or one that cannot be read.
memplan_status memplan_inputs_collect(memplan_inputs *inputs, memplan_context *context, memplan_error *error);

// The closing lines about all files: how many of a folder were skipped, and which --dim and --shape no file had use
// for.
void memplan_inputs_close(const memplan_inputs *inputs, memplan_context *context);
void memplan_inputs_free(memplan_inputs *inputs);

// The plan's path for each input from `-o`: NULL for none; FILE for a single input; else FOLDER/NAME.plan.json, the
// folder being made if it is missing. MEMPLAN_INPUT: several inputs and no folder, or two of the same name.
memplan_status memplan_inputs_plan_paths(memplan_inputs *inputs, const char *output, const char ***paths,
                                         memplan_error *error);

// Reads one file under the context's settings and prints its warnings. MEMPLAN_INPUT also if the file has not the name
// of a --dim or --shape, unless these are meant for several files.
memplan_status memplan_inputs_read(memplan_context *context, const char *path, memplan_problem *problem,
                                   memplan_error *error);

#endif
