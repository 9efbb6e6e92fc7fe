// SPDX-License-Identifier: Apache-2.0
#include "instances/read_instance_json.h"

#include "instances/json_reader.h"
#include "model/base/number.h"

#include <string.h>

const char *const memplan_instance_json_keys[] = {"format", "version",  "name",     "source",    "lifetimes", "buffers",
                                                  "pools",  "separate", "colocate", "conflicts", NULL};
const char *const memplan_instance_json_buffer_keys[] = {"id", "bytes", "align", "live", "gaps", "pin", "pools", NULL};
const char *const memplan_instance_json_gap_keys[] = {"at", "bytes", NULL};

typedef struct instance_reader {
  memplan_json_reader json;
  memplan_instance *instance;
  memplan_names buffers;
  bool inclusive;
  bool explicit_conflicts; // the document has the key, so that buffers may do without lifetimes
} instance_reader;

static memplan_status read_lifetimes(instance_reader *r, const json_t *document, memplan_lifetimes asked,
                                     memplan_lifetimes *lifetimes) {
  const char *text = NULL;
  MEMPLAN_TRY(memplan_json_string(document, "lifetimes", NULL, false, r->json.arena, &text, r->json.error));
  bool inclusive = text != NULL && strcmp(text, "inclusive") == 0;
  if (text != NULL && !inclusive && strcmp(text, "half-open") != 0) {
    return memplan_json_fail(&r->json, NULL, "lifetimes", "must be \"half-open\" or \"inclusive\"");
  }
  memplan_lifetimes stated = inclusive ? MEMPLAN_LIFETIMES_INCLUSIVE : MEMPLAN_LIFETIMES_HALF_OPEN;
  *lifetimes = asked != MEMPLAN_LIFETIMES_AUTO ? asked : stated;
  r->inclusive = *lifetimes == MEMPLAN_LIFETIMES_INCLUSIVE;
  if (*lifetimes == stated) {
    return MEMPLAN_OK;
  }
  r->instance->lifetimes_forced = true;
  return memplan_remarks_note(&r->json.remarks, r->json.error,
                              "lifetimes are read as %s, as asked for, although the file says %s",
                              r->inclusive ? "inclusive" : "half-open", inclusive ? "inclusive" : "half-open");
}

// [start, end] of the document as a half-open interval.
static memplan_status read_interval(const instance_reader *r, const json_t *value, const memplan_json_place *place,
                                    int64_t *start, int64_t *end) {
  MEMPLAN_TRY(memplan_json_read_pair(&r->json, value, place, start, end));
  if (*start > *end) {
    return memplan_json_fail(&r->json, place, NULL, "ends before it starts; exchange its numbers or correct them");
  }
  if (r->inclusive) {
    if (*end == INT64_MAX) {
      return memplan_json_fail(&r->json, place, NULL, "ends, inclusively, at a time that does not fit into 64 bits");
    }
    *end += 1;
  }
  return MEMPLAN_OK;
}

static memplan_status read_live(instance_reader *r, const json_t *object, const memplan_json_place *place,
                                memplan_buffer *buffer) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "live", place, false, false, &array, &buffer->n_live));
  if (buffer->n_live == 0 && !r->explicit_conflicts) {
    return memplan_json_fail(&r->json, place, "live",
                             "is missing; give at least one interval, or the document's \"conflicts\" as pairs of ids");
  }
  memplan_interval *live = MEMPLAN_NEW(r->json.arena, memplan_interval, buffer->n_live);
  if (live == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {place, "live", 0};
  for (int32_t i = 0; i < buffer->n_live; i++) {
    memplan_json_place element = {&list, NULL, (size_t)i};
    MEMPLAN_TRY(read_interval(r, json_array_get(array, (size_t)i), &element, &live[i].start, &live[i].end));
  }
  buffer->live = live;
  return MEMPLAN_OK;
}

