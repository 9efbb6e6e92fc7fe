// SPDX-License-Identifier: Apache-2.0
// The keys of the plan's JSON form, NULL-terminated, for readers and for the check against the schema.
#ifndef MEMPLAN_PLAN_JSON_H
#define MEMPLAN_PLAN_JSON_H

extern const char *const memplan_plan_keys[];
extern const char *const memplan_plan_bound_keys[];
extern const char *const memplan_plan_slots_keys[];

enum { MEMPLAN_PLAN_MAX_NESTING = 64 }; // bodies in bodies

#endif
