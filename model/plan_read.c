// SPDX-License-Identifier: Apache-2.0
// Offsets, pools and slots are three objects of the file and one array of the plan, sorted by id.
#include "model/base/ids.h"
#include "model/base/json.h"
#include "model/base/quote.h"
#include "model/plan.h"
#include "model/plan_json.h"

#include <stdlib.h>
#include <string.h>

const char *const memplan_plan_keys[] = {"format", "version",     "tool",   "fingerprint", "problem", "status",
                                         "peak",   "lower_bound", "bound",  "order",       "inplace", "offsets",
                                         "pools",  "slots",       "bodies", NULL};
const char *const memplan_plan_bound_keys[] = {"kind", "step", "op", "joint", "buffers", NULL};
const char *const memplan_plan_slots_keys[] = {"count", "bytes", "slot", NULL};

enum { path_size = 256, largest_slot_count = 1 << 30 };

// What reading one plan, or one body's plan, needs everywhere.
typedef struct reader {
  memplan_plan *plan;
  const memplan_json_place *place;
  bool strict;
  int depth;
  memplan_error *error;
} reader;

static memplan_status check_keys(const reader *r, const json_t *object, const memplan_json_place *place,
                                 const char *const *known) {
  const char *key = r->strict ? memplan_json_unknown_key(object, known) : NULL;
  if (key == NULL) {
    return MEMPLAN_OK;
  }
  char path[path_size];
  return memplan_fail(r->error, MEMPLAN_INPUT, "unknown key %s (an error because of strict)",
                      memplan_json_path(place, key, path, sizeof path));
}

static memplan_status fail_at(const reader *r, const memplan_json_place *place, const char *key, const char *reason) {
  char path[path_size];
  return memplan_fail(r->error, MEMPLAN_INPUT, "%s %s", memplan_json_path(place, key, path, sizeof path), reason);
}

static memplan_status read_heading(const reader *r, const json_t *value) {
  const char *format = json_string_value(json_object_get(value, "format"));
  if (format == NULL || strcmp(format, "memplan-plan") != 0) {
    return fail_at(r, r->place, "format", "must be \"memplan-plan\"; this is another kind of file");
  }
  int64_t version = 0;
  MEMPLAN_TRY(memplan_json_integer(value, "version", r->place, true, INT64_MIN, INT64_MAX, &version, r->error));
  if (version != 1) {
    return memplan_fail(r->error, MEMPLAN_UNSUPPORTED, "version is %lld, but this memplan reads version 1 alone",
                        (long long)version);
  }
  return MEMPLAN_OK;
}

static memplan_status read_status(const reader *r, const json_t *value) {
  const char *text = NULL;
  MEMPLAN_TRY(memplan_json_string(value, "status", r->place, true, &r->plan->arena, &text, r->error));
  static const memplan_outcome outcomes[] = {MEMPLAN_UNKNOWN, MEMPLAN_FEASIBLE, MEMPLAN_OPTIMAL, MEMPLAN_INFEASIBLE};
  for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
    if (strcmp(text, memplan_outcome_name(outcomes[i])) == 0) {
      r->plan->outcome = outcomes[i];
      return MEMPLAN_OK;
    }
  }
  return fail_at(r, r->place, "status", "must be \"optimal\", \"feasible\", \"infeasible\" or \"unknown\"");
}

// Copies an array of strings into `list`, which has room for all of them.
static memplan_status read_strings(const reader *r, const json_t *array, const memplan_json_place *place,
                                   const char **list) {
  for (size_t i = 0; i < json_array_size(array); i++) {
    const json_t *item = json_array_get(array, i);
    if (!json_is_string(item)) {
      memplan_json_place element = {place, NULL, i};
      return fail_at(r, &element, NULL, "must be a string");
    }
    list[i] = memplan_arena_text(&r->plan->arena, json_string_value(item), json_string_length(item));
    if (list[i] == NULL) {
      return memplan_fail_nomem(r->error);
    }
  }
  return MEMPLAN_OK;
}

