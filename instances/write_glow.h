// SPDX-License-Identifier: Apache-2.0
// Placement problems as traces of Glow's memory allocator: read_glow.h.
#ifndef MEMPLAN_INSTANCES_WRITE_GLOW_H
#define MEMPLAN_INSTANCES_WRITE_GLOW_H

#include "instances/export_report.h"
#include "model/base/status.h"
#include "model/instance.h"

#include <stddef.h>

// Writes a resolved instance into a malloc'd text: an ALLOC at the start and a FREE at the end of each lifetime, in the
// order of time. `peak`: of a plan, recorded as MEM and EFF; -1 without one. MEMPLAN_UNSUPPORTED, by name, for all but
// one lifetime a buffer and one alignment, and for ids with blanks; lines in the report for what may be left out.
memplan_status memplan_glow_write(const memplan_instance *instance, int64_t peak, char **text, size_t *length,
                                  memplan_export_report *report, memplan_error *error);

#endif
