// SPDX-License-Identifier: Apache-2.0
// The one list of file formats that memplan reads and writes. memplan_read, memplan_plan_read and memplan_plan_write
// (model/memplan.h) are implemented on it.
#ifndef MEMPLAN_INSTANCES_FORMATS_H
#define MEMPLAN_INSTANCES_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/memplan.h"

typedef enum memplan_format_kind {
  MEMPLAN_FORMAT_GRAPH = 0, // operators and tensors
  MEMPLAN_FORMAT_INSTANCE,  // buffers with lifetimes
  MEMPLAN_FORMAT_PLAN
} memplan_format_kind;

typedef struct memplan_file_format {
  const char *name;
  const char *aliases;     // accepted instead of the name, separated by spaces
  const char *description; // one line
  const char *extensions;  // with dots, separated by spaces; the first one is the usual
  const char *carries;     // what the format can hold, one line
  memplan_format_kind kind;
  bool reads, writes;
} memplan_file_format;

int32_t memplan_format_count(void);
const memplan_file_format *memplan_format_at(int32_t index);

// By name or alias; NULL if there is none.
const memplan_file_format *memplan_format_find(const char *name);

// The format of a file from its first `length` bytes and, where these leave it open, from its name (NULL: unknown).
// NULL if neither tells.
const memplan_file_format *memplan_format_detect(const char *head, size_t length, const char *path);

// memplan_read on a text in memory; `path` is used in messages, for the extension and as problem->path.
memplan_status memplan_read_text(const char *text, size_t length, const char *path, const char *format,
                                 const memplan_problem_options *options, memplan_problem *problem,
                                 memplan_error *error);

// memplan_plan_read on a text in memory.
memplan_status memplan_plan_read_text(const char *text, size_t length, const char *path, bool strict,
                                      memplan_plan *plan, memplan_error *error);

#endif
