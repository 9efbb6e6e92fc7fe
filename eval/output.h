// SPDX-License-Identifier: Apache-2.0
// Where data goes: standard output as it comes, or a file that appears only when it is complete.
#ifndef MEMPLAN_EVAL_OUTPUT_H
#define MEMPLAN_EVAL_OUTPUT_H

#include "model/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct memplan_output {
  FILE *file;       // to write to
  const char *path; // NULL: standard output
  char *text;       // of a file: what was written so far
  size_t length;
} memplan_output;

// `path` NULL or "-": standard output.
memplan_status memplan_output_open(memplan_output *output, const char *path, memplan_error *error);

// Hands over what was written so far. MEMPLAN_IO if that failed.
memplan_status memplan_output_flush(memplan_output *output, memplan_error *error);

// Flushes standard output, or writes the file, and frees everything.
memplan_status memplan_output_close(memplan_output *output, memplan_error *error);

// Around the writing of a file in one piece: a signal in between takes effect afterwards, so that no temporary file
// remains. Pipes and devices, which can block, are not waited for. Returns what resume has to be told.
bool memplan_output_defer(const char *path);
void memplan_output_resume(bool deferred);

// A file that is complete in memory.
typedef struct memplan_whole_file {
  const char *path; // "-": standard output
  const char *text;
  size_t length;
} memplan_whole_file;

// Writes all files or, as far as that can be, none: first what is written directly (pipes, devices, standard output),
// then all others under temporary names, which are renamed once all are complete. If one of these fails after others,
// the message says so. At most 4 files.
memplan_status memplan_output_write_all(const memplan_whole_file *files, int32_t n_files, memplan_error *error);

// Frees everything and writes no file.
void memplan_output_drop(memplan_output *output);

#endif
