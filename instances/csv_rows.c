// SPDX-License-Identifier: Apache-2.0
// Cells point into the source; only a quoted cell with doubled quotes is copied.
#include "instances/csv_rows.h"

#include "model/base/grow.h"
#include "model/base/quote.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Columns of characters between two places of one line.
static int64_t count_characters(const char *from, const char *to) {
  int64_t count = 0;
  for (; from < to; from++) {
    count += ((unsigned char)*from & 0xC0) != 0x80 ? 1 : 0;
  }
  return count;
}

int64_t memplan_csv_column(const memplan_csv_cell *cell) { return count_characters(cell->line_start, cell->start) + 1; }

memplan_status memplan_csv_fail(const memplan_csv_rows *rows, const memplan_csv_cell *cell, memplan_status status,
                                memplan_error *error, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return memplan_fail(error, status, "%s:%lld:%lld: '%s' %s", rows->name, (long long)cell->line,
                      (long long)memplan_csv_column(cell), memplan_quote_bytes(cell->text, cell->length).text, text);
}

static memplan_status fail_encoding(const char *name, const char *encoding, memplan_error *error) {
  return memplan_fail(error, MEMPLAN_INPUT, "%s:1:1: the text is encoded in %s; save it as UTF-8", name, encoding);
}

static memplan_status check_marks(const char *text, size_t length, const char *name, memplan_error *error) {
  if (length >= 4 && memcmp(text, "\xFF\xFE\0\0", 4) == 0) {
    return fail_encoding(name, "UTF-32 (little-endian)", error);
  }
  if (length >= 4 && memcmp(text, "\0\0\xFE\xFF", 4) == 0) {
    return fail_encoding(name, "UTF-32 (big-endian)", error);
  }
  if (length >= 2 && memcmp(text, "\xFF\xFE", 2) == 0) {
    return fail_encoding(name, "UTF-16 (little-endian)", error);
  }
  if (length >= 2 && memcmp(text, "\xFE\xFF", 2) == 0) {
    return fail_encoding(name, "UTF-16 (big-endian)", error);
  }
  return MEMPLAN_OK;
}

