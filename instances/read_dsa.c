// SPDX-License-Identifier: Apache-2.0
// Source: dsa-solver's schemas/dsa-problem-v1.schema.json and docs/structured_problem_schema_v1.md.
#include "instances/read_dsa.h"

#include "instances/dsa_classes.h"
#include "instances/json_reader.h"
#include "model/base/number.h"
#include "model/base/quote.h"
#include "model/occupancy.h"

#include <stdio.h>
#include <string.h>

static const char *const document_keys[] = {"schema_version",   "profile",  "instance", "relaxed_from",
                                            "relaxed_features", "metadata", "problem",  NULL};
static const char *const problem_keys[] = {"pools",           "buffers",   "constraints", "cost_model",
                                           "pypto_structure", "objective", NULL};
static const char *const pool_keys[] = {"id", "name", "capacity", "reserved_ranges", "bank_geometry", NULL};
static const char *const range_keys[] = {"begin", "end", NULL};
static const char *const buffer_keys[] = {"id", "name", "size", "alignment", "live_intervals", "allowed_pools", NULL};
static const char *const interval_keys[] = {"lower", "upper", NULL};
static const char *const constraint_keys[] = {"colocations", "separations", "temporal_exclusions", "pinned_allocations",
                                              NULL};
static const char *const pair_keys[] = {"first", "second", NULL};
static const char *const separation_keys[] = {"first", "second", "reasons", NULL};
static const char *const pin_keys[] = {"buffer", "pool", "offset", "exclusive_for_all_time", NULL};
static const char *const penalty_keys[] = {"first", "second", "cost", "reason", NULL};

static const char *const profiles[] = {
    "standard_dsa",          "dsa_rp_v1", "pypto_structured", "pypto_hard_v1", "pypto_research_v1",
    "pypto_core_relaxation", NULL};
static const char *const separation_reasons[] = {"generic",           "pipeline_stage", "target_hazard",
                                                 "semantic_no_alias", "cross_pipe",     NULL};
static const char *const penalty_reasons[] = {
    "generic", "pipeline_serialization", "load_motion_serialization", "cross_pipe", "cross_core", "event_budget", NULL};
static const char *const terms[] = {"capacity_overflow", "total_peak", "max_peak", "reuse_cost", "bank_cost", NULL};
enum { n_terms = 5 };

typedef struct dsa_reader {
  memplan_json_reader json;
  memplan_instance *instance;
  memplan_names pool_numbers, buffer_numbers; // decimal -> index
  memplan_names buffer_names;
  bool *exclusive; // by buffer
  int32_t *seen;   // by pool: the last buffer that allows it, + 1
  memplan_dsa_pair *exclusions;
  int32_t n_exclusions;
} dsa_reader;

// ---- parts

static memplan_status fail_at(const dsa_reader *r, const memplan_json_place *place, const char *key,
                              const char *reason) {
  return memplan_json_fail(&r->json, place, key, reason);
}

// *index: of the word in the list.
static memplan_status read_word(dsa_reader *r, const json_t *value, const memplan_json_place *place, const char *key,
                                const char *const *words, int32_t *index) {
  const char *text = json_string_value(value);
  for (*index = 0; text != NULL && words[*index] != NULL; *index += 1) {
    if (strcmp(words[*index], text) == 0) {
      return MEMPLAN_OK;
    }
  }
  char reason[320] = "must be one of";
  for (size_t i = 0; words[i] != NULL; i++) {
    strncat(reason, i > 0 ? ", " : " ", sizeof reason - strlen(reason) - 1);
    strncat(reason, words[i], sizeof reason - strlen(reason) - 1);
  }
  return fail_at(r, place, key, reason);
}

static memplan_status read_number(const dsa_reader *r, const json_t *object, const char *key,
                                  const memplan_json_place *place, int64_t minimum, int64_t maximum, int64_t *value) {
  return memplan_json_integer(object, key, place, true, minimum, maximum, value, r->json.error);
}

