// SPDX-License-Identifier: Apache-2.0
// First step of resolving an instance: each buffer, pool and rule on its own.
#include "model/base/names.h"
#include "model/base/number.h"
#include "model/instance_steps.h"
#include "model/occupancy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static memplan_status fail_buffer(memplan_error *error, const memplan_buffer *buffer, memplan_buffer_cell cell,
                                  const char *what, int64_t value, const char *remedy) {
  char row[MEMPLAN_ROW_TEXT];
  return memplan_fail(error, MEMPLAN_INPUT, "buffer '%s'%s: %s %" PRId64 " %s", buffer->id,
                      memplan_buffer_row(buffer, cell, row), what, value, remedy);
}

static memplan_status check_numbers(memplan_buffer *buffer, int64_t align, memplan_error *error) {
  if (buffer->bytes < 0 || buffer->bytes > MEMPLAN_SIZE_LIMIT) {
    return fail_buffer(error, buffer, MEMPLAN_CELL_ID, "size", buffer->bytes, "is not in 0 ... 2^62");
  }
  if (buffer->align < 1 || buffer->align >= MEMPLAN_SIZE_LIMIT) {
    return fail_buffer(error, buffer, MEMPLAN_CELL_ALIGN, "alignment", buffer->align,
                       "is not in 1 ... 2^62 - 1; use 1 for none");
  }
  if (buffer->pin < -1 || buffer->pin > MEMPLAN_OFFSET_LIMIT) {
    return fail_buffer(error, buffer, MEMPLAN_CELL_PIN, "pin", buffer->pin, "is not an offset in 0 ... 2^61");
  }
  memplan_congruence joined, own = {buffer->align, buffer->residue}, all = {align, 0};
  switch (memplan_congruence_join(own, all, &joined)) {
  case MEMPLAN_CONGRUENCE_OK:
    buffer->align = joined.align;
    buffer->residue = joined.residue;
    return MEMPLAN_OK;
  case MEMPLAN_CONGRUENCE_CONTRADICTION:
    return fail_buffer(error, buffer, MEMPLAN_CELL_ALIGN, "alignment", buffer->align,
                       "of a view contradicts the alignment asked of every buffer");
  case MEMPLAN_CONGRUENCE_TOO_LARGE:
    break;
  }
  return fail_buffer(error, buffer, MEMPLAN_CELL_ALIGN, "alignment", buffer->align,
                     "has a common multiple with --align above 2^62");
}

static memplan_status merge_live(memplan_instance *instance, memplan_buffer *buffer, memplan_error *error) {
  memplan_interval *merged = MEMPLAN_NEW(&instance->arena, memplan_interval, buffer->n_live);
  if (merged == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < buffer->n_live; k++) {
    if (buffer->live[k].start > buffer->live[k].end) {
      char row[MEMPLAN_ROW_TEXT];
      return memplan_fail(
          error, MEMPLAN_INPUT, "buffer '%s'%s: lifetime [%" PRId64 ", %" PRId64 ") ends before it starts", buffer->id,
          memplan_buffer_row(buffer, MEMPLAN_CELL_LIVE, row), buffer->live[k].start, buffer->live[k].end);
    }
    merged[k] = buffer->live[k];
  }
  buffer->live = merged;
  buffer->n_live = memplan_intervals_merge(merged, buffer->n_live);
  return MEMPLAN_OK;
}

// Lifetimes are sorted and disjoint here: the first one that ends after the gap's start decides.
static bool meets_life(const memplan_buffer *buffer, const memplan_gap *gap) {
  int32_t low = 0, high = buffer->n_live;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (buffer->live[middle].end > gap->start) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low < buffer->n_live && buffer->live[low].start < gap->end;
}

