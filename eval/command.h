// SPDX-License-Identifier: Apache-2.0
// Subcommands: one descriptor each, in one list from which dispatch, help, manual page and completion are made.
#ifndef MEMPLAN_EVAL_COMMAND_H
#define MEMPLAN_EVAL_COMMAND_H

#include "eval/console.h"
#include "eval/exit_code.h"
#include "eval/settings.h"
#include "model/base/options.h"

#include <stdint.h>

typedef struct memplan_context {
  const struct memplan_command *command;
  memplan_options options; // parsed
  memplan_settings settings;
  memplan_console console;
  const volatile int *cancel;
} memplan_context;

typedef struct memplan_command {
  const char *name;
  uint32_t bit;          // in memplan_option.commands
  const char *arguments; // "FILE…"
  int32_t min_arguments, max_arguments;
  const char *summary; // one line
  const char *details; // paragraphs
  const char *example; // a command line
  memplan_exit (*run)(memplan_context *context);
} memplan_command;

// NULL-terminated.
const memplan_command *const *memplan_commands(void);
const memplan_command *memplan_command_find(const char *name);

extern const memplan_command memplan_command_solve;
extern const memplan_command memplan_command_info;
extern const memplan_command memplan_command_bound;
extern const memplan_command memplan_command_verify;
extern const memplan_command memplan_command_convert;
extern const memplan_command memplan_command_bench;
extern const memplan_command memplan_command_table;
extern const memplan_command memplan_command_list;
extern const memplan_command memplan_command_check;
extern const memplan_command memplan_command_gen;
extern const memplan_command memplan_command_explain;

// Prints the failure of a call on stderr and gives its exit code.
memplan_exit memplan_context_fail(memplan_context *context, memplan_status status, const memplan_error *error);

#endif
