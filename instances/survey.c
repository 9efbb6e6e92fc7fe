// SPDX-License-Identifier: Apache-2.0
// A format with a survey of its own is asked; of every other the problem is read and counted.
#include "instances/formats.h"
#include "model/base/file.h"
#include "model/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void memplan_survey_init(memplan_survey *survey) {
  memset(survey, 0, sizeof *survey);
  survey->operators = survey->tensors = -1;
}

void memplan_survey_free(memplan_survey *survey) {
  memplan_arena_free(&survey->arena);
  memplan_survey_init(survey);
}

static void count_problem(const memplan_problem *problem, memplan_survey *survey) {
  if (problem->has_instance) {
    survey->tensors = survey->tensors_known = problem->instance.n_buffers;
    return;
  }
  survey->operators = problem->graph.n_ops;
  survey->tensors = 0;
  for (int32_t i = 0; i < problem->graph.n_tensors; i++) {
    survey->tensors += (problem->graph.tensors[i].roles & MEMPLAN_ROLE_WEIGHT) == 0 ? 1 : 0;
  }
  survey->tensors_known = survey->tensors;
}

static memplan_status survey_by_reading(const memplan_source *s, const char *text, size_t length,
                                        memplan_survey *survey) {
  memplan_problem problem;
  memplan_problem_init(&problem);
  memplan_status status = memplan_read_text(text, length, s->problem->path, s->name, s->options, &problem, s->error);
  if (status == MEMPLAN_OK) {
    count_problem(&problem, survey);
  }
  memplan_problem_free(&problem);
  return status;
}

static memplan_status survey_stream(const memplan_source *s, const memplan_file_format *format, FILE *file,
                                    memplan_survey *survey) {
  survey->operators = survey->tensors = 0;
  return memplan_source_prefix(s, format->survey(s, file, survey));
}

static memplan_status survey_text(const memplan_source *s, const char *text, size_t length, memplan_survey *survey) {
  const memplan_file_format *format = NULL;
  if (length > 0) {
    format = s->name != NULL ? memplan_format_find(s->name) : memplan_format_detect(text, length, s->problem->path);
  }
  if (format == NULL || format->survey == NULL) {
    return survey_by_reading(s, text, length, survey);
  }
  // A stream for reading changes nothing, though its buffer is not const.
  FILE *file = fmemopen((void *)(uintptr_t)text, length, "rb");
  if (file == NULL) {
    return memplan_fail_nomem(s->error);
  }
  memplan_status status = survey_stream(s, format, file, survey);
  (void)fclose(file);
  return status;
}

static memplan_status survey_opened(const memplan_source *s, FILE *file, memplan_survey *survey) {
  const memplan_file_format *format = NULL;
  MEMPLAN_TRY(memplan_source_peek(s, file, &format));
  if (format != NULL && format->survey != NULL) {
    return survey_stream(s, format, file, survey);
  }
  char *text = NULL;
  size_t length = 0;
  MEMPLAN_TRY(memplan_source_prefix(s, memplan_file_read(file, &text, &length, s->error)));
  memplan_status status = survey_text(s, text, length, survey);
  free(text);
  return status;
}

memplan_status memplan_survey_file(const char *path, const char *format, const memplan_problem_options *options,
                                   memplan_survey *survey, memplan_error *error) {
  const memplan_problem_options defaults = memplan_problem_options_default();
  memplan_quoted_path shown = memplan_quote_path(path);
  memplan_problem unread;
  memplan_problem_init(&unread);
  unread.path = path;
  memplan_source s = {shown.text, format, options != NULL ? options : &defaults, &unread, error};
  FILE *file = NULL;
  MEMPLAN_TRY(memplan_source_prefix(&s, memplan_file_open(path, &file, error)));
  memplan_status status = survey_opened(&s, file, survey);
  memplan_file_close(file);
  return status;
}
