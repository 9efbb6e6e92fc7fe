// SPDX-License-Identifier: Apache-2.0
#include "model/base/quote.h"

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

// Copies characters while they fit into out[0 … size-2]; returns how many bytes of `text` were taken.
static size_t copy_shown(const char *text, size_t length, char *out, size_t size) {
  size_t used = 0;
  size_t i = 0;
  while (i < length) {
    size_t step = memplan_utf8_length(text + i, length - i);
    bool plain = step > 1 || (step == 1 && (unsigned char)text[i] >= 0x20 && (unsigned char)text[i] != 0x7F);
    // U+0080 … U+009F are control characters too.
    plain = plain && !(step == 2 && (unsigned char)text[i] == 0xC2 && (unsigned char)text[i + 1] < 0xA0);
    size_t need = plain ? step : 4;
    if (used + need >= size) {
      break;
    }
    if (plain) {
      memcpy(out + used, text + i, step);
      i += step;
    } else {
      (void)snprintf(out + used, 5, "\\x%02X", (unsigned char)text[i]);
      i += 1;
    }
    used += need;
  }
  out[used] = '\0';
  return i;
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