static memplan_status check_gap(memplan_instance *instance, const memplan_buffer *buffer, const memplan_gap *gap,
                                bool *keep, memplan_error *error) {
  char row[MEMPLAN_ROW_TEXT];
  memplan_buffer_row(buffer, MEMPLAN_CELL_GAPS, row);
  if (gap->start > gap->end) {
    return memplan_fail(error, MEMPLAN_INPUT, "buffer '%s'%s: gap [%" PRId64 ", %" PRId64 ") ends before it starts",
                        buffer->id, row, gap->start, gap->end);
  }
  if (gap->low < 0 || gap->low > gap->high || gap->high > buffer->bytes) {
    return memplan_fail(error, MEMPLAN_INPUT,
                        "buffer '%s'%s: gap window [%" PRId64 ", %" PRId64 ") is not inside its %" PRId64 " bytes",
                        buffer->id, row, gap->low, gap->high, buffer->bytes);
  }
  *keep = gap->start < gap->end && meets_life(buffer, gap);
  if (!*keep && !memplan_instance_warn(
                    instance, "buffer '%s'%s: gap [%" PRId64 ", %" PRId64 ") lies outside its lifetime and is ignored",
                    buffer->id, row, gap->start, gap->end)) {
    return memplan_fail_nomem(error);
  }
  return MEMPLAN_OK;
}

