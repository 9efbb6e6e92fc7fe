// SPDX-License-Identifier: Apache-2.0
// What `solve` and `bench` say about one file, whatever the form: text block, table row or JSON object.
#ifndef MEMPLAN_EVAL_SUMMARY_H
#define MEMPLAN_EVAL_SUMMARY_H

#include "eval/exit_code.h"
#include "eval/grid.h"
#include "eval/json_writer.h"
#include "eval/numbers.h"
#include "eval/settings.h"
#include "model/memplan.h"

#include <stdio.h>

typedef struct memplan_summary {
  const char *path;
  const memplan_problem *problem;   // NULL: the file could not be read
  const memplan_solution *solution; // NULL: not solved
  const memplan_settings *settings;
  memplan_status status;
  const char *error;        // message if status is not MEMPLAN_OK
  int64_t time_us;          // from opening the file to the verified plan
  int64_t certificate_us;   // of writing the certificate
  bool has_free_space;      // measured
  memplan_ratio free_space; // fragmentation of the plan at its worst step
  bool certified;           // a certificate was asked for, and is
  memplan_certificate certificate;
} memplan_summary;

// Was the run interrupted, and the problem so large that it would keep the user waiting to measure what the report
// alone needs? The free space is left out then.
bool memplan_summary_is_short(const memplan_summary *summary);

// Measures what the solution does not hold and JSON shows: the fragmentation of the free space. MEMPLAN_NOMEM only.
memplan_status memplan_summary_measure(memplan_summary *summary, memplan_error *error);

// The file's own exit code: goal, feasible, infeasible, no plan, interrupted, or that of its error.
memplan_exit memplan_summary_exit(const memplan_summary *summary);

// Does the plan fit the capacity asked for (true if none was)?
bool memplan_summary_fits(const memplan_summary *summary);

// Does the problem have reuse penalties? If so: those that the plan, which there must be, incurs.
bool memplan_summary_has_reuse(const memplan_summary *summary);
int64_t memplan_summary_reuse_cost(const memplan_summary *summary);

// "greedy-peak+first-fit-size", "first-fit-size" for a placement problem, "" without a plan. Returns `text`.
const char *memplan_summary_method(const memplan_summary *summary, char *text, size_t size);

// JSON keys in their fixed order, without the braces, so that bench can add its own.
void memplan_summary_write_keys(const memplan_summary *summary, memplan_writer *writer);

// One JSON object on one line; a file that failed has the key `error` too.
void memplan_summary_write_json(const memplan_summary *summary, FILE *out);

// Table rows. `path_width`: of the longest path to come.
enum { MEMPLAN_SUMMARY_COLUMNS = 15 };
void memplan_summary_columns(memplan_style style, int32_t path_width, memplan_column columns[MEMPLAN_SUMMARY_COLUMNS],
                             int32_t *n_columns);
void memplan_summary_write_row(const memplan_summary *summary, memplan_style style, const memplan_column *columns,
                               int32_t n_columns, FILE *out);

// The block for one file. MEMPLAN_NOMEM only.
memplan_status memplan_summary_write_text(const memplan_summary *summary, bool verbose, FILE *out,
                                          memplan_error *error);

#endif
