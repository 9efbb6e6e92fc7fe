// SPDX-License-Identifier: Apache-2.0
// Rows are collected in a growing array (so that memory follows the rows that are really there) and moved into the
// instance's arena at the end; ids are checked, or made unique, in one pass over an index.
#include "instances/read_csv.h"

#include "instances/csv_cells.h"
#include "instances/csv_columns.h"
#include "instances/csv_rows.h"
#include "instances/remarks.h"
#include "model/base/grow.h"
#include "model/base/names.h"
#include "model/base/number.h"
#include "model/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One file being read.
enum { MOST_ROWS = INT32_MAX / 2 };

typedef struct parse {
  memplan_csv_rows rows;
  memplan_csv_columns columns;
  memplan_remarks remarks;
  const memplan_problem_options *options;
  memplan_instance *instance;
  memplan_buffer *buffers;
  int32_t n_buffers;
  int64_t capacity;
  bool inclusive;
  memplan_csv_dialect dialect;
  bool has_offset, has_hint; // in some row
  memplan_error *error;
} parse;

static const memplan_csv_cell *cell_of(const parse *p, memplan_csv_field field) {
  int32_t column = p->columns.of[field];
  return column >= 0 ? &p->rows.cells[column] : NULL;
}

// Notes where the cells stand, for messages that come when the row is gone.
static void note_cells(const parse *p, memplan_buffer *buffer) {
  static const memplan_csv_field fields[MEMPLAN_CELLS] = {[MEMPLAN_CELL_ID] = MEMPLAN_CSV_ID,
                                                          [MEMPLAN_CELL_LIVE] = MEMPLAN_CSV_UPPER,
                                                          [MEMPLAN_CELL_GAPS] = MEMPLAN_CSV_GAPS,
                                                          [MEMPLAN_CELL_PIN] = MEMPLAN_CSV_OFFSET,
                                                          [MEMPLAN_CELL_ALIGN] = MEMPLAN_CSV_ALIGNMENT};
  int64_t line = p->rows.cells[0].line;
  buffer->row = line <= INT32_MAX ? (int32_t)line : 0;
  for (int cell = 0; cell < MEMPLAN_CELLS; cell++) {
    const memplan_csv_cell *found = cell_of(p, fields[cell]);
    int64_t column = found != NULL && found->line == line ? memplan_csv_column(found) : 0;
    buffer->column[cell] = column <= INT32_MAX ? (int32_t)column : 0;
  }
}

static memplan_status read_id(const parse *p, memplan_buffer *buffer) {
  const memplan_csv_cell *cell = cell_of(p, MEMPLAN_CSV_ID);
  if (cell->length == 0) {
    return memplan_csv_fail(&p->rows, cell, MEMPLAN_INPUT, p->error, "is an empty cell; each buffer needs an id");
  }
  buffer->id = memplan_arena_text(&p->instance->arena, cell->text, cell->length);
  return buffer->id != NULL ? MEMPLAN_OK : memplan_fail_nomem(p->error);
}

static memplan_status read_life(const parse *p, memplan_buffer *buffer) {
  const memplan_csv_cell *upper = cell_of(p, MEMPLAN_CSV_UPPER);
  if (upper == NULL) {
    return MEMPLAN_OK; // explicit conflicts take the place of lifetimes
  }
  memplan_interval *live = MEMPLAN_NEW(&p->instance->arena, memplan_interval, 1);
  if (live == NULL) {
    return memplan_fail_nomem(p->error);
  }
  MEMPLAN_TRY(memplan_csv_time(&p->rows, cell_of(p, MEMPLAN_CSV_LOWER), "the lower end", &live->start, p->error));
  MEMPLAN_TRY(memplan_csv_time(&p->rows, upper, "the upper end", &live->end, p->error));
  if (live->start > live->end) {
    return memplan_csv_fail(&p->rows, upper, MEMPLAN_INPUT, p->error,
                            "as the upper end lies before the lower end %lld; exchange them or correct the row",
                            (long long)live->start);
  }
  buffer->live = live;
  buffer->n_live = 1;
  return memplan_csv_open_end(&p->rows, upper, p->inclusive, &live->end, p->error);
}

