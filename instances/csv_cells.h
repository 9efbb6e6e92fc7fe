// SPDX-License-Identifier: Apache-2.0
// Typed cells of a lifetimes CSV. What cannot be read is MEMPLAN_INPUT with file, line, column, the cell and a remedy;
// nothing malformed is ever read as 0.
#ifndef MEMPLAN_INSTANCES_CSV_CELLS_H
#define MEMPLAN_INSTANCES_CSV_CELLS_H

#include "instances/csv_rows.h"
#include "model/instance.h"

// A 64-bit decimal integer with an optional sign. `name` tells what it is ("the size").
memplan_status memplan_csv_integer(const memplan_csv_rows *rows, const memplan_csv_cell *cell, const char *name,
                                   int64_t *value, memplan_error *error);

// A time. MEMPLAN_UNSUPPORTED for vector clocks ("3:0").
memplan_status memplan_csv_time(const memplan_csv_rows *rows, const memplan_csv_cell *cell, const char *name,
                                int64_t *value, memplan_error *error);

// Turns an end that belongs to the lifetime into a half-open one, if `inclusive`.
memplan_status memplan_csv_open_end(const memplan_csv_rows *rows, const memplan_csv_cell *cell, bool inclusive,
                                    int64_t *end, memplan_error *error);

// Gaps, separated by white space: LOW-HIGH or LOW-HIGH@FIRST:LAST, for a buffer of `bytes` bytes.
memplan_status memplan_csv_gaps(const memplan_csv_rows *rows, const memplan_csv_cell *cell, bool inclusive,
                                int64_t bytes, memplan_arena *arena, const memplan_gap **gaps, int32_t *n_gaps,
                                memplan_error *error);

// Before the first row: N of a first line "# pool_offset=N", else 0. Other comments mean nothing.
memplan_status memplan_csv_pool_offset(const memplan_csv_rows *rows, int64_t *base, memplan_error *error);

#endif