static memplan_status check_encoding(const char *text, size_t length, const char *name, memplan_error *error) {
  MEMPLAN_TRY(check_marks(text, length, name, error));
  int64_t line = 1;
  const char *line_start = text;
  for (size_t i = 0; i < length;) {
    size_t step = memplan_utf8_length(text + i, length - i);
    if (step == 0 || text[i] == '\0') {
      long long column = (long long)(count_characters(line_start, text + i) + 1);
      return step == 0
                 ? memplan_fail(error, MEMPLAN_INPUT,
                                "%s:%lld:%lld: byte 0x%02X is not UTF-8; convert the file to UTF-8", name,
                                (long long)line, column, (unsigned char)text[i])
                 : memplan_fail(error, MEMPLAN_INPUT,
                                "%s:%lld:%lld: NUL byte: this is no text, or it is encoded in UTF-16; save it as UTF-8",
                                name, (long long)line, column);
    }
    i += step;
    if (text[i - step] == '\n' || (text[i - step] == '\r' && (i >= length || text[i] != '\n'))) {
      line++;
      line_start = text + i;
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_csv_rows_init(memplan_csv_rows *rows, const char *text, size_t length, const char *name,
                                     memplan_error *error) {
  memset(rows, 0, sizeof *rows);
  rows->name = name;
  MEMPLAN_TRY(check_encoding(text, length, name, error));
  size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  rows->next = text + mark;
  rows->end = text + length;
  rows->line_start = rows->next;
  rows->line = 1;
  return MEMPLAN_OK;
}

void memplan_csv_rows_free(memplan_csv_rows *rows) {
  free(rows->cells);
  memplan_arena_free(&rows->arena);
  rows->cells = NULL;
  rows->n_cells = 0;
  rows->capacity = 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static bool is_break(char c) { return c == '\n' || c == '\r'; }

// Steps over a line break at `place`, one of LF, CR, CRLF.
static const char *skip_break(memplan_csv_rows *rows, const char *place) {
  place += place[0] == '\r' && place + 1 < rows->end && place[1] == '\n' ? 2 : 1;
  rows->line++;
  rows->line_start = place;
  return place;
}

// Goes to the start of the next line that holds cells; false at the end.
static bool find_row(memplan_csv_rows *rows) {
  while (rows->next < rows->end) {
    const char *place = rows->next;
    while (place < rows->end && is_blank(*place)) {
      place++;
    }
    if (place < rows->end && *place == '#') {
      while (place < rows->end && !is_break(*place)) {
        place++;
      }
    }
    if (place < rows->end && !is_break(*place)) {
      return true;
    }
    rows->next = place < rows->end ? skip_break(rows, place) : place;
  }
  return false;
}

static memplan_csv_cell *add_cell(memplan_csv_rows *rows, const char *start) {
  memplan_csv_cell *cells =
      rows->n_cells < INT32_MAX ? memplan_grow_heap(rows->cells, rows->n_cells, &rows->capacity, sizeof *cells) : NULL;
  if (cells == NULL) {
    return NULL;
  }
  rows->cells = cells;
  memplan_csv_cell *cell = &rows->cells[rows->n_cells++];
  *cell = (memplan_csv_cell){start, 0, rows->line, rows->line_start, start};
  return cell;
}

// Reads a cell in quotes; `place` is behind the opening one. Stores where the cell ends in *place.
static memplan_status read_quoted(memplan_csv_rows *rows, memplan_csv_cell *cell, const char **place,
                                  memplan_error *error) {
  const char *start = *place;
  const char *at = start;
  size_t doubled = 0;
  for (;;) {
    if (at >= rows->end) {
      cell->length = rows->end > cell->start ? (size_t)(rows->end - cell->start) : 0;
      return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error,
                              "opens a quote that is never closed; add the closing \"");
    }
    if (*at == '"') {
      if (at + 1 >= rows->end || at[1] != '"') {
        break;
      }
      doubled++;
      at += 2;
    } else {
      at = is_break(*at) ? skip_break(rows, at) : at + 1;
    }
  }
  cell->text = start;
  cell->length = (size_t)(at - start);
  *place = at + 1;
  if (doubled == 0) {
    return MEMPLAN_OK;
  }
  char *copy = memplan_arena_alloc(&rows->arena, cell->length - doubled + 1, 1);
  if (copy == NULL) {
    return memplan_fail_nomem(error);
  }
  size_t used = 0;
  for (const char *from = start; from < at; from++) {
    copy[used++] = *from;
    from += *from == '"' ? 1 : 0;
  }
  cell->text = copy;
  cell->length = used;
  return MEMPLAN_OK;
}

// Reads one cell from `place` on; stores where it ends (at a comma, a line break or the end of the text).
static memplan_status read_cell(memplan_csv_rows *rows, const char **place, memplan_error *error) {
  const char *at = *place;
  while (at < rows->end && is_blank(*at)) {
    at++;
  }
  memplan_csv_cell *cell = add_cell(rows, at);
  if (cell == NULL) {
    return memplan_fail_nomem(error);
  }
  if (at < rows->end && *at == '"') {
    at++;
    MEMPLAN_TRY(read_quoted(rows, cell, &at, error));
    while (at < rows->end && is_blank(*at)) {
      at++;
    }
    if (at < rows->end && *at != ',' && !is_break(*at)) {
      return memplan_csv_fail(
          rows, cell, MEMPLAN_INPUT, error,
          "is followed by more text behind its closing quote; double the quotes inside a quoted cell");
    }
  } else {
    while (at < rows->end && *at != ',' && !is_break(*at)) {
      at++;
    }
    const char *last = at;
    while (last > cell->start && is_blank(last[-1])) {
      last--;
    }
    cell->length = (size_t)(last - cell->start);
  }
  *place = at;
  return MEMPLAN_OK;
}

memplan_status memplan_csv_rows_next(memplan_csv_rows *rows, bool *found, memplan_error *error) {
  rows->n_cells = 0;
  memplan_arena_release(&rows->arena, (memplan_arena_mark){NULL, 0});
  *found = find_row(rows);
  if (!*found) {
    return MEMPLAN_OK;
  }
  const char *place = rows->next;
  for (;;) {
    MEMPLAN_TRY(read_cell(rows, &place, error));
    if (place >= rows->end || *place != ',') {
      break;
    }
    place++;
  }
  rows->next = place < rows->end ? skip_break(rows, place) : place;
  return MEMPLAN_OK;
}
