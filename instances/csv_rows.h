// SPDX-License-Identifier: Apache-2.0
// Rows of a CSV text by RFC 4180: quoted cells may hold commas, line breaks and doubled quotes. Beyond the RFC: lines
// end in LF, CR or CRLF, a byte order mark is skipped, cells outside quotes are trimmed of spaces and tabs, blank lines
// and lines whose first visible character is `#` are skipped. The text must be UTF-8 without NUL.
#ifndef MEMPLAN_INSTANCES_CSV_ROWS_H
#define MEMPLAN_INSTANCES_CSV_ROWS_H

#include "model/base/arena.h"
#include "model/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct memplan_csv_cell {
  const char *text; // `length` bytes, not closed by a zero; valid until the next row
  size_t length;
  int64_t line;           // of its first character, from 1
  const char *line_start; // and where that line and the cell start in the source
  const char *start;
} memplan_csv_cell;

typedef struct memplan_csv_rows {
  const char *name; // of the file, for messages
  const char *next, *end;
  const char *line_start;
  int64_t line;
  memplan_csv_cell *cells; // the row
  int32_t n_cells;
  int64_t capacity;
  memplan_arena arena; // unescaped cells of the row
} memplan_csv_rows;

// Checks the encoding of the whole text first, so that cells are UTF-8. The text must outlive the rows.
memplan_status memplan_csv_rows_init(memplan_csv_rows *rows, const char *text, size_t length, const char *name,
                                     memplan_error *error);
void memplan_csv_rows_free(memplan_csv_rows *rows);

// Reads the next row; *found is false at the end. Linear in its length.
memplan_status memplan_csv_rows_next(memplan_csv_rows *rows, bool *found, memplan_error *error);

// Where the cell starts in its line, in characters from 1.
int64_t memplan_csv_column(const memplan_csv_cell *cell);

// "FILE:LINE:COLUMN: '…' message", with columns counted in characters from 1.
memplan_status memplan_csv_fail(const memplan_csv_rows *rows, const memplan_csv_cell *cell, memplan_status status,
                                memplan_error *error, const char *format, ...) MEMPLAN_PRINTF(5, 6);

#endif
