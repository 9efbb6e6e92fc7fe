// SPDX-License-Identifier: Apache-2.0
// A mixed integer program as data, independent of any solver: named columns with bounds and costs, and rows over them.
// All numbers are integers. The objective is to be made small.
//
// Building never fails in between: what runs out of memory, or grows beyond MEMPLAN_ILP_TERMS, leaves a mark that
// memplan_ilp_status reports at the end. Names are unique, and hold letters, digits, '_' and '.' only, so that every
// LP and MPS reader takes them. The same calls give the same model.
#ifndef MEMPLAN_SOLVERS_ILP_MODEL_H
#define MEMPLAN_SOLVERS_ILP_MODEL_H

#include "model/base/arena.h"
#include "model/base/compiler.h"
#include "model/base/names.h"
#include "model/base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define MEMPLAN_ILP_TERMS INT64_C(20000000)
#define MEMPLAN_ILP_NUMBER (INT64_C(1) << 50) // larger numbers would be rounded by solvers that count in doubles
#define MEMPLAN_ILP_NONE INT64_MAX            // no bound on this side

enum { MEMPLAN_ILP_LABEL = 48 }; // bytes of a label, with its end

typedef enum memplan_ilp_kind { MEMPLAN_ILP_CONTINUOUS = 0, MEMPLAN_ILP_INTEGER, MEMPLAN_ILP_BINARY } memplan_ilp_kind;

typedef struct memplan_ilp_column {
  const char *name;
  memplan_ilp_kind kind;
  int32_t rank;         // of binaries: those of lower rank are better decided first
  int64_t lower, upper; // upper: MEMPLAN_ILP_NONE for none
  int64_t cost;
} memplan_ilp_column;

typedef struct memplan_ilp_term {
  int32_t column;
  int64_t factor;
} memplan_ilp_term;

typedef struct memplan_ilp_row {
  const char *name;
  int32_t first, n_terms; // in model.terms, by column, each column once
  int64_t lower, upper;   // -MEMPLAN_ILP_NONE, MEMPLAN_ILP_NONE: none
  bool lazy;              // follows from few of its kind in most solutions: a solver may add it when violated
} memplan_ilp_row;

// constant + factor * column; column -1: the constant alone.
typedef struct memplan_ilp_literal {
  int32_t column;
  int64_t factor, constant;
} memplan_ilp_literal;

typedef struct memplan_ilp_comment {
  const char *label, *id; // what a label in names stands for, where it is not the id itself
} memplan_ilp_comment;

typedef struct memplan_ilp {
  memplan_arena arena;
  const char *title; // one line
  int64_t unit;      // bytes that one of its offsets and sizes stands for; 0: not said
  memplan_ilp_column *columns;
  memplan_ilp_row *rows;
  memplan_ilp_term *terms;
  memplan_ilp_comment *comments;
  int32_t n_columns, n_rows, n_comments;
  int64_t n_terms;
  // while building
  memplan_names names, labels;
  int64_t column_capacity, row_capacity, term_capacity, comment_capacity;
  int64_t open_first, open_constant; // of the row at hand
  bool out_of_memory, too_large;     // then nothing more is added
} memplan_ilp;

void memplan_ilp_init(memplan_ilp *model);
void memplan_ilp_free(memplan_ilp *model);

// MEMPLAN_NOMEM, or MEMPLAN_UNSUPPORTED with the size, if building has left a mark.
memplan_status memplan_ilp_status(const memplan_ilp *model, memplan_error *error);

// A label for an id in names: the id itself if it has the characters for it, else what is left of it; made unique by a
// number, and then explained by a comment. Never NULL.
const char *memplan_ilp_label(memplan_ilp *model, const char *id);

// A new column; its name is formatted from words and labels. Returns its index.
int32_t memplan_ilp_column_add(memplan_ilp *model, memplan_ilp_kind kind, int64_t lower, int64_t upper,
                               const char *format, ...) MEMPLAN_PRINTF(5, 6);

memplan_ilp_literal memplan_ilp_constant(int64_t value);
memplan_ilp_literal memplan_ilp_of(int32_t column);           // the column itself
memplan_ilp_literal memplan_ilp_not(memplan_ilp_literal one); // 1 - literal
bool memplan_ilp_is_constant(memplan_ilp_literal one, int64_t value);

// A row: opened, filled, closed with bounds on the sum. `kind` becomes part of its name. A row without terms that the
// bounds admit is dropped.
void memplan_ilp_row_open(memplan_ilp *model);
void memplan_ilp_row_add(memplan_ilp *model, int64_t factor, memplan_ilp_literal literal);
void memplan_ilp_row_close(memplan_ilp *model, int64_t lower, int64_t upper, bool lazy, const char *kind);

// Index of the column of that name, or -1.
int32_t memplan_ilp_find(const memplan_ilp *model, const char *name);

// Does the assignment (by column) meet all bounds and rows? O(terms).
bool memplan_ilp_holds(const memplan_ilp *model, const int64_t *value);

#endif