static memplan_status read_bound(const reader *r, const json_t *value) {
  memplan_bound *bound = &r->plan->bound;
  bound->bytes = r->plan->lower_bound;
  const json_t *object = NULL;
  MEMPLAN_TRY(memplan_json_object(value, "bound", r->place, false, &object, r->error));
  if (object == NULL) {
    return MEMPLAN_OK;
  }
  memplan_json_place place = {r->place, "bound", 0};
  MEMPLAN_TRY(check_keys(r, object, &place, memplan_plan_bound_keys));
  const char *kind = NULL;
  MEMPLAN_TRY(memplan_json_string(object, "kind", &place, true, &r->plan->arena, &kind, r->error));
  for (int candidate = MEMPLAN_BOUND_NONE + 1; candidate < MEMPLAN_BOUND_POOL; candidate++) {
    if (strcmp(kind, memplan_bound_kind_name((memplan_bound_kind)candidate)) == 0) {
      bound->kind = (memplan_bound_kind)candidate;
    }
  }
  if (bound->kind == MEMPLAN_BOUND_NONE) {
    return fail_at(r, &place, "kind", "is no kind of bound that this memplan knows");
  }
  MEMPLAN_TRY(memplan_json_integer(object, "step", &place, false, INT64_MIN, INT64_MAX, &bound->step, r->error));
  MEMPLAN_TRY(memplan_json_string(object, "op", &place, false, &r->plan->arena, &bound->op, r->error));
  MEMPLAN_TRY(memplan_json_boolean(object, "joint", &place, &bound->joint, r->error));
  const json_t *buffers = NULL;
  MEMPLAN_TRY(memplan_json_array(object, "buffers", &place, false, &buffers, r->error));
  if (buffers == NULL) {
    return MEMPLAN_OK;
  }
  if (json_array_size(buffers) > INT32_MAX / 4) {
    return fail_at(r, &place, "buffers", "is longer than memplan reads");
  }
  const char **list = MEMPLAN_NEW(&r->plan->arena, const char *, json_array_size(buffers));
  if (list == NULL) {
    return memplan_fail_nomem(r->error);
  }
  bound->buffers = list;
  bound->n_buffers = (int32_t)json_array_size(buffers);
  memplan_json_place inner = {&place, "buffers", 0};
  return read_strings(r, buffers, &inner, list);
}

static memplan_status read_order(const reader *r, const json_t *value) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_array(value, "order", r->place, false, &array, r->error));
  size_t count = json_array_size(array);
  if (count == 0) {
    return MEMPLAN_OK;
  }
  if (count > INT32_MAX) {
    return fail_at(r, r->place, "order", "is too long");
  }
  r->plan->order = MEMPLAN_NEW(&r->plan->arena, const char *, count);
  if (r->plan->order == NULL) {
    return memplan_fail_nomem(r->error);
  }
  memplan_json_place place = {r->place, "order", 0};
  MEMPLAN_TRY(read_strings(r, array, &place, r->plan->order));
  r->plan->n_order = (int32_t)count;
  return MEMPLAN_OK;
}

static memplan_status read_inplace(const reader *r, const json_t *value) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_array(value, "inplace", r->place, false, &array, r->error));
  size_t count = json_array_size(array);
  if (count == 0) {
    return MEMPLAN_OK;
  }
  if (count > INT32_MAX) {
    return fail_at(r, r->place, "inplace", "is too long");
  }
  r->plan->inplace = MEMPLAN_NEW(&r->plan->arena, memplan_plan_pair, count);
  if (r->plan->inplace == NULL) {
    return memplan_fail_nomem(r->error);
  }
  memplan_json_place place = {r->place, "inplace", 0};
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(array, i);
    memplan_json_place element = {&place, NULL, i};
    if (!json_is_array(item) || json_array_size(item) != 2) {
      return fail_at(r, &element, NULL, "must be [output, input]");
    }
    const char *pair[2];
    MEMPLAN_TRY(read_strings(r, item, &element, pair));
    r->plan->inplace[i] = (memplan_plan_pair){pair[0], pair[1]};
  }
  r->plan->n_inplace = (int32_t)count;
  return MEMPLAN_OK;
}

// Fills plan->placed, sorted, and `ids` with them.
static memplan_status read_offsets(const reader *r, const json_t *value, memplan_id **ids) {
  const json_t *object = NULL;
  MEMPLAN_TRY(memplan_json_object(value, "offsets", r->place, true, &object, r->error));
  size_t count = json_object_size(object);
  if (count > INT32_MAX) {
    return fail_at(r, r->place, "offsets", "has too many entries");
  }
  memplan_plan *plan = r->plan;
  *ids = MEMPLAN_NEW(&plan->arena, memplan_id, count);
  plan->placed = MEMPLAN_NEW(&plan->arena, memplan_placed, count);
  if (*ids == NULL || plan->placed == NULL) {
    return memplan_fail_nomem(r->error);
  }
  memplan_json_place place = {r->place, "offsets", 0};
  int32_t next = 0;
  const char *key;
  json_t *item;
  json_t *readable = json_object_get(value, "offsets");
  json_object_foreach(readable, key, item) {
    int64_t offset = 0;
    MEMPLAN_TRY(memplan_json_integer(object, key, &place, true, INT64_MIN, INT64_MAX, &offset, r->error));
    const char *id = memplan_arena_text(&plan->arena, key, strlen(key));
    if (id == NULL) {
      return memplan_fail_nomem(r->error);
    }
    (*ids)[next++] = (memplan_id){id, 0};
  }
  memplan_ids_sort(*ids, next);
  for (int32_t i = 0; i < next; i++) {
    int64_t offset = json_integer_value(json_object_get(object, (*ids)[i].text));
    plan->placed[i] = (memplan_placed){(*ids)[i].text, offset, NULL, -1};
  }
  plan->n_placed = next;
  return MEMPLAN_OK;
}

