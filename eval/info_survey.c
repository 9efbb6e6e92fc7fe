// SPDX-License-Identifier: Apache-2.0
#include "eval/grid.h"
#include "eval/info.h"
#include "eval/json_writer.h"
#include "model/base/quote.h"

#include <inttypes.h>
#include <string.h>

static void write_count(FILE *out, const char *title, int64_t count) {
  if (count >= 0) {
    fprintf(out, "  %-15s %" PRId64 "\n", title, count);
  }
}

void memplan_info_write_survey(const memplan_survey *survey, const char *path, FILE *out) {
  fprintf(out, "%s: read only in part\n\n", memplan_quote_path(path).text);
  write_count(out, "operators", survey->operators);
  if (survey->tensors >= 0) {
    fprintf(out, "  %-15s %" PRId64 ", %" PRId64 " of them with a known size\n", "tensors", survey->tensors,
            survey->tensors_known);
  }
  for (int32_t i = 0; i < survey->n_unknown_symbols; i++) {
    fprintf(out, "  %-15s ", i == 0 ? "unknown dims" : "");
    memplan_text_write(out, survey->unknown_symbols[i]);
    // exporters name what they compute from other dimensions by how, "past + 1"
    bool computed = strpbrk(survey->unknown_symbols[i], " +-*/()") != NULL;
    fputs(computed ? ": follows from others, or give --dim '" : ": give --dim '", out);
    memplan_text_write(out, survey->unknown_symbols[i]);
    fputs("=N'\n", out);
  }
  for (int32_t i = 0; i < survey->n_unknown_listed; i++) {
    fprintf(out, "  %-15s ", i == 0 ? "unknown shapes" : "");
    memplan_text_write(out, survey->unknown_tensors[i]);
    fputc('\n', out);
  }
  if (survey->unknown_tensors_total > survey->n_unknown_listed) {
    fprintf(out, "  %-15s and %" PRId64 " more\n", survey->n_unknown_listed == 0 ? "unknown shapes" : "",
            survey->unknown_tensors_total - survey->n_unknown_listed);
  }
}

static void put_count(memplan_writer *writer, const char *key, int64_t count) {
  if (count < 0) {
    memplan_writer_put_number(writer, key, NULL);
  } else {
    memplan_writer_put_integer(writer, key, count);
  }
}

static void put_texts(memplan_writer *writer, const char *key, const char **texts, int32_t n) {
  memplan_writer_open(writer, key, '[');
  for (int32_t i = 0; i < n; i++) {
    memplan_writer_put_text(writer, NULL, texts[i]);
  }
  memplan_writer_close(writer, ']');
}

void memplan_info_write_survey_json(const memplan_survey *survey, const char *path, const char *reason, FILE *out) {
  memplan_writer writer = {.out = out};
  memplan_writer_open(&writer, NULL, '{');
  memplan_writer_put_text(&writer, "tool", "memplan");
  memplan_writer_put_text(&writer, "version", memplan_version());
  memplan_writer_put_text(&writer, "path", path);
  put_count(&writer, "ops", survey->operators);
  put_count(&writer, "tensors", survey->tensors);
  put_count(&writer, "tensors_known", survey->tensors_known);
  put_texts(&writer, "unknown_dims", survey->unknown_symbols, survey->n_unknown_symbols);
  put_texts(&writer, "unknown_tensors", survey->unknown_tensors, survey->n_unknown_listed);
  put_count(&writer, "n_unknown_tensors", survey->unknown_tensors_total);
  memplan_writer_put_text(&writer, "error", reason);
  memplan_writer_close(&writer, '}');
  fputc('\n', out);
}