// The number of element `index` as text, entered into `numbers`; and its name, which is the number if it has none.
static memplan_status read_identity(dsa_reader *r, const json_t *object, const memplan_json_place *place, int32_t index,
                                    memplan_names *numbers, memplan_names *names, const char **id) {
  int64_t number = 0;
  char text[24];
  MEMPLAN_TRY(read_number(r, object, "id", place, 0, UINT32_MAX, &number));
  MEMPLAN_TRY(memplan_json_string(object, "name", place, true, r->json.arena, id, r->json.error));
  (void)snprintf(text, sizeof text, "%lld", (long long)number);
  const char *key = memplan_arena_text(r->json.arena, text, strlen(text));
  int32_t before = key != NULL ? memplan_names_add(numbers, key, index) : -2;
  if (before >= 0) {
    return fail_at(r, place, "id", "is the number of an earlier one too; numbers must be unique");
  }
  *id = (*id)[0] == '\0' ? key : *id;
  before = before != -2 ? memplan_names_add(names, *id, index) : -2;
  if (before >= 0) {
    return fail_at(r, place, "name", "is the name (or, without one, the number) of an earlier one too; rename it");
  }
  return before != -2 ? MEMPLAN_OK : memplan_fail_nomem(r->json.error);
}

static memplan_status find_number(const dsa_reader *r, const json_t *value, const memplan_json_place *place,
                                  const char *key, const memplan_names *numbers, const char *what, int32_t *index) {
  char text[24] = "";
  if (json_is_integer(value)) {
    (void)snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
  }
  *index = memplan_names_find(numbers, text);
  if (*index >= 0) {
    return MEMPLAN_OK;
  }
  char reason[80];
  (void)snprintf(reason, sizeof reason, "must be the id of a %s of this problem", what);
  return fail_at(r, place, key, reason);
}

static memplan_status read_buffer_of(const dsa_reader *r, const json_t *object, const char *key,
                                     const memplan_json_place *place, int32_t *index) {
  return find_number(r, json_object_get(object, key), place, key, &r->buffer_numbers, "buffer", index);
}

static memplan_status read_pair(dsa_reader *r, const json_t *object, const memplan_json_place *place, int32_t *first,
                                int32_t *second) {
  MEMPLAN_TRY(read_buffer_of(r, object, "first", place, first));
  return read_buffer_of(r, object, "second", place, second);
}

// ---- pools