// The entry of the buffer, or NULL: then it is noted for verify to report.
static memplan_status find_placed(const reader *r, const memplan_id *ids, const char *key, bool in_slots,
                                  memplan_placed **placed) {
  memplan_plan *plan = r->plan;
  int32_t found = memplan_ids_find(ids, plan->n_placed, key);
  *placed = found >= 0 ? &plan->placed[found] : NULL;
  if (found >= 0) {
    return MEMPLAN_OK;
  }
  const char *id = memplan_arena_text(&plan->arena, key, strlen(key));
  if (id == NULL) {
    return memplan_fail_nomem(r->error);
  }
  plan->strays[plan->n_strays++] = (memplan_stray){id, in_slots};
  return MEMPLAN_OK;
}

// Room for as many strays as the two objects have keys.
static memplan_status make_strays(const reader *r, const json_t *value) {
  size_t pools = json_object_size(json_object_get(value, "pools"));
  size_t slots = json_object_size(json_object_get(json_object_get(value, "slots"), "slot"));
  if (pools + slots > INT32_MAX) {
    return fail_at(r, r->place, "pools", "has too many entries");
  }
  r->plan->strays = MEMPLAN_NEW(&r->plan->arena, memplan_stray, pools + slots);
  return r->plan->strays != NULL ? MEMPLAN_OK : memplan_fail_nomem(r->error);
}

