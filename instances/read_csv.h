// SPDX-License-Identifier: Apache-2.0
// Lifetimes CSV: one buffer a row. One reader for the dialects of MiniMalloc, OmniMalloc and idealloc.
//
// The header names the columns, in any order: id (buffer, buffer_id), lower (begin, start), upper (half-open) or end
// (inclusive), size; and optionally alignment, hint, gaps, offset, kind. gaps: "LOW-HIGH" or "LOW-HIGH@FIRST:LAST",
// separated by spaces: in these times only the bytes [FIRST, LAST) are occupied. A first line "# pool_offset=N" gives
// the base of the arena. Quoting, blank lines and comments: csv_rows.h.
#ifndef MEMPLAN_INSTANCES_READ_CSV_H
#define MEMPLAN_INSTANCES_READ_CSV_H

#include "instances/csv_dialect.h"
#include "model/base/status.h"
#include "model/instance.h"
#include "model/types.h"

#include <stddef.h>

// Fills an initialised instance, which is not resolved yet. `path` names the file in messages, each of which says
// FILE:LINE:COLUMN. *lifetimes: the convention of the file, as the columns or options->lifetimes say. The columns of
// the lifetimes may be missing if options->conflicts_path is given, which is not read here.
//
// The dialects of other planners are read strictly: csv_dialect.h. idealloc's header says nothing, so that its columns
// are taken by position; its three conventions (ExCSV, InExCSV, InCSV) are not marked in the file either: half-open
// unless options->lifetimes says inclusive. MEMPLAN_UNSUPPORTED for vector clocks. Expected time O(length).
memplan_status memplan_csv_parse(const char *text, size_t length, const char *path, memplan_csv_dialect dialect,
                                 const memplan_problem_options *options, memplan_instance *instance,
                                 memplan_lifetimes *lifetimes, memplan_error *error);

#endif
