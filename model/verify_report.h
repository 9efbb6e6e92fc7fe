// SPDX-License-Identifier: Apache-2.0
// Collects the violations of one verification.
#ifndef MEMPLAN_VERIFY_REPORT_H
#define MEMPLAN_VERIFY_REPORT_H

#include "model/verify.h"

enum { MEMPLAN_REPORT_KEPT = 100 };

// Violations by kind while the check runs, at most MEMPLAN_REPORT_KEPT of each; memory from the report's arena.
typedef struct memplan_findings {
  memplan_report *report;
  memplan_violation *kept[MEMPLAN_VIOLATION_KINDS];
  int32_t n_kept[MEMPLAN_VIOLATION_KINDS];
} memplan_findings;

void memplan_findings_init(memplan_findings *findings, memplan_report *report);

// Counts a violation and keeps it, with copies of its ids, if there is room for its kind. `first` and `second` may be
// NULL.
memplan_status memplan_findings_add(memplan_findings *findings, const memplan_violation *violation,
                                    memplan_error *error, const char *format, ...) MEMPLAN_PRINTF(4, 5);

// Adds all that another report holds, each text after "prefix: ".
memplan_status memplan_findings_merge(memplan_findings *findings, const memplan_report *inner, const char *prefix,
                                      memplan_error *error);

// Moves what was kept into the report: by kind, then as found.
memplan_status memplan_findings_close(memplan_findings *findings, memplan_error *error);

#endif