static memplan_status read_pools(const reader *r, const json_t *value, const memplan_id *ids) {
  const json_t *object = NULL;
  MEMPLAN_TRY(memplan_json_object(value, "pools", r->place, false, &object, r->error));
  if (object == NULL) {
    return MEMPLAN_OK;
  }
  memplan_json_place place = {r->place, "pools", 0};
  const char *key;
  json_t *item;
  json_t *readable = json_object_get(value, "pools");
  json_object_foreach(readable, key, item) {
    memplan_placed *placed = NULL;
    const char *pool = NULL;
    MEMPLAN_TRY(find_placed(r, ids, key, false, &placed));
    MEMPLAN_TRY(memplan_json_string(object, key, &place, true, &r->plan->arena, &pool, r->error));
    if (placed != NULL) {
      placed->pool = pool;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status read_slot_sizes(const reader *r, const json_t *object, const memplan_json_place *place) {
  int64_t count = 0;
  const json_t *sizes = NULL;
  MEMPLAN_TRY(memplan_json_integer(object, "count", place, true, 1, largest_slot_count, &count, r->error));
  MEMPLAN_TRY(memplan_json_array(object, "bytes", place, true, &sizes, r->error));
  if (json_array_size(sizes) != (size_t)count) {
    return fail_at(r, place, "bytes", "must hold one size for each slot that `count` states");
  }
  r->plan->slot_bytes = MEMPLAN_NEW(&r->plan->arena, int64_t, count);
  if (r->plan->slot_bytes == NULL) {
    return memplan_fail_nomem(r->error);
  }
  memplan_json_place list = {place, "bytes", 0};
  for (size_t i = 0; i < (size_t)count; i++) {
    const json_t *item = json_array_get(sizes, i);
    memplan_json_place element = {&list, NULL, i};
    if (!json_is_integer(item)) {
      return fail_at(r, &element, NULL, "must be an integer");
    }
    r->plan->slot_bytes[i] = json_integer_value(item);
  }
  r->plan->n_slots = (int32_t)count;
  return MEMPLAN_OK;
}

static memplan_status read_slots(const reader *r, const json_t *value, const memplan_id *ids) {
  const json_t *object = NULL;
  MEMPLAN_TRY(memplan_json_object(value, "slots", r->place, false, &object, r->error));
  if (object == NULL) {
    return MEMPLAN_OK;
  }
  memplan_json_place place = {r->place, "slots", 0};
  MEMPLAN_TRY(check_keys(r, object, &place, memplan_plan_slots_keys));
  MEMPLAN_TRY(read_slot_sizes(r, object, &place));
  const json_t *slots = NULL;
  MEMPLAN_TRY(memplan_json_object(object, "slot", &place, true, &slots, r->error));
  memplan_json_place list = {&place, "slot", 0};
  const char *key;
  json_t *item;
  json_t *readable = json_object_get(object, "slot");
  json_object_foreach(readable, key, item) {
    memplan_placed *placed = NULL;
    int64_t slot = -1;
    MEMPLAN_TRY(find_placed(r, ids, key, true, &placed));
    MEMPLAN_TRY(memplan_json_integer(slots, key, &list, true, 0, INT32_MAX, &slot, r->error));
    if (placed != NULL) {
      placed->slot = (int32_t)slot;
    }
  }
  return MEMPLAN_OK;
}

static memplan_status read_plan(const reader *r, const json_t *value);

static memplan_status read_body(const reader *r, const memplan_json_place *place, const char *op, const char *name,
                                const json_t *value) {
  memplan_plan *plan = r->plan;
  memplan_body_plan *body = &plan->bodies[plan->n_bodies];
  body->op = memplan_arena_text(&plan->arena, op, strlen(op));
  body->body = memplan_arena_text(&plan->arena, name, strlen(name));
  body->plan = MEMPLAN_NEW(&plan->arena, memplan_plan, 1);
  if (body->op == NULL || body->body == NULL || body->plan == NULL) {
    return memplan_fail_nomem(r->error);
  }
  memplan_plan_init(body->plan);
  plan->n_bodies++;
  reader inner = {body->plan, place, r->strict, r->depth + 1, r->error};
  return read_plan(&inner, value);
}

static memplan_status read_bodies(const reader *r, const json_t *value) {
  const json_t *object = NULL;
  MEMPLAN_TRY(memplan_json_object(value, "bodies", r->place, false, &object, r->error));
  if (object == NULL) {
    return MEMPLAN_OK;
  }
  json_t *readable = json_object_get(value, "bodies");
  memplan_json_place place = {r->place, "bodies", 0};
  size_t count = 0;
  const char *op;
  json_t *bodies;
  json_object_foreach(readable, op, bodies) {
    if (!json_is_object(bodies)) {
      return fail_at(r, &place, op, "must be an object of plans");
    }
    count += json_object_size(bodies);
  }
  if (count > INT32_MAX) {
    return fail_at(r, r->place, "bodies", "has too many entries");
  }
  if (count > 0 && r->depth >= MEMPLAN_MAX_NESTING) {
    return fail_at(r, r->place, "bodies", "are nested too deep");
  }
  r->plan->bodies = MEMPLAN_NEW(&r->plan->arena, memplan_body_plan, count);
  if (r->plan->bodies == NULL) {
    return memplan_fail_nomem(r->error);
  }
  json_object_foreach(readable, op, bodies) {
    memplan_json_place op_place = {&place, op, 0};
    const char *name;
    json_t *body;
    json_object_foreach(bodies, name, body) {
      memplan_json_place body_place = {&op_place, name, 0};
      MEMPLAN_TRY(read_body(r, &body_place, op, name, body));
    }
  }
  return MEMPLAN_OK;
}

static memplan_status read_plan(const reader *r, const json_t *value) {
  if (!json_is_object(value)) {
    return fail_at(r, r->place, NULL, "must be an object");
  }
  memplan_plan *plan = r->plan;
  MEMPLAN_TRY(read_heading(r, value));
  MEMPLAN_TRY(check_keys(r, value, r->place, memplan_plan_keys));
  MEMPLAN_TRY(memplan_json_string(value, "tool", r->place, false, &plan->arena, &plan->tool, r->error));
  MEMPLAN_TRY(memplan_json_string(value, "fingerprint", r->place, true, &plan->arena, &plan->fingerprint, r->error));
  const json_t *problem = NULL;
  MEMPLAN_TRY(memplan_json_object(value, "problem", r->place, true, &problem, r->error));
  plan->problem = json_incref(json_object_get(value, "problem"));
  MEMPLAN_TRY(read_status(r, value));
  MEMPLAN_TRY(memplan_json_integer(value, "peak", r->place, true, INT64_MIN, INT64_MAX, &plan->peak, r->error));
  MEMPLAN_TRY(
      memplan_json_integer(value, "lower_bound", r->place, true, INT64_MIN, INT64_MAX, &plan->lower_bound, r->error));
  MEMPLAN_TRY(read_bound(r, value));
  MEMPLAN_TRY(read_order(r, value));
  MEMPLAN_TRY(read_inplace(r, value));
  memplan_id *ids = NULL;
  MEMPLAN_TRY(read_offsets(r, value, &ids));
  MEMPLAN_TRY(make_strays(r, value));
  MEMPLAN_TRY(read_pools(r, value, ids));
  MEMPLAN_TRY(read_slots(r, value, ids));
  return read_bodies(r, value);
}

memplan_status memplan_plan_from_json(const json_t *value, bool strict, memplan_plan *plan, memplan_error *error) {
  reader r = {plan, NULL, strict, 0, error};
  return read_plan(&r, value);
}
