// SPDX-License-Identifier: Apache-2.0
#include "instances/csv_cells.h"

#include "model/base/number.h"
#include "model/base/quote.h"

#include <ctype.h>
#include <string.h>

typedef enum number_result { NUMBER_OK = 0, NUMBER_MALFORMED, NUMBER_TOO_LARGE } number_result;

// The integer at text[*at], which is left behind it.
static number_result read_number(const char *text, size_t length, size_t *at, int64_t *value) {
  size_t i = *at;
  bool negative = i < length && text[i] == '-';
  i += i < length && (text[i] == '-' || text[i] == '+') ? 1 : 0;
  if (i >= length || !isdigit((unsigned char)text[i])) {
    return NUMBER_MALFORMED;
  }
  number_result result = NUMBER_OK;
  int64_t number = 0; // kept negative, so that the smallest number fits
  for (; i < length && isdigit((unsigned char)text[i]); i++) {
    int digit = text[i] - '0';
    if (number < (INT64_MIN + digit) / 10) {
      result = NUMBER_TOO_LARGE;
    } else {
      number = number * 10 - digit;
    }
  }
  if (!negative && number == INT64_MIN) {
    result = NUMBER_TOO_LARGE;
  }
  *at = i;
  if (result == NUMBER_OK) {
    *value = negative ? number : -number;
  }
  return result;
}

static memplan_status fail_integer(const memplan_csv_rows *rows, const memplan_csv_cell *cell, const char *name,
                                   number_result result, memplan_error *error) {
  if (cell->length == 0) {
    return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error, "is an empty cell; %s must be an integer", name);
  }
  if (result == NUMBER_TOO_LARGE) {
    return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error, "as %s does not fit into 64 bits; correct the row", name);
  }
  return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error,
                          "is no integer; write %s in decimal digits without point, exponent, suffix or separators",
                          name);
}

memplan_status memplan_csv_integer(const memplan_csv_rows *rows, const memplan_csv_cell *cell, const char *name,
                                   int64_t *value, memplan_error *error) {
  size_t at = 0;
  number_result result = read_number(cell->text, cell->length, &at, value);
  if (result == NUMBER_MALFORMED || at < cell->length) {
    return fail_integer(rows, cell, name, NUMBER_MALFORMED, error);
  }
  return result == NUMBER_OK ? MEMPLAN_OK : fail_integer(rows, cell, name, result, error);
}

memplan_status memplan_csv_time(const memplan_csv_rows *rows, const memplan_csv_cell *cell, const char *name,
                                int64_t *value, memplan_error *error) {
  if (cell->length > 0 && memchr(cell->text, ':', cell->length) != NULL) {
    return memplan_csv_fail(rows, cell, MEMPLAN_UNSUPPORTED, error,
                            "as %s is a vector clock, which memplan does not plan yet; write one number", name);
  }
  return memplan_csv_integer(rows, cell, name, value, error);
}

memplan_status memplan_csv_open_end(const memplan_csv_rows *rows, const memplan_csv_cell *cell, bool inclusive,
                                    int64_t *end, memplan_error *error) {
  if (!inclusive) {
    return MEMPLAN_OK;
  }
  if (*end == INT64_MAX) {
    return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error,
                            "as an inclusive end does not fit into 64 bits; correct the row");
  }
  *end += 1;
  return MEMPLAN_OK;
}

static memplan_status fail_gap(const memplan_csv_rows *rows, const memplan_csv_cell *cell, const char *text,
                               size_t length, const char *why, memplan_error *error) {
  return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error, "holds the gap '%s', which %s",
                          memplan_quote_bytes(text, length).text, why);
}

static bool read_pair(const char *text, size_t length, size_t *at, char separator, int64_t *first, int64_t *second) {
  if (read_number(text, length, at, first) != NUMBER_OK || *at >= length || text[*at] != separator) {
    return false;
  }
  *at += 1;
  return read_number(text, length, at, second) == NUMBER_OK;
}

