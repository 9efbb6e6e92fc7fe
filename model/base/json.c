// SPDX-License-Identifier: Apache-2.0
#include "model/base/json.h"

#include "model/base/quote.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { path_size = 256, largest_depth = 32 };

// jansson reports a failed allocation as one, or not at all, or as a syntax error at the place it had reached. A syntax
// error is found again at the same place.
static bool ran_out_of_memory(const char *text, size_t length, const json_error_t *problem) {
  if (problem->text[0] == '\0' || json_error_code(problem) == json_error_out_of_memory) {
    return true;
  }
  json_error_t again;
  json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, &again);
  bool same = value == NULL && again.position == problem->position && strcmp(again.text, problem->text) == 0;
  json_decref(value);
  return !same;
}

memplan_status memplan_json_parse(const char *text, size_t length, json_t **value, memplan_error *error) {
  *value = NULL;
  if (length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
    return memplan_fail(error, MEMPLAN_INPUT, "the text is encoded in UTF-16; save it as UTF-8");
  }
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
    text += 3;
    length -= 3;
  }
  json_error_t problem;
  *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
  if (*value != NULL) {
    return MEMPLAN_OK;
  }
  if (ran_out_of_memory(text, length, &problem)) {
    return memplan_fail_nomem(error);
  }
  return memplan_fail(error, MEMPLAN_INPUT, "line %d, column %d: not valid JSON: %s", problem.line, problem.column,
                      memplan_quote(problem.text).text);
}

static bool is_plain(const char *key) {
  if (key[0] == '\0') {
    return false;
  }
  for (const char *c = key; *c != '\0'; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_') {
      return false;
    }
  }
  return true;
}

static size_t add_text(char *text, size_t size, size_t used, const char *format, const char *part) {
  if (used >= size) {
    return used;
  }
  int count = snprintf(text + used, size - used, format, part);
  return count < 0 ? used : used + (size_t)count;
}

static size_t add_key(char *text, size_t size, size_t used, const char *key) {
  if (!is_plain(key)) {
    return add_text(text, size, used, "[\"%s\"]", memplan_quote(key).text);
  }
  return add_text(text, size, used, used > 0 ? ".%s" : "%s", memplan_quote(key).text);
}

const char *memplan_json_path(const memplan_json_place *place, const char *key, char *text, size_t size) {
  const memplan_json_place *places[largest_depth];
  size_t depth = 0;
  for (; place != NULL && depth < largest_depth; place = place->outer) {
    places[depth++] = place;
  }
  size_t used = 0;
  text[0] = '\0';
  while (depth > 0) {
    const memplan_json_place *next = places[--depth];
    if (next->key != NULL) {
      used = add_key(text, size, used, next->key);
    } else {
      char index[24];
      (void)snprintf(index, sizeof index, "[%zu]", next->index);
      used = add_text(text, size, used, "%s", index);
    }
  }
  if (key != NULL) {
    used = add_key(text, size, used, key);
  }
  if (used == 0) {
    (void)snprintf(text, size, "(top level)");
  }
  return text;
}

static const char *describe(const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    return "an array";
  case JSON_STRING:
    return "a string";
  case JSON_INTEGER:
    return "an integer";
  case JSON_REAL:
    return "a number with a fraction or exponent";
  case JSON_TRUE:
  case JSON_FALSE:
    return "a boolean";
  case JSON_NULL:
    break;
  }
  return "null";
}

// *value: the field, or NULL if it is absent or null; then MEMPLAN_INPUT if `required`.
static memplan_status find_field(const json_t *object, const char *key, const memplan_json_place *place, bool required,
                                 const json_t **value, memplan_error *error) {
  *value = json_object_get(object, key);
  if (*value != NULL && json_is_null(*value)) {
    *value = NULL;
  }
  if (*value == NULL && required) {
    char path[path_size];
    return memplan_fail(error, MEMPLAN_INPUT, "%s is missing; it has no default",
                        memplan_json_path(place, key, path, sizeof path));
  }
  return MEMPLAN_OK;
}

static memplan_status fail_type(const memplan_json_place *place, const char *key, const char *wanted,
                                const json_t *value, memplan_error *error) {
  char path[path_size];
  return memplan_fail(error, MEMPLAN_INPUT, "%s must be %s, not %s", memplan_json_path(place, key, path, sizeof path),
                      wanted, describe(value));
}

