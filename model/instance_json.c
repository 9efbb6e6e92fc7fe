// SPDX-License-Identifier: Apache-2.0
// One spelling for each instance: fields at their default are left out, keys stand in one order, buffers and rules are
// sorted by id, pairs whose order means nothing are put in order, and lifetimes are in their normal form.
#include "model/base/ids.h"
#include "model/base/json.h"
#include "model/base/json_write.h"
#include "model/base/keyed.h"
#include "model/form_json.h"
#include "model/occupancy.h"
#include "model/problem.h"

#include <inttypes.h>
#include <stdio.h>
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

// Ascending by id; NULL if memory is out.
static memplan_id *sort_ids(const memplan_instance *instance, memplan_arena *arena) {
  memplan_id *ids = MEMPLAN_NEW_RAW(arena, memplan_id, instance->n_buffers);
  for (int32_t i = 0; ids != NULL && i < instance->n_buffers; i++) {
    ids[i] = (memplan_id){instance->buffers[i].id, i};
  }
  if (ids != NULL) {
    memplan_ids_sort(ids, instance->n_buffers);
  }
  return ids;
}

// The buffers by id, one after the other.
static bool walk_buffers(const memplan_instance *instance, const memplan_id *ids, int64_t end_shift, bool *never,
                         take_buffer *take, void *context) {
  memplan_arena arena = {0};
  bool good = true;
  for (int32_t i = 0; good && i < instance->n_buffers; i++) {
    memplan_arena_mark mark = memplan_arena_get_mark(&arena);
    good = take(context, buffer_json(instance, &instance->buffers[ids[i].index], end_shift, &arena, never));
    memplan_arena_release(&arena, mark);
  }
  memplan_arena_free(&arena);
  return good;
}

static bool add_buffer(void *context, json_t *buffer) { return memplan_json_add(context, buffer); }

static json_t *buffers_json(const memplan_instance *instance, const memplan_id *ids, int64_t end_shift, bool *never) {
  json_t *array = json_array();
  return memplan_json_finish(array, array != NULL && walk_buffers(instance, ids, end_shift, never, add_buffer, array));
}

// ---- rules

// Places of the buffers by id, and of those that rules name, the ids as JSON.
typedef struct rule_order {
  const memplan_instance *instance;
  memplan_arena arena;
  int32_t *rank;     // by buffer
  const char **text; // by buffer: NULL until it is asked for
} rule_order;

// Makes nothing where there are no rules.
static bool order_ids(const memplan_instance *instance, const memplan_id *ids, rule_order *order) {
  *order = (rule_order){.instance = instance};
  if (instance->n_separate == 0 && instance->n_colocate == 0 && instance->n_conflicts == 0) {
    return true;
  }
  order->rank = MEMPLAN_NEW_RAW(&order->arena, int32_t, instance->n_buffers);
  order->text = MEMPLAN_NEW(&order->arena, const char *, instance->n_buffers);
  bool good = order->rank != NULL && order->text != NULL;
  for (int32_t k = 0; good && k < instance->n_buffers; k++) {
    order->rank[ids[k].index] = k;
  }
  return good;
}

static int compare_deltas(const void *left, const void *right) {
  const memplan_rule *a = left;
  const memplan_rule *b = right;
  return (a->delta > b->delta) - (a->delta < b->delta);
}

