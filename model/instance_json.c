// SPDX-License-Identifier: Apache-2.0
// One spelling for each instance: fields at their default are left out, keys stand in one order, buffers and rules are
// sorted by id, pairs whose order means nothing are put in order, and lifetimes are in their normal form.
#include "model/base/ids.h"
#include "model/base/json.h"
#include "model/base/json_write.h"
#include "model/form_json.h"
#include "model/occupancy.h"
#include "model/problem.h"

#include <stdlib.h>
#include <string.h>

static json_t *live_json(const memplan_occupancy *occupancy, int64_t end_shift) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < occupancy->n_live; i++) {
    const memplan_interval *live = &occupancy->live[i];
    good = memplan_json_add(array, memplan_json_integers(live->start, live->end - end_shift));
  }
  return memplan_json_finish(array, good);
}

static json_t *gap_json(const memplan_gap *gap, int64_t end_shift) {
  json_t *object = json_object();
  return memplan_json_finish(
      object,
      memplan_json_set(object, "at", memplan_json_integers(gap->start, gap->end - end_shift)) &&
          (gap->low == gap->high || memplan_json_set(object, "bytes", memplan_json_integers(gap->low, gap->high))));
}

static json_t *gaps_json(const memplan_occupancy *occupancy, int64_t end_shift) {
  json_t *array = json_array();
  bool good = array != NULL;
  for (int32_t i = 0; good && i < occupancy->n_gaps; i++) {
    good = memplan_json_add(array, gap_json(&occupancy->gaps[i], end_shift));
  }
  return memplan_json_finish(array, good);
}

// *never: set if the buffer occupies nothing at any time.
static json_t *buffer_json(const memplan_instance *instance, const memplan_buffer *buffer, int64_t end_shift,
                           memplan_arena *arena, bool *never) {
  memplan_occupancy occupancy;
  if (!memplan_buffer_occupancy(buffer, arena, &occupancy)) {
    return NULL;
  }
  *never = *never || occupancy.n_live == 0;
  json_t *object = json_object();
  return memplan_json_finish(
      object, memplan_json_set_string(object, "id", buffer->id) &&
                  memplan_json_set_integer(object, "bytes", buffer->bytes) &&
                  memplan_json_set_unless(object, "align", buffer->align, 1) &&
                  (occupancy.n_live == 0 || memplan_json_set(object, "live", live_json(&occupancy, end_shift))) &&
                  (occupancy.n_gaps == 0 || memplan_json_set(object, "gaps", gaps_json(&occupancy, end_shift))) &&
                  memplan_json_set_unless(object, "pin", buffer->pin, -1) &&
                  memplan_form_put_pool_ids(object, "pools", instance->pools, buffer->pools, buffer->n_pools));
}

// Takes the value over; false ends the walk.
typedef bool take_buffer(void *context, json_t *buffer);

// The buffers by id, one after the other.
static bool walk_buffers(const memplan_instance *instance, int64_t end_shift, bool *never, take_buffer *take,
                         void *context) {
  memplan_arena arena = {0};
  memplan_id *ids = MEMPLAN_NEW(&arena, memplan_id, instance->n_buffers);
  bool good = ids != NULL;
  if (good) {
    for (int32_t i = 0; i < instance->n_buffers; i++) {
      ids[i] = (memplan_id){instance->buffers[i].id, i};
    }
    memplan_ids_sort(ids, instance->n_buffers);
  }
  for (int32_t i = 0; good && i < instance->n_buffers; i++) {
    memplan_arena_mark mark = memplan_arena_get_mark(&arena);
    good = take(context, buffer_json(instance, &instance->buffers[ids[i].index], end_shift, &arena, never));
    memplan_arena_release(&arena, mark);
  }
  memplan_arena_free(&arena);
  return good;
}

static bool add_buffer(void *context, json_t *buffer) { return memplan_json_add(context, buffer); }

static json_t *buffers_json(const memplan_instance *instance, int64_t end_shift, bool *never) {
  json_t *array = json_array();
  return memplan_json_finish(array, array != NULL && walk_buffers(instance, end_shift, never, add_buffer, array));
}

// A rule by the ids of its buffers.
typedef struct named_rule {
  const char *first, *second;
  int64_t delta;
  int32_t index;
} named_rule;

