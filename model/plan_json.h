// SPDX-License-Identifier: Apache-2.0
// The plan's JSON form.
#ifndef MEMPLAN_PLAN_JSON_H
#define MEMPLAN_PLAN_JSON_H

#include "model/plan.h"

#include <jansson.h>

#include <stdbool.h>

// JSON form, keys in the fixed order of the format. NULL if memory is out.
json_t *memplan_plan_to_json(const memplan_plan *plan);

// Reads the JSON form. Checks its shape, not its truth. `strict`: unknown keys are errors.
memplan_status memplan_plan_from_json(const json_t *value, bool strict, memplan_plan *plan, memplan_error *error);

// Keys of the form, NULL-terminated.
extern const char *const memplan_plan_keys[];
extern const char *const memplan_plan_bound_keys[];
extern const char *const memplan_plan_slots_keys[];

#endif
