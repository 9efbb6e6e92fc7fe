// SPDX-License-Identifier: Apache-2.0
#include "instances/export_report.h"

#include <stdarg.h>
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
  va_list arguments;
  va_start(arguments, format);
  bool good = memplan_arena_append_line(&report->arena, &report->warnings, &report->n_warnings, format, arguments);
  va_end(arguments);
  return good;
}
