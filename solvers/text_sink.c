// SPDX-License-Identifier: Apache-2.0
#include "solvers/text_sink.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

const char memplan_certificate_too_large[] =
    "the proof is larger than the limit for certificates (--certificate-limit)";

static ssize_t take_bytes(void *cookie, const char *bytes, size_t size) {
  memplan_text_sink *sink = cookie;
  if (sink->too_large || sink->nomem || size > (uint64_t)sink->most - sink->length) {
    sink->too_large = sink->too_large || !sink->nomem;
    return 0;
  }
  if (sink->length + size + 1 > sink->capacity) {
    size_t capacity = 2 * (sink->length + size + 1);
    char *grown = realloc(sink->text, capacity);
    if (grown == NULL) {
      sink->nomem = true;
      return 0;
    }
    sink->text = grown;
    sink->capacity = capacity;
  }
  memcpy(sink->text + sink->length, bytes, size);
  sink->length += size;
  sink->text[sink->length] = '\0';
  return (ssize_t)size;
}

FILE *memplan_text_sink_open(memplan_text_sink *sink, int64_t most) {
  *sink = (memplan_text_sink){.most = most > 0 ? most : 0};
  return fopencookie(sink, "w", (cookie_io_functions_t){.write = take_bytes});
}

// Flushed first, or what the stream still holds would come after all.
void memplan_text_sink_clear(memplan_text_sink *sink, FILE *out) {
  if (fflush(out) == 0 && sink->text != NULL) {
    sink->length = 0;
    sink->text[0] = '\0';
  }
}

void memplan_text_sink_lines(const char *text, size_t length, FILE *out) {
  fputc('[', out);
  for (size_t at = 0; at < length; at++) {
    bool last = at + 1 == length;
    if (text[at] != '\n') {
      fputc(text[at], out);
    } else if (!last) {
      fputc(',', out);
    }
  }
  fputc(']', out);
}
