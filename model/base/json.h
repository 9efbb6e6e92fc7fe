// SPDX-License-Identifier: Apache-2.0
// Reading JSON objects field by field, with errors that say where ("tensors[3].bytes"), over jansson.
#ifndef MEMPLAN_BASE_JSON_H
#define MEMPLAN_BASE_JSON_H

#include "model/base/arena.h"
#include "model/base/status.h"

#include <jansson.h>

#include <stdbool.h>
#include <stdint.h>

// Parses a text of `length` bytes (a byte order mark is skipped). Repeated keys, trailing text and invalid UTF-8 are
// errors that name line and column. The caller owns *value (json_decref).
memplan_status memplan_json_parse(const char *text, size_t length, json_t **value, memplan_error *error);

// A place in a document, for messages: "", "tensors[3]", "pools[0].reserved[1]". Built on the caller's stack.
typedef struct memplan_json_place {
  const struct memplan_json_place *outer; // NULL at the top
  const char *key;                        // or NULL for an array element
  size_t index;
} memplan_json_place;

// Writes the path into `text` and returns it; "(top level)" for the top.
const char *memplan_json_path(const memplan_json_place *place, const char *key, char *text, size_t size);

// Each reads field `key` of `object`; null counts as absent. Absent: *value stays as it is (the default) unless
// `required`. A field of another type or out of range is MEMPLAN_INPUT with its path.
memplan_status memplan_json_integer(const json_t *object, const char *key, const memplan_json_place *place,
                                    bool required, int64_t minimum, int64_t maximum, int64_t *value,
                                    memplan_error *error);
memplan_status memplan_json_boolean(const json_t *object, const char *key, const memplan_json_place *place, bool *value,
                                    memplan_error *error);
// The string is copied into `arena`.
memplan_status memplan_json_string(const json_t *object, const char *key, const memplan_json_place *place,
                                   bool required, memplan_arena *arena, const char **value, memplan_error *error);
// *value: the array or object, or NULL if absent.
memplan_status memplan_json_array(const json_t *object, const char *key, const memplan_json_place *place, bool required,
                                  const json_t **value, memplan_error *error);
memplan_status memplan_json_object(const json_t *object, const char *key, const memplan_json_place *place,
                                   bool required, const json_t **value, memplan_error *error);

// The first key of `object` that is not in `known` (NULL-terminated), or NULL.
const char *memplan_json_unknown_key(const json_t *object, const char *const *known);

// Compact text ("," and ":" without spaces), keys in insertion order; malloc'd, NULL if memory is out.
char *memplan_json_text(const json_t *value);

#endif
