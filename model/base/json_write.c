// SPDX-License-Identifier: Apache-2.0
#include "model/base/json_write.h"

bool memplan_json_set(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value) == 0;
}

bool memplan_json_set_integer(json_t *object, const char *key, int64_t value) {
  return memplan_json_set(object, key, json_integer(value));
}

bool memplan_json_set_string(json_t *object, const char *key, const char *value) {
  return memplan_json_set(object, key, json_string(value));
}

bool memplan_json_set_unless(json_t *object, const char *key, int64_t value, int64_t usual) {
  return value == usual || memplan_json_set_integer(object, key, value);
}

bool memplan_json_set_text(json_t *object, const char *key, const char *value) {
  return value == NULL || value[0] == '\0' || memplan_json_set_string(object, key, value);
}

bool memplan_json_set_true(json_t *object, const char *key, bool value) {
  return !value || memplan_json_set(object, key, json_true());
}

bool memplan_json_add(json_t *array, json_t *value) { return json_array_append_new(array, value) == 0; }

json_t *memplan_json_finish(json_t *value, bool good) {
  if (good) {
    return value;
  }
  json_decref(value);
  return NULL;
}

static json_t *pair(json_t *first, json_t *second) {
  json_t *array = json_array();
  bool good = memplan_json_add(array, first);
  good = memplan_json_add(array, second) && good;
  return memplan_json_finish(array, good);
}

json_t *memplan_json_integers(int64_t first, int64_t second) { return pair(json_integer(first), json_integer(second)); }

json_t *memplan_json_strings(const char *first, const char *second) {
  return pair(json_string(first), json_string(second));
}
