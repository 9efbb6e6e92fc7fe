// SPDX-License-Identifier: Apache-2.0
// The header of a lifetimes CSV: which column holds what.
#ifndef MEMPLAN_INSTANCES_CSV_COLUMNS_H
#define MEMPLAN_INSTANCES_CSV_COLUMNS_H

#include "instances/csv_rows.h"
#include "instances/remarks.h"

typedef enum memplan_csv_field {
  MEMPLAN_CSV_ID = 0,
  MEMPLAN_CSV_LOWER,
  MEMPLAN_CSV_UPPER,
  MEMPLAN_CSV_SIZE,
  MEMPLAN_CSV_ALIGNMENT,
  MEMPLAN_CSV_HINT,
  MEMPLAN_CSV_GAPS,
  MEMPLAN_CSV_OFFSET,
  MEMPLAN_CSV_KIND,
  MEMPLAN_CSV_FIELDS
} memplan_csv_field;

typedef struct memplan_csv_columns {
  int32_t of[MEMPLAN_CSV_FIELDS]; // column of each field, or -1
  int32_t count;                  // columns of the file
  bool end_is_inclusive;          // the upper end stands in a column `end`
} memplan_csv_columns;

// Reads the header row that `rows` holds. Missing, repeated and contradicting columns are MEMPLAN_INPUT; unknown ones
// are warnings. `conflicts_given`: the columns of the lifetimes may both be missing.
memplan_status memplan_csv_columns_read(memplan_csv_columns *columns, const memplan_csv_rows *rows,
                                        bool conflicts_given, memplan_remarks *remarks, memplan_error *error);

// Columns by position: id, lower, upper, size and perhaps offset. MEMPLAN_INPUT for another number of cells.
memplan_status memplan_csv_columns_by_position(memplan_csv_columns *columns, const memplan_csv_rows *rows,
                                               memplan_error *error);

#endif
