// SPDX-License-Identifier: Apache-2.0
// A stream into memory that takes no more than so many bytes.
#ifndef MEMPLAN_SOLVERS_TEXT_SINK_H
#define MEMPLAN_SOLVERS_TEXT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct memplan_text_sink {
  char *text; // malloc'd, NULL if nothing came
  size_t length;
  bool too_large, nomem; // why writing fails, which the stream's error indicator shows as soon as it is flushed
  // private
  size_t capacity;
  int64_t most;
} memplan_text_sink;

// What a certificate that is left out for its size says, by its address too.
extern const char memplan_certificate_too_large[];

// NULL if memory is out. The text is the caller's once the stream is closed; the sink has to stay until then.
FILE *memplan_text_sink_open(memplan_text_sink *sink, int64_t most);

// The lines of a certificate as a JSON array. Errors of writing stay in the stream.
void memplan_text_sink_lines(const char *text, size_t length, FILE *out);

// Forgets what `out`, the stream of the sink, has written. A stream that has failed stays so.
void memplan_text_sink_clear(memplan_text_sink *sink, FILE *out);

#endif
