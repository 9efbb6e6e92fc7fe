// SPDX-License-Identifier: Apache-2.0
// The core of a zone is all that is live in it at some time; the hull is the time in which some of its core is live;
// the rim is what else is live in the hull. Cores whose hulls meet become one, so that a packed core meets no other one
// and its blocks can all be moved at once. The rim then goes, as first-fit, into the room that core and surroundings
// leave: the load is smaller there. If it does not fit, the zone stays as it was.
//
// First all cores are packed: what the worst of them needs is the height up to which the rims may be filled.
#include "heuristics/zones.h"

#include "heuristics/packing.h"
#include "model/base/number.h"

#include <stdlib.h>
#include <string.h>

enum { SIXTEENTHS = 16, MOST_ZONES = 4096 };

typedef struct zone {
  int32_t start, end; // sections
  int32_t low, high;  // the hull
  int32_t first, n;   // its core in repair->core
  int64_t top;        // of its core, as it lies
  int64_t packed;     // peak of the packed core
} zone;

typedef struct repair {
  memplan_zones *task;
  memplan_arena *arena;
  zone *zones;
  int32_t n_zones;
  int32_t longest;  // sections of the longest span
  int32_t *next;    // by section: the first zone that ends after it
  int32_t *zone_of; // by item: the zone to whose core it belongs, -1: none
  int32_t *core;    // blocks, by zone
  int64_t *packed;  // by block: offset in its packed core
  int64_t *trial;   // by block
  int32_t *pool;    // by block, of the packing
} repair;

static int32_t first_of(const repair *state, int32_t item) {
  return state->task->sections->span_first[state->task->sections->span[item]];
}

static int32_t end_of(const repair *state, int32_t item) {
  return state->task->sections->span_end[state->task->sections->span[item]];
}

static int64_t bytes_of(const repair *state, int32_t item) {
  return state->task->instance->blocks[state->task->sections->block[item]].bytes;
}

static int64_t top_of(const repair *state, int32_t item) { return state->task->offset[item] + bytes_of(state, item); }

static int64_t find_peak(const repair *state) {
  int64_t peak = 0;
  for (int32_t item = 0; item < state->task->sections->n; item++) {
    int64_t top = top_of(state, item);
    peak = top > peak ? top : peak;
  }
  return peak;
}

// ---- the zones

// Around each item above the goal, as far as the load is high. False if they are too many.
static bool find_zones(repair *state) {
  const memplan_sections *sections = state->task->sections;
  int64_t largest = 0;
  for (int32_t section = 0; section < sections->n_sections; section++) {
    largest = sections->load[section] > largest ? sections->load[section] : largest;
  }
  int64_t least = largest - largest / SIXTEENTHS * state->task->depth;
  for (int32_t item = 0; item < sections->n; item++) {
    int32_t width = end_of(state, item) - first_of(state, item);
    state->longest = width > state->longest ? width : state->longest;
    if (top_of(state, item) <= state->task->goal) {
      continue;
    }
    int32_t start = first_of(state, item);
    int32_t end = end_of(state, item);
    zone *last = state->n_zones > 0 ? &state->zones[state->n_zones - 1] : NULL;
    int32_t stop = last != NULL ? last->end : 0;
    while (start > stop && sections->load[start - 1] > least) {
      start--;
    }
    while (end < sections->n_sections && sections->load[end] > least) {
      end++;
    }
    if (last != NULL && start <= last->end) {
      last->end = end > last->end ? end : last->end;
      continue;
    }
    if (state->n_zones == MOST_ZONES) {
      return false;
    }
    state->zones[state->n_zones++] = (zone){.start = start, .end = end};
  }
  return true;
}

// What of the zones is live with the item: from *from on, of which there are as many as are returned.
static int32_t zones_of(const repair *state, int32_t item, int32_t *from) {
  int32_t end = end_of(state, item);
  *from = state->next[first_of(state, item)];
  int32_t count = 0;
  while (*from + count < state->n_zones && state->zones[*from + count].start < end) {
    count++;
  }
  return count;
}

static void find_hulls(repair *state) {
  const memplan_sections *sections = state->task->sections;
  int32_t index = 0;
  for (int32_t section = 0; section < sections->n_sections; section++) {
    while (index < state->n_zones && state->zones[index].end <= section) {
      index++;
    }
    state->next[section] = index;
  }
  for (int32_t k = 0; k < state->n_zones; k++) {
    zone *entry = &state->zones[k];
    entry->low = entry->start;
    entry->high = entry->end;
    entry->n = 0;
    entry->top = 0;
  }
  for (int32_t item = 0; item < sections->n; item++) {
    int32_t from;
    int32_t count = zones_of(state, item, &from);
    state->zone_of[item] = count > 0 ? from : -1;
    for (int32_t k = from; k < from + count; k++) {
      zone *entry = &state->zones[k];
      entry->low = first_of(state, item) < entry->low ? first_of(state, item) : entry->low;
      entry->high = end_of(state, item) > entry->high ? end_of(state, item) : entry->high;
      entry->top = top_of(state, item) > entry->top ? top_of(state, item) : entry->top;
      entry->n++;
    }
  }
}

