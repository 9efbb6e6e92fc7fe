// SPDX-License-Identifier: Apache-2.0
// A sweep over time with a segment tree over the offsets at which rectangles start or end. Each node counts the
// rectangles that cover its whole range and were not handed down (as for the area of a union of rectangles), and keeps
// the free bytes of its range: all of them, the longest run, and the runs at both ends.
#include "eval/fragmentation.h"

#include "model/base/number.h"

#include <stdlib.h>

typedef struct event {
  int64_t time, low, high;
  int32_t change; // -1 before +1
  int32_t index;
} event;

typedef struct node {
  int32_t cover;
  int64_t length, total, longest, prefix, suffix;
} node;

typedef struct tree {
  int64_t *cuts; // n + 1 offsets; leaf i is [cuts[i], cuts[i + 1])
  node *nodes;   // 1 is the root, 2i and 2i + 1 are the halves of i
  int32_t n;
} tree;

static int compare_events(const void *left, const void *right) {
  const event *a = left, *b = right;
  if (a->time != b->time) {
    return a->time < b->time ? -1 : 1;
  }
  if (a->change != b->change) {
    return a->change < b->change ? -1 : 1;
  }
  return (a->index > b->index) - (a->index < b->index);
}

static void pull(tree *t, int32_t at, bool leaf) {
  node *here = &t->nodes[at];
  if (here->cover > 0) {
    here->total = here->longest = here->prefix = here->suffix = 0;
    return;
  }
  if (leaf) {
    here->total = here->longest = here->prefix = here->suffix = here->length;
    return;
  }
  const node *a = &t->nodes[2 * at], *b = &t->nodes[2 * at + 1];
  here->total = a->total + b->total;
  here->prefix = a->prefix == a->length ? a->length + b->prefix : a->prefix;
  here->suffix = b->suffix == b->length ? b->length + a->suffix : b->suffix;
  here->longest = a->longest > b->longest ? a->longest : b->longest;
  if (a->suffix + b->prefix > here->longest) {
    here->longest = a->suffix + b->prefix;
  }
}

static void build(tree *t, int32_t at, int32_t first, int32_t last) {
  t->nodes[at].length = t->cuts[last] - t->cuts[first];
  if (last - first > 1) {
    int32_t middle = first + (last - first) / 2;
    build(t, 2 * at, first, middle);
    build(t, 2 * at + 1, middle, last);
  }
  pull(t, at, last - first == 1);
}

static void cover(tree *t, int32_t at, int32_t first, int32_t last, const event *e) {
  if (e->high <= t->cuts[first] || e->low >= t->cuts[last]) {
    return;
  }
  if (e->low <= t->cuts[first] && e->high >= t->cuts[last]) {
    t->nodes[at].cover += e->change;
  } else {
    int32_t middle = first + (last - first) / 2;
    cover(t, 2 * at, first, middle, e);
    cover(t, 2 * at + 1, middle, last, e);
  }
  pull(t, at, last - first == 1);
}

static int32_t collect_events(const memplan_plan_map *map, int32_t pool, event *events) {
  int32_t n = 0;
  for (int32_t i = 0; i < map->n_rects; i++) {
    const memplan_rect *rect = &map->rects[i];
    if (rect->pool == pool) {
      events[n] = (event){rect->start, rect->low, rect->high, 1, n};
      n++;
      events[n] = (event){rect->end, rect->low, rect->high, -1, n};
      n++;
    }
  }
  qsort(events, (size_t)n, sizeof *events, compare_events);
  return n;
}

static bool make_tree(tree *t, const memplan_plan_map *map, int32_t pool, const event *events, int32_t n_events,
                      memplan_arena *arena) {
  const memplan_pool *space = &map->instance->pools[pool];
  int64_t peak = map->pool_peak[pool];
  t->cuts = MEMPLAN_NEW(arena, int64_t, 2 * (n_events + space->n_reserved) + 2);
  if (t->cuts == NULL) {
    return false;
  }
  int32_t n = 0;
  t->cuts[n++] = 0;
  t->cuts[n++] = peak;
  for (int32_t i = 0; i < n_events; i++) {
    t->cuts[n++] = events[i].low;
    t->cuts[n++] = events[i].high;
  }
  for (int32_t i = 0; i < space->n_reserved; i++) {
    t->cuts[n++] = space->reserved[i].start < peak ? space->reserved[i].start : peak;
    t->cuts[n++] = space->reserved[i].end < peak ? space->reserved[i].end : peak;
  }
  qsort(t->cuts, (size_t)n, sizeof *t->cuts, memplan_compare_int64);
  t->n = 0;
  for (int32_t i = 1; i < n; i++) {
    if (t->cuts[i] != t->cuts[t->n]) {
      t->cuts[++t->n] = t->cuts[i];
    }
  }
  int32_t size = 2;
  while (size < 2 * t->n) {
    size *= 2;
  }
  t->nodes = MEMPLAN_NEW(arena, node, 2 * size);
  if (t->nodes == NULL) {
    return false;
  }
  build(t, 1, 0, t->n);
  for (int32_t i = 0; i < space->n_reserved; i++) {
    event reserved = {0, space->reserved[i].start, space->reserved[i].end, 1, 0};
    cover(t, 1, 0, t->n, &reserved);
  }
  return true;
}

static memplan_status find_in_pool(const memplan_plan_map *map, int32_t pool, memplan_arena *arena,
                                   memplan_fragmentation *worst, memplan_error *error) {
  event *events = MEMPLAN_NEW(arena, event, 2 * (size_t)map->n_rects);
  if (events == NULL) {
    return memplan_fail_nomem(error);
  }
  int32_t n = collect_events(map, pool, events);
  tree t;
  if (n == 0) {
    return MEMPLAN_OK;
  }
  if (!make_tree(&t, map, pool, events, n, arena)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < n;) {
    int64_t time = events[i].time;
    for (; i < n && events[i].time == time; i++) {
      cover(&t, 1, 0, t.n, &events[i]);
    }
    memplan_ratio value = {t.nodes[1].total - t.nodes[1].longest, t.nodes[1].total};
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
