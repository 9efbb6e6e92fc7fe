// SPDX-License-Identifier: Apache-2.0
// Result lines of `bench`: one JSON object each, with the keys of `solve --format json` and, after them, instance,
// order, place, options, limits and error.
#ifndef MEMPLAN_EVAL_RESULTS_H
#define MEMPLAN_EVAL_RESULTS_H

#include "eval/summary.h"
#include "model/base/names.h"

// An option of the problem, or a limit of the search, with its value as text.
typedef struct memplan_result_setting {
  const char *key, *value;
  bool of_problem;
} memplan_result_setting;

typedef struct memplan_result_line {
  const char *instance, *order, *place, *status, *error; // order, place, error may be NULL
  int64_t ops, buffers, peak, lower_bound, naive_bytes;  // -1: null
  int64_t time_us;
  const char *fingerprint; // of the problem, or NULL
  memplan_result_setting *settings;
  int32_t n_settings;
  const char *variant;         // settings that not all lines share, "work=5 without=nogoods"; "" if there is none
  const char *problem_variant; // those of the problem alone; both are set by memplan_variants_find
  bool comparable;             // the bound holds for every method: it is no bound for one order alone
} memplan_result_line;

typedef struct memplan_results {
  memplan_arena arena;
  memplan_result_line *lines;
  int32_t n_lines;
  int64_t capacity;
} memplan_results;

// Adds the lines of a text. MEMPLAN_INPUT names path and line of what is no result line.
memplan_status memplan_results_parse(memplan_results *results, const char *path, const char *text, size_t length,
                                     memplan_error *error);
// Leaves out that a file could not be read where later lines are of the same file: by then it had been mended, or was
// read with other options. MEMPLAN_NOMEM is the only failure.
memplan_status memplan_results_drop_outdated(memplan_results *results, memplan_error *error);
void memplan_results_free(memplan_results *results);

// A run that bench makes. Written as a line it gets a key, under which a later bench finds it done.
typedef struct memplan_run {
  const memplan_summary *summary;
  const char *order, *place; // NULL: the file could not be read, or (order) it is a placement problem
} memplan_run;

void memplan_run_write(const memplan_run *run, FILE *out);

// Instance, fingerprint, methods and limits of a run, of a file that could not be read the error too; malloc'd, NULL if
// memory is out.
char *memplan_run_key(const memplan_run *run);

// How much of a text is whole lines: all of it, unless it ends in the torn line that a killed bench left.
size_t memplan_results_whole(const char *text, size_t length);

// The keys of all lines of a text, for memplan_names, checked as memplan_results_parse does. Keys live in `arena`.
memplan_status memplan_results_keys(const char *path, const char *text, size_t length, memplan_arena *arena,
                                    memplan_names *keys, memplan_error *error);

#endif
