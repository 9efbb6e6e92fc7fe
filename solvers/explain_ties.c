// SPDX-License-Identifier: Apache-2.0
// Conditions on one buffer leave ranges of offsets, each an arithmetic progression; conditions on both leave ranges of
// their distance (offset of the second minus that of the first). The two share a byte iff some offsets within ranges of
// both have a distance within one of those.
#include "solvers/explain_ties.h"

#include "model/base/number.h"
#include "model/occupancy.h"

#include <stdlib.h>
#include <string.h>

// Closed ranges, growing in an arena.
typedef struct ranges {
  memplan_interval *entries;
  int32_t count, capacity;
  memplan_arena *arena;
} ranges;

// [low, high]; nothing if low > high. False if memory is out.
static bool add(ranges *list, int64_t low, int64_t high) {
  const memplan_interval *last = list->count > 0 ? &list->entries[list->count - 1] : NULL;
  if (low > high || (last != NULL && last->start <= low && high < last->end)) {
    return true;
  }
  if (list->count == list->capacity) {
    if (list->capacity > INT32_MAX / 4) {
      return false;
    }
    int32_t capacity = 2 * list->capacity + 8;
    memplan_interval *entries = MEMPLAN_NEW(list->arena, memplan_interval, capacity);
    if (entries == NULL) {
      return false;
    }
    if (list->count > 0) {
      memcpy(entries, list->entries, (size_t)list->count * sizeof *entries);
    }
    list->entries = entries;
    list->capacity = capacity;
  }
  list->entries[list->count++] = (memplan_interval){low, high + 1}; // half-open inside
  return true;
}

// What [low, high] has outside the list, which is sorted by it.
static bool complement(ranges *forbidden, int64_t low, int64_t high, ranges *rest) {
  forbidden->count = memplan_intervals_merge(forbidden->entries, forbidden->count);
  bool good = true;
  for (int32_t k = 0; k < forbidden->count && good; k++) {
    int64_t end = forbidden->entries[k].start - 1;
    good = add(rest, low, end < high ? end : high);
    low = forbidden->entries[k].end > low ? forbidden->entries[k].end : low;
  }
  return good && add(rest, low, high);
}

