// SPDX-License-Identifier: Apache-2.0
// Placement problems as dsa-solver's structured JSON, schema version 1, profile pypto_research_v1.
//
// Buffers and pools are numbered in their order and called by their ids. Explicit conflicts become separations, and a
// buffer that is never live a step of its own behind all others, which is the same. Offsets have no place in the form.
#ifndef MEMPLAN_INSTANCES_WRITE_DSA_H
#define MEMPLAN_INSTANCES_WRITE_DSA_H

#include "instances/export_report.h"
#include "model/base/status.h"
#include "model/instance.h"

#include <jansson.h>

// The document of a resolved instance. MEMPLAN_UNSUPPORTED, by name, for sizes of 0, byte windows in gaps, alignments
// of views, a base, colocation at a distance or of buffers whose common lifetime is not that of the largest one, and a
// pin whose pool is open; lines in the report for what may be left out.
memplan_status memplan_dsa_to_json(const memplan_instance *instance, memplan_export_report *report, json_t **document,
                                   memplan_error *error);

#endif