static memplan_status read_sizes(const parse *p, memplan_buffer *buffer) {
  const memplan_csv_cell *cell = cell_of(p, MEMPLAN_CSV_SIZE);
  MEMPLAN_TRY(memplan_csv_integer(&p->rows, cell, "the size", &buffer->bytes, p->error));
  if (buffer->bytes < 0 || buffer->bytes > MEMPLAN_SIZE_LIMIT) {
    return memplan_csv_fail(&p->rows, cell, MEMPLAN_INPUT, p->error, "as a size is outside 0 … 2^62 bytes");
  }
  buffer->align = 1;
  cell = cell_of(p, MEMPLAN_CSV_ALIGNMENT);
  if (cell == NULL) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_csv_integer(&p->rows, cell, "the alignment", &buffer->align, p->error));
  if (buffer->align < 1 || buffer->align >= MEMPLAN_SIZE_LIMIT) {
    return memplan_csv_fail(&p->rows, cell, MEMPLAN_INPUT, p->error,
                            "as an alignment is outside 1 … 2^62 - 1; write 1 where there is none");
  }
  return MEMPLAN_OK;
}

static memplan_status read_offset(parse *p, memplan_buffer *buffer) {
  const memplan_csv_cell *cell = cell_of(p, MEMPLAN_CSV_OFFSET);
  buffer->offset = -1;
  buffer->pin = -1;
  if (cell == NULL || cell->length == 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_csv_integer(&p->rows, cell, "the offset", &buffer->offset, p->error));
  if (buffer->offset < -1 || buffer->offset > MEMPLAN_OFFSET_LIMIT) {
    return memplan_csv_fail(
        &p->rows, cell, MEMPLAN_INPUT, p->error,
        "as an offset is outside 0 … 2^61; leave the cell empty, or write -1, for a buffer without one");
  }
  p->has_offset = p->has_offset || buffer->offset >= 0;
  if (p->options->pin_offsets) {
    buffer->pin = buffer->offset;
  }
  return MEMPLAN_OK;
}

static memplan_status read_hint(parse *p, memplan_buffer *buffer) {
  const memplan_csv_cell *cell = cell_of(p, MEMPLAN_CSV_HINT);
  buffer->hint = -1;
  if (cell == NULL || cell->length == 0) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(memplan_csv_integer(&p->rows, cell, "the hint", &buffer->hint, p->error));
  if (buffer->hint < 0) {
    buffer->hint = -1;
  } else {
    p->has_hint = true;
  }
  return MEMPLAN_OK;
}

static memplan_status read_gaps(const parse *p, memplan_buffer *buffer) {
  const memplan_csv_cell *cell = cell_of(p, MEMPLAN_CSV_GAPS);
  if (cell == NULL) {
    return MEMPLAN_OK;
  }
  return memplan_csv_gaps(&p->rows, cell, p->inclusive, buffer->bytes, &p->instance->arena, &buffer->gaps,
                          &buffer->n_gaps, p->error);
}

static memplan_status check_width(const parse *p) {
  const memplan_csv_cell *first = &p->rows.cells[0];
  if (p->rows.n_cells == p->columns.count) {
    return MEMPLAN_OK;
  }
  return memplan_csv_fail(&p->rows, first, MEMPLAN_INPUT, p->error,
                          "starts a row of %d cells where the header has %d; quote cells that hold commas",
                          p->rows.n_cells, p->columns.count);
}

static memplan_status add_row(parse *p) {
  MEMPLAN_TRY(check_width(p));
  if (p->n_buffers >= MOST_ROWS) {
    return memplan_csv_fail(&p->rows, &p->rows.cells[0], MEMPLAN_INPUT, p->error,
                            "is one row more than memplan can hold");
  }
  memplan_buffer *buffers = memplan_grow_heap(p->buffers, p->n_buffers, &p->capacity, sizeof *buffers);
  if (buffers == NULL) {
    return memplan_fail_nomem(p->error);
  }
  p->buffers = buffers;
  memplan_buffer buffer = {0};
  note_cells(p, &buffer);
  MEMPLAN_TRY(read_id(p, &buffer));
  MEMPLAN_TRY(read_life(p, &buffer));
  MEMPLAN_TRY(read_sizes(p, &buffer));
  MEMPLAN_TRY(read_gaps(p, &buffer));
  MEMPLAN_TRY(read_offset(p, &buffer));
  MEMPLAN_TRY(read_hint(p, &buffer));
  MEMPLAN_TRY(memplan_csv_dialect_check_row(p->dialect, &p->columns, &p->rows, &buffer, p->error));
  p->buffers[p->n_buffers++] = buffer;
  return MEMPLAN_OK;
}

