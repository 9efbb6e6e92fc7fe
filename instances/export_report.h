// SPDX-License-Identifier: Apache-2.0
// What an export could not carry but need not refuse: lines for people.
#ifndef MEMPLAN_INSTANCES_EXPORT_REPORT_H
#define MEMPLAN_INSTANCES_EXPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/arena.h"
#include "model/base/compiler.h"

typedef struct memplan_export_report {
  memplan_arena arena;
  const char **warnings; // one line each
  int32_t n_warnings;
} memplan_export_report;

void memplan_export_report_init(memplan_export_report *report);
void memplan_export_report_free(memplan_export_report *report);

// Adds a line. False if memory is out. `report` may be NULL.
bool memplan_export_report_add(memplan_export_report *report, const char *format, ...) MEMPLAN_PRINTF(2, 3);

#endif