// The rules by the ids of their buffers, none twice; `directed`: first and second differ in meaning. Returns how many.
static int32_t sort_rules(const rule_order *order, const memplan_rule *rules, int32_t count, bool directed,
                          memplan_keyed *keyed, memplan_rule *sorted) {
  for (int32_t i = 0; i < count; i++) {
    int64_t first = order->rank[rules[i].first];
    int64_t second = order->rank[rules[i].second];
    bool swap = !directed && first > second;
    keyed[i] = (memplan_keyed){(swap ? second : first) * order->instance->n_buffers + (swap ? first : second), i};
  }
  memplan_keyed_sort(keyed, count, keyed + count);
  int32_t kept = 0;
  for (int32_t from = 0, end = 0; from < count; from = end) {
    int32_t group = kept;
    for (; end < count && keyed[end].key == keyed[from].key; end++) {
      const memplan_rule *rule = &rules[keyed[end].index];
      bool swap = !directed && order->rank[rule->first] > order->rank[rule->second];
      memplan_rule next = {swap ? rule->second : rule->first, swap ? rule->first : rule->second,
                           directed ? rule->delta : 0};
      if (kept == group || directed) {
        sorted[kept++] = next;
      }
    }
    if (kept - group > 1) {
      qsort(&sorted[group], (size_t)(kept - group), sizeof *sorted, compare_deltas);
      int32_t all = kept;
      kept = group + 1;
      for (int32_t k = group + 1; k < all; k++) {
        if (sorted[k].delta != sorted[kept - 1].delta) {
          sorted[kept++] = sorted[k];
        }
      }
    }
  }
  return kept;
}

typedef struct rule_list {
  memplan_rule *rules;
  int32_t n;
} rule_list;

static bool list_rules(const rule_order *order, const memplan_rule *rules, int32_t count, bool directed,
                       memplan_arena *arena, rule_list *list) {
  list->rules = MEMPLAN_NEW_RAW(arena, memplan_rule, count);
  memplan_arena scratch = {0};
  memplan_keyed *keyed = MEMPLAN_NEW_RAW(&scratch, memplan_keyed, 2 * (int64_t)count);
  bool good = list->rules != NULL && keyed != NULL;
  list->n = good ? sort_rules(order, rules, count, directed, keyed, list->rules) : 0;
  memplan_arena_free(&scratch);
  return good;
}

static json_t *rule_json(const memplan_instance *instance, const memplan_rule *rule) {
  json_t *array = memplan_json_strings(instance->buffers[rule->first].id, instance->buffers[rule->second].id);
  return memplan_json_finish(array,
                             array != NULL && (rule->delta == 0 || memplan_json_add(array, json_integer(rule->delta))));
}

static json_t *rules_json(const rule_order *order, const memplan_rule *rules, int32_t count, bool directed) {
  memplan_arena arena = {0};
  rule_list list;
  json_t *array = json_array();
  bool good = list_rules(order, rules, count, directed, &arena, &list) && array != NULL;
  for (int32_t k = 0; good && k < list.n; k++) {
    good = memplan_json_add(array, rule_json(order->instance, &list.rules[k]));
  }
  memplan_arena_free(&arena);
  return memplan_json_finish(array, good);
}

static bool set_rules(json_t *object, const char *key, const rule_order *order, const memplan_rule *rules,
                      int32_t count, bool directed) {
  return count == 0 || memplan_json_set(object, key, rules_json(order, rules, count, directed));
}

// ---- as a document

static json_t *begin_form(const memplan_instance *instance, bool inclusive) {
  json_t *object = memplan_form_heading("memplan-instance", instance->name, instance->source);
  return memplan_json_finish(object, object != NULL &&
                                         (!inclusive || memplan_json_set_string(object, "lifetimes", "inclusive")));
}

static bool put_pools(const memplan_instance *instance, json_t *object) {
  return instance->default_pool || memplan_form_put_pools(object, instance->pools, instance->n_pools);
}

// What stands after the buffers.
static bool end_form(const memplan_instance *instance, const memplan_id *ids, bool explicit_conflicts, json_t *object) {
  rule_order order;
  bool good =
      order_ids(instance, ids, &order) && put_pools(instance, object) &&
      set_rules(object, "separate", &order, instance->separate, instance->n_separate, false) &&
      set_rules(object, "colocate", &order, instance->colocate, instance->n_colocate, true) &&
      (!explicit_conflicts ||
       memplan_json_set(object, "conflicts", rules_json(&order, instance->conflicts, instance->n_conflicts, false)));
  memplan_arena_free(&order.arena);
  return good;
}

