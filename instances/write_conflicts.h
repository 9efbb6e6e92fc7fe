// SPDX-License-Identifier: Apache-2.0
// An instance as sizes and pairs of buffers that may not share memory, as planners take them that know no lifetimes
// (TVM's USMP, MindSpore's SOMAS): what read_conflicts.h reads back.
#ifndef MEMPLAN_INSTANCES_WRITE_CONFLICTS_H
#define MEMPLAN_INSTANCES_WRITE_CONFLICTS_H

#include "instances/export_report.h"
#include "model/base/status.h"
#include "model/instance.h"

// The pairs of a resolved instance into a malloc'd text: a CSV of two ids a row, the earlier buffer first, sorted as
// the buffers are. A pair may not share a byte because both are live at some time, or by a rule `separate` or
// `conflicts`; empty buffers share nothing. The header is left out where one of its words is an id. MEMPLAN_UNSUPPORTED
// if there are more than 2^27 pairs; the number of pairs is a line in the report. What pairs cannot say, such as gaps
// in which a part of a buffer stays, is refused where the sizes are written (write_csv.h, MEMPLAN_CSV_SIZES). O(n log n
// + pairs log pairs).
memplan_status memplan_conflicts_write(const memplan_instance *instance, char **text, memplan_export_report *report,
                                       memplan_error *error);

#endif
