// SPDX-License-Identifier: Apache-2.0
// Files: read whole, whatever they are; written so that a failure leaves the old file as it was.
#ifndef MEMPLAN_BASE_FILE_H
#define MEMPLAN_BASE_FILE_H

#include "model/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Does the path end so (".json"), and is more than that?
bool memplan_file_ends_with(const char *path, const char *end);

// Opens a file for reading, "-" being standard input. Directories and what the system refuses are MEMPLAN_INPUT with
// its reason; messages name no path, the caller prefixes it. memplan_file_close leaves standard input open.
memplan_status memplan_file_open(const char *path, FILE **file, memplan_error *error);
void memplan_file_close(FILE *file);

// Reads from the current position to the end; works on pipes. *text is malloc'd, with a zero after `length` bytes.
// Memory grows with the bytes that arrive; more than 2^40 of them are MEMPLAN_INPUT, and more than 2^30 from what is no
// regular file and may have no end.
memplan_status memplan_file_read(FILE *file, char **text, size_t *length, memplan_error *error);

// Opens, reads and closes; messages begin with the path.
memplan_status memplan_file_load(const char *path, char **text, size_t *length, memplan_error *error);

// Writes a whole file. "-" and /dev/stdout are standard output; devices, FIFOs and sockets are written directly;
// everything else under a temporary name in the same folder, which is renamed once it is complete and on disk. Symbolic
// links are followed, also to a file that is not there yet; the permissions of an existing file are kept. Failures
// (full disk, closed pipe, short write, no permission) are MEMPLAN_IO and name the path. A closed pipe is reported only
// to programs that ignore SIGPIPE.
memplan_status memplan_file_write(const char *path, const char *text, size_t length, memplan_error *error);

// A stretch of a source file.
typedef struct memplan_file_piece {
  int64_t offset, length;
} memplan_file_piece;

// memplan_file_write of pieces of a regular file that is open for reading, one after the other, without holding them in
// memory. MEMPLAN_IO too if the source ends early.
memplan_status memplan_file_copy(const char *path, FILE *source, const memplan_file_piece *pieces, int64_t n_pieces,
                                 memplan_error *error);

// The same in two steps, so that several files can appear together or not at all: a draft is the file under its
// temporary name, complete and on disk; committing it renames it, dropping it removes it. What is written directly has
// no draft (`temporary` NULL) and is written by memplan_file_write; memplan_file_is_direct tells it.
typedef struct memplan_draft {
  char *temporary, *target; // malloc'd
  const char *path;         // as given: borrowed
} memplan_draft;
bool memplan_file_is_direct(const char *path);
memplan_status memplan_file_draft(memplan_draft *draft, const char *path, const char *text, size_t length,
                                  memplan_error *error);
memplan_status memplan_file_commit(memplan_draft *draft, memplan_error *error); // drops the draft if that fails
void memplan_file_drop(memplan_draft *draft);

// Why memplan_file_write would fail, as far as that shows before there is anything to write: no such folder, a folder
// of this name, no permission. Makes and changes nothing.
memplan_status memplan_file_check(const char *path, memplan_error *error);

// The path that a chain of symbolic links ends in, whether there is a file or not; `path` itself if it is no link.
// malloc'd, or NULL with errno set.
char *memplan_file_target(const char *path);

#endif
