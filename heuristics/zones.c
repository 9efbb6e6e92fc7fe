// SPDX-License-Identifier: Apache-2.0
// The core of a zone is all that is live in it at some time; the hull is the time in which some of its core is live;
// the rim is what else is live in the hull. Cores whose hulls meet become one, so that a packed core meets no other one
// and its blocks can all be moved at once. The rim then goes, as first-fit, into the room that core and surroundings
// leave: the load is smaller there. If it does not fit, the zone stays as it was.
//
// First all cores are packed: the rims may be filled up to what the worst of them needs.
#include "heuristics/zones.h"

#include "heuristics/packing.h"
#include "model/base/number.h"

#include <stdlib.h>
#include <string.h>

enum { SIXTEENTHS = 16, MOST_LOOKS = 64 };

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
  int64_t height;   // what the worst of the cores needs, at least the goal
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

// What of the item's time is close to the largest load, else its fullest section; and as far on as the load is high.
static zone find_zone(const repair *state, int32_t item, int64_t least) {
  const memplan_sections *sections = state->task->sections;
  int32_t start = -1;
  int32_t end = -1;
  int32_t fullest = first_of(state, item);
  for (int32_t section = first_of(state, item); section < end_of(state, item); section++) {
    fullest = sections->load[section] > sections->load[fullest] ? section : fullest;
    if (sections->load[section] > least) {
      start = start < 0 ? section : start;
      end = section + 1;
    }
  }
  if (start < 0) {
    return (zone){.start = fullest, .end = fullest + 1};
  }
  while (start > 0 && sections->load[start - 1] > least) {
    start--;
  }
  while (end < sections->n_sections && sections->load[end] > least) {
    end++;
  }
  return (zone){.start = start, .end = end};
}

static int compare_zones(const void *a, const void *b) {
  const zone *x = a;
  const zone *y = b;
  if (x->start != y->start) {
    return x->start < y->start ? -1 : 1;
  }
  return (x->end > y->end) - (x->end < y->end);
}

