// SPDX-License-Identifier: Apache-2.0
// Second step: lifetimes and gaps become rectangles of time ranks and byte windows.
#include <stdlib.h>

#include "model/instance_steps.h"

typedef struct cut {
  int64_t start, end, low, high;
  int32_t buffer;
} cut;

typedef struct cuts {
  cut *entries;
  int64_t count;
} cuts;

static void add_cut(cuts *list, int32_t buffer, int64_t start, int64_t end, int64_t low, int64_t high) {
  if (start < end && low < high) {
    if (list->entries != NULL) {
      list->entries[list->count] = (cut){start, end, low, high, buffer};
    }
    list->count++;
  }
}

// Walks lifetimes and gaps (both sorted and disjoint) together.
static void cut_buffer(const memplan_instance *instance, int32_t index, cuts *list) {
  const memplan_buffer *buffer = &instance->buffers[index];
  int32_t gap = 0;
  for (int32_t k = 0; k < buffer->n_live; k++) {
    int64_t at = buffer->live[k].start, end = buffer->live[k].end;
    while (gap < buffer->n_gaps && buffer->gaps[gap].end <= at) {
      gap++;
    }
    int32_t next = gap;
    while (next < buffer->n_gaps && buffer->gaps[next].start < end) {
      const memplan_gap *hole = &buffer->gaps[next];
      int64_t from = hole->start > at ? hole->start : at, to = hole->end < end ? hole->end : end;
      add_cut(list, index, at, from, 0, buffer->bytes);
      add_cut(list, index, from, to, hole->low, hole->high);
      at = to;
      next++;
    }
    add_cut(list, index, at, end, 0, buffer->bytes);
  }
}

static int compare_int64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int32_t rank_of(const int64_t *times, int32_t n_times, int64_t time) {
  int32_t low = 0, high = n_times;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (times[middle] < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

memplan_status memplan_instance_make_parts(memplan_instance *instance, memplan_part **parts, int32_t **first_part,
                                           memplan_error *error) {
  cuts list = {0};
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    cut_buffer(instance, index, &list);
  }
  if (list.count > INT32_MAX / 4) {
    return memplan_fail(error, MEMPLAN_INPUT, "the instance has more than 2^29 pieces of lifetimes");
  }
  memplan_arena *arena = &instance->arena;
  list.entries = MEMPLAN_NEW(arena, cut, list.count);
  *first_part = MEMPLAN_NEW(arena, int32_t, instance->n_buffers + 1);
  *parts = MEMPLAN_NEW(arena, memplan_part, list.count);
  instance->times = MEMPLAN_NEW(arena, int64_t, 2 * list.count + 1);
  if (list.entries == NULL || *first_part == NULL || *parts == NULL || instance->times == NULL) {
    return memplan_fail_nomem(error);
  }
  list.count = 0;
  for (int32_t index = 0; index < instance->n_buffers; index++) {
    (*first_part)[index] = (int32_t)list.count;
    cut_buffer(instance, index, &list);
  }
  (*first_part)[instance->n_buffers] = (int32_t)list.count;
  int32_t count = 0;
  for (int64_t k = 0; k < list.count; k++) {
    instance->times[count++] = list.entries[k].start;
    instance->times[count++] = list.entries[k].end;
  }
  if (count > 1) {
    qsort(instance->times, (size_t)count, sizeof *instance->times, compare_int64);
  }
  int32_t kept = 0;
  for (int32_t k = 0; k < count; k++) {
    if (kept == 0 || instance->times[k] != instance->times[kept - 1]) {
      instance->times[kept++] = instance->times[k];
    }
  }
  // The last time only ends lifetimes: ranks 0 ... n_times-1 are the stretches between neighbouring times.
  instance->n_times = kept > 0 ? kept - 1 : 0;
  for (int64_t k = 0; k < list.count; k++) {
    const cut *piece = &list.entries[k];
    (*parts)[k] = (memplan_part){rank_of(instance->times, kept, piece->start),
                                 rank_of(instance->times, kept, piece->end), piece->low, piece->high, piece->buffer};
  }
  return MEMPLAN_OK;
}
