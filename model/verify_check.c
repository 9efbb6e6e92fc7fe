// SPDX-License-Identifier: Apache-2.0
// Joins the plan's placed entries with the items by id, then looks at each item alone.
#include "model/verify_check.h"

#include "model/base/names.h"
#include "model/base/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const memplan_pool memplan_check_whole_arena = {.id = "", .capacity = -1};

bool memplan_check_is_placed(const memplan_check_item *item) {
  return item->placed && item->pool >= 0 && item->offset >= 0 && item->offset <= MEMPLAN_SIZE_LIMIT - item->bytes;
}

bool memplan_check_takes_bytes(const memplan_check_item *item) {
  return item->bytes > 0 && memplan_check_is_placed(item);
}

// A violation that concerns one item, or two.
static memplan_violation about(memplan_violation_kind kind, const char *first, const char *second, int64_t low,
                               int64_t high) {
  return (memplan_violation){.kind = kind, .first = first, .second = second, .step = -1, .low = low, .high = high};
}

static int32_t find_pool(const memplan_check *check, const char *id) {
  return id == NULL && check->n_pools == 1 ? 0 : memplan_pool_find(check->pools, check->n_pools, id);
}

static memplan_status take_entry(memplan_check *check, const memplan_placed *entry, memplan_check_item *item,
                                 memplan_error *error) {
  if (item->placed) {
    memplan_violation violation = about(MEMPLAN_VIOLATION_DUPLICATE, entry->id, NULL, -1, -1);
    return memplan_findings_add(check->findings, &violation, error,
                                "'%s' is placed twice, at %" PRId64 " and at %" PRId64, entry->id, item->offset,
                                entry->offset);
  }
  item->placed = true;
  item->offset = entry->offset;
  item->slot = entry->slot;
  item->pool = find_pool(check, entry->pool);
  if (item->pool >= 0) {
    return MEMPLAN_OK;
  }
  memplan_violation violation = about(MEMPLAN_VIOLATION_POOL, entry->id, entry->pool, -1, -1);
  if (entry->pool == NULL) {
    return memplan_findings_add(check->findings, &violation, error, "'%s' is given no pool, and there are %" PRId32,
                                entry->id, check->n_pools);
  }
  return memplan_findings_add(check->findings, &violation, error,
                              "'%s' lies in pool '%s', which the problem does not have", entry->id, entry->pool);
}

static memplan_status join_entries(memplan_check *check, memplan_names *names, memplan_error *error) {
  for (int32_t i = 0; i < check->n_items; i++) {
    check->items[i].placed = false;
    int32_t before = memplan_names_add(names, check->items[i].id, i);
    if (before == -2) {
      return memplan_fail_nomem(error);
    }
    if (before >= 0) {
      return memplan_fail(error, MEMPLAN_INTERNAL, "two things to be placed are called '%s'", check->items[i].id);
    }
  }
  for (int32_t i = 0; i < check->plan->n_placed; i++) {
    const memplan_placed *entry = &check->plan->placed[i];
    int32_t item = memplan_names_find(names, entry->id);
    if (item >= 0) {
      MEMPLAN_TRY(take_entry(check, entry, &check->items[item], error));
    } else {
      memplan_violation violation = about(MEMPLAN_VIOLATION_UNKNOWN, entry->id, NULL, -1, -1);
      MEMPLAN_TRY(memplan_findings_add(check->findings, &violation, error,
                                       "the plan places '%s', which is nothing that lies in the arena of this problem",
                                       entry->id));
    }
  }
  return MEMPLAN_OK;
}

// Sorted reserved ranges of one pool, joined where they meet.
typedef struct reserved_ranges {
  memplan_interval *ranges;
  int32_t count;
} reserved_ranges;

static int compare_intervals(const void *left, const void *right) {
  const memplan_interval *a = left;
  const memplan_interval *b = right;
  if (a->start != b->start) {
    return a->start < b->start ? -1 : 1;
  }
  return a->end < b->end ? -1 : a->end > b->end;
}