static memplan_status read_reserved(dsa_reader *r, const json_t *object, const memplan_json_place *place,
                                    memplan_pool *pool) {
  const json_t *array = NULL;
  MEMPLAN_TRY(
      memplan_json_read_list(&r->json, object, "reserved_ranges", place, true, true, &array, &pool->n_reserved));
  memplan_interval *ranges = MEMPLAN_NEW(r->json.arena, memplan_interval, pool->n_reserved);
  if (ranges == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {place, "reserved_ranges", 0};
  for (int32_t i = 0; i < pool->n_reserved; i++) {
    memplan_json_place at = {&list, NULL, (size_t)i};
    const json_t *range = json_array_get(array, (size_t)i);
    MEMPLAN_TRY(memplan_json_check_keys(&r->json, range, &at, "reserved_ranges[]", range_keys));
    MEMPLAN_TRY(read_number(r, range, "begin", &at, 0, MEMPLAN_OFFSET_LIMIT, &ranges[i].start));
    MEMPLAN_TRY(read_number(r, range, "end", &at, 0, MEMPLAN_OFFSET_LIMIT, &ranges[i].end));
    if (ranges[i].start >= ranges[i].end) {
      return fail_at(r, &at, "end", "must lie behind begin; the range is half-open");
    }
    if (pool->capacity >= 0 && ranges[i].end > pool->capacity) {
      return fail_at(r, &at, "end", "lies behind the capacity of the pool");
    }
  }
  pool->reserved = ranges;
  return MEMPLAN_OK;
}

static memplan_status read_pools(dsa_reader *r, const json_t *problem, const memplan_json_place *place) {
  memplan_instance *instance = r->instance;
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, problem, "pools", place, true, true, &array, &instance->n_pools));
  instance->pools = MEMPLAN_NEW(r->json.arena, memplan_pool, instance->n_pools);
  if (instance->pools == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  if (instance->n_pools == 0) {
    return fail_at(r, place, "pools", "must hold at least one pool");
  }
  memplan_json_place list = {place, "pools", 0};
  for (int32_t i = 0; i < instance->n_pools; i++) {
    memplan_json_place at = {&list, NULL, (size_t)i};
    const json_t *object = json_array_get(array, (size_t)i);
    memplan_pool *pool = &instance->pools[i];
    pool->capacity = -1;
    MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, &at, "pools[]", pool_keys));
    MEMPLAN_TRY(read_identity(r, object, &at, i, &r->pool_numbers, &r->json.pools, &pool->id));
    if (json_object_get(object, "capacity") == NULL) {
      return fail_at(r, &at, "capacity", "is missing; write null for a pool without one");
    }
    MEMPLAN_TRY(
        memplan_json_integer(object, "capacity", &at, false, 0, MEMPLAN_SIZE_LIMIT, &pool->capacity, r->json.error));
    MEMPLAN_TRY(read_reserved(r, object, &at, pool));
    if (json_object_get(object, "bank_geometry") != NULL) {
      MEMPLAN_TRY(memplan_remarks_warn(&r->json.remarks, MEMPLAN_REMARK_OTHER, r->json.error,
                                       "the bank geometry of pool '%s' is ignored: memplan knows no banks",
                                       memplan_quote(pool->id).text));
    }
  }
  return MEMPLAN_OK;
}

// ---- buffers

static memplan_status read_live(dsa_reader *r, const json_t *object, const memplan_json_place *place,
                                memplan_buffer *buffer) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "live_intervals", place, true, true, &array, &buffer->n_live));
  memplan_interval *live = MEMPLAN_NEW(r->json.arena, memplan_interval, buffer->n_live);
  if (live == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  if (buffer->n_live == 0) {
    return fail_at(r, place, "live_intervals", "must hold at least one interval");
  }
  memplan_json_place list = {place, "live_intervals", 0};
  for (int32_t i = 0; i < buffer->n_live; i++) {
    memplan_json_place at = {&list, NULL, (size_t)i};
    const json_t *interval = json_array_get(array, (size_t)i);
    MEMPLAN_TRY(memplan_json_check_keys(&r->json, interval, &at, "live_intervals[]", interval_keys));
    MEMPLAN_TRY(read_number(r, interval, "lower", &at, INT64_MIN, INT64_MAX, &live[i].start));
    MEMPLAN_TRY(read_number(r, interval, "upper", &at, INT64_MIN, INT64_MAX, &live[i].end));
    if (live[i].start >= live[i].end) {
      return fail_at(r, &at, "upper", "must lie behind lower; the interval is half-open");
    }
  }
  buffer->live = live;
  buffer->n_live = memplan_intervals_merge(live, buffer->n_live);
  return MEMPLAN_OK;
}

