// SPDX-License-Identifier: Apache-2.0
// The descriptor of a file format: how it is told, read and written. The descriptors, one for each format_*.c or
// dialect in it, stand in the one list of formats.c; a new format is its file, its line here and its line there.
#ifndef MEMPLAN_INSTANCES_FORMAT_H
#define MEMPLAN_INSTANCES_FORMAT_H

#include "instances/export_report.h"
#include "model/memplan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum memplan_format_kind {
  MEMPLAN_FORMAT_GRAPH = 0, // operators and tensors
  MEMPLAN_FORMAT_INSTANCE,  // buffers with lifetimes
  MEMPLAN_FORMAT_PLAN
} memplan_format_kind;

// The first bytes of a file.
typedef struct memplan_head {
  const char *bytes;
  size_t length;
  size_t start; // where a text begins: behind a byte order mark and white space
  bool text;    // there are bytes, and no control characters among them
  bool wide;    // they begin with the mark of UTF-16 or UTF-32
} memplan_head;

// One file on its way to a problem.
typedef struct memplan_source {
  const char *path; // shortened, as messages show it
  const char *name; // of the format as the caller gave it, or NULL
  const memplan_problem_options *options;
  memplan_problem *problem;
  memplan_error *error;
} memplan_source;

// One problem on its way to a text.
typedef struct memplan_export_job {
  const memplan_problem *problem;
  const memplan_solution *solution; // with a plan, or NULL
  const int64_t *workspace;         // by operator, or NULL: memplan_export_options
  // for formats of kind INSTANCE
  const memplan_instance *instance; // the problem's own, or what its graph became
  const int64_t *offset;            // by buffer, of the solution; NULL without one
  bool inclusive;                   // the problem's lifetimes are
  char **conflicts;                 // instead of lifetimes, as a text: memplan_export_options; or NULL
  // result
  char **text; // malloc'd
  size_t *length;
  memplan_export_report *report; // or NULL
  memplan_error *error;
} memplan_export_job;

typedef struct memplan_file_format {
  const char *name;
  const char *aliases;     // accepted instead of the name, separated by spaces
  const char *description; // one line
  const char *extensions;  // with dots, separated by spaces; the first one is the usual
  const char *carries;     // what the format can hold, one line
  memplan_format_kind kind;

  // Does a file of this format begin so? NULL: content does not tell it.
  bool (*sniff)(const memplan_head *head);
  // Reads a whole text into an empty problem and resolves it. Messages begin with source->path. NULL: problems are not
  // read from this format.
  memplan_status (*read)(const memplan_source *source, const char *text, size_t length);
  // The same from a stream, for files that can be larger than memory. NULL: they are read whole.
  memplan_status (*read_stream)(const memplan_source *source, FILE *file);
  // Counts what the file holds, also where `read` would refuse it. NULL: it is read and counted.
  memplan_status (*survey)(const memplan_source *source, FILE *file, memplan_survey *survey);
  // Writes the job's text, or refuses by name what the format cannot carry. NULL: memplan does not write it.
  memplan_status (*write)(const memplan_export_job *job);
} memplan_file_format;

extern const memplan_file_format memplan_format_onnx;
extern const memplan_file_format memplan_format_dsa;
extern const memplan_file_format memplan_format_graph_json;
extern const memplan_file_format memplan_format_instance_json;
extern const memplan_file_format memplan_format_csv;
extern const memplan_file_format memplan_format_omnimalloc;
extern const memplan_file_format memplan_format_idealloc;
extern const memplan_file_format memplan_format_glow;
extern const memplan_file_format memplan_format_plan_json;

// ---- what the descriptors' functions share

// Puts the source's path before the message of a failure. Returns `status`.
memplan_status memplan_source_prefix(const memplan_source *source, memplan_status status);

memplan_status memplan_source_fail_empty(const memplan_source *source);

// The format of a file that is open at its start, where it stays: the one that the caller named, else what its first
// bytes and its name tell; MEMPLAN_UNSUPPORTED if they do not. NULL if the file is a pipe, from which nothing is taken.
memplan_status memplan_source_peek(const memplan_source *source, FILE *file, const memplan_file_format **format);

// MEMPLAN_INPUT if the options give conflicts, which only instances take.
memplan_status memplan_source_refuse_conflicts(const memplan_source *source);

// Adds --conflicts, applies --pin-space, resolves the graph or instance that was read, and makes warnings of that
// errors under --strict.
memplan_status memplan_source_finish_graph(const memplan_source *source);
memplan_status memplan_source_finish_instance(const memplan_source *source);

// Makes the value, with a line end, the job's text, and takes it over; NULL is memory that ran out.
memplan_status memplan_export_store_json(const memplan_export_job *job, struct json_t *value);

#endif
