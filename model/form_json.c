// SPDX-License-Identifier: Apache-2.0
#include "model/form_json.h"

#include "model/base/json_write.h"

json_t *memplan_form_heading(const char *format, const char *name, const char *source) {
  json_t *object = json_object();
  return memplan_json_finish(
      object, memplan_json_set_string(object, "format", format) && memplan_json_set_integer(object, "version", 1) &&
                  memplan_json_set_text(object, "name", name) && memplan_json_set_text(object, "source", source));
}

static json_t *reserved_json(const memplan_pool *pool) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < pool->n_reserved; i++) {
    good = memplan_json_add(array, memplan_json_integers(pool->reserved[i].start, pool->reserved[i].end));
  }
  return memplan_json_finish(array, good);
}

static json_t *pool_json(const memplan_pool *pool) {
  json_t *object = json_object();
  return memplan_json_finish(object,
                             memplan_json_set_string(object, "id", pool->id) &&
                                 memplan_json_set_unless(object, "capacity", pool->capacity, -1) &&
                                 memplan_json_set_unless(object, "base", pool->base, 0) &&
                                 (pool->n_reserved == 0 || memplan_json_set(object, "reserved", reserved_json(pool))));
}

bool memplan_form_put_pools(json_t *object, const memplan_pool *pools, int32_t count) {
  if (count == 0) {
    return true;
  }
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < count; i++) {
    good = memplan_json_add(array, pool_json(&pools[i]));
  }
  return memplan_json_set(object, "pools", memplan_json_finish(array, good));
}

bool memplan_form_put_pool_ids(json_t *object, const char *key, const memplan_pool *pools, const int32_t *list,
                               int32_t count) {
  if (count == 0) {
    return true;
  }
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < count; i++) {
    good = memplan_json_add(array, json_string(pools[list[i]].id));
  }
  return memplan_json_set(object, key, memplan_json_finish(array, good));
}
