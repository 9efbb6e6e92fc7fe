// SPDX-License-Identifier: Apache-2.0
// Content decides before the name does: a file that is called wrongly is still read, and one that is damaged is
// reported by the reader of the format that it has.
#include "instances/formats.h"

#include "model/base/words.h"

#include <string.h>

static const memplan_file_format *const formats[] = {
    &memplan_format_onnx, &memplan_format_graph_json, &memplan_format_instance_json,
    &memplan_format_csv,  &memplan_format_omnimalloc, &memplan_format_idealloc,
    &memplan_format_dsa,  &memplan_format_glow,       &memplan_format_plan_json,
};

int32_t memplan_format_count(void) { return (int32_t)(sizeof formats / sizeof formats[0]); }

const memplan_file_format *memplan_format_at(int32_t index) {
  return index >= 0 && index < memplan_format_count() ? formats[index] : NULL;
}

bool memplan_format_can(const memplan_file_format *format, memplan_format_use use) {
  return use == MEMPLAN_FORMAT_READ ? format->read != NULL : format->write != NULL;
}

void memplan_format_names(memplan_format_use use, char *text, size_t size) {
  text[0] = '\0';
  for (int32_t i = 0; i < memplan_format_count(); i++) {
    if (memplan_format_can(formats[i], use)) {
      strncat(text, text[0] != '\0' ? ", " : "", size - strlen(text) - 1);
      strncat(text, formats[i]->name, size - strlen(text) - 1);
    }
  }
}

const memplan_file_format *memplan_format_find(const char *name) {
  for (int32_t i = 0; i < memplan_format_count(); i++) {
    if (strcmp(formats[i]->name, name) == 0 || memplan_words_hold(formats[i]->aliases, name)) {
      return formats[i];
    }
  }
  return NULL;
}

// The extension with its dot, or "".
static const char *extension(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash != NULL ? slash : path, '.');
  return dot != NULL ? dot : "";
}

static const memplan_file_format *find_extension(const char *path) {
  const char *dot = extension(path);
  for (int32_t i = 0; dot[0] != '\0' && i < memplan_format_count(); i++) {
    if (memplan_words_hold(formats[i]->extensions, dot)) {
      return formats[i];
    }
  }
  return NULL;
}

const memplan_file_format *memplan_format_for_output(const char *name, const char *path,
                                                     const memplan_problem *problem) {
  bool json = name != NULL ? strcmp(name, "json") == 0 : path != NULL && strcmp(extension(path), ".json") == 0;
  if (json) {
    return problem->has_graph ? &memplan_format_graph_json : &memplan_format_instance_json;
  }
  if (name != NULL) {
    return memplan_format_find(name);
  }
  return path != NULL ? find_extension(path) : NULL;
}

// ---- content

static bool starts_with(const memplan_head *head, const char *mark, size_t mark_length) {
  return head->length >= mark_length && memcmp(head->bytes, mark, mark_length) == 0;
}

static bool has_wide_mark(const memplan_head *head) {
  return starts_with(head, "\xFF\xFE", 2) || starts_with(head, "\xFE\xFF", 2) || starts_with(head, "\0\0\xFE\xFF", 4);
}

static bool is_text(const memplan_head *head) {
  for (size_t i = 0; i < head->length; i++) {
    unsigned char c = (unsigned char)head->bytes[i];
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') {
      return false;
    }
  }
  return head->length > 0;
}

const memplan_file_format *memplan_format_detect(const char *bytes, size_t length, const char *path) {
  memplan_head head = {.bytes = bytes, .length = length};
  const memplan_file_format *named = path != NULL ? find_extension(path) : NULL;
  head.wide = has_wide_mark(&head);
  if (head.wide && named != NULL) {
    return named; // every reader of text names the encoding
  }
  head.text = is_text(&head);
  head.start = starts_with(&head, "\xEF\xBB\xBF", 3) ? 3 : 0;
  while (head.start < length && strchr(" \t\n\r", bytes[head.start]) != NULL && bytes[head.start] != '\0') {
    head.start++;
  }
  // Any JSON object may be a graph, as long as no other format recognises it.
  const memplan_file_format *graph = NULL;
  for (int32_t i = 0; i < memplan_format_count(); i++) {
    if (formats[i]->sniff != NULL && formats[i]->sniff(&head)) {
      if (formats[i] != &memplan_format_graph_json) {
        return formats[i];
      }
      graph = formats[i];
    }
  }
  return graph != NULL ? graph : named;
}
