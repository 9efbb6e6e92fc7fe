// SPDX-License-Identifier: Apache-2.0
// Texts made from the tables of subcommands, options and exit codes.
#ifndef MEMPLAN_EVAL_HELP_H
#define MEMPLAN_EVAL_HELP_H

#include "eval/command.h"

#include <stdio.h>

// `memplan --help`
void memplan_help_write(FILE *out);
// `memplan COMMAND --help`; all: with -v, which explains the options too that are only named otherwise.
void memplan_help_write_command(const memplan_command *command, bool all, FILE *out);
// The manual page memplan.1, in troff.
void memplan_manual_write(FILE *out);
// Completion for bash: subcommands, options, their values, file names.
void memplan_completion_write(FILE *out);

#endif
