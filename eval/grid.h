// SPDX-License-Identifier: Apache-2.0
// Tables of text cells in the forms of --format: aligned text, JSON (one object a line), CSV (RFC 4180), Markdown.
#ifndef MEMPLAN_EVAL_GRID_H
#define MEMPLAN_EVAL_GRID_H

#include "model/base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum memplan_style {
  MEMPLAN_STYLE_TEXT = 0,
  MEMPLAN_STYLE_JSON,
  MEMPLAN_STYLE_CSV,
  MEMPLAN_STYLE_MD
} memplan_style;

typedef enum memplan_cell_kind {
  MEMPLAN_CELL_TEXT = 0, // left
  MEMPLAN_CELL_NUMBER    // right; in JSON a number, so that the cell must read as one there
} memplan_cell_kind;

typedef struct memplan_column {
  const char *key;   // name in JSON and CSV
  const char *title; // heading in text and Markdown
  memplan_cell_kind kind;
  int32_t width; // least width in text
} memplan_column;

// Row by row, for output that grows while work goes on. A cell that is NULL is empty (JSON: null). Control characters
// never reach a table of text or Markdown; they are written out as model/base/quote.h says.
void memplan_grid_write_head(FILE *out, memplan_style style, const memplan_column *columns, int32_t n_columns);
void memplan_grid_write_row(FILE *out, memplan_style style, const memplan_column *columns, int32_t n_columns,
                            const char *const *cells);

// Collected rows, so that columns are as wide as their cells.
typedef struct memplan_grid {
  memplan_arena arena;
  memplan_column *columns;
  const char ***rows;
  int32_t n_columns, n_rows;
  int64_t capacity;
  int32_t
      line_width; // of text: cells are broken so that lines end there, if words let them; 0, as after init: no limit
} memplan_grid;

// False if memory is out. `columns` are copied, cells too.
bool memplan_grid_init(memplan_grid *grid, const memplan_column *columns, int32_t n_columns);
bool memplan_grid_add(memplan_grid *grid, const char *const *cells);
void memplan_grid_write(memplan_grid *grid, FILE *out, memplan_style style);
void memplan_grid_free(memplan_grid *grid);

// A text with its control characters written out, as in messages.
void memplan_text_write(FILE *out, const char *text);

// Columns that this takes on a terminal: code points of UTF-8.
int32_t memplan_text_width(const char *text);

#endif
