// SPDX-License-Identifier: Apache-2.0
// A sweep over time with the spans that are taken at each moment: free is the peak less the load, and the longest free
// run is asked for only as far as it could make the value larger than the largest so far.
#include "eval/fragmentation.h"

#include "model/base/compiler.h"
#include "model/base/keyed.h"
#include "model/base/span_set.h"
#include "model/occupancy.h"

typedef struct sweep {
  const memplan_plan_map *map;
  int32_t pool;
  int32_t *rects;       // those of the pool
  memplan_keyed *times; // indices into rects: ends before starts of one time, an end k as -1 - k
  int32_t n, n_times;
  bool *taken; // by index into rects: it lies in the set
  memplan_span_set *set;
} sweep;

static bool collect(sweep *all, memplan_arena *arena) {
  const memplan_plan_map *map = all->map;
  all->rects = MEMPLAN_NEW_RAW(arena, int32_t, map->n_rects);
  all->times = MEMPLAN_NEW_RAW(arena, memplan_keyed, 2 * (size_t)map->n_rects);
  all->taken = MEMPLAN_NEW(arena, bool, map->n_rects);
  memplan_keyed *scratch = MEMPLAN_NEW_RAW(arena, memplan_keyed, 2 * (size_t)map->n_rects);
  if (all->rects == NULL || all->times == NULL || all->taken == NULL || scratch == NULL) {
    return false;
  }
  for (int32_t i = 0; i < map->n_rects; i++) {
    if (map->rects[i].pool == all->pool) {
      all->times[all->n] = (memplan_keyed){map->rects[i].end, -1 - all->n};
      all->rects[all->n++] = i;
    }
  }
  for (int32_t k = 0; k < all->n; k++) {
    all->times[all->n + k] = (memplan_keyed){map->rects[all->rects[k]].start, k};
  }
  all->n_times = 2 * all->n;
  memplan_keyed_sort(all->times, all->n_times, scratch);
  return true;
}

// The reserved ranges below the peak; *free: what they leave of it. False if memory is out.
static bool reserve(const sweep *all, memplan_arena *arena, int64_t *free) {
  const memplan_pool *space = &all->map->instance->pools[all->pool];
  int64_t peak = all->map->pool_peak[all->pool];
  memplan_interval *ranges = MEMPLAN_NEW(arena, memplan_interval, space->n_reserved);
  if (ranges == NULL) {
    return false;
  }
  for (int32_t i = 0; i < space->n_reserved; i++) {
    ranges[i].start = space->reserved[i].start;
    ranges[i].end = space->reserved[i].end < peak ? space->reserved[i].end : peak;
  }
  int32_t n_ranges = memplan_intervals_merge(ranges, space->n_reserved);
  *free = peak;
  for (int32_t i = 0; i < n_ranges; i++) {
    bool met;
    if (!memplan_span_set_add(all->set, ranges[i].start, ranges[i].end, &met)) {
      return false;
    }
    *free -= ranges[i].end - ranges[i].start;
  }
  return true;
}

// The longest run that would make the value no larger than the worst so far.
static int64_t find_enough(int64_t free, const memplan_fragmentation *worst) {
  memplan_ratio value = worst->value;
  if (value.denominator == 0) {
    return free;
  }
  memplan_int128 part = (memplan_int128)free * (value.denominator - value.numerator);
  return (int64_t)((part + value.denominator - 1) / value.denominator);
}

static memplan_status find_in_pool(const memplan_plan_map *map, int32_t pool, memplan_arena *arena,
                                   memplan_fragmentation *worst, memplan_error *error) {
  sweep all = {.map = map, .pool = pool, .set = memplan_span_set_new(arena)};
  int64_t free;
  if (all.set == NULL || !collect(&all, arena) || !reserve(&all, arena, &free)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < all.n_times;) {
    int64_t time = all.times[i].key;
    for (; i < all.n_times && all.times[i].key == time; i++) {
      int32_t index = all.times[i].index;
      int32_t k = index < 0 ? -1 - index : index;
      const memplan_rect *rect = &map->rects[all.rects[k]];
      bool met = false;
      if (index < 0 && all.taken[k]) {
        memplan_span_set_remove(all.set, rect->low);
        free += rect->high - rect->low;
      }
      if (index < 0) {
        continue;
      }
      if (!memplan_span_set_add(all.set, rect->low, rect->high, &met)) {
        return memplan_fail_nomem(error);
      }
      all.taken[k] = !met;
      free -= met ? 0 : rect->high - rect->low;
    }
    int64_t longest = memplan_span_set_longest(all.set, 0, map->pool_peak[pool], find_enough(free, worst));
    memplan_ratio value = {free - longest, free};
    if (memplan_ratio_compare(value, worst->value) > 0) {
      *worst = (memplan_fragmentation){value, time, pool};
    }
  }
  return MEMPLAN_OK;
}

memplan_status memplan_fragmentation_find(const memplan_plan_map *map, memplan_fragmentation *worst,
                                          memplan_error *error) {
  *worst = (memplan_fragmentation){.time = -1};
  memplan_arena arena = {0};
  memplan_status status = MEMPLAN_OK;
  for (int32_t pool = 0; pool < map->instance->n_pools && status == MEMPLAN_OK; pool++) {
    memplan_arena_mark mark = memplan_arena_get_mark(&arena);
    if (map->pool_peak[pool] > 0) {
      status = find_in_pool(map, pool, &arena, worst, error);
    }
    memplan_arena_release(&arena, mark);
  }
  memplan_arena_free(&arena);
  return status;
}