static memplan_status sort_reserved(const memplan_pool *pool, memplan_arena *arena, reserved_ranges *sorted,
                                    memplan_error *error) {
  sorted->count = 0;
  sorted->ranges = MEMPLAN_NEW(arena, memplan_interval, pool->n_reserved);
  if (sorted->ranges == NULL) {
    return memplan_fail_nomem(error);
  }
  if (pool->n_reserved == 0) {
    return MEMPLAN_OK;
  }
  memcpy(sorted->ranges, pool->reserved, (size_t)pool->n_reserved * sizeof *pool->reserved);
  qsort(sorted->ranges, (size_t)pool->n_reserved, sizeof *sorted->ranges, compare_intervals);
  for (int32_t i = 0; i < pool->n_reserved; i++) {
    memplan_interval *last = sorted->count > 0 ? &sorted->ranges[sorted->count - 1] : NULL;
    if (last != NULL && sorted->ranges[i].start <= last->end) {
      last->end = sorted->ranges[i].end > last->end ? sorted->ranges[i].end : last->end;
    } else if (sorted->ranges[i].start < sorted->ranges[i].end) {
      sorted->ranges[sorted->count++] = sorted->ranges[i];
    }
  }
  return MEMPLAN_OK;
}

static memplan_status check_reserved(const memplan_check *check, const memplan_check_item *item,
                                     const reserved_ranges *reserved, memplan_error *error) {
  int32_t first = 0;
  int32_t last = reserved->count;
  while (first < last) {
    int32_t middle = first + (last - first) / 2;
    if (reserved->ranges[middle].end <= item->offset) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (first == reserved->count || reserved->ranges[first].start >= item->offset + item->bytes) {
    return MEMPLAN_OK;
  }
  const memplan_interval *range = &reserved->ranges[first];
  int64_t low = range->start > item->offset ? range->start : item->offset;
  int64_t high = range->end < item->offset + item->bytes ? range->end : item->offset + item->bytes;
  memplan_violation violation = about(MEMPLAN_VIOLATION_RESERVED, item->id, NULL, low, high);
  return memplan_findings_add(check->findings, &violation, error,
                              "'%s' at %" PRId64 " uses bytes [%" PRId64 ", %" PRId64 "), which are reserved", item->id,
                              item->offset, low, high);
}

static memplan_status check_missing(const memplan_check *check, const memplan_check_item *item, memplan_error *error) {
  memplan_violation violation = about(MEMPLAN_VIOLATION_MISSING, item->id, NULL, -1, -1);
  return memplan_findings_add(check->findings, &violation, error, "'%s' (%" PRId64 " bytes) has no offset", item->id,
                              item->bytes);
}

static memplan_status check_item(const memplan_check *check, const memplan_check_item *item,
                                 const reserved_ranges *reserved, memplan_error *error) {
  if (!item->placed) {
    return check_missing(check, item, error);
  }
  memplan_violation violation = about(MEMPLAN_VIOLATION_OFFSET, item->id, NULL, item->offset, -1);
  if (item->offset < 0 || item->offset > MEMPLAN_SIZE_LIMIT - item->bytes) {
    return memplan_findings_add(check->findings, &violation, error,
                                "'%s' (%" PRId64 " bytes) has offset %" PRId64 ", which is not in 0 ... 2^62", item->id,
                                item->bytes, item->offset);
  }
  if (item->bytes == 0) {
    if (item->offset == 0 || item->tied) {
      return MEMPLAN_OK;
    }
    return memplan_findings_add(check->findings, &violation, error,
                                "'%s' is empty and has to be at 0, but its offset is %" PRId64, item->id, item->offset);
  }
  if (item->pool < 0) {
    return MEMPLAN_OK;
  }
  const memplan_pool *pool = &check->pools[item->pool];
  int64_t end = item->offset + item->bytes;
  if (pool->capacity >= 0 && end > pool->capacity) {
    violation = about(MEMPLAN_VIOLATION_CAPACITY, item->id, pool->id, pool->capacity, end);
    MEMPLAN_TRY(memplan_findings_add(
        check->findings, &violation, error,
        "'%s' ends at %" PRId64 ", %" PRId64 " byte%s beyond the capacity %" PRId64 " of pool '%s'", item->id, end,
        end - pool->capacity, end - pool->capacity == 1 ? "" : "s", pool->capacity, pool->id));
  }
  return check_reserved(check, item, &reserved[item->pool], error);
}

// Is the item placed, and ends beyond the capacity that was asked about?
static bool passes_capacity(const memplan_check *check, const memplan_check_item *item) {
  int64_t capacity = check->options->capacity;
  return capacity >= 0 && item->placed && item->bytes > 0 && item->pool >= 0 && item->offset >= 0 &&
         item->offset <= MEMPLAN_SIZE_LIMIT - item->bytes && item->offset + item->bytes > capacity;
}

static memplan_status add_beyond(const memplan_check *check, const memplan_check_item *item, memplan_error *error) {
  int64_t capacity = check->options->capacity, end = item->offset + item->bytes;
  memplan_violation violation = about(MEMPLAN_VIOLATION_CAPACITY, item->id, NULL, capacity, end);
  return memplan_findings_add(check->findings, &violation, error,
                              "'%s' ends at %" PRId64 ", %" PRId64 " byte%s beyond the capacity %" PRId64, item->id,
                              end, end - capacity, end - capacity == 1 ? "" : "s", capacity);
}

// The first that ends last, and then the others: only so many are kept.
static memplan_status check_capacity(const memplan_check *check, memplan_error *error) {
  int32_t worst = -1;
  for (int32_t i = 0; i < check->n_items; i++) {
    const memplan_check_item *item = &check->items[i];
    if (passes_capacity(check, item) &&
        (worst < 0 || item->offset + item->bytes > check->items[worst].offset + check->items[worst].bytes)) {
      worst = i;
    }
  }
  if (worst >= 0) {
    MEMPLAN_TRY(add_beyond(check, &check->items[worst], error));
  }
  for (int32_t i = 0; i < check->n_items; i++) {
    if (i != worst && passes_capacity(check, &check->items[i])) {
      MEMPLAN_TRY(add_beyond(check, &check->items[i], error));
    }
  }
  return MEMPLAN_OK;
}

// Is the file's objective met, so that no plan is better, whatever its peak? Buffers of one block share as they must.
static bool incurs_nothing(const memplan_check *check) {
  const memplan_instance *instance = check->least_reuse;
  bool met = instance != NULL && instance->n_reuse > 0;
  for (int32_t k = 0; met && k < instance->n_reuse; k++) {
    const memplan_reuse *reuse = &instance->reuse[k];
    const memplan_check_item *first = &check->items[reuse->first], *second = &check->items[reuse->second];
    bool one_block =
        instance->block_of != NULL && instance->block_of[reuse->first] == instance->block_of[reuse->second];
    bool share = memplan_check_takes_bytes(first) && memplan_check_takes_bytes(second) && first->pool == second->pool &&
                 first->offset < second->offset + second->bytes && second->offset < first->offset + first->bytes;
    met = one_block || !share || reuse->cost == 0;
  }
  return met;
}

static memplan_status check_peak(memplan_check *check, memplan_error *error) {
  const memplan_plan *plan = check->plan;
  const char *highest = NULL;
  check->peak = 0;
  for (int32_t i = 0; i < check->n_items; i++) {
    const memplan_check_item *item = &check->items[i];
    // The pool does not matter here: the peak is the largest of all pools.
    bool counts =
        item->placed && item->bytes > 0 && item->offset >= 0 && item->offset <= MEMPLAN_SIZE_LIMIT - item->bytes;
    if (counts && item->offset + item->bytes > check->peak) {
      check->peak = item->offset + item->bytes;
      highest = item->id;
    }
  }
  if (plan->peak != check->peak) {
    memplan_violation violation = about(MEMPLAN_VIOLATION_PEAK, highest, NULL, check->peak, plan->peak);
    MEMPLAN_TRY(memplan_findings_add(check->findings, &violation, error,
                                     "the plan states the peak %" PRId64 ", but its offsets end at %" PRId64 "%s%s%s",
                                     plan->peak, check->peak, highest != NULL ? ", where '" : "",
                                     highest != NULL ? highest : "", highest != NULL ? "' ends" : ""));
  }
  bool exceeds = plan->lower_bound > plan->peak;
  // With several pools a plan may be the best one although another has a smaller largest peak.
  bool open = check->n_pools == 1 && plan->outcome == MEMPLAN_OPTIMAL && plan->lower_bound != plan->peak &&
              !incurs_nothing(check);
  if (plan->lower_bound < 0 || exceeds || open) {
    memplan_violation violation = about(MEMPLAN_VIOLATION_BOUND, NULL, NULL, plan->lower_bound, plan->peak);
    MEMPLAN_TRY(memplan_findings_add(
        check->findings, &violation, error, "the plan states the lower bound %" PRId64 " for the peak %" PRId64 "%s",
        plan->lower_bound, plan->peak, !exceeds && plan->lower_bound >= 0 ? ", yet calls itself optimal" : ""));
  }
  return MEMPLAN_OK;
}

typedef struct slot_range {
  int64_t low, high;
  int32_t slot, lowest, highest; // items at its two ends
} slot_range;

// All buffers of a slot lie within its size, and slots lie one after the other, in order.
static memplan_status check_slot_ranges(const memplan_check *check, const slot_range *ranges, memplan_error *error) {
  const slot_range *before = NULL;
  for (int32_t slot = 0; slot < check->plan->n_slots; slot++) {
    const slot_range *range = &ranges[slot];
    if (range->lowest < 0) {
      continue;
    }
    const char *lowest = check->items[range->lowest].id;
    const char *highest = check->items[range->highest].id;
    memplan_violation violation = about(MEMPLAN_VIOLATION_SLOT, lowest, highest, range->low, range->high);
    if (range->high - range->low > check->plan->slot_bytes[slot]) {
      MEMPLAN_TRY(memplan_findings_add(check->findings, &violation, error,
                                       "slot %" PRId32 " has %" PRId64 " bytes, but its buffers lie in [%" PRId64
                                       ", %" PRId64 "), from '%s' to '%s'",
                                       slot, check->plan->slot_bytes[slot], range->low, range->high, lowest, highest));
    }
    if (before != NULL && before->high > range->low) {
      violation = about(MEMPLAN_VIOLATION_SLOT, check->items[before->highest].id, lowest, range->low, before->high);
      MEMPLAN_TRY(memplan_findings_add(
          check->findings, &violation, error,
          "slot %" PRId32 " begins at %" PRId64 " with '%s', before slot %" PRId32 " ends at %" PRId64 " with '%s'",
          slot, range->low, lowest, before->slot, before->high, check->items[before->highest].id));
    }
    before = range;
  }
  return MEMPLAN_OK;
}

// Where there are slots, each buffer has one.
static memplan_status check_slotless(const memplan_check *check, const memplan_check_item *item, memplan_error *error) {
  if (check->plan->n_slots == 0 || item->apart || !memplan_check_takes_bytes(item)) {
    return MEMPLAN_OK;
  }
  memplan_violation violation = about(MEMPLAN_VIOLATION_SLOT, item->id, NULL, -1, -1);
  return memplan_findings_add(check->findings, &violation, error, "'%s' lies in no slot, but the plan has %" PRId32,
                              item->id, check->plan->n_slots);
}

// Sizes, which are there even if no buffer uses them, and buffers that have a slot without an offset, or a pool.
static memplan_status check_slot_sizes(const memplan_check *check, memplan_error *error) {
  for (int32_t slot = 0; slot < check->plan->n_slots; slot++) {
    if (check->plan->slot_bytes[slot] < 0) {
      memplan_violation violation = about(MEMPLAN_VIOLATION_SLOT, NULL, NULL, -1, check->plan->slot_bytes[slot]);
      MEMPLAN_TRY(memplan_findings_add(check->findings, &violation, error, "slot %" PRId32 " has %" PRId64 " bytes",
                                       slot, check->plan->slot_bytes[slot]));
    }
  }
  for (int32_t i = 0; i < check->plan->n_strays; i++) {
    const memplan_stray *stray = &check->plan->strays[i];
    memplan_violation_kind kind = stray->in_slots ? MEMPLAN_VIOLATION_SLOT : MEMPLAN_VIOLATION_POOL;
    memplan_violation violation = about(kind, stray->id, NULL, -1, -1);
    MEMPLAN_TRY(memplan_findings_add(check->findings, &violation, error, "the plan gives '%s' a %s, but no offset",
                                     stray->id, stray->in_slots ? "slot" : "pool"));
  }
  return MEMPLAN_OK;
}

static memplan_status check_slots(const memplan_check *check, memplan_error *error) {
  int32_t n_slots = check->plan->n_slots;
  slot_range *ranges = MEMPLAN_NEW(check->arena, slot_range, n_slots);
  if (ranges == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t slot = 0; slot < n_slots; slot++) {
    ranges[slot] = (slot_range){INT64_MAX, INT64_MIN, slot, -1, -1};
  }
  for (int32_t i = 0; i < check->n_items; i++) {
    const memplan_check_item *item = &check->items[i];
    if (!item->placed) {
      continue;
    }
    if (item->slot == -1) {
      MEMPLAN_TRY(check_slotless(check, item, error));
    } else if (item->slot < 0 || item->slot >= n_slots) {
      memplan_violation violation = about(MEMPLAN_VIOLATION_SLOT, item->id, NULL, -1, -1);
      MEMPLAN_TRY(memplan_findings_add(check->findings, &violation, error,
                                       "'%s' lies in slot %" PRId32 ", but the plan has %" PRId32, item->id, item->slot,
                                       n_slots));
    } else if (memplan_check_takes_bytes(item)) {
      slot_range *range = &ranges[item->slot];
      if (item->offset < range->low) {
        range->low = item->offset;
        range->lowest = i;
      }
      if (item->offset + item->bytes > range->high) {
        range->high = item->offset + item->bytes;
        range->highest = i;
      }
    }
  }
  return check_slot_ranges(check, ranges, error);
}

memplan_status memplan_check_placement(memplan_check *check, memplan_error *error) {
  memplan_names names;
  memplan_names_init(&names);
  memplan_status status = join_entries(check, &names, error);
  memplan_names_free(&names);
  MEMPLAN_TRY(status);
  reserved_ranges *reserved = MEMPLAN_NEW(check->arena, reserved_ranges, check->n_pools);
  if (reserved == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t pool = 0; pool < check->n_pools; pool++) {
    MEMPLAN_TRY(sort_reserved(&check->pools[pool], check->arena, &reserved[pool], error));
  }
  for (int32_t i = 0; i < check->n_items; i++) {
    MEMPLAN_TRY(check_item(check, &check->items[i], reserved, error));
  }
  MEMPLAN_TRY(check_capacity(check, error));
  MEMPLAN_TRY(check_peak(check, error));
  MEMPLAN_TRY(check_slot_sizes(check, error));
  return check_slots(check, error);
}

// The non-negative remainder.
static uint64_t remainder_of(int64_t value, int64_t align) {
  int64_t rest = value % align;
  return (uint64_t)(rest < 0 ? rest + align : rest);
}

static memplan_status check_alignment(const memplan_check *check, const memplan_check_demand *demand,
                                      memplan_error *error) {
  const memplan_check_item *item = &check->items[demand->item];
  int64_t base = check->pools[item->pool].base;
  // Three remainders below 2^62 each: their sum fits.
  uint64_t sum = remainder_of(base, demand->align) + remainder_of(item->offset, demand->align) +
                 remainder_of(demand->shift, demand->align);
  int64_t rest = (int64_t)(sum % (uint64_t)demand->align);
  if (rest == demand->residue) {
    return MEMPLAN_OK;
  }
  int64_t offset = item->offset + demand->shift;
  memplan_violation violation = about(MEMPLAN_VIOLATION_ALIGNMENT, demand->id, item->id, offset, -1);
  return memplan_findings_add(check->findings, &violation, error,
                              "'%s' at offset %" PRId64 " of base %" PRId64 " leaves %" PRId64
                              " modulo its alignment %" PRId64 ", not %" PRId64,
                              demand->id, offset, base, rest, demand->align, demand->residue);
}

static memplan_status check_admissible(const memplan_check *check, const memplan_check_demand *demand,
                                       memplan_error *error) {
  const memplan_check_item *item = &check->items[demand->item];
  bool admissible = demand->n_pools == 0 || item->pool < 0;
  for (int32_t i = 0; i < demand->n_pools; i++) {
    admissible = admissible || demand->pools[i] == item->pool;
  }
  if (admissible) {
    return MEMPLAN_OK;
  }
  const char *pool = check->pools[item->pool].id;
  memplan_violation violation = about(MEMPLAN_VIOLATION_POOL, demand->id, pool, -1, -1);
  return memplan_findings_add(check->findings, &violation, error, "'%s' may not lie in pool '%s'", demand->id, pool);
}

memplan_status memplan_check_demands(const memplan_check *check, const memplan_check_demand *demands, int32_t n_demands,
                                     memplan_error *error) {
  for (int32_t i = 0; i < n_demands; i++) {
    const memplan_check_demand *demand = &demands[i];
    const memplan_check_item *item = &check->items[demand->item];
    if (!item->placed) {
      continue;
    }
    MEMPLAN_TRY(check_admissible(check, demand, error));
    if (!memplan_check_is_placed(item)) {
      continue;
    }
    if (item->bytes > 0) {
      MEMPLAN_TRY(check_alignment(check, demand, error));
    }
    if (demand->pin >= 0 && item->offset + demand->shift != demand->pin) {
      int64_t offset = item->offset + demand->shift;
      memplan_violation violation = about(MEMPLAN_VIOLATION_PIN, demand->id, item->id, offset, demand->pin);
      MEMPLAN_TRY(memplan_findings_add(check->findings, &violation, error,
                                       "'%s' is pinned at %" PRId64 ", but lies at %" PRId64, demand->id, demand->pin,
                                       offset));
    }
  }
  return MEMPLAN_OK;
}
