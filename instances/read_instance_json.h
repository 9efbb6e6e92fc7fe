// SPDX-License-Identifier: Apache-2.0
// memplan's own JSON form of placement problems, "memplan-instance" version 1.
#ifndef MEMPLAN_INSTANCES_READ_INSTANCE_JSON_H
#define MEMPLAN_INSTANCES_READ_INSTANCE_JSON_H

#include "model/instance.h"
#include "model/types.h"

#include <jansson.h>

// Keys of the form, NULL-terminated.
extern const char *const memplan_instance_json_keys[];
extern const char *const memplan_instance_json_buffer_keys[];
extern const char *const memplan_instance_json_gap_keys[];

// Fills an initialised instance, which is not resolved yet. Unknown keys are warnings, errors if options->strict. A
// buffer without `live` is accepted only in a document with `conflicts`, which then says when it conflicts. Ends of
// lifetimes and gaps are made half-open; *lifetimes tells what they were: as asked for in options->lifetimes, or else
// as the document says.
memplan_status memplan_instance_from_json(const json_t *document, const memplan_problem_options *options,
                                          memplan_instance *instance, memplan_lifetimes *lifetimes,
                                          memplan_error *error);

#endif
