// SPDX-License-Identifier: Apache-2.0
#include "eval/grid.h"

#include "eval/json_writer.h"
#include "model/base/grow.h"
#include "model/base/quote.h"

#include <string.h>

enum { WIDTH_LIMIT = 60 };

int32_t memplan_text_width(const char *text) {
  int32_t width = 0;
  memplan_shown shown;
  for (size_t left = strlen(text), step; left > 0; left -= step, text += step) {
    step = memplan_shown_next(text, left, &shown);
    width += shown.width;
  }
  return width;
}

void memplan_text_write(FILE *out, const char *text) {
  memplan_shown shown;
  for (size_t left = strlen(text), step; left > 0; left -= step, text += step) {
    step = memplan_shown_next(text, left, &shown);
    fputs(shown.text, out);
  }
}

static void write_padding(FILE *out, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    fputc(' ', out);
  }
}

static void write_text_cell(FILE *out, const memplan_column *column, const char *cell, bool last) {
  int32_t padding = column->width - memplan_text_width(cell);
  if (column->kind != MEMPLAN_CELL_TEXT) {
    write_padding(out, padding);
  }
  memplan_text_write(out, cell);
  if (column->kind == MEMPLAN_CELL_TEXT && !last) {
    write_padding(out, padding);
  }
  fputs(last ? "\n" : "  ", out);
}

static void write_csv_cell(FILE *out, const char *cell, bool last) {
  if (cell[strcspn(cell, ",\"\r\n")] == '\0' && cell[0] != ' ' && cell[0] != '#') {
    fputs(cell, out);
  } else {
    fputc('"', out);
    for (const char *at = cell; *at != '\0'; at++) {
      if (*at == '"') {
        fputc('"', out);
      }
      fputc(*at, out);
    }
    fputc('"', out);
  }
  fputc(last ? '\n' : ',', out);
}

static void write_md_cell(FILE *out, const char *cell, bool last) {
  fputs(" ", out);
  memplan_shown shown;
  for (size_t left = strlen(cell), step; left > 0; left -= step, cell += step) {
    step = memplan_shown_next(cell, left, &shown);
    if (strchr("|\\<", *cell) != NULL || shown.bytes != step) {
      fputc('\\', out);
    }
    fputs(shown.text, out);
  }
  fputs(last ? " |\n" : " |", out);
}

static void write_cell(FILE *out, memplan_style style, const memplan_column *column, const char *cell, bool last) {
  if (style == MEMPLAN_STYLE_TEXT) {
    write_text_cell(out, column, cell, last);
  } else if (style == MEMPLAN_STYLE_CSV) {
    write_csv_cell(out, cell, last);
  } else {
    write_md_cell(out, cell, last);
  }
}

void memplan_grid_write_head(FILE *out, memplan_style style, const memplan_column *columns, int32_t n_columns) {
  if (style == MEMPLAN_STYLE_JSON) {
    return;
  }
  if (style == MEMPLAN_STYLE_MD) {
    fputc('|', out);
  }
  int32_t last = n_columns - 1;
  while (style == MEMPLAN_STYLE_TEXT && last > 0 && columns[last].title[0] == '\0') {
    last--;
  }
  for (int32_t i = 0; i <= last; i++) {
    const char *name = style == MEMPLAN_STYLE_CSV ? columns[i].key : columns[i].title;
    write_cell(out, style, &columns[i], name, i == last);
  }
  if (style == MEMPLAN_STYLE_MD) {
    for (int32_t i = 0; i < n_columns; i++) {
      fputs(columns[i].kind == MEMPLAN_CELL_TEXT ? "|---" : "|---:", out);
    }
    fputs("|\n", out);
  }
}

void memplan_grid_write_row(FILE *out, memplan_style style, const memplan_column *columns, int32_t n_columns,
                            const char *const *cells) {
  if (style == MEMPLAN_STYLE_JSON) {
    memplan_writer writer = {.out = out};
    memplan_writer_open(&writer, NULL, '{');
    for (int32_t i = 0; i < n_columns; i++) {
      if (columns[i].kind == MEMPLAN_CELL_TEXT) {
        memplan_writer_put_text(&writer, columns[i].key, cells[i]);
      } else {
        memplan_writer_put_number(&writer, columns[i].key, cells[i]);
      }
    }
    memplan_writer_close(&writer, '}');
    fputc('\n', out);
    return;
  }
  if (style == MEMPLAN_STYLE_MD) {
    fputc('|', out);
  }
  // No line of text ends in blanks.
  int32_t last = n_columns - 1;
  while (style == MEMPLAN_STYLE_TEXT && last > 0 && (cells[last] == NULL || cells[last][0] == '\0')) {
    last--;
  }
  for (int32_t i = 0; i <= last; i++) {
    write_cell(out, style, &columns[i], cells[i] == NULL ? "" : cells[i], i == last);
  }
}

