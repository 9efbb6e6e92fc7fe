// SPDX-License-Identifier: Apache-2.0
#include "instances/csv_columns.h"

#include "model/base/quote.h"

#include <stdio.h>
#include <string.h>

typedef struct column_name {
  const char *name;
  memplan_csv_field field;
} column_name;

static const column_name names[] = {
    {"id", MEMPLAN_CSV_ID},         {"buffer", MEMPLAN_CSV_ID},
    {"buffer_id", MEMPLAN_CSV_ID},  {"lower", MEMPLAN_CSV_LOWER},
    {"begin", MEMPLAN_CSV_LOWER},   {"start", MEMPLAN_CSV_LOWER},
    {"upper", MEMPLAN_CSV_UPPER},   {"end", MEMPLAN_CSV_UPPER},
    {"size", MEMPLAN_CSV_SIZE},     {"alignment", MEMPLAN_CSV_ALIGNMENT},
    {"hint", MEMPLAN_CSV_HINT},     {"gaps", MEMPLAN_CSV_GAPS},
    {"offset", MEMPLAN_CSV_OFFSET}, {"kind", MEMPLAN_CSV_KIND},
};

static const char *const required[] = {
    [MEMPLAN_CSV_ID] = "id (or buffer, buffer_id)",
    [MEMPLAN_CSV_LOWER] = "lower (or begin, start)",
    [MEMPLAN_CSV_UPPER] = "upper (or end)",
    [MEMPLAN_CSV_SIZE] = "size",
};

static const column_name *find_name(const memplan_csv_cell *cell) {
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strlen(names[i].name) == cell->length && memcmp(names[i].name, cell->text, cell->length) == 0) {
      return &names[i];
    }
  }
  return NULL;
}

// The header as it was found, for messages.
static void list_header(const memplan_csv_rows *rows, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int32_t i = 0; i < rows->n_cells && used < size; i++) {
    int count = snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                         memplan_quote_bytes(rows->cells[i].text, rows->cells[i].length).text);
    used += count > 0 ? (size_t)count : 0;
  }
}

static memplan_status fail_missing(const memplan_csv_columns *columns, const memplan_csv_rows *rows,
                                   memplan_csv_field field, memplan_error *error) {
  char header[320];
  list_header(rows, header, sizeof header);
  const memplan_csv_cell *first = &rows->cells[0];
  const char *remedy = "the first row must name the columns, case and all";
  if (rows->n_cells == 1 && memchr(first->text, ';', first->length) != NULL) {
    remedy = "cells must be separated by commas, not by semicolons";
  } else if (rows->n_cells == 1 && memchr(first->text, '\t', first->length) != NULL) {
    remedy = "cells must be separated by commas, not by tabs";
  } else if (columns->of[MEMPLAN_CSV_LOWER] < 0 && columns->of[MEMPLAN_CSV_UPPER] < 0 &&
             columns->of[MEMPLAN_CSV_SIZE] >= 0) {
    remedy = "sizes without lifetimes need --conflicts FILE, a CSV of the pairs of ids that may not share memory";
  }
  return memplan_fail(error, MEMPLAN_INPUT, "%s:%lld:1: no column %s; the header is: %s; %s", rows->name,
                      (long long)first->line, required[field], header, remedy);
}

static memplan_status fail_repeated(const memplan_csv_rows *rows, const memplan_csv_cell *cell,
                                    const memplan_csv_cell *before, memplan_error *error) {
  bool same = cell->length == before->length && memcmp(cell->text, before->text, cell->length) == 0;
  if (same) {
    return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error, "names a second column of this name; keep one of them");
  }
  return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error, "and the column '%s' mean the same; keep one of them",
                          memplan_quote_bytes(before->text, before->length).text);
}

// Unknown columns are compared with each other too.
static const memplan_csv_cell *find_same(const memplan_csv_rows *rows, int32_t count, const memplan_csv_cell *cell) {
  enum { compared_columns = 256 };
  for (int32_t i = 0; i < count && i < compared_columns; i++) {
    const memplan_csv_cell *other = &rows->cells[i];
    if (other->length == cell->length && memcmp(other->text, cell->text, cell->length) == 0) {
      return other;
    }
  }
  return NULL;
}

static memplan_status read_column(memplan_csv_columns *columns, const memplan_csv_rows *rows, int32_t index,
                                  memplan_remarks *remarks, memplan_error *error) {
  const memplan_csv_cell *cell = &rows->cells[index];
  const column_name *name = find_name(cell);
  if (name == NULL) {
    const memplan_csv_cell *same = find_same(rows, index, cell);
    if (same != NULL && cell->length > 0) {
      return fail_repeated(rows, cell, same, error);
    }
    return memplan_remarks_warn(remarks, MEMPLAN_REMARK_KEY, error, "%s:%lld:%lld: unknown column '%s' is ignored",
                                rows->name, (long long)cell->line, (long long)memplan_csv_column(cell),
                                memplan_quote_bytes(cell->text, cell->length).text);
  }
  if (columns->of[name->field] >= 0) {
    return fail_repeated(rows, cell, &rows->cells[columns->of[name->field]], error);
  }
  columns->of[name->field] = index;
  if (name->field == MEMPLAN_CSV_UPPER) {
    columns->end_is_inclusive = strcmp(name->name, "end") == 0;
  }
  return MEMPLAN_OK;
}

memplan_status memplan_csv_columns_read(memplan_csv_columns *columns, const memplan_csv_rows *rows,
                                        bool conflicts_given, memplan_remarks *remarks, memplan_error *error) {
  columns->count = rows->n_cells;
  columns->end_is_inclusive = false;
  for (int field = 0; field < MEMPLAN_CSV_FIELDS; field++) {
    columns->of[field] = -1;
  }
  for (int32_t i = 0; i < rows->n_cells; i++) {
    MEMPLAN_TRY(read_column(columns, rows, i, remarks, error));
  }
  bool without_life = conflicts_given && columns->of[MEMPLAN_CSV_LOWER] < 0 && columns->of[MEMPLAN_CSV_UPPER] < 0;
  for (int field = 0; field < (int)(sizeof required / sizeof required[0]); field++) {
    bool left_out = without_life && (field == MEMPLAN_CSV_LOWER || field == MEMPLAN_CSV_UPPER);
    if (columns->of[field] < 0 && !left_out) {
      return fail_missing(columns, rows, (memplan_csv_field)field, error);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_csv_columns_by_position(memplan_csv_columns *columns, const memplan_csv_rows *rows,
                                               memplan_error *error) {
  static const memplan_csv_field fields[] = {MEMPLAN_CSV_ID, MEMPLAN_CSV_LOWER, MEMPLAN_CSV_UPPER, MEMPLAN_CSV_SIZE,
                                             MEMPLAN_CSV_OFFSET};
  if (rows->n_cells != 4 && rows->n_cells != 5) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "%s:%lld:1: idealloc's columns are id, lower, upper, size and perhaps offset; here are %d",
                        rows->name, (long long)rows->cells[0].line, (int)rows->n_cells);
  }
  for (int32_t field = 0; field < MEMPLAN_CSV_FIELDS; field++) {
    columns->of[field] = -1;
  }
  for (int32_t column = 0; column < rows->n_cells; column++) {
    columns->of[fields[column]] = column;
  }
  columns->count = rows->n_cells;
  columns->end_is_inclusive = false;
  return MEMPLAN_OK;
}