// Zones whose hulls meet become one. False if there was none to join.
static bool join_zones(repair *state) {
  int32_t count = 0;
  for (int32_t k = 1; k < state->n_zones; k++) {
    zone *last = &state->zones[count];
    if (state->zones[k].low < last->high) {
      last->end = state->zones[k].end > last->end ? state->zones[k].end : last->end;
      last->high = state->zones[k].high > last->high ? state->zones[k].high : last->high;
    } else {
      state->zones[++count] = state->zones[k];
    }
  }
  bool joined = count + 1 < state->n_zones;
  state->n_zones = state->n_zones > 0 ? count + 1 : 0;
  return joined;
}

// The cores, if they are a small part of all. False if memory is out.
static bool collect_cores(repair *state) {
  const memplan_sections *sections = state->task->sections;
  int32_t total = 0;
  for (int32_t k = 0; k < state->n_zones; k++) {
    state->zones[k].first = total;
    total += state->zones[k].n;
    state->zones[k].n = 0;
  }
  if (total > sections->n / 2) {
    state->n_zones = 0;
    return true;
  }
  state->core = MEMPLAN_NEW(state->arena, int32_t, total);
  if (state->core == NULL) {
    return false;
  }
  for (int32_t item = 0; item < sections->n; item++) {
    if (state->zone_of[item] >= 0) {
      zone *entry = &state->zones[state->zone_of[item]];
      state->core[entry->first + entry->n++] = sections->block[item];
    }
  }
  for (int32_t k = 0; k < state->n_zones; k++) {
    zone *entry = &state->zones[k];
    qsort(&state->core[entry->first], (size_t)entry->n, sizeof *state->core, memplan_compare_int32);
  }
  return true;
}

static memplan_status pack_cores(repair *state, int64_t *height, memplan_error *error) {
  const memplan_zones *task = state->task;
  *height = task->goal;
  for (int32_t k = 0; k < state->n_zones && *height < task->peak; k++) {
    zone *entry = &state->zones[k];
    MEMPLAN_TRY(task->pack(task->context, &state->core[entry->first], entry->n, task->goal, state->packed,
                           &entry->packed, error));
    *height = entry->packed > *height ? entry->packed : *height;
  }
  return MEMPLAN_OK;
}

// ---- the rim

enum { BY_SIZE = 0, BY_AREA, BY_WIDTH, N_RANKINGS };

typedef struct rim_item {
  int64_t key;
  int32_t item;
} rim_item;

static int compare_rim(const void *a, const void *b) {
  const rim_item *x = a;
  const rim_item *y = b;
  if (x->key != y->key) {
    return x->key > y->key ? -1 : 1;
  }
  return (x->item > y->item) - (x->item < y->item);
}

static int64_t rank_item(const repair *state, int32_t item, int32_t ranking) {
  int64_t bytes = bytes_of(state, item);
  int64_t width = end_of(state, item) - first_of(state, item);
  if (ranking == BY_AREA) {
    return bytes > INT64_MAX / width ? INT64_MAX : bytes * width;
  }
  return ranking == BY_SIZE ? bytes : width;
}

// Items that begin where they can be live in [low, high): a range of items.
static void find_range(const repair *state, int32_t low, int32_t high, int32_t *from, int32_t *to) {
  const memplan_sections *sections = state->task->sections;
  int32_t begin = low > state->longest ? low - state->longest : 0;
  *from = sections->span_item[sections->first_span[begin]];
  *to = sections->span_item[sections->first_span[high]];
}

static int32_t collect_rim(const repair *state, int32_t index, rim_item *rim) {
  const zone *entry = &state->zones[index];
  int32_t from, to;
  find_range(state, entry->low, entry->high, &from, &to);
  int32_t count = 0;
  for (int32_t item = from; item < to; item++) {
    if (end_of(state, item) > entry->low && state->zone_of[item] != index) {
      rim[count++] = (rim_item){.item = item};
    }
  }
  return count;
}

// Puts into the packing what may be in the way of the rim: the packed core and, where it is, all that is neither core
// nor rim. False if memory is out.
static bool add_obstacles(const repair *state, int32_t index, const rim_item *rim, int32_t n_rim,
                          memplan_packing *packing) {
  const memplan_sections *sections = state->task->sections;
  const zone *entry = &state->zones[index];
  int32_t low = entry->low;
  int32_t high = entry->high;
  for (int32_t k = 0; k < n_rim; k++) {
    low = first_of(state, rim[k].item) < low ? first_of(state, rim[k].item) : low;
    high = end_of(state, rim[k].item) > high ? end_of(state, rim[k].item) : high;
  }
  int32_t from, to;
  find_range(state, low, high, &from, &to);
  for (int32_t item = from; item < to; item++) {
    int32_t block = sections->block[item];
    bool core = state->zone_of[item] == index;
    bool inside = first_of(state, item) < entry->high && end_of(state, item) > entry->low;
    if (end_of(state, item) <= low || (inside && !core)) {
      continue;
    }
    if (!memplan_packing_add(packing, block, 0, core ? state->packed[block] : state->task->offset[item])) {
      return false;
    }
  }
  return true;
}