static memplan_status merge_gaps(memplan_instance *instance, memplan_buffer *buffer, memplan_error *error) {
  memplan_gap *merged = MEMPLAN_NEW(&instance->arena, memplan_gap, buffer->n_gaps);
  if (merged == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t count = 0;
  for (int32_t k = 0; k < buffer->n_gaps; k++) {
    bool keep = false;
    MEMPLAN_TRY(check_gap(instance, buffer, &buffer->gaps[k], &keep, error));
    if (keep) {
      merged[count] = buffer->gaps[k];
      if (merged[count].low == merged[count].high) {
        merged[count].low = merged[count].high = 0;
      }
      count++;
    }
  }
  count = memplan_gaps_merge(merged, count);
  for (int32_t k = 1; k < count; k++) {
    if (merged[k].start < merged[k - 1].end) {
      char row[MEMPLAN_ROW_TEXT];
      return memplan_fail(error, MEMPLAN_INPUT,
                          "buffer '%s'%s: gaps [%" PRId64 ", %" PRId64 ") and [%" PRId64 ", %" PRId64
                          ") overlap with different byte windows; split them so that each time has one window",
                          buffer->id, memplan_buffer_row(buffer, MEMPLAN_CELL_GAPS, row), merged[k - 1].start,
                          merged[k - 1].end, merged[k].start, merged[k].end);
    }
  }
  buffer->gaps = merged;
  buffer->n_gaps = count;
  return MEMPLAN_OK;
}

static memplan_status check_buffer(memplan_instance *instance, int32_t index, int64_t align, memplan_error *error) {
  memplan_buffer *buffer = &instance->buffers[index];
  MEMPLAN_TRY(check_numbers(buffer, align, error));
  bool had_life = buffer->n_live > 0;
  MEMPLAN_TRY(merge_live(instance, buffer, error));
  MEMPLAN_TRY(merge_gaps(instance, buffer, error));
  for (int32_t k = 0; k < buffer->n_pools; k++) {
    if (buffer->pools[k] < 0 || buffer->pools[k] >= instance->n_pools) {
      return fail_buffer(error, buffer, MEMPLAN_CELL_ID, "admissible pool", buffer->pools[k], "does not exist");
    }
  }
  char row[MEMPLAN_ROW_TEXT];
  if (had_life && buffer->n_live == 0 && buffer->row > 0 &&
      !memplan_instance_warn(instance,
                             "buffer '%s'%s has an empty lifetime: it is never live and conflicts with nothing",
                             buffer->id, memplan_buffer_row(buffer, MEMPLAN_CELL_LIVE, row))) {
    return memplan_fail_nomem(error);
  }
  instance->naive_bytes = memplan_add_saturated(instance->naive_bytes, buffer->bytes);
  return MEMPLAN_OK;
}

static memplan_status check_ids(const memplan_instance *instance, memplan_names *names, memplan_error *error) {
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    const memplan_buffer *buffer = &instance->buffers[index];
    if (buffer->id == NULL) {
      return memplan_fail(error, MEMPLAN_INPUT, "buffer %d has no id", index);
    }
    int32_t before = memplan_names_add(names, buffer->id, index);
    if (before == -2) {
      return memplan_fail_nomem(error);
    }
    if (before >= 0) {
      char first[MEMPLAN_ROW_TEXT], second[MEMPLAN_ROW_TEXT];
      return memplan_fail(error, MEMPLAN_INPUT, "id '%s' is used by two buffers%s%s%s; ids must be unique", buffer->id,
                          memplan_buffer_row(&instance->buffers[before], MEMPLAN_CELL_ID, first),
                          buffer->row > 0 ? " and" : "", memplan_buffer_row(buffer, MEMPLAN_CELL_ID, second));
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_pools(memplan_instance *instance, memplan_error *error) {
  if (instance->n_pools == 0) {
    instance->pools = MEMPLAN_NEW(&instance->arena, memplan_pool, 1);
    if (instance->pools == NULL) {
      return memplan_fail_nomem(error);
    }
    instance->pools[0] = (memplan_pool){.id = "arena", .capacity = -1};
    instance->n_pools = 1;
    instance->default_pool = true;
  }
  for (int32_t index = 0; index < instance->n_pools; index++) {
    const memplan_pool *pool = &instance->pools[index];
    if (pool->id == NULL || pool->capacity < -1 || pool->base < 0 || pool->base > MEMPLAN_OFFSET_LIMIT) {
      return memplan_fail(error, MEMPLAN_INPUT,
                          "pool %d ('%s'): its capacity is negative or its base is not in 0 ... 2^61", index,
                          pool->id != NULL ? pool->id : "");
    }
    for (int32_t before = 0; before < index; before++) {
      if (strcmp(instance->pools[before].id, pool->id) == 0) {
        return memplan_fail(error, MEMPLAN_INPUT, "pools %d and %d have the same id '%s'", before, index, pool->id);
      }
    }
    for (int32_t k = 0; k < pool->n_reserved; k++) {
      const memplan_interval *range = &pool->reserved[k];
      if (range->start < 0 || range->start > range->end || range->end > MEMPLAN_OFFSET_LIMIT) {
        return memplan_fail(error, MEMPLAN_INPUT,
                            "pool '%s': reserved range [%" PRId64 ", %" PRId64 ") is not inside 0 ... 2^61", pool->id,
                            range->start, range->end);
      }
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_rules(const memplan_instance *instance, const memplan_rule *rules, int32_t count,
                                  const char *what, memplan_error *error) {
  for (int32_t k = 0; k < count; k++) {
    const memplan_rule *rule = &rules[k];
    if (rule->first < 0 || rule->first >= instance->n_buffers || rule->second < 0 ||
        rule->second >= instance->n_buffers) {
      return memplan_fail(error, MEMPLAN_INPUT, "%s rule %d names no buffer", what, k);
    }
    if (rule->first == rule->second) {
      return memplan_fail(error, MEMPLAN_INPUT, "%s rule %d names buffer '%s' twice", what, k,
                          instance->buffers[rule->first].id);
    }
    if (rule->delta > MEMPLAN_OFFSET_LIMIT || rule->delta < -MEMPLAN_OFFSET_LIMIT) {
      return memplan_fail(error, MEMPLAN_INPUT, "%s rule %d: distance %" PRId64 " is outside -2^61 ... 2^61", what, k,
                          rule->delta);
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_instance_check(memplan_instance *instance, int64_t align, memplan_error *error) {
  if (align < 1 || align > MEMPLAN_SIZE_LIMIT) {
    return memplan_fail(error, MEMPLAN_INPUT, "the alignment asked of every buffer, %" PRId64 ", is not in 1 ... 2^62",
                        align);
  }
  MEMPLAN_TRY(check_pools(instance, error));
  memplan_names names = {0};
  memplan_status status = check_ids(instance, &names, error);
  memplan_names_free(&names);
  MEMPLAN_TRY(status);
  instance->naive_bytes = 0;
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    MEMPLAN_TRY(check_buffer(instance, index, align, error));
  }
  MEMPLAN_TRY(check_rules(instance, instance->separate, instance->n_separate, "separate", error));
  MEMPLAN_TRY(check_rules(instance, instance->colocate, instance->n_colocate, "colocate", error));
  return check_rules(instance, instance->conflicts, instance->n_conflicts, "conflicts", error);
}
