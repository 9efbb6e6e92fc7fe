// SPDX-License-Identifier: Apache-2.0
// Columns, rows and terms are three growing arrays; the terms of the row at hand lie at the end of theirs, and are
// sorted and joined when it is closed.
#include "solvers/ilp_model.h"

#include "model/base/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void memplan_ilp_init(memplan_ilp *model) { memset(model, 0, sizeof *model); }

void memplan_ilp_free(memplan_ilp *model) {
  memplan_names_free(&model->names);
  memplan_names_free(&model->labels);
  memplan_arena_free(&model->arena);
  memset(model, 0, sizeof *model);
}

memplan_status memplan_ilp_status(const memplan_ilp *model, memplan_error *error) {
  if (model->out_of_memory) {
    return memplan_fail_nomem(error);
  }
  if (model->too_large) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED,
                        "the integer program would need more than %lld terms, or numbers beyond 2^50; choose another "
                        "method or model",
                        (long long)MEMPLAN_ILP_TERMS);
  }
  return MEMPLAN_OK;
}

// Letters and digits of ASCII; everything else becomes '_'.
static void clean(const char *id, char text[MEMPLAN_ILP_LABEL]) {
  size_t length = 0;
  for (; id[length] != '\0' && length < MEMPLAN_ILP_LABEL - 16; length++) {
    char c = id[length];
    bool good = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    text[length] = good ? c : '_';
  }
  if (length == 0) {
    text[length++] = '_';
  }
  text[length] = '\0';
}

static bool add_comment(memplan_ilp *model, const char *label, const char *id) {
  memplan_ilp_comment *comments =
      memplan_grow_in(&model->arena, model->comments, model->n_comments, &model->comment_capacity, sizeof *comments);
  char *copy = memplan_arena_text(&model->arena, id, strlen(id));
  if (comments == NULL || copy == NULL) {
    return false;
  }
  model->comments = comments;
  comments[model->n_comments++] = (memplan_ilp_comment){label, copy};
  return true;
}

// The value of a text in the index of labels is how often it has been asked for. Clean texts hold no '.', so that a
// numbered one is no other's.
const char *memplan_ilp_label(memplan_ilp *model, const char *id) {
  char text[MEMPLAN_ILP_LABEL];
  clean(id, text);
  int32_t before = memplan_names_find(&model->labels, text);
  char *base = memplan_arena_text(&model->arena, text, strlen(text));
  if (base == NULL || !memplan_names_set(&model->labels, base, before < 0 ? 1 : before + 1)) {
    model->out_of_memory = true;
    return "_";
  }
  const char *label = base;
  if (before > 0) {
    size_t used = strlen(text);
    (void)snprintf(text + used, sizeof text - used, ".%d", (int)before + 1);
    label = memplan_arena_text(&model->arena, text, strlen(text));
  }
  if (label == NULL || (strcmp(label, id) != 0 && !add_comment(model, label, id))) {
    model->out_of_memory = true;
    return "_";
  }
  return label;
}

int32_t memplan_ilp_column_add(memplan_ilp *model, memplan_ilp_kind kind, int64_t lower, int64_t upper,
                               const char *format, ...) {
  char text[4 * MEMPLAN_ILP_LABEL];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (model->too_large || model->out_of_memory) {
    return 0;
  }
  memplan_ilp_column *columns =
      memplan_grow_in(&model->arena, model->columns, model->n_columns, &model->column_capacity, sizeof *columns);
  // Two labels with numbers can read like one: then the column's own number tells them apart.
  if (memplan_names_find(&model->names, text) >= 0) {
    size_t used = strlen(text);
    (void)snprintf(text + used, sizeof text - used, ".x%d", model->n_columns);
  }
  const char *name = memplan_arena_text(&model->arena, text, strlen(text));
  if (columns == NULL || name == NULL || memplan_names_add(&model->names, name, model->n_columns) != -1) {
    model->out_of_memory = true;
    return 0;
  }
  model->columns = columns;
  model->too_large |= lower < -MEMPLAN_ILP_NUMBER || (upper != MEMPLAN_ILP_NONE && upper > MEMPLAN_ILP_NUMBER);
  columns[model->n_columns] = (memplan_ilp_column){.name = name, .kind = kind, .lower = lower, .upper = upper};
  return model->n_columns++;
}

memplan_ilp_literal memplan_ilp_constant(int64_t value) {
  return (memplan_ilp_literal){.column = -1, .constant = value};
}

memplan_ilp_literal memplan_ilp_of(int32_t column) { return (memplan_ilp_literal){.column = column, .factor = 1}; }

