// SPDX-License-Identifier: Apache-2.0
// Writes JSON to a stream with keys in the order of the calls and exact decimals, which is what result lines need.
// `key` is NULL inside arrays and at the top. Errors stay in the stream (ferror), to be asked for at the end.
#ifndef MEMPLAN_EVAL_JSON_WRITER_H
#define MEMPLAN_EVAL_JSON_WRITER_H

#include "model/problem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct memplan_writer {
  FILE *out;
  bool after_value; // a comma is due before the next value
  bool in_html;     // '<' is written as an escape, so that no text can end the element around it
} memplan_writer;

void memplan_writer_open(memplan_writer *writer, const char *key, char bracket); // '{' or '['
void memplan_writer_close(memplan_writer *writer, char bracket);                 // '}' or ']'

// The keys that the object of every file begins with: tool, version, path, format, fingerprint.
void memplan_writer_put_heading(memplan_writer *writer, const memplan_problem *problem);

// A string; NULL: null. Bytes that are no UTF-8 become U+FFFD.
void memplan_writer_put_text(memplan_writer *writer, const char *key, const char *text);
void memplan_writer_put_integer(memplan_writer *writer, const char *key, int64_t value);
void memplan_writer_put_boolean(memplan_writer *writer, const char *key, bool value);
// A number that is already written out; NULL: null.
void memplan_writer_put_number(memplan_writer *writer, const char *key, const char *number);
// Any value that is JSON already; NULL: null.
void memplan_writer_put_json(memplan_writer *writer, const char *key, const char *text);

#endif
