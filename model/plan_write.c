// SPDX-License-Identifier: Apache-2.0
// Keys stand in the format's order and lists in the plan's, which is canonical already: equal plans are equal files.
#include "model/base/json.h"
#include "model/base/json_write.h"
#include "model/plan.h"
#include "model/plan_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_buffers(json_t *object, const memplan_bound *bound) {
  if (bound->buffers == NULL) {
    return true;
  }
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t k = 0; good && k < bound->n_buffers; k++) {
    good = memplan_json_add(array, json_string(bound->buffers[k]));
  }
  return memplan_json_set(object, "buffers", memplan_json_finish(array, good));
}

static json_t *bound_json(const memplan_bound *bound) {
  if (bound->kind == MEMPLAN_BOUND_NONE) {
    return json_null();
  }
  json_t *object = json_object();
  return memplan_json_finish(object, memplan_json_set_string(object, "kind", memplan_bound_kind_name(bound->kind)) &&
                                         memplan_json_set_unless(object, "step", bound->step, -1) &&
                                         memplan_json_set_text(object, "op", bound->op) &&
                                         memplan_json_set_true(object, "joint", bound->joint) &&
                                         set_buffers(object, bound));
}

static json_t *order_json(const memplan_plan *plan) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < plan->n_order; i++) {
    good = memplan_json_add(array, json_string(plan->order[i]));
  }
  return memplan_json_finish(array, good);
}

static json_t *inplace_json(const memplan_plan *plan) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < plan->n_inplace; i++) {
    good = memplan_json_add(array, memplan_json_strings(plan->inplace[i].output, plan->inplace[i].input));
  }
  return memplan_json_finish(array, good);
}

static json_t *offsets_json(const memplan_plan *plan) {
  json_t *object = json_object();
  bool good = object != NULL;
  for (int32_t i = 0; good && i < plan->n_placed; i++) {
    good = memplan_json_set_integer(object, plan->placed[i].id, plan->placed[i].offset);
  }
  return memplan_json_finish(object, good);
}

static json_t *pools_json(const memplan_plan *plan) {
  json_t *object = json_object();
  bool good = object != NULL;
  for (int32_t i = 0; good && i < plan->n_placed; i++) {
    const memplan_placed *placed = &plan->placed[i];
    good = placed->pool == NULL || memplan_json_set_string(object, placed->id, placed->pool);
  }
  return memplan_json_finish(object, good);
}

static json_t *slots_json(const memplan_plan *plan) {
  if (plan->n_slots == 0) {
    return json_null();
  }
  json_t *bytes = json_array();
  bool good = bytes != NULL;
  for (int32_t i = 0; good && i < plan->n_slots; i++) {
    good = memplan_json_add(bytes, json_integer(plan->slot_bytes[i]));
  }
  json_t *slot = json_object();
  good = good && slot != NULL;
  for (int32_t i = 0; good && i < plan->n_placed; i++) {
    const memplan_placed *placed = &plan->placed[i];
    good = placed->slot < 0 || memplan_json_set_integer(slot, placed->id, placed->slot);
  }
  json_t *object = json_object();
  good = good && memplan_json_set_integer(object, "count", plan->n_slots);
  good = memplan_json_set(object, "bytes", memplan_json_finish(bytes, good)) && good;
  good = memplan_json_set(object, "slot", memplan_json_finish(slot, good)) && good;
  return memplan_json_finish(object, good);
}

// The object of one operator's bodies, made when it is first needed.
static json_t *op_bodies(json_t *bodies, const char *op) {
  json_t *object = json_object_get(bodies, op);
  if (object == NULL && memplan_json_set(bodies, op, json_object())) {
    object = json_object_get(bodies, op);
  }
  return object;
}

static json_t *bodies_json(const memplan_plan *plan) {
  json_t *bodies = json_object();
  bool good = bodies != NULL;
  for (int32_t i = 0; good && i < plan->n_bodies; i++) {
    const memplan_body_plan *body = &plan->bodies[i];
    json_t *object = op_bodies(bodies, body->op);
    good = object != NULL && memplan_json_set(object, body->body, memplan_plan_to_json(body->plan));
  }
  return memplan_json_finish(bodies, good);
}

