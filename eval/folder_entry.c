// SPDX-License-Identifier: Apache-2.0
// The rule leans to taking a file: what cannot be told becomes a row with an error, which nobody overlooks.
#include "eval/folder_entry.h"

#include "instances/formats.h"
#include "model/base/file.h"
#include "model/base/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_SIZE = 1 << 16, LINE_SIZE = 1024 };

static const char plan_extension[] = ".plan.json";

// Is the extension one of a format that memplan reads?
static bool is_readable_name(const char *name) {
  const char *dot = strrchr(name, '.');
  if (name[0] == '.' || dot == NULL || memplan_file_ends_with(name, plan_extension)) {
    return false;
  }
  for (int32_t i = 0; i < memplan_format_count(); i++) {
    const memplan_file_format *format = memplan_format_at(i);
    if (memplan_format_can(format, MEMPLAN_FORMAT_READ) && memplan_words_hold(format->extensions, dot)) {
      return true;
    }
  }
  return false;
}

static bool is_text(const char *head, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)head[i];
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f') {
      return false;
    }
  }
  return true;
}

// Does the text hold the word, in quotes or as a cell of a table?
static bool holds(const char *text, size_t length, const char *word) {
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= length; i++) {
    bool start = i == 0 || strchr("\",; \t\n\r\xBF", text[i - 1]) != NULL;
    bool end = i + n == length || strchr("\",; \t\n\r", text[i + n]) != NULL;
    if (start && end && memcmp(text + i, word, n) == 0) {
      return true;
    }
  }
  return false;
}

// A table of lifetimes says in its head what sizes and starts are; one without a head begins with numbers.
static bool is_lifetimes(const char *head, size_t length) {
  static const char *const starts[] = {"lower", "start", "begin", "allocated_at", "allocation_step"};
  const char *line = head, *end = head + length;
  while (line < end && (*line == '#' || *line == '\n' || *line == '\r')) {
    const char *next = memchr(line, '\n', (size_t)(end - line));
    line = next == NULL ? end : next + 1;
  }
  const char *stop = memchr(line, '\n', (size_t)(end - line));
  size_t size = (size_t)((stop == NULL ? end : stop) - line);
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    if (holds(line, size, starts[i])) {
      return true;
    }
  }
  return size == 0 || strspn(line, "-0123456789.,; \t\r") >= size || holds(line, size, "size");
}

// Of the first `length` bytes of a file; `whole`: there are no more.
static bool is_problem(const char *head, size_t length, bool whole) {
  if (length == 0 || !is_text(head, length)) {
    return true;
  }
  const memplan_file_format *format = memplan_format_detect(head, length, NULL);
  if (format == NULL) {
    return false;
  }
  if (!memplan_format_can(format, MEMPLAN_FORMAT_READ)) {
    return false;
  }
  if (format == &memplan_format_graph_json) { // which any object might be, as far as its start tells
    return !whole || holds(head, length, "memplan-graph");
  }
  return format != &memplan_format_csv || is_lifetimes(head, length);
}

memplan_folder_entry memplan_folder_entry_of(const char *path, const char *name) {
  if (!is_readable_name(name)) {
    return MEMPLAN_ENTRY_OTHER_NAME;
  }
  if (!memplan_file_ends_with(name, ".json") && !memplan_file_ends_with(name, ".csv") &&
      !memplan_file_ends_with(name, ".txt")) {
    return MEMPLAN_ENTRY_PROBLEM;
  }
  FILE *file = fopen(path, "rbe");
  char *head = file == NULL ? NULL : malloc(HEAD_SIZE);
  bool problem = true; // what cannot be read is reported where it is read
  if (head != NULL) {
    size_t length = fread(head, 1, HEAD_SIZE, file);
    problem = ferror(file) != 0 || is_problem(head, length, length < HEAD_SIZE);
  }
  free(head);
  if (file != NULL) {
    (void)fclose(file);
  }
  return problem ? MEMPLAN_ENTRY_PROBLEM : MEMPLAN_ENTRY_OTHER_CONTENT;
}