memplan_status memplan_json_integer(const json_t *object, const char *key, const memplan_json_place *place,
                                    bool required, int64_t minimum, int64_t maximum, int64_t *value,
                                    memplan_error *error) {
  const json_t *field;
  MEMPLAN_TRY(find_field(object, key, place, required, &field, error));
  if (field == NULL) {
    return MEMPLAN_OK;
  }
  if (!json_is_integer(field)) {
    return fail_type(place, key, "an integer", field, error);
  }
  int64_t number = json_integer_value(field);
  if (number < minimum || number > maximum) {
    char path[path_size];
    return memplan_fail(error, MEMPLAN_INPUT, "%s is %lld, outside %lld … %lld",
                        memplan_json_path(place, key, path, sizeof path), (long long)number, (long long)minimum,
                        (long long)maximum);
  }
  *value = number;
  return MEMPLAN_OK;
}

memplan_status memplan_json_boolean(const json_t *object, const char *key, const memplan_json_place *place, bool *value,
                                    memplan_error *error) {
  const json_t *field;
  MEMPLAN_TRY(find_field(object, key, place, false, &field, error));
  if (field == NULL) {
    return MEMPLAN_OK;
  }
  if (!json_is_boolean(field)) {
    return fail_type(place, key, "true or false", field, error);
  }
  *value = json_is_true(field);
  return MEMPLAN_OK;
}

memplan_status memplan_json_string(const json_t *object, const char *key, const memplan_json_place *place,
                                   bool required, memplan_arena *arena, const char **value, memplan_error *error) {
  const json_t *field;
  MEMPLAN_TRY(find_field(object, key, place, required, &field, error));
  if (field == NULL) {
    return MEMPLAN_OK;
  }
  if (!json_is_string(field)) {
    return fail_type(place, key, "a string", field, error);
  }
  *value = memplan_arena_text(arena, json_string_value(field), json_string_length(field));
  return *value != NULL ? MEMPLAN_OK : memplan_fail_nomem(error);
}

memplan_status memplan_json_array(const json_t *object, const char *key, const memplan_json_place *place, bool required,
                                  const json_t **value, memplan_error *error) {
  MEMPLAN_TRY(find_field(object, key, place, required, value, error));
  if (*value != NULL && !json_is_array(*value)) {
    return fail_type(place, key, "an array", *value, error);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_json_object(const json_t *object, const char *key, const memplan_json_place *place,
                                   bool required, const json_t **value, memplan_error *error) {
  MEMPLAN_TRY(find_field(object, key, place, required, value, error));
  if (*value != NULL && !json_is_object(*value)) {
    return fail_type(place, key, "an object", *value, error);
  }
  return MEMPLAN_OK;
}

const char *memplan_json_unknown_key(const json_t *object, const char *const *known) {
  // jansson's iterators take a pointer to non-const but change nothing.
  json_t *readable = (json_t *)(uintptr_t)object;
  for (void *entry = json_object_iter(readable); entry != NULL; entry = json_object_iter_next(readable, entry)) {
    const char *key = json_object_iter_key(entry);
    const char *const *name = known;
    while (*name != NULL && strcmp(*name, key) != 0) {
      name++;
    }
    if (*name == NULL) {
      return key;
    }
  }
  return NULL;
}

// jansson forgets a failure while it writes a key, so that failures are kept here.
typedef struct text_buffer {
  char *text;
  size_t length, size;
  bool failed;
} text_buffer;

static int append(const char *part, size_t length, void *data) {
  text_buffer *buffer = data;
  if (buffer->failed) {
    return -1;
  }
  if (buffer->size - buffer->length <= length) {
    size_t size = 2 * buffer->size + length;
    char *text = realloc(buffer->text, size);
    if (text == NULL) {
      buffer->failed = true;
      return -1;
    }
    buffer->text = text;
    buffer->size = size;
  }
  memcpy(buffer->text + buffer->length, part, length);
  buffer->length += length;
  return 0;
}

char *memplan_json_text(const json_t *value) {
  enum { first_size = 256 };
  text_buffer buffer = {malloc(first_size), 0, first_size, false};
  if (buffer.text == NULL) {
    return NULL;
  }
  if (json_dump_callback(value, append, &buffer, JSON_COMPACT | JSON_ENCODE_ANY) != 0 || buffer.failed) {
    free(buffer.text);
    return NULL;
  }
  buffer.text[buffer.length] = '\0';
  return buffer.text;
}