// `offsets` is taken over.
static json_t *plan_json(const memplan_plan *plan, json_t *offsets) {
  json_t *object = json_object();
  bool good =
      memplan_json_set_string(object, "format", "memplan-plan") && memplan_json_set_integer(object, "version", 1) &&
      memplan_json_set_string(object, "tool", plan->tool) &&
      memplan_json_set_string(object, "fingerprint", plan->fingerprint) &&
      memplan_json_set(object, "problem", plan->problem != NULL ? json_incref(plan->problem) : json_object()) &&
      memplan_json_set_string(object, "status", memplan_outcome_name(plan->outcome)) &&
      memplan_json_set_integer(object, "peak", plan->peak) &&
      memplan_json_set_integer(object, "lower_bound", plan->lower_bound) &&
      memplan_json_set(object, "bound", bound_json(&plan->bound)) &&
      memplan_json_set(object, "order", order_json(plan)) && memplan_json_set(object, "inplace", inplace_json(plan)) &&
      memplan_json_set(object, "offsets", json_incref(offsets)) &&
      memplan_json_set(object, "pools", pools_json(plan)) && memplan_json_set(object, "slots", slots_json(plan)) &&
      memplan_json_set(object, "bodies", bodies_json(plan));
  json_decref(offsets);
  return memplan_json_finish(object, good);
}

json_t *memplan_plan_to_json(const memplan_plan *plan) { return plan_json(plan, offsets_json(plan)); }

static bool write_value(FILE *stream, const json_t *value) {
  return json_dumpf(value, stream, JSON_COMPACT | JSON_ENCODE_ANY) == 0;
}

// "key":value, preceded by a comma and a line break unless it is the first one.
static bool write_entry(FILE *stream, const char *key, const json_t *value, const char *indent, bool first) {
  json_t *text = json_string(key);
  bool good = text != NULL && fputs(first ? "\n" : ",\n", stream) >= 0 && fputs(indent, stream) >= 0 &&
              write_value(stream, text) && fputs(": ", stream) >= 0 && write_value(stream, value);
  json_decref(text);
  return good;
}

static bool is_plain(const char *id) {
  for (; *id != '\0'; id++) {
    if (*id < ' ' || *id > '~' || *id == '"' || *id == '\\') {
      return false;
    }
  }
  return true;
}

static bool write_offset(FILE *stream, const memplan_placed *placed, bool first) {
  if (is_plain(placed->id)) {
    return fprintf(stream, "%s  \"%s\": %" PRId64, first ? "\n" : ",\n", placed->id, placed->offset) > 0;
  }
  json_t *value = json_integer(placed->offset);
  bool good = value != NULL && write_entry(stream, placed->id, value, "  ", first);
  json_decref(value);
  return good;
}

// One line for each buffer, so that a comparison of two plans shows which ones moved; without a tree of them, which of
// a million buffers takes a second.
static bool write_offsets(FILE *stream, const memplan_plan *plan) {
  bool good = fputs(",\n \"offsets\": {", stream) >= 0;
  for (int32_t i = 0; good && i < plan->n_placed; i++) {
    good = write_offset(stream, &plan->placed[i], i == 0);
  }
  return good && fputs(plan->n_placed == 0 ? "}" : "\n }", stream) >= 0;
}

char *memplan_plan_text(const memplan_plan *plan) {
  json_t *object = plan_json(plan, json_object());
  char *text = NULL;
  size_t length = 0;
  FILE *stream = object != NULL ? open_memstream(&text, &length) : NULL;
  if (stream == NULL) {
    json_decref(object);
    return NULL;
  }
  bool good = fputc('{', stream) != EOF;
  bool first = true;
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    good = good &&
           (strcmp(key, "offsets") == 0 ? write_offsets(stream, plan) : write_entry(stream, key, value, " ", first));
    first = false;
  }
  good = good && fputs("\n}\n", stream) >= 0 && ferror(stream) == 0;
  good = fclose(stream) == 0 && good;
  json_decref(object);
  if (!good) {
    free(text);
    return NULL;
  }
  return text;
}