static memplan_status read_allowed(dsa_reader *r, const json_t *object, const memplan_json_place *place,
                                   int32_t index) {
  memplan_buffer *buffer = &r->instance->buffers[index];
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "allowed_pools", place, true, false, &array, &buffer->n_pools));
  int32_t *pools = MEMPLAN_NEW(r->json.arena, int32_t, buffer->n_pools);
  if (pools == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  if (buffer->n_pools == 0) {
    return fail_at(r, place, "allowed_pools", "must hold at least one pool");
  }
  memplan_json_place list = {place, "allowed_pools", 0};
  for (int32_t i = 0; i < buffer->n_pools; i++) {
    memplan_json_place at = {&list, NULL, (size_t)i};
    MEMPLAN_TRY(find_number(r, json_array_get(array, (size_t)i), &at, NULL, &r->pool_numbers, "pool", &pools[i]));
    if (r->seen[pools[i]] == index + 1) {
      return fail_at(r, &at, NULL, "stands twice; a pool is allowed once");
    }
    r->seen[pools[i]] = index + 1;
  }
  buffer->pools = pools;
  return MEMPLAN_OK;
}

static memplan_status read_buffers(dsa_reader *r, const json_t *problem, const memplan_json_place *place) {
  memplan_instance *instance = r->instance;
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, problem, "buffers", place, true, true, &array, &instance->n_buffers));
  instance->buffers = MEMPLAN_NEW(r->json.arena, memplan_buffer, instance->n_buffers);
  r->exclusive = MEMPLAN_NEW(r->json.arena, bool, instance->n_buffers);
  r->seen = MEMPLAN_NEW(r->json.arena, int32_t, instance->n_pools);
  if (instance->buffers == NULL || r->exclusive == NULL || r->seen == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {place, "buffers", 0};
  for (int32_t i = 0; i < instance->n_buffers; i++) {
    memplan_json_place at = {&list, NULL, (size_t)i};
    const json_t *object = json_array_get(array, (size_t)i);
    memplan_buffer *buffer = &instance->buffers[i];
    buffer->pin = buffer->offset = buffer->hint = -1;
    MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, &at, "buffers[]", buffer_keys));
    MEMPLAN_TRY(read_identity(r, object, &at, i, &r->buffer_numbers, &r->buffer_names, &buffer->id));
    MEMPLAN_TRY(read_number(r, object, "size", &at, 1, MEMPLAN_SIZE_LIMIT, &buffer->bytes));
    MEMPLAN_TRY(read_number(r, object, "alignment", &at, 1, MEMPLAN_SIZE_LIMIT - 1, &buffer->align));
    MEMPLAN_TRY(read_live(r, object, &at, buffer));
    MEMPLAN_TRY(read_allowed(r, object, &at, i));
  }
  return MEMPLAN_OK;
}

// ---- constraints

static memplan_status read_rules(dsa_reader *r, const json_t *constraints, const memplan_json_place *place,
                                 const char *key, bool reasons, memplan_rule **rules, int32_t *count) {
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_read_list(&r->json, constraints, key, place, true, true, &array, count));
  *rules = MEMPLAN_NEW(r->json.arena, memplan_rule, *count);
  if (*rules == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {place, key, 0};
  for (int32_t i = 0; i < *count; i++) {
    memplan_json_place at = {&list, NULL, (size_t)i};
    const json_t *object = json_array_get(array, (size_t)i);
    MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, &at, key, reasons ? separation_keys : pair_keys));
    MEMPLAN_TRY(read_pair(r, object, &at, &(*rules)[i].first, &(*rules)[i].second));
    if ((*rules)[i].first == (*rules)[i].second) {
      return fail_at(r, &at, NULL, "names one buffer twice; a rule needs two");
    }
    const json_t *list_of_reasons = NULL;
    int32_t n_reasons = 0;
    if (reasons) {
      MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "reasons", &at, false, false, &list_of_reasons, &n_reasons));
    }
    memplan_json_place reason_list = {&at, "reasons", 0};
    for (int32_t k = 0; k < n_reasons; k++) {
      memplan_json_place reason = {&reason_list, NULL, (size_t)k};
      int32_t word = 0;
      MEMPLAN_TRY(read_word(r, json_array_get(list_of_reasons, (size_t)k), &reason, NULL, separation_reasons, &word));
    }
  }
  return MEMPLAN_OK;
}

