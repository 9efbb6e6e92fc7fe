// SPDX-License-Identifier: Apache-2.0
// Word by word: what is no name of a column, and no number behind one, is passed over. Long names push the number to
// the next line in some files, and a "*" stands between in others.
#include "solvers/ilp_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { longest_word = 4 * MEMPLAN_ILP_LABEL + 32 };

typedef struct words {
  const char *text;
  size_t length, at;
  int32_t line; // of the word last taken
  char word[longest_word];
} words;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '='; }

// The next word; one that is too long for a name is cut. False at the end.
static bool next_word(words *reader) {
  while (reader->at < reader->length && is_space(reader->text[reader->at])) {
    reader->line += reader->text[reader->at++] == '\n';
  }
  size_t kept = 0;
  if (reader->at == reader->length) {
    return false;
  }
  while (reader->at < reader->length && !is_space(reader->text[reader->at])) {
    if (kept + 1 < sizeof reader->word) {
      reader->word[kept++] = reader->text[reader->at];
    }
    reader->at++;
  }
  reader->word[kept] = '\0';
  return true;
}

// The value of a column, rounded and brought within its bounds, so that whatever stands there can be calculated with:
// only decisions are taken from it.
static memplan_status read_value(words *reader, const memplan_ilp_column *column, int64_t *value,
                                 memplan_error *error) {
  const char *name = column->name;
  int32_t line = reader->line;
  char *end = NULL;
  bool there = next_word(reader);
  while (there && strcmp(reader->word, "*") == 0) {
    there = next_word(reader);
  }
  double number = there ? strtod(reader->word, &end) : 0.0;
  if (!there || end == reader->word || *end != '\0') {
    return memplan_fail(error, MEMPLAN_INPUT, "line %d: column '%s' has no number behind it", line, name);
  }
  if (!isfinite(number) || fabs(number) > (double)MEMPLAN_ILP_NUMBER) {
    return memplan_fail(error, MEMPLAN_INPUT, "line %d: the value of column '%s' is no number below 2^50", line, name);
  }
  *value = (int64_t)llround(number);
  *value = *value < column->lower ? column->lower : *value;
  *value = *value > column->upper ? column->upper : *value;
  return MEMPLAN_OK;
}

memplan_status memplan_ilp_solution_read(const memplan_ilp *model, const char *text, size_t length, int64_t *value,
                                         memplan_error *error) {
  words reader = {.text = text, .length = length, .line = 1};
  bool *known = calloc((size_t)model->n_columns + 1, sizeof *known);
  if (known == NULL) {
    return memplan_fail_nomem(error);
  }
  memset(value, 0, (size_t)model->n_columns * sizeof *value);
  memplan_status status = MEMPLAN_OK;
  int32_t n_known = 0;
  bool upper = false; // was the last word
  while (status == MEMPLAN_OK && next_word(&reader)) {
    if (upper && strcmp(reader.word, "Primal") == 0) {
      status =
          memplan_fail(error, MEMPLAN_INPUT,
                       "line %d: a table in which names stand behind the numbers, as HiGHS writes it in its pretty "
                       "style: write the raw style (write_solution_style = 0)",
                       reader.line);
      break;
    }
    upper = strcmp(reader.word, "Upper") == 0;
    int32_t column = memplan_ilp_find(model, reader.word);
    int64_t number = 0;
    if (column < 0) {
      continue;
    }
    status = read_value(&reader, &model->columns[column], &number, error);
    if (status == MEMPLAN_OK && !known[column]) {
      known[column] = true;
      value[column] = number;
      n_known++;
    }
  }
  free(known);
  if (status == MEMPLAN_OK && n_known == 0) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "no column of the program '%s' is named: is it a solution of this program, written with the "
                        "same options?",
                        model->title);
  }
  return status;
}
