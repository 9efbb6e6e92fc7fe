// SPDX-License-Identifier: Apache-2.0
#include "tests/support/problem_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

memplan_status support_read(memplan_problem *problem, const char *path, const char *text,
                            const memplan_problem_options *options, memplan_error *error) {
  memplan_problem_options defaults = memplan_problem_options_default();
  memplan_problem_init(problem);
  return memplan_read_text(text, strlen(text), path, NULL, options != NULL ? options : &defaults, problem, error);
}

void support_read_good(memplan_problem *problem, const char *path, const char *text) {
  memplan_error error = {0};
  if (support_read(problem, path, text, NULL, &error) != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
}

void support_expect_error(const char *path, const char *text, const memplan_problem_options *options,
                          memplan_status status, const char *part) {
  memplan_problem problem;
  memplan_error error = {0};
  memplan_status found = support_read(&problem, path, text, options, &error);
  memplan_problem_free(&problem);
  if (found != status || strstr(error.message, part) == NULL) {
    fail_msg("wanted %s with '%s', got %s: %s", memplan_status_name(status), part, memplan_status_name(found),
             error.message);
  }
  // One message, which names the file once, at its start.
  assert_ptr_equal(strstr(error.message, path), error.message);
  assert_null(strstr(error.message + 1, path));
  assert_null(strchr(error.message, '\n'));
}

int32_t support_count_warnings(const memplan_problem *problem) {
  return problem->has_graph ? problem->graph.n_warnings : problem->instance.n_warnings;
}

bool support_has_warning(const memplan_problem *problem, const char *part) {
  const char **warnings = problem->has_graph ? problem->graph.warnings : problem->instance.warnings;
  for (int32_t i = 0; i < support_count_warnings(problem); i++) {
    if (strstr(warnings[i], part) != NULL) {
      return true;
    }
  }
  return false;
}

char *support_export(const memplan_problem *problem, const char *format) {
  memplan_error error = {0};
  memplan_export_report report;
  memplan_export_report_init(&report);
  char *text = NULL;
  size_t length = 0;
  memplan_status status = memplan_export_text(problem, NULL, format, NULL, &text, &length, &report, &error);
  memplan_export_report_free(&report);
  if (status != MEMPLAN_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(strlen(text), length);
  return text;
}

void support_expect_refusal(const memplan_problem *problem, const char *format, const char *part) {
  memplan_error error = {0};
  char *text = NULL;
  size_t length = 0;
  memplan_status status = memplan_export_text(problem, NULL, format, NULL, &text, &length, NULL, &error);
  free(text);
  assert_int_equal(status, MEMPLAN_UNSUPPORTED);
  if (strstr(error.message, part) == NULL) {
    fail_msg("wanted '%s', got: %s", part, error.message);
  }
}

int64_t support_load(const memplan_problem *problem) {
  memplan_load load;
  memplan_error error = {0};
  assert_int_equal(memplan_instance_load(&problem->instance, false, &load, &error), MEMPLAN_OK);
  return load.bytes;
}