static memplan_status read_exclusions(dsa_reader *r, const json_t *constraints, const memplan_json_place *place) {
  memplan_rule *rules = NULL;
  MEMPLAN_TRY(read_rules(r, constraints, place, "temporal_exclusions", false, &rules, &r->n_exclusions));
  r->exclusions = MEMPLAN_NEW(r->json.arena, memplan_dsa_pair, r->n_exclusions);
  if (r->exclusions == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  for (int32_t i = 0; i < r->n_exclusions; i++) {
    r->exclusions[i] = (memplan_dsa_pair){rules[i].first, rules[i].second};
  }
  return MEMPLAN_OK;
}

static memplan_status read_pin(dsa_reader *r, const json_t *object, const memplan_json_place *place) {
  int32_t index = 0;
  int32_t *pool = MEMPLAN_NEW(r->json.arena, int32_t, 1);
  if (pool == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, place, "pinned_allocations[]", pin_keys));
  MEMPLAN_TRY(read_buffer_of(r, object, "buffer", place, &index));
  MEMPLAN_TRY(find_number(r, json_object_get(object, "pool"), place, "pool", &r->pool_numbers, "pool", pool));
  memplan_buffer *buffer = &r->instance->buffers[index];
  bool allowed = false;
  for (int32_t i = 0; i < buffer->n_pools; i++) {
    allowed = allowed || buffer->pools[i] == *pool;
  }
  if (buffer->pin >= 0) {
    return fail_at(r, place, "buffer", "is pinned by an earlier entry already");
  }
  if (!allowed) {
    return fail_at(r, place, "pool", "is not among the allowed_pools of the buffer");
  }
  MEMPLAN_TRY(read_number(r, object, "offset", place, 0, MEMPLAN_OFFSET_LIMIT, &buffer->pin));
  if (!json_is_boolean(json_object_get(object, "exclusive_for_all_time"))) {
    return fail_at(r, place, "exclusive_for_all_time", "must be true or false");
  }
  r->exclusive[index] = json_is_true(json_object_get(object, "exclusive_for_all_time"));
  buffer->pools = pool;
  buffer->n_pools = 1;
  return MEMPLAN_OK;
}

static memplan_status read_constraints(dsa_reader *r, const json_t *problem, const memplan_json_place *place) {
  memplan_instance *instance = r->instance;
  const json_t *object = NULL;
  const json_t *pins = NULL;
  int32_t n_pins = 0;
  MEMPLAN_TRY(memplan_json_object(problem, "constraints", place, true, &object, r->json.error));
  memplan_json_place at = {place, "constraints", 0};
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, &at, "constraints", constraint_keys));
  MEMPLAN_TRY(read_rules(r, object, &at, "colocations", false, &instance->colocate, &instance->n_colocate));
  MEMPLAN_TRY(read_rules(r, object, &at, "separations", true, &instance->separate, &instance->n_separate));
  MEMPLAN_TRY(read_exclusions(r, object, &at));
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "pinned_allocations", &at, true, true, &pins, &n_pins));
  memplan_json_place list = {&at, "pinned_allocations", 0};
  for (int32_t i = 0; i < n_pins; i++) {
    memplan_json_place pin = {&list, NULL, (size_t)i};
    MEMPLAN_TRY(read_pin(r, json_array_get(pins, (size_t)i), &pin));
  }
  return MEMPLAN_OK;
}

// ---- costs

