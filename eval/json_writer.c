// SPDX-License-Identifier: Apache-2.0
#include "eval/json_writer.h"

#include "model/base/quote.h"
#include "model/memplan.h"

#include <inttypes.h>
#include <string.h>

static void write_string(const memplan_writer *writer, const char *text) {
  FILE *out = writer->out;
  const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
  fputc('"', out);
  while (at < end) {
    size_t length = memplan_utf8_length((const char *)at, (size_t)(end - at));
    if (length == 0) {
      fputs("\\ufffd", out);
      at++;
    } else if (*at == '"' || *at == '\\') {
      fprintf(out, "\\%c", *at++);
    } else if (*at < 0x20 || *at == 0x7F || (writer->in_html && *at == '<')) {
      fprintf(out, "\\u%04x", (unsigned)*at++);
    } else {
      // A control character beyond ASCII is written as JSON's own escape, which means the same.
      memplan_shown shown;
      (void)memplan_shown_next((const char *)at, length, &shown);
      if (shown.bytes != length) {
        fprintf(out, "\\u%.4s", shown.text + 2);
      } else {
        fwrite(at, 1, length, out);
      }
      at += length;
    }
  }
  fputc('"', out);
}

static void begin_value(memplan_writer *writer, const char *key) {
  if (writer->after_value) {
    fputc(',', writer->out);
  }
  writer->after_value = true;
  if (key != NULL) {
    write_string(writer, key);
    fputc(':', writer->out);
  }
}

void memplan_writer_open(memplan_writer *writer, const char *key, char bracket) {
  begin_value(writer, key);
  fputc(bracket, writer->out);
  writer->after_value = false;
}

void memplan_writer_close(memplan_writer *writer, char bracket) {
  fputc(bracket, writer->out);
  writer->after_value = true;
}

void memplan_writer_put_text(memplan_writer *writer, const char *key, const char *text) {
  begin_value(writer, key);
  if (text == NULL) {
    fputs("null", writer->out);
  } else {
    write_string(writer, text);
  }
}

void memplan_writer_put_integer(memplan_writer *writer, const char *key, int64_t value) {
  begin_value(writer, key);
  fprintf(writer->out, "%" PRId64, value);
}

void memplan_writer_put_boolean(memplan_writer *writer, const char *key, bool value) {
  begin_value(writer, key);
  fputs(value ? "true" : "false", writer->out);
}

void memplan_writer_put_number(memplan_writer *writer, const char *key, const char *number) {
  begin_value(writer, key);
  fputs(number == NULL ? "null" : number, writer->out);
}

void memplan_writer_put_json(memplan_writer *writer, const char *key, const char *text) {
  memplan_writer_put_number(writer, key, text);
}

void memplan_writer_put_heading(memplan_writer *writer, const memplan_problem *problem) {
  memplan_writer_put_text(writer, "tool", "memplan");
  memplan_writer_put_text(writer, "version", memplan_version());
  memplan_writer_put_text(writer, "path", problem->path);
  memplan_writer_put_text(writer, "format", problem->format);
  memplan_writer_put_text(writer, "fingerprint", problem->fingerprint);
}
