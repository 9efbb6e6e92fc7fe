// SPDX-License-Identifier: Apache-2.0
// Lines for people on what an export could not carry.
#ifndef MEMPLAN_INSTANCES_EXPORT_REPORT_H
#define MEMPLAN_INSTANCES_EXPORT_REPORT_H

#include "model/memplan.h"

// Adds a line. False if memory is out. `report` may be NULL.
bool memplan_export_report_add(memplan_export_report *report, const char *format, ...) MEMPLAN_PRINTF(2, 3);

#endif