memplan_ilp_literal memplan_ilp_not(memplan_ilp_literal one) {
  return (memplan_ilp_literal){.column = one.column, .factor = -one.factor, .constant = 1 - one.constant};
}

bool memplan_ilp_is_constant(memplan_ilp_literal one, int64_t value) { return one.column < 0 && one.constant == value; }

void memplan_ilp_row_open(memplan_ilp *model) {
  model->open_first = model->n_terms;
  model->open_constant = 0;
}

void memplan_ilp_row_add(memplan_ilp *model, int64_t factor, memplan_ilp_literal literal) {
  if (model->too_large || model->out_of_memory) {
    return;
  }
  if (factor > MEMPLAN_ILP_NUMBER || factor < -MEMPLAN_ILP_NUMBER || model->n_terms >= MEMPLAN_ILP_TERMS) {
    model->too_large = true;
    return;
  }
  memplan_int128 constant = model->open_constant + (memplan_int128)factor * literal.constant;
  if (constant > MEMPLAN_ILP_NUMBER || constant < -MEMPLAN_ILP_NUMBER) {
    model->too_large = true;
    return;
  }
  model->open_constant = (int64_t)constant;
  if (literal.column < 0 || factor == 0 || literal.factor == 0) {
    return;
  }
  memplan_ilp_term *terms =
      memplan_grow_in(&model->arena, model->terms, model->n_terms, &model->term_capacity, sizeof *terms);
  if (terms == NULL) {
    model->out_of_memory = true;
    return;
  }
  model->terms = terms;
  terms[model->n_terms++] = (memplan_ilp_term){literal.column, factor * literal.factor};
}

static int compare_terms(const void *a, const void *b) {
  const memplan_ilp_term *x = a, *y = b;
  return (x->column > y->column) - (x->column < y->column);
}

static void join_terms(memplan_ilp *model) {
  int64_t count = model->n_terms - model->open_first, kept = 0;
  if (count == 0) {
    return;
  }
  memplan_ilp_term *terms = model->terms + model->open_first;
  qsort(terms, (size_t)count, sizeof *terms, compare_terms);
  for (int64_t k = 1; k < count; k++) {
    if (terms[k].column == terms[kept].column) {
      terms[kept].factor += terms[k].factor;
    } else {
      kept += terms[kept].factor != 0;
      terms[kept] = terms[k];
    }
  }
  kept += terms[kept].factor != 0;
  model->n_terms = model->open_first + kept;
}

void memplan_ilp_row_close(memplan_ilp *model, int64_t lower, int64_t upper, bool lazy, const char *kind) {
  if (model->too_large || model->out_of_memory) {
    return;
  }
  if (lower == -MEMPLAN_ILP_NONE && upper == MEMPLAN_ILP_NONE) {
    model->n_terms = model->open_first;
    return;
  }
  join_terms(model);
  lower = lower == -MEMPLAN_ILP_NONE ? lower : lower - model->open_constant;
  upper = upper == MEMPLAN_ILP_NONE ? upper : upper - model->open_constant;
  int64_t count = model->n_terms - model->open_first;
  if (count == 0 && lower <= 0 && upper >= 0) {
    return;
  }
  char text[64];
  (void)snprintf(text, sizeof text, "r%d.%s", model->n_rows, kind);
  memplan_ilp_row *rows =
      memplan_grow_in(&model->arena, model->rows, model->n_rows, &model->row_capacity, sizeof *rows);
  const char *name = memplan_arena_text(&model->arena, text, strlen(text));
  if (rows == NULL || name == NULL) {
    model->out_of_memory = true;
    return;
  }
  model->rows = rows;
  rows[model->n_rows++] = (memplan_ilp_row){.name = name,
                                            .first = (int32_t)model->open_first,
                                            .n_terms = (int32_t)count,
                                            .lower = lower,
                                            .upper = upper,
                                            .lazy = lazy};
}

int32_t memplan_ilp_find(const memplan_ilp *model, const char *name) { return memplan_names_find(&model->names, name); }

bool memplan_ilp_holds(const memplan_ilp *model, const int64_t *value) {
  for (int32_t k = 0; k < model->n_columns; k++) {
    if (value[k] < model->columns[k].lower || value[k] > model->columns[k].upper) {
      return false;
    }
  }
  for (int32_t k = 0; k < model->n_rows; k++) {
    const memplan_ilp_row *row = &model->rows[k];
    int64_t sum = 0;
    for (int32_t t = 0; t < row->n_terms; t++) {
      sum += model->terms[row->first + t].factor * value[model->terms[row->first + t].column];
    }
    if (sum < row->lower || sum > row->upper) {
      return false;
    }
  }
  return true;
}