static int compare_parts(const void *left, const void *right) {
  const memplan_part *a = left, *b = right;
  if (a->start != b->start) {
    return (a->start > b->start) - (a->start < b->start);
  }
  return a->low != b->low ? (a->low > b->low) - (a->low < b->low) : (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

typedef struct side_parts {
  memplan_part *parts; // by start, bytes relative to the buffer asked about
  int32_t count, next;
  int32_t *active;
  int32_t n_active;
} side_parts;

// Parts of one buffer, or of its whole block.
static bool collect_parts(const memplan_two_buffers *two, int32_t side, bool whole, memplan_arena *arena,
                          side_parts *collected) {
  const memplan_instance *instance = two->instance;
  int32_t buffer = two->buffer[side];
  const memplan_block *block = &instance->blocks[instance->block_of[buffer]];
  *collected = (side_parts){.parts = MEMPLAN_NEW(arena, memplan_part, block->n_parts),
                            .active = MEMPLAN_NEW(arena, int32_t, block->n_parts)};
  if (collected->parts == NULL || collected->active == NULL) {
    return false;
  }
  for (int32_t k = 0; k < block->n_parts; k++) {
    memplan_part part = instance->parts[block->first_part + k];
    if (whole || part.buffer == buffer) {
      part.low -= instance->delta_of[buffer];
      part.high -= instance->delta_of[buffer];
      collected->parts[collected->count++] = part;
    }
  }
  if (collected->count > 1) {
    qsort(collected->parts, (size_t)collected->count, sizeof *collected->parts, compare_parts);
  }
  return true;
}

// Calls of `visit` for each pair of parts that overlap in time, in order of the later start, until it returns false.
static bool for_each_meeting(side_parts *sides,
                             bool (*visit)(void *context, const memplan_part *a, const memplan_part *b),
                             void *context) {
  while (sides[0].next < sides[0].count || sides[1].next < sides[1].count) {
    int32_t s =
        sides[0].next == sides[0].count || (sides[1].next < sides[1].count &&
                                            sides[1].parts[sides[1].next].start < sides[0].parts[sides[0].next].start)
            ? 1
            : 0;
    side_parts *own = &sides[s], *other = &sides[1 - s];
    const memplan_part *part = &own->parts[own->next];
    int32_t kept = 0;
    for (int32_t k = 0; k < other->n_active; k++) {
      const memplan_part *met = &other->parts[other->active[k]];
      if (met->end > part->start) {
        other->active[kept++] = other->active[k];
        if (!visit(context, s == 0 ? part : met, s == 0 ? met : part)) {
          return false;
        }
      }
    }
    other->n_active = kept;
    own->active[own->n_active++] = own->next++;
  }
  return true;
}

typedef struct distances {
  ranges forbidden;
  int32_t buffer[2];
  bool own, others; // parts of the two themselves, parts of what they are tied to
} distances;

static bool forbid(void *context, const memplan_part *a, const memplan_part *b) {
  distances *state = context;
  bool own = a->buffer == state->buffer[0] && b->buffer == state->buffer[1];
  return !(own ? state->own : state->others) || add(&state->forbidden, a->low - b->high + 1, a->high - b->low - 1);
}

// Rules between members of the two blocks.
static bool forbid_rules(const memplan_two_buffers *two, const memplan_rule *rules, int32_t count, bool own,
                         bool others, ranges *forbidden) {
  const memplan_instance *instance = two->instance;
  int32_t a = two->buffer[0], b = two->buffer[1];
  bool good = true;
  for (int32_t k = 0; k < count && good; k++) {
    int32_t first = rules[k].first, second = rules[k].second;
    if (instance->block_of[first] == instance->block_of[b] && instance->block_of[second] == instance->block_of[a]) {
      first = rules[k].second;
      second = rules[k].first;
    }
    bool theirs =
        instance->block_of[first] == instance->block_of[a] && instance->block_of[second] == instance->block_of[b];
    bool between = first == a && second == b;
    if (theirs && (between ? own : others)) {
      int64_t low_a = instance->delta_of[first] - instance->delta_of[a],
              high_a = low_a + instance->buffers[first].bytes;
      int64_t low_b = instance->delta_of[second] - instance->delta_of[b],
              high_b = low_b + instance->buffers[second].bytes;
      bool empty = low_a == high_a || low_b == high_b;
      good = empty || add(forbidden, low_a - high_b + 1, high_a - low_b - 1);
    }
  }
  return good;
}

static bool has(memplan_ties ties, memplan_tie tie) { return (ties & memplan_ties_of(tie)) != 0; }

// Distances at which the bytes asked about meet and nothing of `ties` forbids it.
static bool find_distances(const memplan_two_buffers *two, memplan_ties ties, memplan_arena *arena, ranges *allowed) {
  const memplan_instance *instance = two->instance;
  int64_t low = two->low[0] - two->high[1] + 1, high = two->high[0] - two->low[1] - 1;
  bool tied = instance->block_of[two->buffer[0]] == instance->block_of[two->buffer[1]];
  bool others = has(ties, MEMPLAN_TIE_COLOCATION) && !tied, rule = has(ties, MEMPLAN_TIE_RULE);
  distances state = {.forbidden = {.arena = arena},
                     .buffer = {two->buffer[0], two->buffer[1]},
                     .own = has(ties, MEMPLAN_TIE_LIFETIME),
                     .others = others};
  side_parts sides[2];
  for (int32_t side = 0; side < 2; side++) {
    if (!collect_parts(two, side, others, arena, &sides[side])) {
      return false;
    }
  }
  if (!for_each_meeting(sides, forbid, &state) ||
      !forbid_rules(two, instance->separate, instance->n_separate, rule, others, &state.forbidden) ||
      !forbid_rules(two, instance->conflicts, instance->n_conflicts, rule, others, &state.forbidden)) {
    return false;
  }
  if (tied && has(ties, MEMPLAN_TIE_COLOCATION)) {
    int64_t distance = instance->delta_of[two->buffer[1]] - instance->delta_of[two->buffer[0]];
    low = distance > low ? distance : low;
    high = distance < high ? distance : high;
  }
  return complement(&state.forbidden, low, high, allowed);
}

static bool admits(const int32_t *pools, int32_t n_pools, int32_t pool) {
  for (int32_t k = 0; k < n_pools; k++) {
    if (pools[k] == pool) {
      return true;
    }
  }
  return n_pools == 0;
}

// Offsets of one of the two in the pool. *progression: their alignment.
static bool find_offsets(const memplan_two_buffers *two, int32_t side, int32_t pool, memplan_ties ties,
                         memplan_arena *arena, memplan_progression *progression, ranges *allowed) {
  const memplan_instance *instance = two->instance;
  const memplan_buffer *buffer = &instance->buffers[two->buffer[side]];
  const memplan_block *block = &instance->blocks[instance->block_of[two->buffer[side]]];
  const memplan_pool *entry = &instance->pools[pool];
  bool whole = has(ties, MEMPLAN_TIE_COLOCATION);
  int64_t delta = instance->delta_of[two->buffer[side]];
  *progression = (memplan_progression){.align = 1};
  if (has(ties, MEMPLAN_TIE_POOL) && !(whole ? admits(instance->block_pools + block->first_pool, block->n_pools, pool)
                                             : admits(buffer->pools, buffer->n_pools, pool))) {
    return true;
  }
  if (has(ties, MEMPLAN_TIE_ALIGNMENT)) {
    int64_t align = whole ? block->align : buffer->align, residue = whole ? block->residue + delta : buffer->residue;
    progression->align = align;
    progression->residue = ((residue - entry->base) % align + align) % align;
  }
  int64_t low = whole ? delta : 0, high = MEMPLAN_SIZE_LIMIT;
  int64_t limit =
      entry->capacity >= 0 && (two->capacity < 0 || entry->capacity < two->capacity) ? entry->capacity : two->capacity;
  if (has(ties, MEMPLAN_TIE_CAPACITY) && limit >= 0) {
    high = whole ? limit - block->bytes + delta : limit - buffer->bytes;
  }
  int64_t pin = whole ? (block->pin >= 0 ? block->pin + delta : -1) : buffer->pin;
  if (has(ties, MEMPLAN_TIE_PIN) && pin >= 0) {
    low = pin > low ? pin : low;
    high = pin < high ? pin : high;
  }
  ranges forbidden = {.arena = arena};
  int32_t n_members = whole ? block->n_members : 1;
  for (int32_t m = 0; m < n_members && has(ties, MEMPLAN_TIE_RESERVED); m++) {
    int32_t index = whole ? instance->members[block->first_member + m].buffer : two->buffer[side];
    int64_t shift = instance->delta_of[index] - delta, bytes = instance->buffers[index].bytes;
    for (int32_t k = 0; k < entry->n_reserved && bytes > 0; k++) {
      const memplan_interval *reserved = &entry->reserved[k];
      if (reserved->start < reserved->end &&
          !add(&forbidden, reserved->start - shift - bytes + 1, reserved->end - shift - 1)) {
        return false;
      }
    }
  }
  return complement(&forbidden, low, high, allowed);
}

// Does any pair of ranges have members at one of the distances? All three lists are sorted.
static bool meet(const ranges *x, const memplan_progression *x_form, const ranges *y, const memplan_progression *y_form,
                 const ranges *between) {
  for (int32_t d = 0; d < between->count; d++) {
    int64_t low = between->entries[d].start, high = between->entries[d].end - 1;
    int32_t from = 0;
    for (int32_t i = 0; i < x->count; i++) {
      memplan_progression first = *x_form, second = *y_form;
      first.first = x->entries[i].start;
      first.last = x->entries[i].end - 1;
      while (from < y->count && y->entries[from].end - 1 < first.first + low) {
        from++;
      }
      for (int32_t j = from; j < y->count && y->entries[j].start <= first.last + high; j++) {
        second.first = y->entries[j].start;
        second.last = y->entries[j].end - 1;
        if (memplan_progressions_meet(&first, &second, low, high)) {
          return true;
        }
      }
    }
  }
  return false;
}

memplan_status memplan_ties_admit(const memplan_two_buffers *two, memplan_ties ties, memplan_arena *scratch,
                                  bool *admitted, memplan_error *error) {
  memplan_arena_mark mark = memplan_arena_get_mark(scratch);
  ranges between = {.arena = scratch};
  bool good = find_distances(two, ties, scratch, &between);
  *admitted = false;
  for (int32_t pool = 0; pool < two->instance->n_pools && good && !*admitted; pool++) {
    ranges offsets[2] = {{.arena = scratch}, {.arena = scratch}};
    memplan_progression forms[2];
    good = find_offsets(two, 0, pool, ties, scratch, &forms[0], &offsets[0]) &&
           find_offsets(two, 1, pool, ties, scratch, &forms[1], &offsets[1]);
    *admitted = good && meet(&offsets[0], &forms[0], &offsets[1], &forms[1], &between);
  }
  memplan_arena_release(scratch, mark);
  return good ? MEMPLAN_OK : memplan_fail_nomem(error);
}

static bool keep_first(void *context, const memplan_part *a, const memplan_part *b) {
  memplan_interval *ranks = context;
  *ranks = (memplan_interval){a->start > b->start ? a->start : b->start, a->end < b->end ? a->end : b->end};
  return false;
}

bool memplan_ties_meeting(const memplan_two_buffers *two, memplan_arena *scratch, memplan_interval *times) {
  side_parts sides[2];
  memplan_interval ranks;
  if (!collect_parts(two, 0, false, scratch, &sides[0]) || !collect_parts(two, 1, false, scratch, &sides[1]) ||
      for_each_meeting(sides, keep_first, &ranks)) {
    return false;
  }
  *times = (memplan_interval){two->instance->times[ranks.start], two->instance->times[ranks.end]};
  return true;
}

static bool names_both(const memplan_rule *rules, int32_t count, int32_t first, int32_t second) {
  for (int32_t k = 0; k < count; k++) {
    if ((rules[k].first == first && rules[k].second == second) ||
        (rules[k].first == second && rules[k].second == first)) {
      return true;
    }
  }
  return false;
}

const char *memplan_ties_rule(const memplan_instance *instance, int32_t first, int32_t second) {
  if (names_both(instance->separate, instance->n_separate, first, second)) {
    return "separate";
  }
  return names_both(instance->conflicts, instance->n_conflicts, first, second) ? "conflicts" : NULL;
}
