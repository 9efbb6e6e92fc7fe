// SPDX-License-Identifier: Apache-2.0
// Everything that goes to stderr: errors, warnings, the log of a solve (-v) and the progress line of a terminal.
#ifndef MEMPLAN_EVAL_CONSOLE_H
#define MEMPLAN_EVAL_CONSOLE_H

#include "model/base/compiler.h"
#include "model/method.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct memplan_console {
  FILE *out;
  bool colour;   // stderr is a terminal and NO_COLOR is not set
  bool progress; // a progress line: stderr is a terminal, neither -q nor --no-progress
  bool quiet;    // errors only
  bool verbose;
  bool line_shown;            // the progress line is on the screen
  int64_t start_us, shown_us; // of the running solve; of the last progress line, or line of the log
  bool head_shown;            // of the log
  int64_t best, bound;        // in the last line of the log; best < 0: none yet
  int64_t best_order;         // order peak of the best order in the log; 0: none yet
  const char *label;          // what is worked on: "[3/50] resnet50.onnx"
} memplan_console;

void memplan_console_init(memplan_console *console, FILE *out, bool quiet, bool verbose, bool no_progress);

// "memplan: error: …", "memplan: warning: …", "memplan: note: …"; warnings and notes only if not quiet.
void memplan_console_error(memplan_console *console, const char *format, ...) MEMPLAN_PRINTF(2, 3);
void memplan_console_warn(memplan_console *console, const char *format, ...) MEMPLAN_PRINTF(2, 3);
void memplan_console_note(memplan_console *console, const char *format, ...) MEMPLAN_PRINTF(2, 3);

// The first warnings of a file, all with -v; the rest is counted.
void memplan_console_warnings(memplan_console *console, const char *path, const char *const *warnings, int32_t n);

// Around the work on one file. `label` has to live until the end.
void memplan_console_begin(memplan_console *console, const char *label);
void memplan_console_end(memplan_console *console);

// For memplan_limits.progress; `context` is the console. The log gets a line for each improvement and one about every
// five seconds.
void memplan_console_progress(void *context, const memplan_progress *now);
#endif