bool memplan_grid_init(memplan_grid *grid, const memplan_column *columns, int32_t n_columns) {
  *grid = (memplan_grid){.n_columns = n_columns};
  grid->columns = MEMPLAN_NEW(&grid->arena, memplan_column, n_columns);
  if (grid->columns == NULL) {
    return false;
  }
  memcpy(grid->columns, columns, (size_t)n_columns * sizeof *columns);
  return true;
}

bool memplan_grid_add(memplan_grid *grid, const char *const *cells) {
  const char ***rows = memplan_grow_in(&grid->arena, grid->rows, grid->n_rows, &grid->capacity, sizeof *rows);
  if (rows == NULL) {
    return false;
  }
  grid->rows = rows;
  const char **row = MEMPLAN_NEW(&grid->arena, const char *, grid->n_columns);
  if (row == NULL) {
    return false;
  }
  for (int32_t i = 0; i < grid->n_columns; i++) {
    row[i] = cells[i] == NULL ? NULL : memplan_arena_text(&grid->arena, cells[i], strlen(cells[i]));
    if (cells[i] != NULL && row[i] == NULL) {
      return false;
    }
  }
  grid->rows[grid->n_rows++] = row;
  return true;
}

static void set_widths(memplan_grid *grid) {
  for (int32_t i = 0; i < grid->n_columns; i++) {
    int32_t width = memplan_text_width(grid->columns[i].title);
    for (int32_t r = 0; r < grid->n_rows; r++) {
      int32_t cell = grid->rows[r][i] == NULL ? 0 : memplan_text_width(grid->rows[r][i]);
      if (cell > width && (cell <= WIDTH_LIMIT || grid->line_width > 0)) {
        width = cell;
      }
    }
    if (width > grid->columns[i].width) {
      grid->columns[i].width = width;
    }
  }
}

// The end of the first line of `text`: at a blank, if one comes before the room is used up.
static size_t line_length(const char *text, int32_t room) {
  size_t length = strlen(text), blank = 0;
  int32_t width = 0;
  memplan_shown shown;
  for (size_t at = 0, step; at < length; at += step) {
    step = memplan_shown_next(text + at, length - at, &shown);
    blank = text[at] == ' ' ? at : blank;
    width += shown.width;
    if (width > room && blank > 0) {
      return blank;
    }
  }
  return length;
}

static void write_part(FILE *out, const char *text, size_t length) {
  memplan_shown shown;
  for (size_t at = 0, step; at < length; at += step) {
    step = memplan_shown_next(text + at, length - at, &shown);
    fputs(shown.text, out);
  }
}

static int32_t part_width(const char *text, size_t length) {
  int32_t width = 0;
  memplan_shown shown;
  for (size_t at = 0, step; at < length; at += step) {
    step = memplan_shown_next(text + at, length - at, &shown);
    width += shown.width;
  }
  return width;
}

// A row whose cells take several lines, each within its column.
static void write_broken_row(const memplan_grid *grid, const char **row, FILE *out) {
  for (bool more = true; more;) {
    int32_t padding = 0;
    more = false;
    for (int32_t i = 0; i < grid->n_columns; i++) {
      const memplan_column *column = &grid->columns[i];
      const char *text = row[i] == NULL ? "" : row[i];
      size_t length = line_length(text, column->width);
      int32_t width = part_width(text, length), free_width = column->width > width ? column->width - width : 0;
      bool right = column->kind != MEMPLAN_CELL_TEXT;
      if (length > 0) {
        write_padding(out, padding + (right ? free_width : 0));
        write_part(out, text, length);
        padding = right ? 2 : free_width + 2;
      } else {
        padding += column->width + 2;
      }
      row[i] = text + length + (text[length] == ' ' ? 1 : 0);
      more = more || *row[i] != '\0';
    }
    fputc('\n', out);
  }
}

// No column but the last is wider than this where lines have to end somewhere; the last gets the rest.
static void limit_widths(memplan_grid *grid) {
  enum { MOST = 40, LEAST = 20 };
  int32_t last = grid->n_columns - 1, used = 0;
  for (int32_t i = 0; i < last; i++) {
    grid->columns[i].width = grid->columns[i].width > MOST ? MOST : grid->columns[i].width;
    used += grid->columns[i].width + 2;
  }
  int32_t rest = grid->line_width - used;
  grid->columns[last].width = rest > LEAST ? rest : LEAST;
}

void memplan_grid_write(memplan_grid *grid, FILE *out, memplan_style style) {
  bool broken = style == MEMPLAN_STYLE_TEXT && grid->line_width > 0 && grid->n_columns > 0;
  set_widths(grid);
  if (broken) {
    limit_widths(grid);
  }
  memplan_grid_write_head(out, style, grid->columns, grid->n_columns);
  for (int32_t r = 0; r < grid->n_rows; r++) {
    if (broken) {
      write_broken_row(grid, grid->rows[r], out);
    } else {
      memplan_grid_write_row(out, style, grid->columns, grid->n_columns, grid->rows[r]);
    }
  }
}

void memplan_grid_free(memplan_grid *grid) {
  memplan_arena_free(&grid->arena);
  *grid = (memplan_grid){0};
}
