// SPDX-License-Identifier: Apache-2.0
// Problems of dsa-solver: its structured JSON, schema version 1.
//
// Buffers and pools are called by their names, or by their numbers where they have none. What becomes of the rest:
// - live_intervals, alignment, allowed_pools, capacity, reserved_ranges: as they are
// - separations: `separate`; colocations: `colocate`, with the meaning of dsa_classes.h
// - temporal_exclusions, and pins that are exclusive for all time: dsa_classes.h
// - pinned_allocations: a pin and its pool
// - cost_model.reuse_penalties: instance.reuse; an objective that asks for the reuse cost before any peak:
//   instance.prefer_low_reuse
// - bank_geometry and the objective's bank_cost: a warning, memplan knows no banks
// - pypto_structure, metadata, reasons: checked for form; they change nothing
#ifndef MEMPLAN_INSTANCES_READ_DSA_H
#define MEMPLAN_INSTANCES_READ_DSA_H

#include "model/base/status.h"
#include "model/instance.h"
#include "model/types.h"

#include <jansson.h>

// Fills an initialised instance, which is not resolved yet, from a parsed document. Messages name the path in the
// document. MEMPLAN_INPUT for what the schema or dsa-solver's validator forbids. Of the options: strict.
memplan_status memplan_dsa_from_json(const json_t *document, const memplan_problem_options *options,
                                     memplan_instance *instance, memplan_error *error);

#endif
