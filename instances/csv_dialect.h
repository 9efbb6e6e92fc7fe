// SPDX-License-Identifier: Apache-2.0
// The dialects of lifetimes CSV, and what those of other planners ask of a row beyond its form.
//
//   lifetimes   MiniMalloc's, with memplan's liberties: read_csv.h
//   omnimalloc  columns of exactly these names: id,lower,upper,size[,offset][,kind]; sizes of at least 1, times of at
//               least 0, no empty lifetime; an offset is blank or at least 0; kind is WORKSPACE, CONSTANT, INPUT,
//               OUTPUT or blank. Source: OmniMalloc's io.py
//   idealloc    columns by position id,lower,upper,size[,offset], unsigned decimal numbers, ids of 32 bits. Source:
//               idealloc's readers
#ifndef MEMPLAN_INSTANCES_CSV_DIALECT_H
#define MEMPLAN_INSTANCES_CSV_DIALECT_H

#include "instances/csv_columns.h"
#include "model/instance.h"

typedef enum memplan_csv_dialect {
  MEMPLAN_CSV_LIFETIMES = 0,
  MEMPLAN_CSV_OMNIMALLOC,
  MEMPLAN_CSV_IDEALLOC,
  MEMPLAN_CSV_SIZES // written alone: lifetimes without lower and upper, beside a file of conflicts
} memplan_csv_dialect;

// The header that `rows` holds: MEMPLAN_INPUT for columns that the dialect calls otherwise or does not know although
// they would change the problem.
memplan_status memplan_csv_dialect_check_header(memplan_csv_dialect dialect, const memplan_csv_columns *columns,
                                                const memplan_csv_rows *rows, memplan_error *error);

// The row that `rows` holds, which became `buffer`. MEMPLAN_INPUT, with line and column, for what the dialect forbids.
memplan_status memplan_csv_dialect_check_row(memplan_csv_dialect dialect, const memplan_csv_columns *columns,
                                             const memplan_csv_rows *rows, const memplan_buffer *buffer,
                                             memplan_error *error);

#endif
