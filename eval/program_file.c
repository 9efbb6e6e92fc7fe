// SPDX-License-Identifier: Apache-2.0
#include "eval/program_file.h"

#include "eval/output.h"
#include "model/base/file.h"
#include "model/base/quote.h"

#include <stdlib.h>
#include <string.h>

static const memplan_program_format formats[] = {
    {"lp", ".lp", "integer program in CPLEX's LP format", "the program of --method ilp-…", MEMPLAN_ILP_LP},
    {"mps", ".mps", "integer program in free MPS", "the program of --method ilp-…", MEMPLAN_ILP_MPS},
};

const memplan_program_format *memplan_program_format_at(int32_t index) {
  return index >= 0 && index < (int32_t)(sizeof formats / sizeof *formats) ? &formats[index] : NULL;
}

const memplan_program_format *memplan_program_format_for(const char *to, const char *path) {
  const memplan_program_format *format;
  for (int32_t k = 0; (format = memplan_program_format_at(k)) != NULL; k++) {
    if (to != NULL ? strcmp(to, format->name) == 0 : path != NULL && memplan_file_ends_with(path, format->extension)) {
      return format;
    }
  }
  return NULL;
}

memplan_status memplan_program_write(memplan_context *context, const memplan_problem *problem,
                                     const memplan_program_format *format, memplan_error *error) {
  const memplan_settings *settings = &context->settings;
  const char *path = settings->output == NULL ? "-" : settings->output;
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_ilp_export(problem, &settings->solve, settings->method, format->syntax, settings->program_limit,
                                 &text, &length, error));
  bool deferred = memplan_output_defer(path);
  memplan_status status = memplan_file_write(path, text, length, error);
  memplan_output_resume(deferred);
  free(text);
  return status;
}

memplan_status memplan_program_read(memplan_context *context, const memplan_problem *problem,
                                    memplan_solution *solution, memplan_error *error) {
  const memplan_settings *settings = &context->settings;
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_file_load(settings->solution, &text, &length, error));
  memplan_status status =
      memplan_ilp_import(problem, &settings->solve, settings->method, text, length, solution, error);
  free(text);
  if (status != MEMPLAN_OK) {
    memplan_error_prefix(error, "%s", memplan_quote_path(settings->solution).text);
  }
  return status;
}