static memplan_status read_costs(dsa_reader *r, const json_t *problem, const memplan_json_place *place) {
  static const char *const keys[] = {"reuse_penalties", NULL};
  memplan_instance *instance = r->instance;
  const json_t *object = NULL;
  const json_t *array = NULL;
  MEMPLAN_TRY(memplan_json_object(problem, "cost_model", place, false, &object, r->json.error));
  if (object == NULL) {
    return MEMPLAN_OK;
  }
  memplan_json_place at = {place, "cost_model", 0};
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, &at, "cost_model", keys));
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "reuse_penalties", &at, true, true, &array, &instance->n_reuse));
  instance->reuse = MEMPLAN_NEW(r->json.arena, memplan_reuse, instance->n_reuse);
  if (instance->reuse == NULL) {
    return memplan_fail_nomem(r->json.error);
  }
  memplan_json_place list = {&at, "reuse_penalties", 0};
  for (int32_t i = 0; i < instance->n_reuse; i++) {
    memplan_json_place penalty = {&list, NULL, (size_t)i};
    const json_t *entry = json_array_get(array, (size_t)i);
    memplan_reuse *reuse = &instance->reuse[i];
    int32_t word = 0;
    MEMPLAN_TRY(memplan_json_check_keys(&r->json, entry, &penalty, "reuse_penalties[]", penalty_keys));
    MEMPLAN_TRY(read_pair(r, entry, &penalty, &reuse->first, &reuse->second));
    MEMPLAN_TRY(read_number(r, entry, "cost", &penalty, 0, INT64_MAX, &reuse->cost));
    MEMPLAN_TRY(read_word(r, json_object_get(entry, "reason"), &penalty, "reason", penalty_reasons, &word));
  }
  return MEMPLAN_OK;
}

static memplan_status note_objective(dsa_reader *r, const int32_t *position) {
  bool several = false;
  for (int32_t i = 0; i < r->instance->n_buffers; i++) {
    several = several || r->instance->buffers[i].n_pools > 1;
  }
  if (position[4] >= 0) {
    MEMPLAN_TRY(memplan_remarks_warn(&r->json.remarks, MEMPLAN_REMARK_OTHER, r->json.error,
                                     "the objective's term bank_cost is ignored: memplan knows no banks"));
  }
  if (r->instance->prefer_low_reuse) {
    return memplan_remarks_note(&r->json.remarks, r->json.error,
                                "the objective asks for the least reuse cost among the plans that fit");
  }
  return !several ? MEMPLAN_OK
                  : memplan_remarks_note(
                        &r->json.remarks, r->json.error, "the objective asks for the least %s over all pools",
                        position[1] >= 0 && (position[2] < 0 || position[1] < position[2]) ? "sum of the peaks"
                                                                                           : "largest peak");
}

static memplan_status read_objective(dsa_reader *r, const json_t *problem, const memplan_json_place *place) {
  static const char *const keys[] = {"aggregation", "terms", NULL};
  static const char *const aggregations[] = {"lexicographic", NULL};
  int32_t position[n_terms] = {-1, -1, -1, -1, -1};
  const json_t *object = NULL;
  const json_t *array = NULL;
  int32_t count = 0;
  int32_t word = 0;
  MEMPLAN_TRY(memplan_json_object(problem, "objective", place, true, &object, r->json.error));
  memplan_json_place at = {place, "objective", 0};
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, object, &at, "objective", keys));
  MEMPLAN_TRY(read_word(r, json_object_get(object, "aggregation"), &at, "aggregation", aggregations, &word));
  MEMPLAN_TRY(memplan_json_read_list(&r->json, object, "terms", &at, true, false, &array, &count));
  if (count == 0) {
    return fail_at(r, &at, "terms", "must hold at least one term");
  }
  memplan_json_place list = {&at, "terms", 0};
  for (int32_t i = 0; i < count; i++) {
    memplan_json_place term = {&list, NULL, (size_t)i};
    MEMPLAN_TRY(read_word(r, json_array_get(array, (size_t)i), &term, NULL, terms, &word));
    if (position[word] >= 0) {
      return fail_at(r, &term, NULL, "stands twice; a term can count once");
    }
    position[word] = i;
  }
  bool before_total = position[1] < 0 || position[3] < position[1];
  bool before_largest = position[2] < 0 || position[3] < position[2];
  r->instance->prefer_low_reuse = position[3] >= 0 && before_total && before_largest;
  return note_objective(r, position);
}

