// SPDX-License-Identifier: Apache-2.0
// Lines are kept short, as some readers take 255 characters at most; a row with two different bounds becomes two rows,
// as not all readers know ranges; binaries that are fixed are written as integers, as "binary" would free them again.
#include "solvers/ilp_write.h"

#include "model/base/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { terms_a_line = 4 };

static void write_expression(const memplan_ilp *model, const memplan_ilp_row *row, FILE *out) {
  for (int32_t t = 0; t < row->n_terms; t++) {
    const memplan_ilp_term *term = &model->terms[row->first + t];
    fprintf(out, "%s%s %" PRId64 " %s", t > 0 && t % terms_a_line == 0 ? "\n  " : "", term->factor < 0 ? " -" : " +",
            term->factor < 0 ? -term->factor : term->factor, model->columns[term->column].name);
  }
  if (row->n_terms == 0) { // a row that nothing meets
    fprintf(out, " 0 %s", model->columns[0].name);
  }
}

static void write_rows(const memplan_ilp *model, FILE *out) {
  fputs("Subject To\n", out);
  if (model->n_rows == 0) { // readers want one
    fprintf(out, " none: 0 %s >= 0\n", model->columns[0].name);
  }
  for (int32_t k = 0; k < model->n_rows; k++) {
    const memplan_ilp_row *row = &model->rows[k];
    bool lower = row->lower != -MEMPLAN_ILP_NONE, upper = row->upper != MEMPLAN_ILP_NONE;
    bool equal = lower && upper && row->lower == row->upper;
    for (int side = 0; side < 2; side++) {
      if (side == 0 ? !lower : !upper || equal) {
        continue;
      }
      fprintf(out, " %s%s:", row->name, lower && upper && !equal ? (side == 0 ? ".low" : ".high") : "");
      write_expression(model, row, out);
      fprintf(out, " %s %" PRId64 "\n", equal ? "=" : side == 0 ? ">=" : "<=", side == 0 ? row->lower : row->upper);
    }
  }
}

static bool is_free_binary(const memplan_ilp_column *column) {
  return column->kind == MEMPLAN_ILP_BINARY && column->lower == 0 && column->upper == 1;
}

static void write_columns(const memplan_ilp *model, FILE *out) {
  fputs("Bounds\n", out);
  for (int32_t k = 0; k < model->n_columns; k++) {
    const memplan_ilp_column *column = &model->columns[k];
    if (is_free_binary(column)) {
      continue;
    }
    if (column->lower == column->upper) {
      fprintf(out, " %s = %" PRId64 "\n", column->name, column->lower);
    } else if (column->upper != MEMPLAN_ILP_NONE) {
      fprintf(out, " %" PRId64 " <= %s <= %" PRId64 "\n", column->lower, column->name, column->upper);
    } else {
      fprintf(out, " %s >= %" PRId64 "\n", column->name, column->lower);
    }
  }
  for (int pass = 0; pass < 2; pass++) {
    bool any = false;
    for (int32_t k = 0; k < model->n_columns; k++) {
      const memplan_ilp_column *column = &model->columns[k];
      if (column->kind == MEMPLAN_ILP_CONTINUOUS || is_free_binary(column) != (pass == 1)) {
        continue;
      }
      fprintf(out, "%s %s\n", any ? "" : pass == 0 ? "Generals\n" : "Binaries\n", column->name);
      any = true;
    }
  }
}

memplan_status memplan_ilp_lp_text(const memplan_ilp *model, char **text, size_t *length, memplan_error *error) {
  *text = NULL;
  FILE *out = open_memstream(text, length);
  if (out == NULL) {
    return memplan_fail_nomem(error);
  }
  fprintf(out, "\\ memplan: %s\n", model->title);
  if (model->unit > 0) {
    fprintf(out, "\\ offsets and sizes in units of %" PRId64 " byte%s\n", model->unit, model->unit == 1 ? "" : "s");
  }
  for (int32_t k = 0; k < model->n_comments; k++) {
    fprintf(out, "\\ %s = %s\n", model->comments[k].label, memplan_quote(model->comments[k].id).text);
  }
  fputs("Minimize\n cost:", out);
  for (int32_t k = 0; k < model->n_columns; k++) {
    if (model->columns[k].cost != 0) {
      fprintf(out, " + %" PRId64 " %s", model->columns[k].cost, model->columns[k].name);
    }
  }
  fputc('\n', out);
  write_rows(model, out);
  write_columns(model, out);
  fputs("End\n", out);
  bool good = ferror(out) == 0;
  if (fclose(out) != 0 || !good) {
    free(*text);
    *text = NULL;
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}
