// SPDX-License-Identifier: Apache-2.0
#include "instances/json_reader.h"

#include "model/base/number.h"
#include "model/base/quote.h"

#include <stdio.h>
#include <string.h>

const char *const memplan_json_pool_keys[] = {"id", "capacity", "base", "reserved", NULL};

enum { path_size = 256 };

void memplan_json_reader_free(memplan_json_reader *reader) {
  memplan_names_free(&reader->unknown);
  memplan_names_free(&reader->pools);
}

memplan_status memplan_json_fail(const memplan_json_reader *reader, const memplan_json_place *place, const char *key,
                                 const char *reason) {
  char path[path_size];
  return memplan_fail(reader->error, MEMPLAN_INPUT, "%s %s", memplan_json_path(place, key, path, sizeof path), reason);
}

memplan_status memplan_json_check_heading(const memplan_json_reader *reader, const json_t *document,
                                          const char *format) {
  if (!json_is_object(document)) {
    return memplan_fail(reader->error, MEMPLAN_INPUT, "the document must be an object with \"format\": \"%s\"", format);
  }
  const char *found = json_string_value(json_object_get(document, "format"));
  if (found == NULL || strcmp(found, format) != 0) {
    return memplan_fail(reader->error, MEMPLAN_INPUT, "format is '%s', but \"%s\" is needed here",
                        found != NULL ? memplan_quote(found).text : "(none)", format);
  }
  int64_t version = 0;
  MEMPLAN_TRY(memplan_json_integer(document, "version", NULL, true, INT64_MIN, INT64_MAX, &version, reader->error));
  if (version != 1) {
    return memplan_fail(reader->error, MEMPLAN_UNSUPPORTED, "version is %lld, but this memplan reads version 1 alone",
                        (long long)version);
  }
  return MEMPLAN_OK;
}

static bool is_known(const char *key, const char *const *known) {
  while (*known != NULL && strcmp(*known, key) != 0) {
    known++;
  }
  return *known != NULL;
}

static memplan_status warn_unknown(memplan_json_reader *reader, const memplan_json_place *place, const char *kind,
                                   const char *key) {
  memplan_arena_mark mark = memplan_arena_get_mark(reader->arena);
  size_t size = strlen(kind) + strlen(key) + 2;
  char *entry = memplan_arena_alloc(reader->arena, size, 1);
  if (entry == NULL) {
    return memplan_fail_nomem(reader->error);
  }
  (void)snprintf(entry, size, "%s.%s", kind, key);
  int32_t before = memplan_names_add(&reader->unknown, entry, 0);
  if (before == -2) {
    return memplan_fail_nomem(reader->error);
  }
  if (before >= 0) {
    memplan_arena_release(reader->arena, mark);
    return MEMPLAN_OK;
  }
  char path[path_size];
  return memplan_remarks_warn(&reader->remarks, MEMPLAN_REMARK_KEY, reader->error, "unknown key %s is ignored",
                              memplan_json_path(place, key, path, sizeof path));
}

