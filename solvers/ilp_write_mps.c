// SPDX-License-Identifier: Apache-2.0
// MPS goes by columns, so that the terms are sorted by them first. All bounds are written, as readers differ in what an
// integer column has without.
#include "solvers/ilp_write.h"

#include "model/base/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct entry {
  int32_t row;
  int64_t factor;
} entry;

// The entries of column k are entries[first[k]] … entries[first[k + 1] - 1].
static bool sort_by_columns(const memplan_ilp *model, memplan_arena *arena, int64_t **first, entry **entries) {
  int64_t *start = MEMPLAN_NEW(arena, int64_t, (int64_t)model->n_columns + 2);
  *entries = MEMPLAN_NEW(arena, entry, model->n_terms);
  if (start == NULL || *entries == NULL) {
    return false;
  }
  for (int64_t t = 0; t < model->n_terms; t++) {
    start[model->terms[t].column + 2]++;
  }
  for (int32_t k = 0; k < model->n_columns; k++) {
    start[k + 2] += start[k + 1];
  }
  for (int32_t row = 0; row < model->n_rows; row++) {
    for (int32_t t = 0; t < model->rows[row].n_terms; t++) {
      const memplan_ilp_term *term = &model->terms[model->rows[row].first + t];
      (*entries)[start[term->column + 1]++] = (entry){row, term->factor};
    }
  }
  *first = start;
  return true;
}

static void write_rows(const memplan_ilp *model, FILE *out) {
  fputs("ROWS\n N cost\n", out);
  for (int32_t k = 0; k < model->n_rows; k++) {
    const memplan_ilp_row *row = &model->rows[k];
    bool lower = row->lower != -MEMPLAN_ILP_NONE, upper = row->upper != MEMPLAN_ILP_NONE;
    fprintf(out, " %c %s\n", lower && upper && row->lower == row->upper ? 'E' : lower ? 'G' : 'L', row->name);
  }
}

static void write_columns(const memplan_ilp *model, const int64_t *first, const entry *entries, FILE *out) {
  bool integers = false;
  int markers = 0;
  fputs("COLUMNS\n", out);
  for (int32_t k = 0; k < model->n_columns; k++) {
    const memplan_ilp_column *column = &model->columns[k];
    if ((column->kind != MEMPLAN_ILP_CONTINUOUS) != integers) {
      integers = !integers;
      fprintf(out, " M%d 'MARKER' '%s'\n", markers++, integers ? "INTORG" : "INTEND");
    }
    if (column->cost != 0 || first[k] == first[k + 1]) {
      fprintf(out, " %s cost %" PRId64 "\n", column->name, column->cost);
    }
    for (int64_t t = first[k]; t < first[k + 1]; t++) {
      fprintf(out, " %s %s %" PRId64 "\n", column->name, model->rows[entries[t].row].name, entries[t].factor);
    }
  }
  if (integers) {
    fprintf(out, " M%d 'MARKER' 'INTEND'\n", markers);
  }
}

static void write_sides(const memplan_ilp *model, FILE *out) {
  fputs("RHS\n", out);
  for (int32_t k = 0; k < model->n_rows; k++) {
    const memplan_ilp_row *row = &model->rows[k];
    int64_t side = row->lower != -MEMPLAN_ILP_NONE ? row->lower : row->upper;
    if (side != 0) {
      fprintf(out, " rhs %s %" PRId64 "\n", row->name, side);
    }
  }
  bool any = false;
  for (int32_t k = 0; k < model->n_rows; k++) {
    const memplan_ilp_row *row = &model->rows[k];
    if (row->lower != -MEMPLAN_ILP_NONE && row->upper != MEMPLAN_ILP_NONE && row->lower < row->upper) {
      fprintf(out, "%s ranges %s %" PRId64 "\n", any ? "" : "RANGES\n", row->name, row->upper - row->lower);
      any = true;
    }
  }
}

static void write_bounds(const memplan_ilp *model, FILE *out) {
  fputs("BOUNDS\n", out);
  for (int32_t k = 0; k < model->n_columns; k++) {
    const memplan_ilp_column *column = &model->columns[k];
    if (column->lower == column->upper) {
      fprintf(out, " FX bounds %s %" PRId64 "\n", column->name, column->lower);
      continue;
    }
    fprintf(out, " LO bounds %s %" PRId64 "\n", column->name, column->lower);
    if (column->upper != MEMPLAN_ILP_NONE) {
      fprintf(out, " UP bounds %s %" PRId64 "\n", column->name, column->upper);
    } else {
      fprintf(out, " PL bounds %s\n", column->name);
    }
  }
}

memplan_status memplan_ilp_mps_text(const memplan_ilp *model, char **text, size_t *length, memplan_error *error) {
  memplan_arena arena = {0};
  int64_t *first = NULL;
  entry *entries = NULL;
  *text = NULL;
  FILE *out = sort_by_columns(model, &arena, &first, &entries) ? open_memstream(text, length) : NULL;
  if (out == NULL) {
    memplan_arena_free(&arena);
    return memplan_fail_nomem(error);
  }
  fprintf(out, "* memplan: %s\n", model->title);
  if (model->unit > 0) {
    fprintf(out, "* offsets and sizes in units of %" PRId64 " byte%s\n", model->unit, model->unit == 1 ? "" : "s");
  }
  for (int32_t k = 0; k < model->n_comments; k++) {
    fprintf(out, "* %s = %s\n", model->comments[k].label, memplan_quote(model->comments[k].id).text);
  }
  fputs("NAME memplan\n", out);
  write_rows(model, out);
  write_columns(model, first, entries, out);
  write_sides(model, out);
  write_bounds(model, out);
  fputs("ENDATA\n", out);
  bool good = ferror(out) == 0;
  memplan_arena_free(&arena);
  if (fclose(out) != 0 || !good) {
    free(*text);
    *text = NULL;
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}
