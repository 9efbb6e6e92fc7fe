// SPDX-License-Identifier: Apache-2.0
// Writing a problem, or a problem with its solution, in another format. What the target cannot carry is never dropped
// silently: it is refused by name (MEMPLAN_UNSUPPORTED), or listed as a warning where the result still says the truth.
#ifndef MEMPLAN_INSTANCES_EXPORT_H
#define MEMPLAN_INSTANCES_EXPORT_H

#include "instances/export_report.h"
#include "instances/formats.h"

typedef struct memplan_export_options {
  // Workspace of each operator in bytes with its bodies' planned peaks, for a graph with control flow; NULL: the
  // graph's own, and then a graph with bodies is refused unless the problem ignores them.
  const int64_t *workspace;
} memplan_export_options;

// Writes to `path` ("-": standard output) in `format` (a name or alias of memplan_format_find; NULL: from the path's
// extension; "json" stands for the JSON form of the problem).
//
//   graph-json     needs a graph
//   instance-json  an instance; a graph becomes one on the order of the solution, or without one on the given
//                  order without in-place choices
//   csv formats    the same, with the offsets of the solution if there is one
//   plan-json      needs a solution
//
// `solution` and `options` may be NULL.
memplan_status memplan_export(const memplan_problem *problem, const memplan_solution *solution, const char *format,
                              const memplan_export_options *options, const char *path, memplan_export_report *report,
                              memplan_error *error);

// The same into a malloc'd text.
memplan_status memplan_export_text(const memplan_problem *problem, const memplan_solution *solution, const char *format,
                                   const memplan_export_options *options, char **text, size_t *length,
                                   memplan_export_report *report, memplan_error *error);

#endif
