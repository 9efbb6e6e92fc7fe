// SPDX-License-Identifier: Apache-2.0
// A sweep over the lifetimes: each one that starts meets those that are open.
#include "model/conflict_pairs.h"

#include "model/base/grow.h"
#include "model/occupancy.h"

#include <stdlib.h>

enum { LOOKS_BETWEEN = 1 << 16 }; // at the limits

typedef struct life {
  int64_t start, end;
  int32_t buffer;
} life;

typedef struct finder {
  const memplan_instance *instance;
  memplan_conflict_pairs *found;
  memplan_arena arena;
  life *lives;
  int64_t n_lives;
  int64_t *open; // lives under way
  int64_t most, n_sorted, capacity;
  const memplan_limits *limits;
  int64_t looks; // at pairs of lives
  memplan_error *error;
} finder;

static int compare_lives(const void *a, const void *b) {
  const life *x = a, *y = b;
  if (x->start != y->start) {
    return x->start < y->start ? -1 : 1;
  }
  if (x->end != y->end) {
    return x->end < y->end ? -1 : 1;
  }
  return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static int compare_pairs(const void *a, const void *b) {
  const memplan_conflict_pair *x = a, *y = b;
  if (x->first != y->first) {
    return x->first < y->first ? -1 : 1;
  }
  return (x->second > y->second) - (x->second < y->second);
}

static void sort_pairs(finder *work) {
  memplan_conflict_pairs *found = work->found;
  if (found->n_pairs > 1) {
    qsort(found->pairs, (size_t)found->n_pairs, sizeof *found->pairs, compare_pairs);
  }
  int64_t kept = 0;
  for (int64_t k = 0; k < found->n_pairs; k++) {
    if (kept == 0 || compare_pairs(&found->pairs[k], &found->pairs[kept - 1]) != 0) {
      found->pairs[kept++] = found->pairs[k];
    }
  }
  found->n_pairs = work->n_sorted = kept;
}

static bool is_over(finder *work) {
  memplan_conflict_pairs *found = work->found;
  if (work->limits != NULL && !found->stopped && work->looks++ % LOOKS_BETWEEN == 0) {
    found->stopped = memplan_limits_reached(work->limits) != MEMPLAN_STOP_DONE;
  }
  return found->stopped || found->too_many;
}

static memplan_status add_pair(finder *work, int32_t a, int32_t b) {
  memplan_conflict_pairs *found = work->found;
  const memplan_buffer *buffers = work->instance->buffers;
  if (a == b || buffers[a].bytes == 0 || buffers[b].bytes == 0 || is_over(work)) {
    return MEMPLAN_OK;
  }
  if (found->n_pairs - work->n_sorted >= work->most) { // lifetimes of several parts repeat pairs
    sort_pairs(work);
  }
  memplan_conflict_pair *pairs = memplan_grow_heap(found->pairs, found->n_pairs, &work->capacity, sizeof *pairs);
  if (pairs == NULL) {
    return memplan_fail_nomem(work->error);
  }
  found->pairs = pairs;
  pairs[found->n_pairs++] = (memplan_conflict_pair){a < b ? a : b, a < b ? b : a};
  found->too_many = work->n_sorted > work->most;
  return MEMPLAN_OK;
}

static memplan_status collect_lives(finder *work) {
  int64_t most = 0;
  for (int32_t k = 0; k < work->instance->n_buffers; k++) {
    most += (int64_t)work->instance->buffers[k].n_live + work->instance->buffers[k].n_gaps;
  }
  work->lives = MEMPLAN_NEW(&work->arena, life, most);
  work->open = MEMPLAN_NEW(&work->arena, int64_t, most);
  bool ok = work->lives != NULL && work->open != NULL;
  memplan_arena scratch = {0};
  for (int32_t k = 0; k < work->instance->n_buffers && ok; k++) {
    memplan_arena_mark mark = memplan_arena_get_mark(&scratch);
    memplan_occupancy occupancy;
    ok = memplan_buffer_occupancy(&work->instance->buffers[k], &scratch, &occupancy);
    for (int32_t part = 0; ok && occupancy.n_gaps == 0 && part < occupancy.n_live; part++) {
      work->lives[work->n_lives++] = (life){occupancy.live[part].start, occupancy.live[part].end, k};
    }
    memplan_arena_release(&scratch, mark);
  }
  memplan_arena_free(&scratch);
  if (ok && work->n_lives > 1) {
    qsort(work->lives, (size_t)work->n_lives, sizeof *work->lives, compare_lives);
  }
  return ok ? MEMPLAN_OK : memplan_fail_nomem(work->error);
}

static memplan_status add_live_together(finder *work) {
  MEMPLAN_TRY(collect_lives(work));
  int64_t n_open = 0;
  for (int64_t k = 0; k < work->n_lives && !is_over(work); k++) {
    int64_t kept = 0;
    for (int64_t at = 0; at < n_open; at++) {
      const life *other = &work->lives[work->open[at]];
      if (other->end > work->lives[k].start) {
        work->open[kept++] = work->open[at];
        MEMPLAN_TRY(add_pair(work, other->buffer, work->lives[k].buffer));
      }
    }
    work->open[kept] = k;
    n_open = kept + 1;
  }
  return MEMPLAN_OK;
}

static memplan_status add_rules(finder *work, const memplan_rule *rules, int32_t n_rules) {
  for (int32_t k = 0; k < n_rules && !work->found->stopped && !work->found->too_many; k++) {
    MEMPLAN_TRY(add_pair(work, rules[k].first, rules[k].second));
  }
  return MEMPLAN_OK;
}

memplan_status memplan_conflict_pairs_find(const memplan_instance *instance, int64_t most, const memplan_limits *limits,
                                           memplan_conflict_pairs *found, memplan_error *error) {
  *found = (memplan_conflict_pairs){.n_pairs = 0};
  finder work = {.instance = instance, .found = found, .most = most, .limits = limits, .error = error};
  memplan_status status = add_live_together(&work);
  if (status == MEMPLAN_OK) {
    status = add_rules(&work, instance->separate, instance->n_separate);
  }
  if (status == MEMPLAN_OK) {
    status = add_rules(&work, instance->conflicts, instance->n_conflicts);
  }
  memplan_arena_free(&work.arena);
  if (status == MEMPLAN_OK && !found->stopped && !found->too_many) {
    sort_pairs(&work);
    found->too_many = found->n_pairs > most;
  }
  if (status != MEMPLAN_OK || found->too_many || found->stopped) {
    free(found->pairs);
    *found = (memplan_conflict_pairs){.too_many = found->too_many, .stopped = found->stopped};
  }
  return status;
}

void memplan_conflict_pairs_free(memplan_conflict_pairs *found) { free(found->pairs); }