static memplan_status read_gap(instance_reader *r, const json_t *object, const memplan_json_place *place, int64_t bytes,
                               memplan_gap *gap) {
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, place, "gaps[]", memplan_instance_json_gap_keys));
  const json_t *at = json_object_get(object, "at");
  memplan_json_place at_place = {place, "at", 0};
  MEMPLAN_TRY(read_interval(r, at, &at_place, &gap->start, &gap->end));
  const json_t *window = json_object_get(object, "bytes");
  if (window == NULL || json_is_null(window)) {
    return MEMPLAN_OK;
  }
  memplan_json_place window_place = {place, "bytes", 0};
  MEMPLAN_TRY(memplan_json_read_pair(&r->json, window, &window_place, &gap->low, &gap->high));
  if (gap->low < 0 || gap->low > gap->high || gap->high > bytes) {
    return memplan_json_fail(&r->json, &window_place, NULL, "must be [first, last + 1] inside the buffer's bytes");
  }
  return MEMPLAN_OK;
}

static memplan_status read_gaps(instance_reader *r, const json_t *object, const memplan_json_place *place,
                                memplan_buffer *buffer) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "gaps", place, false, true, &array, &buffer->n_gaps));
  memplan_gap *gaps = MEMPLAN_NEW(r->json.arena, memplan_gap, buffer->n_gaps);
  if (gaps == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {place, "gaps", 0};
  for (int32_t i = 0; i < buffer->n_gaps; i++) {
    memplan_json_place element = {&list, NULL, (size_t)i};
    MEMPLAN_TRY(read_gap(r, json_array_get(array, (size_t)i), &element, buffer->bytes, &gaps[i]));
  }
  buffer->gaps = gaps;
  return MEMPLAN_OK;
}

static memplan_status read_buffer(instance_reader *r, const json_t *object, const memplan_json_place *list,
                                  int32_t index) {
  memplan_buffer *buffer = &r->instance->buffers[index];
  memplan_error *error = r->json.error;
  memplan_json_place place = {list, NULL, (size_t)index};
  buffer->align = 1;
  buffer->pin = buffer->offset = buffer->hint = -1;
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, &place, "buffers[]", memplan_instance_json_buffer_keys));
  MEMPLAN_TRY(memplan_json_read_id(&r->json, object, list, (size_t)index, &r->buffers, &buffer->id));
  MEMPLAN_TRY(memplan_json_integer(object, "bytes", &place, true, 0, MEMPLAN_SIZE_LIMIT, &buffer->bytes, error));
  MEMPLAN_TRY(memplan_json_integer(object, "align", &place, false, 1, MEMPLAN_SIZE_LIMIT - 1, &buffer->align, error));
  MEMPLAN_TRY(read_live(r, object, &place, buffer));
  MEMPLAN_TRY(read_gaps(r, object, &place, buffer));
  MEMPLAN_TRY(memplan_json_integer(object, "pin", &place, false, 0, MEMPLAN_OFFSET_LIMIT, &buffer->pin, error));
  return memplan_json_read_references(&r->json, object, "pools", &place, &r->json.pools, "pool", &buffer->pools,
                                      &buffer->n_pools);
}

// [first, second], or with `distance` also [first, second, bytes].
static memplan_status read_rule(const instance_reader *r, const json_t *value, const memplan_json_place *place,
                                bool distance, memplan_rule *rule) {
  size_t length = json_array_size(value);
  if (!json_is_array(value) || length < 2 || length > (distance ? 3u : 2u)) {
    return memplan_json_fail(&r->json, place, NULL,
                             distance ? "must be [first, second] or [first, second, bytes]"
                                      : "must be [first, second], two ids of buffers");
  }
  memplan_json_place first = {place, NULL, 0};
  memplan_json_place second = {place, NULL, 1};
  MEMPLAN_TRY(
      memplan_json_read_reference(&r->json, json_array_get(value, 0), &first, &r->buffers, "buffer", &rule->first));
  MEMPLAN_TRY(
      memplan_json_read_reference(&r->json, json_array_get(value, 1), &second, &r->buffers, "buffer", &rule->second));
  if (rule->first == rule->second) {
    return memplan_json_fail(&r->json, place, NULL, "names one buffer twice; a rule needs two");
  }
  if (length == 3) {
    const json_t *bytes = json_array_get(value, 2);
    memplan_json_place third = {place, NULL, 2};
    if (!json_is_integer(bytes) || json_integer_value(bytes) > MEMPLAN_OFFSET_LIMIT ||
        json_integer_value(bytes) < -MEMPLAN_OFFSET_LIMIT) {
      return memplan_json_fail(&r->json, &third, NULL, "must be an integer in -2^61 … 2^61");
    }
    rule->delta = json_integer_value(bytes);
  }
  return MEMPLAN_OK;
}

