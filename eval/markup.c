// SPDX-License-Identifier: Apache-2.0
#include "eval/markup.h"

#include "model/base/quote.h"

#include <string.h>

static const char *escape_of(unsigned char byte) {
  switch (byte) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F ? "\xEF\xBF\xBD" : NULL;
  }
}

// U+FFFE and U+FFFF are no characters of XML.
static int is_noncharacter(const char *text, size_t length) {
  return length == 3 && memcmp(text, "\xEF\xBF", 2) == 0 && ((unsigned char)text[2] >= 0xBE);
}

void memplan_markup_write(FILE *out, const char *text, size_t limit) {
  size_t left = strlen(text);
  for (size_t count = 0; left > 0; count++) {
    if (limit > 0 && count == limit) {
      fputs("…", out);
      return;
    }
    size_t length = memplan_utf8_length(text, left);
    const char *escape = length == 1 ? escape_of((unsigned char)*text) : NULL;
    if (length == 0 || is_noncharacter(text, length)) {
      fputs("\xEF\xBF\xBD", out);
      length = length == 0 ? 1 : length;
    } else if (escape != NULL) {
      fputs(escape, out);
    } else {
      fwrite(text, 1, length, out);
    }
    text += length;
    left -= length;
  }
}
