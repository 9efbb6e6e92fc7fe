// SPDX-License-Identifier: Apache-2.0
// From parsed options to what the library takes.
#ifndef MEMPLAN_EVAL_SETTINGS_H
#define MEMPLAN_EVAL_SETTINGS_H

#include "eval/grid.h"
#include "model/base/json.h"
#include "model/base/options.h"
#include "model/memplan.h"

typedef struct memplan_settings {
  memplan_arena arena;
  memplan_listed_order listed; // what --order names, if it is a file
  memplan_plan start;          // of --start
  memplan_problem_options problem;
  memplan_solve_options solve; // limits.cancel and limits.progress are left to the caller
  const char *from, *to;       // formats, or NULL
  const char *method;          // as --method names it, or NULL
  const char *solution;        // a file, or NULL
  memplan_style style;
  bool style_given;
  const char *output, *plot, *certificate, *conflicts_out; // or NULL
  int64_t certificate_limit, program_limit;                // bytes
  int64_t device_memory;                                   // 0: not given
} memplan_settings;

// Reads every option that the command has. MEMPLAN_INPUT: NAME=N, INPUT=1x3 or A,B,C is malformed.
memplan_status memplan_settings_read(memplan_settings *settings, const memplan_options *options, memplan_error *error);

// The problem options that a plan or certificate was made with (its `problem`), overridden by those that were given.
memplan_status memplan_settings_adopt(memplan_settings *settings, const json_t *problem, const memplan_options *options,
                                      memplan_error *error);

// Sets the capacity to the one in a plan's `problem`, or to none.
memplan_status memplan_settings_own_capacity(memplan_settings *settings, const json_t *problem, memplan_error *error);

void memplan_settings_free(memplan_settings *settings);

#endif