// Those of the items above the goal. False if memory is out; none if they are too many.
static bool find_zones(repair *state) {
  const memplan_sections *sections = state->task->sections;
  int64_t largest = 0;
  for (int32_t section = 0; section < sections->n_sections; section++) {
    largest = sections->load[section] > largest ? sections->load[section] : largest;
  }
  int64_t least = largest - largest / SIXTEENTHS * state->task->depth;
  int64_t looked_at = 0;
  int32_t count = 0;
  for (int32_t item = 0; item < sections->n; item++) {
    int32_t width = end_of(state, item) - first_of(state, item);
    state->longest = width > state->longest ? width : state->longest;
    if (top_of(state, item) > state->task->goal) {
      looked_at += width;
      count++;
    }
  }
  state->zones = MEMPLAN_NEW_RAW(state->arena, zone, count);
  if (state->zones == NULL) {
    return false;
  }
  if (looked_at > MOST_LOOKS * (int64_t)sections->n) {
    return true;
  }
  for (int32_t item = 0; item < sections->n; item++) {
    if (top_of(state, item) > state->task->goal) {
      state->zones[state->n_zones++] = find_zone(state, item, least);
    }
  }
  qsort(state->zones, (size_t)state->n_zones, sizeof *state->zones, compare_zones);
  count = 0;
  for (int32_t k = 1; k < state->n_zones; k++) {
    zone *last = &state->zones[count];
    if (state->zones[k].start <= last->end) {
      last->end = state->zones[k].end > last->end ? state->zones[k].end : last->end;
    } else {
      state->zones[++count] = state->zones[k];
    }
  }
  state->n_zones = state->n_zones > 0 ? count + 1 : 0;
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

static memplan_status pack_cores(repair *state, memplan_error *error) {
  const memplan_zones *task = state->task;
  for (int32_t k = 0; k < state->n_zones; k++) {
    zone *entry = &state->zones[k];
    MEMPLAN_TRY(task->pack(task->context, &state->core[entry->first], entry->n, task->goal, state->packed,
                           &entry->packed, error));
    state->height = entry->packed > state->height ? entry->packed : state->height;
  }
  return MEMPLAN_OK;
}

// ---- the rim

// The first way leaves where it is what is not in the way of the core.
enum { AS_IT_LIES = 0, BY_SIZE, BY_AREA, BY_WIDTH, N_WAYS };

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

static int64_t rank_item(const repair *state, int32_t item, int32_t way) {
  int64_t bytes = bytes_of(state, item);
  int64_t width = end_of(state, item) - first_of(state, item);
  if (way == BY_AREA) {
    return bytes > INT64_MAX / width ? INT64_MAX : bytes * width;
  }
  return way == BY_WIDTH ? width : bytes;
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

// Adds those of the rim that can stay where they are and moves them to the front; *n_kept: how many.
static memplan_status keep_rim(const repair *state, rim_item *rim, int32_t n_rim, int64_t height,
                               memplan_packing *packing, int32_t *n_kept, memplan_error *error) {
  const memplan_zones *task = state->task;
  for (int32_t k = 0; k < n_rim; k++) {
    int32_t item = rim[k].item;
    int32_t block = task->sections->block[item];
    if (top_of(state, item) > height) {
      continue;
    }
    if (!memplan_packing_ask(packing, block, 0)) {
      return memplan_fail_nomem(error);
    }
    if (memplan_packing_lowest(packing, task->offset[item]) != task->offset[item]) {
      continue;
    }
    if (!memplan_packing_add(packing, block, 0, task->offset[item])) {
      return memplan_fail_nomem(error);
    }
    rim[k].item = rim[*n_kept].item;
    rim[(*n_kept)++].item = item;
  }
  return MEMPLAN_OK;
}

static memplan_status fill_rim(const repair *state, int32_t index, rim_item *rim, int32_t n_rim, int32_t way,
                               int64_t height, memplan_arena *scratch, bool *fits, memplan_error *error) {
  const memplan_zones *task = state->task;
  memplan_packing *packing = memplan_packing_new(task->instance, state->trial, state->pool, scratch);
  if (packing == NULL || !add_obstacles(state, index, rim, n_rim, packing)) {
    return memplan_fail_nomem(error);
  }
  int32_t n_kept = 0;
  if (way == AS_IT_LIES) {
    MEMPLAN_TRY(keep_rim(state, rim, n_rim, height, packing, &n_kept, error));
  }
  for (int32_t k = n_kept; k < n_rim; k++) {
    rim[k].key = rank_item(state, rim[k].item, way);
  }
  qsort(rim + n_kept, (size_t)(n_rim - n_kept), sizeof *rim, compare_rim);
  *fits = true;
  for (int32_t k = n_kept; k < n_rim && *fits; k++) {
    int32_t block = task->sections->block[rim[k].item];
    if (!memplan_packing_ask(packing, block, 0)) {
      return memplan_fail_nomem(error);
    }
    int64_t offset = memplan_packing_lowest(packing, 0);
    *fits = offset >= 0 && offset <= height - bytes_of(state, rim[k].item);
    if (*fits && !memplan_packing_add(packing, block, 0, offset)) {
      return memplan_fail_nomem(error);
    }
  }
  state->task->work += n_rim;
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

// At the height of its own core, else as high as another zone needs anyway.
static memplan_status repair_zone(repair *state, int32_t index, rim_item *rim, memplan_error *error) {
  const zone *entry = &state->zones[index];
  int64_t own = entry->packed > state->task->goal ? entry->packed : state->task->goal;
  int32_t n_rim = collect_rim(state, index, rim);
  bool fits = false;
  for (int32_t attempt = 0; attempt < 2 * N_WAYS && !fits; attempt++) {
    int64_t height = attempt < N_WAYS ? own : state->height;
    if (height >= entry->top || (attempt >= N_WAYS && height == own)) {
      break;
    }
    memplan_arena scratch = {0};
    memplan_status status = fill_rim(state, index, rim, n_rim, attempt % N_WAYS, height, &scratch, &fits, error);
    memplan_arena_free(&scratch);
    MEMPLAN_TRY(status);
  }
  if (fits) {
    settle(state, index, rim, n_rim);
  }
  return MEMPLAN_OK;
}

// ---- all

static memplan_status run(repair *state, memplan_error *error) {
  memplan_zones *task = state->task;
  int32_t n = task->sections->n;
  task->peak = find_peak(state);
  state->next = MEMPLAN_NEW_RAW(state->arena, int32_t, (int64_t)task->sections->n_sections + 1);
  state->zone_of = MEMPLAN_NEW_RAW(state->arena, int32_t, n);
  if (state->next == NULL || state->zone_of == NULL || !find_zones(state)) {
    return memplan_fail_nomem(error);
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
  state->height = task->goal;
  MEMPLAN_TRY(pack_cores(state, error));
  for (int32_t k = 0; k < state->n_zones; k++) {
    MEMPLAN_TRY(repair_zone(state, k, rim, error));
  }
  task->peak = find_peak(state);
  return MEMPLAN_OK;
}

memplan_status memplan_zones_repair(memplan_zones *task, memplan_error *error) {
  memplan_arena arena = {0};
  repair state = {.task = task, .arena = &arena};
  task->work = 0;
  task->n_zones = 0;
  memplan_status status = run(&state, error);
  memplan_arena_free(&arena);
  return status;
}