static int compare_rules(const void *left, const void *right) {
  const named_rule *a = left;
  const named_rule *b = right;
  int order = strcmp(a->first, b->first);
  if (order == 0) {
    order = strcmp(a->second, b->second);
  }
  if (order == 0) {
    order = (a->delta > b->delta) - (a->delta < b->delta);
  }
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static bool are_equal(const named_rule *a, const named_rule *b) {
  return strcmp(a->first, b->first) == 0 && strcmp(a->second, b->second) == 0 && a->delta == b->delta;
}

// Sorted; `directed`: first and second differ in meaning.
static void name_rules(const memplan_instance *instance, const memplan_rule *rules, int32_t count, bool directed,
                       named_rule *list) {
  for (int32_t i = 0; i < count; i++) {
    const char *first = instance->buffers[rules[i].first].id;
    const char *second = instance->buffers[rules[i].second].id;
    bool swap = !directed && strcmp(first, second) > 0;
    list[i] = (named_rule){swap ? second : first, swap ? first : second, directed ? rules[i].delta : 0, i};
  }
  if (count > 1) {
    qsort(list, (size_t)count, sizeof *list, compare_rules);
  }
}

static json_t *rule_json(const named_rule *rule) {
  json_t *array = memplan_json_strings(rule->first, rule->second);
  return memplan_json_finish(array,
                             array != NULL && (rule->delta == 0 || memplan_json_add(array, json_integer(rule->delta))));
}

static json_t *rules_json(const memplan_instance *instance, const memplan_rule *rules, int32_t count, bool directed) {
  memplan_arena arena = {0};
  named_rule *list = MEMPLAN_NEW(&arena, named_rule, count);
  json_t *array = json_array();
  bool good = list != NULL && array != NULL;
  if (good) {
    name_rules(instance, rules, count, directed, list);
  }
  for (int32_t i = 0; good && i < count; i++) {
    good = (i > 0 && are_equal(&list[i], &list[i - 1])) || memplan_json_add(array, rule_json(&list[i]));
  }
  memplan_arena_free(&arena);
  return memplan_json_finish(array, good);
}

static bool put_rules(json_t *object, const char *key, const memplan_instance *instance, const memplan_rule *rules,
                      int32_t count, bool directed) {
  return count == 0 || memplan_json_set(object, key, rules_json(instance, rules, count, directed));
}

static json_t *begin_form(const memplan_instance *instance, bool inclusive) {
  json_t *object = memplan_form_heading("memplan-instance", instance->name, instance->source);
  return memplan_json_finish(object, object != NULL &&
                                         (!inclusive || memplan_json_set_string(object, "lifetimes", "inclusive")));
}

// What stands after the buffers.
static bool end_form(const memplan_instance *instance, bool explicit_conflicts, json_t *object) {
  return (instance->default_pool || memplan_form_put_pools(object, instance->pools, instance->n_pools)) &&
         put_rules(object, "separate", instance, instance->separate, instance->n_separate, false) &&
         put_rules(object, "colocate", instance, instance->colocate, instance->n_colocate, true) &&
         (!explicit_conflicts ||
          memplan_json_set(object, "conflicts",
                           rules_json(instance, instance->conflicts, instance->n_conflicts, false)));
}

json_t *memplan_form_instance(const memplan_instance *instance, bool inclusive) {
  // Buffers without lifetimes need the key `conflicts`, though it may be empty: it says that conflicts are explicit.
  bool explicit_conflicts = instance->n_conflicts > 0;
  json_t *buffers = buffers_json(instance, inclusive ? 1 : 0, &explicit_conflicts);
  json_t *object = begin_form(instance, inclusive);
  bool good = memplan_json_set(object, "buffers", buffers);
  return memplan_json_finish(object, good && end_form(instance, explicit_conflicts, object));
}

// ---- the same, piece by piece

typedef struct writing {
  memplan_form_put *put;
  void *context;
  bool first;
} writing;

// The text of an object but for so many of its characters at both ends. False if memory is out.
static bool put_object(const writing *out, json_t *object, size_t skip_before, size_t skip_after) {
  char *text = object != NULL ? memplan_json_text(object) : NULL;
  json_decref(object);
  if (text == NULL) {
    return false;
  }
  size_t length = strlen(text);
  if (length > skip_before + skip_after) {
    out->put(out->context, text + skip_before, length - skip_before - skip_after);
  }
  free(text);
  return true;
}

static bool put_buffer(void *context, json_t *buffer) {
  writing *out = context;
  if (!out->first) {
    out->put(out->context, ",", 1);
  }
  out->first = false;
  return put_object(out, buffer, 0, 0);
}

bool memplan_form_instance_put(const memplan_instance *instance, bool inclusive, memplan_form_put *put, void *context) {
  static const char open[] = ",\"buffers\":[";
  writing out = {.put = put, .context = context, .first = true};
  if (!put_object(&out, begin_form(instance, inclusive), 0, 1)) {
    return false;
  }
  put(context, open, sizeof open - 1);
  bool explicit_conflicts = instance->n_conflicts > 0;
  if (!walk_buffers(instance, inclusive ? 1 : 0, &explicit_conflicts, put_buffer, &out)) {
    return false;
  }
  put(context, "]", 1);
  json_t *rest = json_object();
  rest = memplan_json_finish(rest, rest != NULL && end_form(instance, explicit_conflicts, rest));
  bool more = rest != NULL && json_object_size(rest) > 0;
  if (more) {
    put(context, ",", 1);
  }
  return put_object(&out, rest, 1, 0);
}
