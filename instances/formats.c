// SPDX-License-Identifier: Apache-2.0
// Content decides before the name does: a file that is called wrongly is still read, and one that is damaged is
// reported by the reader of the format that it has.
#include "instances/formats.h"

#include <string.h>

static const memplan_file_format formats[] = {
    {.name = "onnx",
     .aliases = "",
     .description = "ONNX model; shapes are inferred, weights are not loaded",
     .extensions = ".onnx",
     .carries = "operators, tensors, control flow",
     .kind = MEMPLAN_FORMAT_GRAPH,
     .reads = true},
    {.name = "graph-json",
     .aliases = "json graph memplan-graph",
     .description = "memplan's own form of graphs",
     .extensions = ".json",
     .carries = "everything of a graph but control-flow bodies",
     .kind = MEMPLAN_FORMAT_GRAPH,
     .reads = true,
     .writes = true},
    {.name = "instance-json",
     .aliases = "instance memplan-instance",
     .description = "memplan's own form of placement problems",
     .extensions = ".json",
     .carries = "lifetimes, gaps, alignments, pins, pools, rules",
     .kind = MEMPLAN_FORMAT_INSTANCE,
     .reads = true,
     .writes = true},
    {.name = "csv",
     .aliases = "minimalloc lifetimes",
     .description = "lifetimes CSV of MiniMalloc",
     .extensions = ".csv",
     .carries = "lifetimes, gaps, alignments, hints, offsets",
     .kind = MEMPLAN_FORMAT_INSTANCE,
     .reads = true,
     .writes = true},
    {.name = "omnimalloc",
     .aliases = "",
     .description = "lifetimes CSV of OmniMalloc (no vector clocks)",
     .extensions = ".csv",
     .carries = "lifetimes, base, offsets",
     .kind = MEMPLAN_FORMAT_INSTANCE,
     .reads = true,
     .writes = true},
    {.name = "idealloc",
     .aliases = "",
     .description = "lifetimes CSV of idealloc",
     .extensions = ".csv",
     .carries = "lifetimes, offsets; numeric ids",
     .kind = MEMPLAN_FORMAT_INSTANCE,
     .reads = true,
     .writes = true},
    {.name = "plan-json",
     .aliases = "plan memplan-plan",
     .description = "memplan's plans",
     .extensions = ".json",
     .carries = "order, in-place choices, offsets, bound",
     .kind = MEMPLAN_FORMAT_PLAN,
     .writes = true},
};

int32_t memplan_format_count(void) { return (int32_t)(sizeof formats / sizeof formats[0]); }

const memplan_file_format *memplan_format_at(int32_t index) {
  return index >= 0 && index < memplan_format_count() ? &formats[index] : NULL;
}

static bool holds_word(const char *words, const char *text, size_t length) {
  while (*words != '\0') {
    size_t word = strcspn(words, " ");
    if (word == length && memcmp(words, text, length) == 0) {
      return true;
    }
    words += word;
    words += strspn(words, " ");
  }
  return false;
}

const memplan_file_format *memplan_format_find(const char *name) {
  size_t length = strlen(name);
  for (int32_t i = 0; i < memplan_format_count(); i++) {
    if (strcmp(formats[i].name, name) == 0 || holds_word(formats[i].aliases, name, length)) {
      return &formats[i];
    }
  }
  return NULL;
}

// ---- content

static bool starts_with(const char *head, size_t length, const char *mark, size_t mark_length) {
  return length >= mark_length && memcmp(head, mark, mark_length) == 0;
}

static bool has_wide_mark(const char *head, size_t length) {
  return starts_with(head, length, "\xFF\xFE", 2) || starts_with(head, length, "\xFE\xFF", 2) ||
         starts_with(head, length, "\0\0\xFE\xFF", 4);
}

static bool is_text(const char *head, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)head[i];
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') {
      return false;
    }
  }
  return length > 0;
}

static size_t skip_white(const char *head, size_t length, size_t at) {
  while (at < length && (head[at] == ' ' || head[at] == '\t' || head[at] == '\n' || head[at] == '\r')) {
    at++;
  }
  return at;
}

static bool holds(const char *head, size_t length, const char *word) {
  return memmem(head, length, word, strlen(word)) != NULL;
}

// The reader looks at the document itself, so that a guess does not have to be right between graph and instance.
static const memplan_file_format *sniff_json(const char *head, size_t length, size_t at) {
  if (at >= length || head[at] != '{') {
    return NULL;
  }
  if (holds(head, length, "\"memplan-plan\"")) {
    return memplan_format_find("plan-json");
  }
  return memplan_format_find(holds(head, length, "\"memplan-instance\"") ? "instance-json" : "graph-json");
}

// The first line that is neither blank nor a comment has a comma.
static bool sniff_csv(const char *head, size_t length, size_t at) {
  while (at < length) {
    at = skip_white(head, length, at);
    const char *line = head + at;
    size_t size = 0;
    while (at + size < length && line[size] != '\n' && line[size] != '\r') {
      size++;
    }
    if (size > 0 && line[0] != '#') {
      return memchr(line, ',', size) != NULL;
    }
    at += size;
  }
  return false;
}

// A number in base 128, the lowest digits first; false if it does not end within the head or has more than 10 digits.
static bool read_varint(const char *head, size_t length, size_t *at, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 70 && *at < length; shift += 7) {
    unsigned char byte = (unsigned char)head[(*at)++];
    *value |= shift < 64 ? (uint64_t)(byte & 0x7F) << shift : 0;
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

// The first fields are fields of onnx.ModelProto with the wire types that these have there.
static bool sniff_onnx(const char *head, size_t length) {
  enum { checked_fields = 8, wire_varint = 0, wire_bytes = 2 };
  size_t at = 0;
  for (int field = 0; field < checked_fields && at < length; field++) {
    uint64_t tag = 0;
    uint64_t value = 0;
    if (!read_varint(head, length, &at, &tag)) {
      return false;
    }
    uint64_t number = tag >> 3;
    bool is_number = number == 1 || number == 5; // ir_version, model_version
    bool is_bytes =
        (number >= 2 && number <= 8 && number != 5) || number == 14 || number == 20 || number == 25 || number == 26;
    if ((tag & 7) != (is_number ? wire_varint : wire_bytes) || !(is_number || is_bytes) ||
        !read_varint(head, length, &at, &value)) {
      return false;
    }
    if (is_bytes) {
      if (value > length - at) {
        return true; // goes on behind the head
      }
      at += (size_t)value;
    }
  }
  return at > 0;
}

// ---- name

static const memplan_file_format *find_extension(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash != NULL ? slash : path, '.');
  for (int32_t i = 0; dot != NULL && i < memplan_format_count(); i++) {
    if (holds_word(formats[i].extensions, dot, strlen(dot))) {
      return &formats[i];
    }
  }
  return NULL;
}

const memplan_file_format *memplan_format_detect(const char *head, size_t length, const char *path) {
  const memplan_file_format *named = path != NULL ? find_extension(path) : NULL;
  if (has_wide_mark(head, length)) {
    return named != NULL ? named : memplan_format_find("csv"); // either reader names the encoding
  }
  if (is_text(head, length)) {
    size_t at = skip_white(head, length, starts_with(head, length, "\xEF\xBB\xBF", 3) ? 3 : 0);
    const memplan_file_format *json = sniff_json(head, length, at);
    if (json != NULL) {
      return json;
    }
    return sniff_csv(head, length, at) ? memplan_format_find("csv") : named;
  }
  return sniff_onnx(head, length) ? memplan_format_find("onnx") : named;
}
