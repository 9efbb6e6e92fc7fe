// SPDX-License-Identifier: Apache-2.0
#include "instances/export_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void memplan_export_report_init(memplan_export_report *report) { memset(report, 0, sizeof *report); }

void memplan_export_report_free(memplan_export_report *report) {
  memplan_arena_free(&report->arena);
  memplan_export_report_init(report);
}

bool memplan_export_report_add(memplan_export_report *report, const char *format, ...) {
  if (report == NULL) {
    return true;
  }
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const char *text = memplan_arena_text(&report->arena, line, strlen(line));
  return text != NULL && memplan_arena_append(&report->arena, &report->warnings, &report->n_warnings, text);
}