static memplan_status read_gap(const memplan_csv_rows *rows, const memplan_csv_cell *cell, const char *text,
                               size_t length, bool inclusive, int64_t bytes, memplan_gap *gap, memplan_error *error) {
  size_t at = 0;
  *gap = (memplan_gap){0};
  bool good = read_pair(text, length, &at, '-', &gap->start, &gap->end);
  if (good && at < length) {
    good = text[at] == '@';
    at += 1;
    good = good && read_pair(text, length, &at, ':', &gap->low, &gap->high) && at == length;
  }
  if (!good) {
    return fail_gap(rows, cell, text, length, "must be LOW-HIGH or LOW-HIGH@FIRST:LAST in 64-bit integers", error);
  }
  if (gap->start > gap->end) {
    return fail_gap(rows, cell, text, length, "ends before it starts; correct it", error);
  }
  if (gap->low < 0 || gap->low > gap->high || gap->high > bytes) {
    return fail_gap(rows, cell, text, length, "keeps bytes that are not inside the buffer; correct them", error);
  }
  return memplan_csv_open_end(rows, cell, inclusive, &gap->end, error);
}

static size_t skip_spaces(const memplan_csv_cell *cell, size_t at) {
  while (at < cell->length && isspace((unsigned char)cell->text[at])) {
    at++;
  }
  return at;
}

static size_t skip_word(const memplan_csv_cell *cell, size_t at) {
  while (at < cell->length && !isspace((unsigned char)cell->text[at])) {
    at++;
  }
  return at;
}

memplan_status memplan_csv_gaps(const memplan_csv_rows *rows, const memplan_csv_cell *cell, bool inclusive,
                                int64_t bytes, memplan_arena *arena, const memplan_gap **gaps, int32_t *n_gaps,
                                memplan_error *error) {
  size_t count = 0;
  for (size_t at = skip_spaces(cell, 0); at < cell->length; at = skip_spaces(cell, skip_word(cell, at))) {
    count++;
  }
  if (count > INT32_MAX) {
    return memplan_csv_fail(rows, cell, MEMPLAN_INPUT, error, "holds too many gaps");
  }
  memplan_gap *list = MEMPLAN_NEW(arena, memplan_gap, count);
  if (list == NULL) {
    return memplan_fail_nomem(error);
  }
  size_t next = 0;
  for (size_t at = skip_spaces(cell, 0); at < cell->length;) {
    size_t end = skip_word(cell, at);
    MEMPLAN_TRY(read_gap(rows, cell, cell->text + at, end - at, inclusive, bytes, &list[next++], error));
    at = skip_spaces(cell, end);
  }
  *gaps = list;
  *n_gaps = (int32_t)count;
  return MEMPLAN_OK;
}

static const char *skip_blanks(const char *place, const char *end) {
  while (place < end && (*place == ' ' || *place == '\t')) {
    place++;
  }
  return place;
}

// Behind `word` and blanks at `place`, or NULL if something else stands there.
static const char *skip_text(const char *place, const char *end, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(end - place) < length || memcmp(place, word, length) != 0) {
    return NULL;
  }
  return skip_blanks(place + length, end);
}

memplan_status memplan_csv_pool_offset(const memplan_csv_rows *rows, int64_t *base, memplan_error *error) {
  static const char *const words[] = {"#", "pool_offset", "="};
  *base = 0;
  const char *end = rows->next;
  while (end < rows->end && *end != '\n' && *end != '\r') {
    end++;
  }
  const char *place = skip_blanks(rows->next, end);
  for (size_t i = 0; i < sizeof words / sizeof words[0] && place != NULL; i++) {
    place = skip_text(place, end, words[i]);
  }
  if (place == NULL) {
    return MEMPLAN_OK;
  }
  while (end > place && (end[-1] == ' ' || end[-1] == '\t')) {
    end--;
  }
  memplan_csv_cell cell = {place, (size_t)(end - place), rows->line, rows->line_start, place};
  MEMPLAN_TRY(memplan_csv_integer(rows, &cell, "the pool offset", base, error));
  if (*base < 0 || *base > MEMPLAN_OFFSET_LIMIT) {
    return memplan_csv_fail(rows, &cell, MEMPLAN_INPUT, error, "as a pool offset is outside 0 … 2^61; correct it");
  }
  return MEMPLAN_OK;
}
