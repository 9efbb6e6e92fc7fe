// SPDX-License-Identifier: Apache-2.0
#include "model/base/quote.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const size_t quoted_bytes = 80; // shown of a text, before the ellipsis

size_t memplan_utf8_length(const char *text, size_t length) {
  const unsigned char *byte = (const unsigned char *)text;
  if (byte[0] < 0x80) {
    return 1;
  }
  size_t need = byte[0] >= 0xC2 && byte[0] <= 0xDF   ? 2
                : (byte[0] & 0xF0) == 0xE0           ? 3
                : byte[0] >= 0xF0 && byte[0] <= 0xF4 ? 4
                                                     : 0;
  if (need == 0 || need > length) {
    return 0;
  }
  for (size_t i = 1; i < need; i++) {
    if ((byte[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if ((byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xED && byte[1] > 0x9F) ||
      (byte[0] == 0xF0 && byte[1] < 0x90) || (byte[0] == 0xF4 && byte[1] > 0x8F)) {
    return 0;
  }
  return need;
}

// Characters that drive a terminal, break a line or turn the direction of writing.
static bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

static uint32_t code_of(const unsigned char *byte, size_t length) {
  static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code = byte[0] & masks[length];
  for (size_t i = 1; i < length; i++) {
    code = code << 6 | (byte[i] & 0x3Fu);
  }
  return code;
}

size_t memplan_shown_next(const char *text, size_t length, memplan_shown *shown) {
  const unsigned char *byte = (const unsigned char *)text;
  size_t step = memplan_utf8_length(text, length);
  uint32_t code = step > 0 ? code_of(byte, step) : 0;
  if (step > 0 && !is_control(code)) {
    memcpy(shown->text, text, step);
    shown->text[step] = '\0';
    shown->bytes = step;
    shown->width = 1;
    return step;
  }
  if (step > 1) {
    (void)snprintf(shown->text, sizeof shown->text, "\\u%04X", (unsigned)code & 0xFFFFu);
  } else {
    (void)snprintf(shown->text, sizeof shown->text, "\\x%02X", byte[0]);
  }
  shown->bytes = strlen(shown->text);
  shown->width = (int)shown->bytes;
  return step > 1 ? step : 1;
}

// Copies characters while they fit into out[0 … size-2]; returns how many bytes of `text` were taken.
static size_t copy_shown(const char *text, size_t length, char *out, size_t size) {
  size_t used = 0;
  size_t i = 0;
  while (i < length) {
    memplan_shown shown;
    size_t step = memplan_shown_next(text + i, length - i, &shown);
    if (used + shown.bytes >= size) {
      break;
    }
    memcpy(out + used, shown.text, shown.bytes);
    used += shown.bytes;
    i += step;
  }
  out[used] = '\0';
  return i;
}

// How many bytes at the end are the start of a character that was cut.
static size_t cut_bytes(const char *text, size_t length) {
  for (size_t back = 1; back <= 3 && back <= length; back++) {
    unsigned char byte = (unsigned char)text[length - back];
    if ((byte & 0xC0) != 0x80) {
      size_t need = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
      return need > back ? back : 0;
    }
  }
  return 0;
}

void memplan_show_in_place(char *text, size_t size, bool cut) {
  char copy[2048];
  size_t length = strlen(text);
  if (cut) {
    length -= cut_bytes(text, length);
    text[length] = '\0';
  }
  length = length < sizeof copy ? length : sizeof copy;
  memcpy(copy, text, length);
  (void)copy_shown(copy, length, text, size);
}

memplan_quoted memplan_quote_bytes(const char *text, size_t length) {
  memplan_quoted quoted;
  size_t taken = copy_shown(text, length, quoted.text, quoted_bytes);
  if (taken < length) {
    strcat(quoted.text, "…");
  }
  return quoted;
}

memplan_quoted memplan_quote(const char *text) { return memplan_quote_bytes(text, text != NULL ? strlen(text) : 0); }

memplan_quoted_path memplan_quote_path(const char *path) {
  memplan_quoted_path quoted;
  size_t length = strlen(path);
  const size_t keep = sizeof quoted.text - 16;
  size_t start = 0;
  if (length > keep) {
    start = length - keep;
    while (start < length && ((unsigned char)path[start] & 0xC0) == 0x80) {
      start++;
    }
  }
  size_t used = 0;
  if (start > 0) {
    strcpy(quoted.text, "…");
    used = strlen(quoted.text);
  }
  (void)copy_shown(path + start, length - start, quoted.text + used, sizeof quoted.text - used);
  return quoted;
}