json_t *memplan_form_instance(const memplan_instance *instance, bool inclusive) {
  // Buffers without lifetimes need the key `conflicts`, though it may be empty: it says that conflicts are explicit.
  bool explicit_conflicts = instance->n_conflicts > 0;
  memplan_arena arena = {0};
  const memplan_id *ids = sort_ids(instance, &arena);
  json_t *buffers = ids != NULL ? buffers_json(instance, ids, inclusive ? 1 : 0, &explicit_conflicts) : NULL;
  json_t *object = begin_form(instance, inclusive);
  bool good = memplan_json_set(object, "buffers", buffers) && end_form(instance, ids, explicit_conflicts, object);
  memplan_arena_free(&arena);
  return memplan_json_finish(object, good);
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

static void put_text(const writing *out, const char *text) { out->put(out->context, text, strlen(text)); }

// The buffer's id as JSON; NULL if memory is out.
static const char *text_of(rule_order *order, int32_t buffer) {
  if (order->text[buffer] == NULL) {
    json_t *id = json_string(order->instance->buffers[buffer].id);
    char *text = id != NULL ? memplan_json_text(id) : NULL;
    json_decref(id);
    order->text[buffer] = text != NULL ? memplan_arena_text(&order->arena, text, strlen(text)) : NULL;
    free(text);
  }
  return order->text[buffer];
}

static bool put_rule(const writing *out, rule_order *order, const memplan_rule *rule) {
  const char *first = text_of(order, rule->first);
  const char *second = text_of(order, rule->second);
  if (first == NULL || second == NULL) {
    return false;
  }
  put_text(out, "[");
  put_text(out, first);
  put_text(out, ",");
  put_text(out, second);
  if (rule->delta != 0) {
    char delta[32];
    (void)snprintf(delta, sizeof delta, ",%" PRId64, rule->delta);
    put_text(out, delta);
  }
  put_text(out, "]");
  return true;
}

static bool put_rules(const writing *out, rule_order *order, const char *key, const memplan_rule *rules, int32_t count,
                      bool directed) {
  memplan_arena arena = {0};
  rule_list list;
  bool good = list_rules(order, rules, count, directed, &arena, &list);
  put_text(out, key);
  for (int32_t k = 0; good && k < list.n; k++) {
    put_text(out, k > 0 ? "," : "");
    good = put_rule(out, order, &list.rules[k]);
  }
  put_text(out, "]");
  memplan_arena_free(&arena);
  return good;
}

// What stands after the buffers.
static bool put_end(const writing *out, const memplan_instance *instance, const memplan_id *ids,
                    bool explicit_conflicts) {
  json_t *pools = json_object();
  pools = memplan_json_finish(pools, pools != NULL && put_pools(instance, pools));
  bool some = pools != NULL && json_object_size(pools) > 0;
  put_text(out, some ? "," : "");
  if (!put_object(out, pools, 1, 1)) {
    return false;
  }
  rule_order order;
  bool good = order_ids(instance, ids, &order);
  if (good && instance->n_separate > 0) {
    good = put_rules(out, &order, ",\"separate\":[", instance->separate, instance->n_separate, false);
  }
  if (good && instance->n_colocate > 0) {
    good = put_rules(out, &order, ",\"colocate\":[", instance->colocate, instance->n_colocate, true);
  }
  if (good && explicit_conflicts) {
    good = put_rules(out, &order, ",\"conflicts\":[", instance->conflicts, instance->n_conflicts, false);
  }
  memplan_arena_free(&order.arena);
  put_text(out, "}");
  return good;
}

bool memplan_form_instance_put(const memplan_instance *instance, bool inclusive, memplan_form_put *put, void *context) {
  writing out = {.put = put, .context = context, .first = true};
  bool explicit_conflicts = instance->n_conflicts > 0;
  memplan_arena arena = {0};
  const memplan_id *ids = sort_ids(instance, &arena);
  bool good = ids != NULL && put_object(&out, begin_form(instance, inclusive), 0, 1);
  if (good) {
    put_text(&out, ",\"buffers\":[");
    good = walk_buffers(instance, ids, inclusive ? 1 : 0, &explicit_conflicts, put_buffer, &out);
  }
  if (good) {
    put_text(&out, "]");
    good = put_end(&out, instance, ids, explicit_conflicts);
  }
  memplan_arena_free(&arena);
  return good;
}