// ---- the document

static memplan_status read_heading(dsa_reader *r, const json_t *document) {
  int64_t version = 0;
  int32_t profile = 0;
  const char *relaxed = NULL;
  const json_t *metadata = NULL;
  memplan_error *error = r->json.error;
  if (!json_is_object(document)) {
    return memplan_fail(error, MEMPLAN_INPUT, "the document must be an object with \"schema_version\": 1");
  }
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, document, NULL, "", document_keys));
  MEMPLAN_TRY(read_number(r, document, "schema_version", NULL, INT64_MIN, INT64_MAX, &version));
  if (version != 1) {
    return memplan_fail(error, MEMPLAN_UNSUPPORTED, "schema_version is %lld, but this memplan reads version 1 alone",
                        (long long)version);
  }
  MEMPLAN_TRY(read_word(r, json_object_get(document, "profile"), NULL, "profile", profiles, &profile));
  MEMPLAN_TRY(memplan_json_string(document, "instance", NULL, true, r->json.arena, &r->instance->name, error));
  if (r->instance->name[0] == '\0') {
    return fail_at(r, NULL, "instance", "must not be empty");
  }
  MEMPLAN_TRY(memplan_json_object(document, "metadata", NULL, false, &metadata, error));
  MEMPLAN_TRY(memplan_json_string(document, "relaxed_from", NULL, false, r->json.arena, &relaxed, error));
  r->instance->source = "dsa-solver, schema 1";
  return relaxed == NULL ? MEMPLAN_OK
                         : memplan_remarks_note(&r->json.remarks, error,
                                                "this is a relaxation of '%s': its peaks are lower bounds there",
                                                memplan_quote(relaxed).text);
}

static memplan_status read_document(dsa_reader *r, const json_t *document) {
  const json_t *problem = NULL;
  const json_t *structure = NULL;
  memplan_json_place place = {NULL, "problem", 0};
  int32_t n_converted = 0;
  MEMPLAN_TRY(read_heading(r, document));
  MEMPLAN_TRY(memplan_json_object(document, "problem", NULL, true, &problem, r->json.error));
  MEMPLAN_TRY(memplan_json_check_keys(&r->json, problem, &place, "problem", problem_keys));
  MEMPLAN_TRY(read_pools(r, problem, &place));
  MEMPLAN_TRY(read_buffers(r, problem, &place));
  MEMPLAN_TRY(read_constraints(r, problem, &place));
  MEMPLAN_TRY(read_costs(r, problem, &place));
  MEMPLAN_TRY(memplan_json_object(problem, "pypto_structure", &place, false, &structure, r->json.error));
  MEMPLAN_TRY(read_objective(r, problem, &place));
  MEMPLAN_TRY(memplan_dsa_classes_apply(r->instance, r->exclusive, r->exclusions, r->n_exclusions, &n_converted,
                                        r->json.error));
  if (n_converted > 0) {
    MEMPLAN_TRY(memplan_remarks_note(&r->json.remarks, r->json.error,
                                     "temporal exclusions: explicit conflicts take the place of the lifetimes of %d "
                                     "buffers, which the load does not count",
                                     n_converted));
  }
  return memplan_remarks_finish(&r->json.remarks, r->json.error);
}

memplan_status memplan_dsa_from_json(const json_t *document, const memplan_problem_options *options,
                                     memplan_instance *instance, memplan_error *error) {
  dsa_reader r = {.instance = instance};
  r.json.arena = &instance->arena;
  r.json.remarks.instance = instance;
  r.json.remarks.strict = options->strict;
  r.json.error = error;
  memplan_status status = read_document(&r, document);
  memplan_names_free(&r.pool_numbers);
  memplan_names_free(&r.buffer_numbers);
  memplan_names_free(&r.buffer_names);
  memplan_json_reader_free(&r.json);
  return status;
}