static memplan_status read_rules(const instance_reader *r, const json_t *document, const char *key, bool distance,
                                 memplan_rule **rules, int32_t *n_rules) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, document, key, NULL, false, false, &array, n_rules));
  *rules = MEMPLAN_NEW(r->json.arena, memplan_rule, *n_rules);
  if (*rules == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {NULL, key, 0};
  for (int32_t i = 0; i < *n_rules; i++) {
    memplan_json_place element = {&list, NULL, (size_t)i};
    MEMPLAN_TRY(read_rule(r, json_array_get(array, (size_t)i), &element, distance, &(*rules)[i]));
  }
  return MEMPLAN_OK;
}

static memplan_status read_document(instance_reader *r, const json_t *document, memplan_lifetimes asked,
                                    memplan_lifetimes *lifetimes) {
  memplan_instance *instance = r->instance;
  memplan_error *error = r->json.error;
  const json_t *buffers = NULL;
  MEMPLAN_TRY(memplan_json_check_heading(&r->json, document, "memplan-instance"));
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, document, NULL, "", memplan_instance_json_keys));
  MEMPLAN_TRY(memplan_json_string(document, "name", NULL, false, r->json.arena, &instance->name, error));
  MEMPLAN_TRY(memplan_json_string(document, "source", NULL, false, r->json.arena, &instance->source, error));
  MEMPLAN_TRY(read_lifetimes(r, document, asked, lifetimes));
  MEMPLAN_TRY(memplan_json_read_pools(&r->json, document, &instance->pools, &instance->n_pools));
  MEMPLAN_TRY(memplan_json_read_list(&r->json, document, "buffers", NULL, true, true, &buffers, &instance->n_buffers));
  instance->buffers = MEMPLAN_NEW(r->json.arena, memplan_buffer, instance->n_buffers);
  if (instance->buffers == NULL) {
    return memplan_fail_nomem(error);
  }
  const json_t *conflicts = json_object_get(document, "conflicts");
  r->explicit_conflicts = conflicts != NULL && !json_is_null(conflicts);
  memplan_json_place list = {NULL, "buffers", 0};
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    MEMPLAN_TRY(read_buffer(r, json_array_get(buffers, (size_t)i), &list, i));
  }
  MEMPLAN_TRY(read_rules(r, document, "separate", false, &instance->separate, &instance->n_separate));
  MEMPLAN_TRY(read_rules(r, document, "colocate", true, &instance->colocate, &instance->n_colocate));
  MEMPLAN_TRY(read_rules(r, document, "conflicts", false, &instance->conflicts, &instance->n_conflicts));
  return memplan_remarks_finish(&r->json.remarks, error);
}

memplan_status memplan_instance_from_json(const json_t *document, const memplan_problem_options *options,
                                          memplan_instance *instance, memplan_lifetimes *lifetimes,
                                          memplan_error *error) {
  instance_reader r = {.instance = instance};
  r.json.arena = &instance->arena;
  r.json.remarks.instance = instance;
  r.json.remarks.strict = options->strict;
  r.json.error = error;
  memplan_status status = read_document(&r, document, options->lifetimes, lifetimes);
  memplan_names_free(&r.buffers);
  memplan_json_reader_free(&r.json);
  return status;
}
