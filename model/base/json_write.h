// SPDX-License-Identifier: Apache-2.0
// Building JSON objects in a chain of conditions: every function returns whether it worked, and fails on a NULL value,
// so that memory that ran out anywhere ends the chain. Values are taken over by the object or array, or freed.
#ifndef MEMPLAN_BASE_JSON_WRITE_H
#define MEMPLAN_BASE_JSON_WRITE_H

#include <jansson.h>

#include <stdbool.h>
#include <stdint.h>

bool memplan_json_set(json_t *object, const char *key, json_t *value);
bool memplan_json_set_integer(json_t *object, const char *key, int64_t value);
bool memplan_json_set_string(json_t *object, const char *key, const char *value);

// Nothing is added if the value is the default: `usual`; NULL or ""; false.
bool memplan_json_set_unless(json_t *object, const char *key, int64_t value, int64_t usual);
bool memplan_json_set_text(json_t *object, const char *key, const char *value);
bool memplan_json_set_true(json_t *object, const char *key, bool value);

bool memplan_json_add(json_t *array, json_t *value);

// [first, second]; NULL if memory is out.
json_t *memplan_json_integers(int64_t first, int64_t second);
json_t *memplan_json_strings(const char *first, const char *second);

// The value if `good`, else frees it and returns NULL.
json_t *memplan_json_finish(json_t *value, bool good);

#endif
