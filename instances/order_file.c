// SPDX-License-Identifier: Apache-2.0
// A file that begins with a brace is a plan; everything else is lines.
#include "model/base/file.h"
#include "model/base/quote.h"
#include "model/memplan.h"

#include <stdlib.h>
#include <string.h>

static const char byte_order_mark[] = "\xEF\xBB\xBF";

// The next line without its end; *at moves behind it. False at the end of the text.
static bool next_line(const char *text, size_t length, size_t *at, const char **line, size_t *size) {
  if (*at >= length) {
    return false;
  }
  *line = text + *at;
  const char *end = memchr(*line, '\n', length - *at);
  *size = end == NULL ? length - *at : (size_t)(end - *line);
  *at += *size + 1;
  if (*size > 0 && (*line)[*size - 1] == '\r') {
    *size -= 1;
  }
  return true;
}

// Blank, or a comment: a mark that stands alone, as ids may begin with it.
static bool is_blank(const char *line, size_t size) {
  if (size > 0 && line[0] == '#' && (size == 1 || line[1] == ' ' || line[1] == '\t')) {
    return true;
  }
  while (size > 0 && (line[size - 1] == ' ' || line[size - 1] == '\t')) {
    size--;
  }
  return size == 0;
}

static memplan_status read_lines(const char *text, size_t length, memplan_listed_order *listed, memplan_error *error) {
  const char *line;
  size_t size, at = 0, n = 0;
  while (next_line(text, length, &at, &line, &size)) {
    n += is_blank(line, size) ? 0 : 1;
  }
  if (n == 0) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "the file names no operator: an order is one operator id a line, or a plan");
  }
  if (n > INT32_MAX) {
    return memplan_fail(error, MEMPLAN_INPUT, "the file has more lines than a model has operators");
  }
  const char **ops = MEMPLAN_NEW(&listed->arena, const char *, n);
  int64_t *lines = MEMPLAN_NEW(&listed->arena, int64_t, n);
  if (ops == NULL || lines == NULL) {
    return memplan_fail_nomem(error);
  }
  at = 0;
  for (int64_t number = 1; next_line(text, length, &at, &line, &size); number++) {
    if (is_blank(line, size)) {
      continue;
    }
    if (memchr(line, '\0', size) != NULL) {
      return memplan_fail(error, MEMPLAN_INPUT, "line %lld holds a zero byte: an order is text, one operator id a line",
                          (long long)number);
    }
    ops[listed->n_ops] = memplan_arena_text(&listed->arena, line, size);
    lines[listed->n_ops] = number;
    if (ops[listed->n_ops++] == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  listed->ops = ops;
  listed->line = lines;
  return MEMPLAN_OK;
}

static memplan_status read_order(const char *text, size_t length, const char *path, memplan_listed_order *listed,
                                 memplan_error *error) {
  size_t start = length >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0, first = start;
  memplan_listed_order_set_digest(listed, text, length);
  listed->path = memplan_arena_text(&listed->arena, path, strlen(path));
  if (listed->path == NULL) {
    return memplan_fail_nomem(error);
  }
  while (first < length && strchr(" \t\r\n", text[first]) != NULL && text[first] != '\0') {
    first++;
  }
  if (first == length || text[first] != '{') {
    memplan_status status = read_lines(text + start, length - start, listed, error);
    if (status != MEMPLAN_OK) {
      memplan_error_prefix(error, "%s", memplan_quote_path(path).text);
    }
    return status;
  }
  MEMPLAN_TRY(memplan_plan_read_text(text, length, path, false, &listed->own, error));
  listed->plan = &listed->own;
  listed->ops = (const char *const *)listed->own.order;
  listed->n_ops = listed->own.n_order;
  return MEMPLAN_OK;
}

memplan_status memplan_listed_order_read_text(const char *text, size_t length, const char *path,
                                              memplan_listed_order *listed, memplan_error *error) {
  memplan_status status = read_order(text, length, path, listed, error);
  if (status != MEMPLAN_OK) {
    memplan_listed_order_free(listed);
  }
  return status;
}

memplan_status memplan_listed_order_read(const char *path, memplan_listed_order *listed, memplan_error *error) {
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_file_load(path, &text, &length, error));
  memplan_status status = memplan_listed_order_read_text(text, length, path, listed, error);
  free(text);
  return status;
}
