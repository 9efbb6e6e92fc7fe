// SPDX-License-Identifier: Apache-2.0
#include "instances/csv_dialect.h"

#include "model/base/quote.h"

#include <string.h>

static bool is_word(const memplan_csv_cell *cell, const char *word) {
  return strlen(word) == cell->length && memcmp(word, cell->text, cell->length) == 0;
}

static const memplan_csv_cell *cell_of(const memplan_csv_columns *columns, const memplan_csv_rows *rows,
                                       memplan_csv_field field) {
  return columns->of[field] >= 0 ? &rows->cells[columns->of[field]] : NULL;
}

memplan_status memplan_csv_dialect_check_header(memplan_csv_dialect dialect, const memplan_csv_columns *columns,
                                                const memplan_csv_rows *rows, memplan_error *error) {
  static const struct {
    memplan_csv_field field;
    const char *name; // NULL: the dialect has no such column
  } rules[] = {{MEMPLAN_CSV_ID, "id"},        {MEMPLAN_CSV_LOWER, "lower"}, {MEMPLAN_CSV_UPPER, "upper"},
               {MEMPLAN_CSV_ALIGNMENT, NULL}, {MEMPLAN_CSV_GAPS, NULL},     {MEMPLAN_CSV_HINT, NULL}};
  for (size_t i = 0; dialect == MEMPLAN_CSV_OMNIMALLOC && i < sizeof rules / sizeof rules[0]; i++) {
    const memplan_csv_cell *cell = cell_of(columns, rows, rules[i].field);
    if (cell != NULL && rules[i].name == NULL) {
      return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error,
                              "is a column that OmniMalloc does not have; read the file as csv, or drop the column");
    }
    if (cell != NULL && !is_word(cell, rules[i].name)) {
      return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error,
                              "is not what OmniMalloc calls this column; name it '%s', or read the file as csv",
                              rules[i].name);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_omnimalloc(const memplan_csv_columns *columns, const memplan_csv_rows *rows,
                                       const memplan_buffer *buffer, memplan_error *error) {
  static const char *const kinds[] = {"WORKSPACE", "CONSTANT", "INPUT", "OUTPUT"};
  if (buffer->bytes < 1) {
    return memplan_csv_fail(rows, cell_of(columns, rows, MEMPLAN_CSV_SIZE), MEMPLAN_INPUT, error,
                            "as a size is below 1, which OmniMalloc does not accept; read the file as csv");
  }
  if (buffer->n_live > 0 && buffer->live[0].start < 0) {
    return memplan_csv_fail(rows, cell_of(columns, rows, MEMPLAN_CSV_LOWER), MEMPLAN_INPUT, error,
                            "as a time is below 0, which OmniMalloc does not accept; read the file as csv");
  }
  if (buffer->n_live > 0 && buffer->live[0].start >= buffer->live[0].end) {
    return memplan_csv_fail(rows, cell_of(columns, rows, MEMPLAN_CSV_UPPER), MEMPLAN_INPUT, error,
                            "ends a lifetime that is empty, which OmniMalloc does not accept; read the file as csv");
  }
  const memplan_csv_cell *offset = cell_of(columns, rows, MEMPLAN_CSV_OFFSET);
  if (offset != NULL && offset->length > 0 && buffer->offset < 0) {
    return memplan_csv_fail(rows, offset, MEMPLAN_INPUT, error,
                            "as an offset is below 0; leave the cell empty for a buffer without one");
  }
  const memplan_csv_cell *kind = cell_of(columns, rows, MEMPLAN_CSV_KIND);
  bool known = kind == NULL || kind->length == 0;
  for (size_t i = 0; !known && i < sizeof kinds / sizeof kinds[0]; i++) {
    known = is_word(kind, kinds[i]);
  }
  return known ? MEMPLAN_OK
               : memplan_csv_fail(rows, kind, MEMPLAN_INPUT, error,
                                  "is no kind; it must be WORKSPACE, CONSTANT, INPUT, OUTPUT or empty");
}

static bool is_32_bit(const memplan_csv_cell *cell) {
  uint64_t value = 0;
  for (size_t i = 0; i < cell->length; i++) {
    if (cell->text[i] < '0' || cell->text[i] > '9') {
      return false;
    }
    value = value * 10 + (uint64_t)(cell->text[i] - '0');
    if (value > UINT32_MAX) {
      return false;
    }
  }
  // With zeros in front, equal numbers would be different ids.
  return cell->length > 0 && (cell->length == 1 || cell->text[0] != '0');
}

static memplan_status check_idealloc(const memplan_csv_columns *columns, const memplan_csv_rows *rows,
                                     const memplan_buffer *buffer, memplan_error *error) {
  static const memplan_csv_field unsigned_fields[] = {MEMPLAN_CSV_LOWER, MEMPLAN_CSV_UPPER, MEMPLAN_CSV_SIZE,
                                                      MEMPLAN_CSV_OFFSET};
  const memplan_csv_cell *id = cell_of(columns, rows, MEMPLAN_CSV_ID);
  (void)buffer;
  if (!is_32_bit(id)) {
    return memplan_csv_fail(rows, id, MEMPLAN_INPUT, error,
                            "is no id of idealloc, which must be a number from 0 to 4294967295; number the buffers, or "
                            "read the file as csv with a header that names the columns");
  }
  for (size_t i = 0; i < sizeof unsigned_fields / sizeof unsigned_fields[0]; i++) {
    const memplan_csv_cell *cell = cell_of(columns, rows, unsigned_fields[i]);
    if (cell != NULL && cell->length > 0 && cell->text[0] == '-') {
      return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error, "has a sign; idealloc's numbers are unsigned");
    }
    if (cell != NULL && cell->length == 0) {
      return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error, "is an empty cell; idealloc needs a number there");
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_csv_dialect_check_row(memplan_csv_dialect dialect, const memplan_csv_columns *columns,
                                             const memplan_csv_rows *rows, const memplan_buffer *buffer,
                                             memplan_error *error) {
  switch (dialect) {
  case MEMPLAN_CSV_OMNIMALLOC:
    return check_omnimalloc(columns, rows, buffer, error);
  case MEMPLAN_CSV_IDEALLOC:
    return check_idealloc(columns, rows, buffer, error);
  case MEMPLAN_CSV_LIFETIMES:
  case MEMPLAN_CSV_SIZES:
    break;
  }
  return MEMPLAN_OK;
}