static memplan_status fill_rim(const repair *state, int32_t index, rim_item *rim, int32_t n_rim, int32_t ranking,
                               int64_t height, memplan_arena *scratch, bool *fits, memplan_error *error) {
  const memplan_zones *task = state->task;
  memplan_packing *packing = memplan_packing_new(task->instance, state->trial, state->pool, scratch);
  if (packing == NULL || !add_obstacles(state, index, rim, n_rim, packing)) {
    return memplan_fail_nomem(error);
  }
  for (int32_t k = 0; k < n_rim; k++) {
    rim[k].key = rank_item(state, rim[k].item, ranking);
  }
  qsort(rim, (size_t)n_rim, sizeof *rim, compare_rim);
  *fits = true;
  for (int32_t k = 0; k < n_rim && *fits; k++) {
    int32_t block = task->sections->block[rim[k].item];
    if (!memplan_packing_ask(packing, block, 0)) {
      return memplan_fail_nomem(error);
    }
    int64_t offset = memplan_packing_lowest(packing, 0);
    *fits = offset >= 0 && offset <= height - bytes_of(state, rim[k].item);
    state->task->work++;
    if (*fits && !memplan_packing_add(packing, block, 0, offset)) {
      return memplan_fail_nomem(error);
    }
  }
  return MEMPLAN_OK;
}

// Moves core and rim to their new places.
static void settle(repair *state, int32_t index, const rim_item *rim, int32_t n_rim) {
  memplan_zones *task = state->task;
  for (int32_t k = 0; k < n_rim; k++) {
    task->offset[rim[k].item] = state->trial[task->sections->block[rim[k].item]];
  }
  int32_t from, to;
  find_range(state, state->zones[index].low, state->zones[index].high, &from, &to);
  for (int32_t item = from; item < to; item++) {
    if (state->zone_of[item] == index) {
      task->offset[item] = state->packed[task->sections->block[item]];
    }
  }
}

static memplan_status repair_zone(repair *state, int32_t index, int64_t height, rim_item *rim, memplan_error *error) {
  int32_t n_rim = collect_rim(state, index, rim);
  bool fits = false;
  for (int32_t ranking = 0; ranking < N_RANKINGS && !fits; ranking++) {
    memplan_arena scratch = {0};
    memplan_status status = fill_rim(state, index, rim, n_rim, ranking, height, &scratch, &fits, error);
    memplan_arena_free(&scratch);
    MEMPLAN_TRY(status);
  }
  if (fits) {
    settle(state, index, rim, n_rim);
  } else {
    state->task->n_failed++;
  }
  return MEMPLAN_OK;
}

// ---- all

static memplan_status run(repair *state, memplan_error *error) {
  memplan_zones *task = state->task;
  int32_t n = task->sections->n;
  task->peak = find_peak(state);
  state->zones = MEMPLAN_NEW_RAW(state->arena, zone, MOST_ZONES);
  state->next = MEMPLAN_NEW_RAW(state->arena, int32_t, (int64_t)task->sections->n_sections + 1);
  state->zone_of = MEMPLAN_NEW_RAW(state->arena, int32_t, n);
  if (state->zones == NULL || state->next == NULL || state->zone_of == NULL) {
    return memplan_fail_nomem(error);
  }
  if (!find_zones(state)) {
    return MEMPLAN_OK;
  }
  do {
    find_hulls(state);
  } while (join_zones(state));
  if (!collect_cores(state)) {
    return memplan_fail_nomem(error);
  }
  task->n_zones = state->n_zones;
  if (state->n_zones == 0) {
    return MEMPLAN_OK;
  }
  rim_item *rim = MEMPLAN_NEW_RAW(state->arena, rim_item, n);
  state->packed = MEMPLAN_NEW_RAW(state->arena, int64_t, task->instance->n_blocks);
  state->trial = MEMPLAN_NEW_RAW(state->arena, int64_t, task->instance->n_blocks);
  state->pool = MEMPLAN_NEW_RAW(state->arena, int32_t, task->instance->n_blocks);
  if (rim == NULL || state->packed == NULL || state->trial == NULL || state->pool == NULL) {
    return memplan_fail_nomem(error);
  }
  int64_t height;
  MEMPLAN_TRY(pack_cores(state, &height, error));
  if (height >= task->peak) {
    return MEMPLAN_OK;
  }
  for (int32_t k = 0; k < state->n_zones; k++) {
    if (state->zones[k].top > height) {
      MEMPLAN_TRY(repair_zone(state, k, height, rim, error));
    }
  }
  task->peak = find_peak(state);
  return MEMPLAN_OK;
}

memplan_status memplan_zones_repair(memplan_zones *task, memplan_error *error) {
  memplan_arena arena = {0};
  repair state = {.task = task, .arena = &arena};
  task->work = 0;
  task->n_zones = 0;
  task->n_failed = 0;
  memplan_status status = run(&state, error);
  memplan_arena_free(&arena);
  return status;
}