// ---- ids

static memplan_status fail_repeated_id(const parse *p, const memplan_buffer *first, const memplan_buffer *second) {
  return memplan_fail(
      p->error, MEMPLAN_INPUT,
      "%s:%d:%d: id '%s' is also that of line %d, column %d; ids must be unique (--dup-ids rename numbers "
      "them)",
      p->rows.name, second->row, second->column[MEMPLAN_CELL_ID], memplan_quote(second->id).text, first->row,
      first->column[MEMPLAN_CELL_ID]);
}

// Gives the buffer the first of "ID#2", "ID#3", … that no other buffer has. `last`: the number tried last for this id.
static memplan_status rename_buffer(parse *p, memplan_names *names, int32_t index, int32_t *last) {
  memplan_buffer *buffer = &p->buffers[index];
  size_t size = strlen(buffer->id) + 16;
  char *id = memplan_arena_alloc(&p->instance->arena, size, 1);
  if (id == NULL) {
    return memplan_fail_nomem(p->error);
  }
  int32_t taken = 0;
  do {
    *last += 1;
    (void)snprintf(id, size, "%s#%d", buffer->id, *last);
    taken = memplan_names_add(names, id, index);
  } while (taken >= 0);
  if (taken == -2) {
    return memplan_fail_nomem(p->error);
  }
  memplan_remarks counted = p->remarks;
  counted.strict = false; // it was asked for
  memplan_status status = memplan_remarks_warn(
      &counted, MEMPLAN_REMARK_NAME, p->error, "%s:%d:%d: id '%s' is repeated and becomes '%s'", p->rows.name,
      buffer->row, buffer->column[MEMPLAN_CELL_ID], memplan_quote(buffer->id).text, memplan_quote(id).text);
  counted.strict = p->remarks.strict;
  p->remarks = counted;
  buffer->id = id;
  return status;
}