memplan_status memplan_json_check_keys(memplan_json_reader *reader, const json_t *object,
                                       const memplan_json_place *place, const char *kind, const char *const *known) {
  // jansson's iterators take a pointer to non-const but change nothing.
  json_t *readable = (json_t *)(uintptr_t)object;
  for (void *entry = json_object_iter(readable); entry != NULL; entry = json_object_iter_next(readable, entry)) {
    const char *key = json_object_iter_key(entry);
    if (!is_known(key, known)) {
      MEMPLAN_TRY(warn_unknown(reader, place, kind, key));
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_json_read_id(memplan_json_reader *reader, const json_t *object, const memplan_json_place *list,
                                    size_t index, memplan_names *names, const char **id) {
  memplan_json_place place = {list, NULL, index};
  MEMPLAN_TRY(memplan_json_string(object, "id", &place, true, reader->arena, id, reader->error));
  if ((*id)[0] == '\0') {
    return memplan_json_fail(reader, &place, "id", "must not be empty");
  }
  int32_t before = memplan_names_add(names, *id, (int32_t)index);
  if (before == -2) {
    return memplan_fail_nomem(reader->error);
  }
  if (before >= 0) {
    char path[path_size];
    return memplan_fail(reader->error, MEMPLAN_INPUT, "%s '%s' is also that of %s[%d]; ids must be unique",
                        memplan_json_path(&place, "id", path, sizeof path), memplan_quote(*id).text, list->key, before);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_json_read_reference(const memplan_json_reader *reader, const json_t *value,
                                           const memplan_json_place *place, const memplan_names *names,
                                           const char *what, int32_t *index) {
  const char *id = json_string_value(value);
  char path[path_size];
  if (id == NULL) {
    return memplan_fail(reader->error, MEMPLAN_INPUT, "%s must be a string, the id of a %s",
                        memplan_json_path(place, NULL, path, sizeof path), what);
  }
  *index = memplan_names_find(names, id);
  if (*index < 0) {
    return memplan_fail(reader->error, MEMPLAN_INPUT, "%s: there is no %s '%s'; correct the id or add it",
                        memplan_json_path(place, NULL, path, sizeof path), what, memplan_quote(id).text);
  }
  return MEMPLAN_OK;
}

memplan_status memplan_json_read_list(const memplan_json_reader *reader, const json_t *object, const char *key,
                                      const memplan_json_place *place, bool required, bool of_objects,
                                      const json_t **array, int32_t *count) {
  *array = NULL;
  *count = 0;
  MEMPLAN_TRY(memplan_json_array(object, key, place, required, array, reader->error));
  size_t length = json_array_size(*array);
  if (length > INT32_MAX / 4) {
    return memplan_json_fail(reader, place, key, "has more elements than memplan can hold");
  }
  *count = (int32_t)length;
  memplan_json_place list = {place, key, 0};
  for (size_t i = 0; of_objects && i < length; i++) {
    memplan_json_place element = {&list, NULL, i};
    if (!json_is_object(json_array_get(*array, i))) {
      return memplan_json_fail(reader, &element, NULL, "must be an object");
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_json_read_references(const memplan_json_reader *reader, const json_t *object, const char *key,
                                            const memplan_json_place *place, const memplan_names *names,
                                            const char *what, const int32_t **list, int32_t *count) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(reader, object, key, place, false, false, &array, count));
  if (*count == 0) {
    return MEMPLAN_OK;
  }
  int32_t *indices = MEMPLAN_NEW(reader->arena, int32_t, *count);
  if (indices == NULL) {
    return memplan_fail_nomem(reader->error);
  }
  memplan_json_place outer = {place, key, 0};
  for (int32_t i = 0; i < *count; i++) {
    memplan_json_place element = {&outer, NULL, (size_t)i};
    MEMPLAN_TRY(
        memplan_json_read_reference(reader, json_array_get(array, (size_t)i), &element, names, what, &indices[i]));
  }
  *list = indices;
  return MEMPLAN_OK;
}

memplan_status memplan_json_read_pair(const memplan_json_reader *reader, const json_t *value,
                                      const memplan_json_place *place, int64_t *first, int64_t *second) {
  const json_t *a = json_array_get(value, 0);
  const json_t *b = json_array_get(value, 1);
  if (!json_is_array(value) || json_array_size(value) != 2 || !json_is_integer(a) || !json_is_integer(b)) {
    return memplan_json_fail(reader, place, NULL, "must be an array of two integers");
  }
  *first = json_integer_value(a);
  *second = json_integer_value(b);
  return MEMPLAN_OK;
}

static memplan_status read_reserved(const memplan_json_reader *reader, const json_t *object,
                                    const memplan_json_place *place, memplan_pool *pool) {
  const json_t *array = NULL;
  int32_t count = 0;
  MEMPLAN_TRY(memplan_json_read_list(reader, object, "reserved", place, false, false, &array, &count));
  memplan_interval *list = MEMPLAN_NEW(reader->arena, memplan_interval, count);
  if (list == NULL) {
    return memplan_fail_nomem(reader->error);
  }
  memplan_json_place outer = {place, "reserved", 0};
  for (int32_t i = 0; i < count; i++) {
    memplan_json_place element = {&outer, NULL, (size_t)i};
    MEMPLAN_TRY(
        memplan_json_read_pair(reader, json_array_get(array, (size_t)i), &element, &list[i].start, &list[i].end));
    if (list[i].start < 0 || list[i].start > list[i].end) {
      return memplan_json_fail(reader, &element, NULL,
                               "must be a range of offsets [first, last + 1] that starts at 0 or later");
    }
  }
  pool->reserved = list;
  pool->n_reserved = count;
  return MEMPLAN_OK;
}

memplan_status memplan_json_read_pools(memplan_json_reader *reader, const json_t *document, memplan_pool **pools,
                                       int32_t *n_pools) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(reader, document, "pools", NULL, false, true, &array, n_pools));
  *pools = MEMPLAN_NEW(reader->arena, memplan_pool, *n_pools);
  if (*pools == NULL) {
    return memplan_fail_nomem(reader->error);
  }
  memplan_json_place list = {NULL, "pools", 0};
  for (int32_t i = 0; i < *n_pools; i++) {
    const json_t *object = json_array_get(array, (size_t)i);
    memplan_pool *pool = &(*pools)[i];
    memplan_json_place place = {&list, NULL, (size_t)i};
    pool->capacity = -1;
    MEMPLAN_TRY(memplan_json_check_keys(reader, object, &place, "pools[]", memplan_json_pool_keys));
    MEMPLAN_TRY(memplan_json_read_id(reader, object, &list, (size_t)i, &reader->pools, &pool->id));
    MEMPLAN_TRY(
        memplan_json_integer(object, "capacity", &place, false, 0, MEMPLAN_SIZE_LIMIT, &pool->capacity, reader->error));
    MEMPLAN_TRY(
        memplan_json_integer(object, "base", &place, false, 0, MEMPLAN_OFFSET_LIMIT, &pool->base, reader->error));
    MEMPLAN_TRY(read_reserved(reader, object, &place, pool));
  }
  return MEMPLAN_OK;
}
