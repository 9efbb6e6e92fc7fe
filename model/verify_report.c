// SPDX-License-Identifier: Apache-2.0
// Each kind has its own list, so that a flood of one kind hides no other, and the fixed order costs no sort.
#include "model/verify_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *memplan_violation_kind_name(memplan_violation_kind kind) {
  static const char *const names[MEMPLAN_VIOLATION_KINDS] = {
      [MEMPLAN_VIOLATION_FINGERPRINT] = "fingerprint",
      [MEMPLAN_VIOLATION_ORDER] = "order",
      [MEMPLAN_VIOLATION_INPLACE] = "inplace",
      [MEMPLAN_VIOLATION_MISSING] = "missing",
      [MEMPLAN_VIOLATION_UNKNOWN] = "unknown",
      [MEMPLAN_VIOLATION_DUPLICATE] = "duplicate",
      [MEMPLAN_VIOLATION_OFFSET] = "offset",
      [MEMPLAN_VIOLATION_ALIGNMENT] = "alignment",
      [MEMPLAN_VIOLATION_PIN] = "pin",
      [MEMPLAN_VIOLATION_POOL] = "pool",
      [MEMPLAN_VIOLATION_CAPACITY] = "capacity",
      [MEMPLAN_VIOLATION_RESERVED] = "reserved",
      [MEMPLAN_VIOLATION_OVERLAP] = "overlap",
      [MEMPLAN_VIOLATION_SEPARATE] = "separate",
      [MEMPLAN_VIOLATION_COLOCATE] = "colocate",
      [MEMPLAN_VIOLATION_PEAK] = "peak",
      [MEMPLAN_VIOLATION_BOUND] = "bound",
      [MEMPLAN_VIOLATION_SLOT] = "slot",
      [MEMPLAN_VIOLATION_BODY] = "body",
  };
  return kind >= 0 && kind < MEMPLAN_VIOLATION_KINDS ? names[kind] : "unknown kind";
}

void memplan_report_init(memplan_report *report) {
  memset(report, 0, sizeof *report);
  memplan_arena_init(&report->arena);
}

void memplan_report_free(memplan_report *report) {
  memplan_arena_free(&report->arena);
  memplan_report_init(report);
}

void memplan_findings_init(memplan_findings *findings, memplan_report *report) {
  memset(findings, 0, sizeof *findings);
  findings->report = report;
}

static memplan_status keep(memplan_findings *findings, const memplan_violation *violation, const char *text,
                           memplan_error *error) {
  memplan_arena *arena = &findings->report->arena;
  memplan_violation_kind kind = violation->kind;
  findings->report->n_found++;
  if (findings->n_kept[kind] == MEMPLAN_REPORT_KEPT) {
    return MEMPLAN_OK;
  }
  if (findings->kept[kind] == NULL) {
    findings->kept[kind] = MEMPLAN_NEW(arena, memplan_violation, MEMPLAN_REPORT_KEPT);
    if (findings->kept[kind] == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  memplan_violation *copy = &findings->kept[kind][findings->n_kept[kind]++];
  *copy = *violation;
  copy->text = memplan_arena_text(arena, text, strlen(text));
  if (violation->first != NULL) {
    copy->first = memplan_arena_text(arena, violation->first, strlen(violation->first));
  }
  if (violation->second != NULL) {
    copy->second = memplan_arena_text(arena, violation->second, strlen(violation->second));
  }
  if (copy->text == NULL || (violation->first != NULL && copy->first == NULL) ||
      (violation->second != NULL && copy->second == NULL)) {
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_findings_add(memplan_findings *findings, const memplan_violation *violation,
                                    memplan_error *error, const char *format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return keep(findings, violation, text, error);
}

memplan_status memplan_findings_merge(memplan_findings *findings, const memplan_report *inner, const char *prefix,
                                      memplan_error *error) {
  for (int32_t i = 0; i < inner->n_violations; i++) {
    char text[2048];
    (void)snprintf(text, sizeof text, "%s: %s", prefix, inner->violations[i].text);
    MEMPLAN_TRY(keep(findings, &inner->violations[i], text, error));
  }
  findings->report->n_found += inner->n_found - inner->n_violations;
  return MEMPLAN_OK;
}

memplan_status memplan_findings_close(memplan_findings *findings, memplan_error *error) {
  memplan_report *report = findings->report;
  report->violations = MEMPLAN_NEW(&report->arena, memplan_violation, MEMPLAN_REPORT_KEPT);
  if (report->violations == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t kind = 0; kind < MEMPLAN_VIOLATION_KINDS; kind++) {
    for (int32_t i = 0; i < findings->n_kept[kind] && report->n_violations < MEMPLAN_REPORT_KEPT; i++) {
      report->violations[report->n_violations++] = findings->kept[kind][i];
    }
  }
  report->valid = report->n_found == 0;
  return MEMPLAN_OK;
}