// All ids as they stand come first, so that only repeated ones are renamed.
static memplan_status index_ids(parse *p, memplan_names *names, int32_t *repeats) {
  for (int32_t i = 0; i < p->n_buffers; i++) {
    int32_t before = memplan_names_add(names, p->buffers[i].id, i);
    if (before == -2) {
      return memplan_fail_nomem(p->error);
    }
    repeats[i] = before;
    if (before >= 0 && !p->options->rename_dups) {
      return fail_repeated_id(p, &p->buffers[before], &p->buffers[i]);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_ids(parse *p) {
  memplan_names names = {0};
  memplan_arena scratch = {0};
  int32_t *repeats = MEMPLAN_NEW(&scratch, int32_t, p->n_buffers); // the first buffer of the same id, or -1
  int32_t *last = MEMPLAN_NEW(&scratch, int32_t, p->n_buffers);
  memplan_status status =
      repeats != NULL && last != NULL ? index_ids(p, &names, repeats) : memplan_fail_nomem(p->error);
  for (int32_t i = 0; status == MEMPLAN_OK && i < p->n_buffers; i++) {
    if (repeats[i] >= 0) {
      int32_t *number = &last[repeats[i]];
      *number = *number == 0 ? 1 : *number;
      status = rename_buffer(p, &names, i, number);
    }
  }
  memplan_arena_free(&scratch);
  memplan_names_free(&names);
  return status;
}

// ---- the file

static memplan_status set_pool(parse *p) {
  int64_t base = 0;
  MEMPLAN_TRY(memplan_csv_pool_offset(&p->rows, &base, p->error));
  if (base == 0) {
    return MEMPLAN_OK;
  }
  p->instance->pools = MEMPLAN_NEW(&p->instance->arena, memplan_pool, 1);
  if (p->instance->pools == NULL) {
    return memplan_fail_nomem(p->error);
  }
  p->instance->pools[0] = (memplan_pool){.id = "arena", .capacity = -1, .base = base};
  p->instance->n_pools = 1;
  return MEMPLAN_OK;
}

static memplan_status choose_lifetimes(parse *p, memplan_lifetimes *lifetimes) {
  memplan_lifetimes named = p->columns.end_is_inclusive ? MEMPLAN_LIFETIMES_INCLUSIVE : MEMPLAN_LIFETIMES_HALF_OPEN;
  *lifetimes = p->options->lifetimes != MEMPLAN_LIFETIMES_AUTO ? p->options->lifetimes : named;
  p->inclusive = *lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE;
  if (*lifetimes == named) {
    return MEMPLAN_OK;
  }
  p->instance->lifetimes_forced = true;
  return memplan_remarks_note(&p->remarks, p->error,
                              "%s: lifetimes are read as %s, as asked for, although the column is named '%s'",
                              p->rows.name, p->inclusive ? "inclusive" : "half-open", p->inclusive ? "upper" : "end");
}

static memplan_status note_columns(parse *p) {
  if (p->columns.of[MEMPLAN_CSV_KIND] >= 0) {
    MEMPLAN_TRY(memplan_remarks_note(&p->remarks, p->error, "%s: the column 'kind' is information and changes nothing",
                                     p->rows.name));
  }
  if (p->has_hint) {
    MEMPLAN_TRY(memplan_remarks_note(&p->remarks, p->error, "%s: the column 'hint' is kept, but no method uses it",
                                     p->rows.name));
  }
  if (p->has_offset && !p->options->pin_offsets) {
    MEMPLAN_TRY(memplan_remarks_note(
        &p->remarks, p->error,
        "%s: the column 'offset' is kept for checking: a plan does not start from it unless --pin is given",
        p->rows.name));
  }
  if (!p->has_offset && p->options->pin_offsets) {
    MEMPLAN_TRY(
        memplan_remarks_warn(&p->remarks, MEMPLAN_REMARK_OTHER, p->error, "%s: no offsets to pin", p->rows.name));
  }
  return memplan_remarks_finish(&p->remarks, p->error);
}

static memplan_status read_rows(parse *p, memplan_lifetimes *lifetimes) {
  bool found = false;
  MEMPLAN_TRY(memplan_csv_rows_next(&p->rows, &found, p->error));
  if (!found) {
    return memplan_fail(p->error, MEMPLAN_INPUT,
                        "%s:1:1: no header; the first row must name the columns, as in id,lower,upper,size",
                        p->rows.name);
  }
  if (p->dialect == MEMPLAN_CSV_IDEALLOC) {
    MEMPLAN_TRY(memplan_csv_columns_by_position(&p->columns, &p->rows, p->error));
  } else {
    bool conflicts_given = p->options->conflicts_path != NULL && p->dialect == MEMPLAN_CSV_LIFETIMES;
    MEMPLAN_TRY(memplan_csv_columns_read(&p->columns, &p->rows, conflicts_given, &p->remarks, p->error));
    MEMPLAN_TRY(memplan_csv_dialect_check_header(p->dialect, &p->columns, &p->rows, p->error));
  }
  MEMPLAN_TRY(choose_lifetimes(p, lifetimes));
  for (;;) {
    MEMPLAN_TRY(memplan_csv_rows_next(&p->rows, &found, p->error));
    if (!found) {
      break;
    }
    MEMPLAN_TRY(add_row(p));
  }
  MEMPLAN_TRY(check_ids(p));
  p->instance->buffers = MEMPLAN_NEW(&p->instance->arena, memplan_buffer, p->n_buffers);
  if (p->instance->buffers == NULL) {
    return memplan_fail_nomem(p->error);
  }
  if (p->n_buffers > 0) {
    memcpy(p->instance->buffers, p->buffers, (size_t)p->n_buffers * sizeof *p->buffers);
  }
  p->instance->n_buffers = p->n_buffers;
  return note_columns(p);
}

static memplan_status parse_text(parse *p, const char *text, size_t length, const char *path,
                                 memplan_lifetimes *lifetimes) {
  p->remarks.instance = p->instance;
  p->remarks.strict = p->options->strict;
  memplan_status status = memplan_csv_rows_init(&p->rows, text, length, path, p->error);
  if (status == MEMPLAN_OK) {
    status = set_pool(p);
  }
  if (status == MEMPLAN_OK) {
    status = read_rows(p, lifetimes);
  }
  free(p->buffers);
  memplan_csv_rows_free(&p->rows);
  return status;
}

memplan_status memplan_csv_parse(const char *text, size_t length, const char *path, memplan_csv_dialect dialect,
                                 const memplan_problem_options *options, memplan_instance *instance,
                                 memplan_lifetimes *lifetimes, memplan_error *error) {
  parse p = {.options = options, .instance = instance, .error = error, .dialect = dialect};
  return parse_text(&p, text, length, path, lifetimes);
}
