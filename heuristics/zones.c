// SPDX-License-Identifier: Apache-2.0
// The core of a zone is all that is live in it at some time; the hull is the time in which some of its core is live;
// the rim is what else is live in the hull. Cores whose hulls meet become one, so that a packed core meets no other one
// and its blocks can all be moved at once. What of the rim is in its way then goes where there is room, for the load is
// smaller there, or pushes aside what costs least, which goes on likewise: an ejection chain, in which a block weighs
// the more the more often it found no room (Nagata, Braysy: A powerful route minimization heuristic for the vehicle
// routing problem with time windows. Oper. Res. Lett. 37, 2009). If that does not end, the zone stays as it was.
//
// First all cores are packed: the rims may be filled up to what the worst of them needs.
#include "heuristics/zones.h"

#include "model/base/keyed.h"
#include "model/base/number.h"

#include <stdlib.h>
#include <string.h>

enum {
  PARTS = 32,
  EIGHTHS = 8,
  MOST_LOOKS = 1 << 25, // at sections or items, for what takes time in proportion to them
  MOST_STEPS = 512,     // of putting in what a core has pushed aside
  LOOKS_A_STEP = 256    // that cost about as much as a block placed by a ranking
};

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
  int32_t longest;    // sections of the longest span
  int32_t *next;      // by section: the first zone that ends after it
  int32_t *zone_of;   // by item: the zone to whose core it belongs, -1: none
  int32_t *core;      // blocks, by zone
  int64_t height;     // what the worst of the cores needs, at least the goal
  int64_t *packed;    // by block: offset in its packed core
  int32_t *core_item; // the same as items
  // around a core
  int64_t *trial;             // by item: offset or UNPLACED
  bool *moved;                // by item: is it in `touched`?
  int32_t *refused;           // by item: how often it found no room
  int32_t *touched, *waiting; // items
  int32_t n_touched, n_waiting;
  memplan_keyed *near, *ends, *spare; // offsets or ends, and items
  int32_t shift;                      // of bytes in a weight
  int64_t looks;                      // at other items, around one core
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
  int64_t least = largest - largest / PARTS * state->task->depth;
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
  if (looked_at > MOST_LOOKS) {
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

static int32_t find_lowest(const repair *state, int32_t from, int32_t to) {
  const int64_t *load = state->task->sections->load;
  int32_t lowest = from;
  for (int32_t section = from; section < to; section++) {
    lowest = load[section] < load[lowest] ? section : lowest;
  }
  return lowest;
}

// Moves the ends of each zone to where least is live of what is in reach: there the rim has room. Zones that meet then
// become one.
static void reach_out(repair *state) {
  int32_t n_sections = state->task->sections->n_sections;
  int32_t count = 0;
  for (int32_t k = 0; k < state->n_zones; k++) {
    zone entry = state->zones[k];
    int64_t reach = (int64_t)(entry.high - entry.low) * state->task->reach / EIGHTHS;
    int32_t from = entry.start > reach ? entry.start - (int32_t)reach : 0;
    int32_t to = n_sections - entry.end > reach ? entry.end + (int32_t)reach : n_sections;
    if (from < entry.start) {
      entry.start = find_lowest(state, from, entry.start);
    }
    if (entry.end < to) {
      entry.end = find_lowest(state, entry.end, to) + 1;
    }
    zone *last = &state->zones[count - (count > 0)];
    if (count > 0 && entry.start <= last->end) {
      last->end = entry.end > last->end ? entry.end : last->end;
      last->start = entry.start < last->start ? entry.start : last->start;
    } else {
      state->zones[count++] = entry;
    }
  }
  state->n_zones = count;
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
  state->core_item = MEMPLAN_NEW(state->arena, int32_t, total);
  if (state->core == NULL || state->core_item == NULL) {
    return false;
  }
  for (int32_t item = 0; item < sections->n; item++) {
    if (state->zone_of[item] >= 0) {
      zone *entry = &state->zones[state->zone_of[item]];
      state->core_item[entry->first + entry->n] = item;
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

// ---- around a core

enum { UNPLACED = -1 };

// Items that begin where they can be live in [low, high): a range of items.
static void find_range(const repair *state, int32_t low, int32_t high, int32_t *from, int32_t *to) {
  const memplan_sections *sections = state->task->sections;
  int32_t begin = low > state->longest ? low - state->longest : 0;
  *from = sections->span_item[sections->first_span[begin]];
  *to = sections->span_item[sections->first_span[high]];
}

static int64_t align_offset(const repair *state, int32_t item, int64_t offset) {
  const memplan_instance *instance = state->task->instance;
  const memplan_block *block = &instance->blocks[state->task->sections->block[item]];
  if (block->align == 1) {
    return offset;
  }
  int64_t base = instance->pools[0].base % block->align;
  int64_t residue = block->residue >= base ? block->residue - base : block->residue - base + block->align;
  return memplan_align_up(offset, block->align, residue);
}

// What is placed while the item is live, by offset, in state->near. Returns how many.
static int32_t collect_near(repair *state, int32_t item) {
  int32_t from, to;
  int32_t start = first_of(state, item);
  find_range(state, start, end_of(state, item), &from, &to);
  int32_t count = 0;
  state->looks += to - from;
  for (int32_t other = from; other < to; other++) {
    if (end_of(state, other) > start && state->trial[other] != UNPLACED) {
      state->near[count++] = (memplan_keyed){state->trial[other], other};
    }
  }
  memplan_keyed_sort(state->near, count, state->spare);
  return count;
}

// The lowest room below the height; UNPLACED if there is none.
static int64_t find_room(const repair *state, int32_t item, int32_t n_near, int64_t height) {
  int64_t bytes = bytes_of(state, item);
  int64_t offset = align_offset(state, item, 0);
  for (int32_t k = 0; k < n_near && state->near[k].key < offset + bytes; k++) {
    int64_t top = state->near[k].key + bytes_of(state, state->near[k].index);
    offset = top > offset ? align_offset(state, item, top) : offset;
  }
  return offset <= height - bytes ? offset : UNPLACED;
}

// What it costs that the item has to go; the core never goes.
static int64_t weigh(const repair *state, int32_t item) {
  return (int64_t)(1 + state->refused[item]) * (1 + (bytes_of(state, item) >> state->shift));
}

// Where the least has to go for the item, the lowest of equals; UNPLACED if the core is everywhere in the way. As the
// offset grows, what lies near comes in by offset and leaves by its end.
static int64_t find_cheapest(repair *state, int32_t index, int32_t item, int32_t n_near, int64_t height) {
  int64_t bytes = bytes_of(state, item);
  for (int32_t k = 0; k < n_near; k++) {
    state->ends[k] = (memplan_keyed){state->near[k].key + bytes_of(state, state->near[k].index), state->near[k].index};
  }
  memplan_keyed_sort(state->ends, n_near, state->spare);
  state->looks += n_near;
  int64_t best = UNPLACED;
  int64_t least = INT64_MAX;
  int64_t cost = 0;
  int32_t of_core = 0;
  int32_t come = 0;
  int32_t gone = 0;
  for (int32_t k = -1; k < n_near; k++) {
    int64_t offset = align_offset(state, item, k < 0 ? 0 : state->ends[k].key);
    if (offset > height - bytes) {
      break;
    }
    for (; come < n_near && state->near[come].key < offset + bytes; come++) {
      int32_t other = state->near[come].index;
      of_core += state->zone_of[other] == index;
      cost += weigh(state, other);
    }
    for (; gone < n_near && state->ends[gone].key <= offset; gone++) {
      int32_t other = state->ends[gone].index;
      of_core -= state->zone_of[other] == index;
      cost -= weigh(state, other);
    }
    if (of_core == 0 && cost < least) {
      least = cost;
      best = offset;
    }
  }
  return best;
}

static void take_out(repair *state, int32_t item) {
  if (!state->moved[item]) {
    state->moved[item] = true;
    state->touched[state->n_touched++] = item;
  }
  state->trial[item] = UNPLACED;
  state->waiting[state->n_waiting++] = item;
}

// Takes out what is in the way of the item at `offset`, and puts it there.
static void put_in(repair *state, int32_t item, int32_t n_near, int64_t offset) {
  int64_t top = offset + bytes_of(state, item);
  for (int32_t k = 0; k < n_near && state->near[k].key < top; k++) {
    int32_t other = state->near[k].index;
    if (state->near[k].key + bytes_of(state, other) > offset) {
      take_out(state, other);
    }
  }
  state->trial[item] = offset;
}

static int compare_waiting(const void *a, const void *b) {
  const memplan_keyed *x = a;
  const memplan_keyed *y = b;
  if (x->key != y->key) {
    return x->key < y->key ? -1 : 1;
  }
  return (x->index < y->index) - (x->index > y->index);
}

static void sort_waiting(repair *state) {
  for (int32_t k = 0; k < state->n_waiting; k++) {
    state->near[k] = (memplan_keyed){bytes_of(state, state->waiting[k]), state->waiting[k]};
  }
  qsort(state->near, (size_t)state->n_waiting, sizeof *state->near, compare_waiting);
  for (int32_t k = 0; k < state->n_waiting; k++) {
    state->waiting[k] = state->near[k].index;
  }
}

// Moves the core to where it is packed; what is in its way or too high has to go. The largest of that waits last, and
// so is the first to be put in again. False if that takes too long.
static bool place_core(repair *state, int32_t index, int64_t height) {
  const zone *entry = &state->zones[index];
  const memplan_sections *sections = state->task->sections;
  int32_t from, to;
  find_range(state, entry->low, entry->high, &from, &to);
  state->looks = (int64_t)(to - from) * entry->n / 8; // most of them end at the first comparison
  if (state->looks > MOST_LOOKS) {
    state->looks = 0;
    return false;
  }
  for (int32_t item = from; item < to; item++) {
    if (state->zone_of[item] == index) {
      state->moved[item] = true;
      state->touched[state->n_touched++] = item;
      state->trial[item] = state->packed[sections->block[item]];
    }
  }
  state->n_waiting = 0;
  for (int32_t item = from; item < to; item++) {
    if (state->zone_of[item] == index || end_of(state, item) <= entry->low) {
      continue;
    }
    bool meets = state->trial[item] + bytes_of(state, item) > height;
    for (int32_t k = entry->first; k < entry->first + entry->n && !meets; k++) {
      int32_t other = state->core_item[k];
      meets = first_of(state, other) < end_of(state, item) && first_of(state, item) < end_of(state, other) &&
              state->trial[other] < state->trial[item] + bytes_of(state, item) &&
              state->trial[item] < state->trial[other] + bytes_of(state, other);
    }
    if (meets) {
      take_out(state, item);
    }
  }
  sort_waiting(state);
  return true;
}

// Puts in what waits, the last first, each where there is room, else where the least has to go for it: what has been
// refused often, it pushes aside no more. True if nothing waits at the end.
static bool put_in_all(repair *state, int32_t index, int64_t height) {
  int64_t steps = MOST_STEPS + 2 * (int64_t)state->n_waiting;
  for (; state->n_waiting > 0 && steps > 0 && state->looks < MOST_LOOKS; steps--) {
    int32_t item = state->waiting[--state->n_waiting];
    int32_t n_near = collect_near(state, item);
    int64_t offset = find_room(state, item, n_near, height);
    if (offset != UNPLACED) {
      state->trial[item] = offset;
      continue;
    }
    state->refused[item]++;
    offset = find_cheapest(state, index, item, n_near, height);
    if (offset == UNPLACED) {
      return false;
    }
    put_in(state, item, n_near, offset);
  }
  return state->n_waiting == 0;
}

// Takes what was tried if it is good, else what was before.
static void conclude(repair *state, bool good) {
  memplan_zones *task = state->task;
  task->work += state->looks / LOOKS_A_STEP;
  for (int32_t k = 0; k < state->n_touched; k++) {
    int32_t item = state->touched[k];
    state->moved[item] = false;
    state->refused[item] = 0;
    if (good) {
      task->offset[item] = state->trial[item];
    } else {
      state->trial[item] = task->offset[item];
    }
  }
  state->n_touched = 0;
  state->looks = 0;
}

// At the height of its own core, else a part of the way up to where it is now, else as high as another zone needs
// anyway.
static void repair_zone(repair *state, int32_t index) {
  enum { N_HEIGHTS = 4 };
  memplan_zones *task = state->task;
  const zone *entry = &state->zones[index];
  int64_t own = entry->packed > task->goal ? entry->packed : task->goal;
  if (own >= entry->top) {
    return;
  }
  int64_t way = entry->top - own;
  const int64_t heights[N_HEIGHTS] = {own, own + way / 4, own + way / 2, state->height};
  for (int32_t k = 0; k < N_HEIGHTS; k++) {
    if (heights[k] >= entry->top || (k > 0 && heights[k] <= heights[k - 1])) {
      continue;
    }
    bool good = place_core(state, index, heights[k]) && put_in_all(state, index, heights[k]);
    conclude(state, good);
    if (good) {
      return;
    }
  }
}

// ---- all

static bool prepare_moves(repair *state) {
  enum { WEIGHT_BITS = 20 };
  int32_t n = state->task->sections->n;
  state->packed = MEMPLAN_NEW_RAW(state->arena, int64_t, state->task->instance->n_blocks);
  state->trial = MEMPLAN_NEW_RAW(state->arena, int64_t, n);
  state->moved = MEMPLAN_NEW(state->arena, bool, n);
  state->refused = MEMPLAN_NEW(state->arena, int32_t, n);
  state->touched = MEMPLAN_NEW_RAW(state->arena, int32_t, n);
  state->waiting = MEMPLAN_NEW_RAW(state->arena, int32_t, n);
  state->near = MEMPLAN_NEW_RAW(state->arena, memplan_keyed, n);
  state->ends = MEMPLAN_NEW_RAW(state->arena, memplan_keyed, n);
  state->spare = MEMPLAN_NEW_RAW(state->arena, memplan_keyed, n);
  if (state->packed == NULL || state->trial == NULL || state->moved == NULL || state->refused == NULL ||
      state->touched == NULL || state->waiting == NULL || state->near == NULL || state->ends == NULL ||
      state->spare == NULL) {
    return false;
  }
  int64_t largest = 0;
  for (int32_t item = 0; item < n; item++) {
    state->trial[item] = state->task->offset[item];
    largest = bytes_of(state, item) > largest ? bytes_of(state, item) : largest;
  }
  while (largest >> state->shift >= INT64_C(1) << WEIGHT_BITS) {
    state->shift++;
  }
  return true;
}

static memplan_status run(repair *state, memplan_error *error) {
  memplan_zones *task = state->task;
  int32_t n = task->sections->n;
  task->peak = find_peak(state);
  state->next = MEMPLAN_NEW_RAW(state->arena, int32_t, (int64_t)task->sections->n_sections + 1);
  state->zone_of = MEMPLAN_NEW_RAW(state->arena, int32_t, n);
  if (state->next == NULL || state->zone_of == NULL || !find_zones(state)) {
    return memplan_fail_nomem(error);
  }
  if (task->reach > 0) {
    find_hulls(state);
    reach_out(state);
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
  if (!prepare_moves(state)) {
    return memplan_fail_nomem(error);
  }
  state->height = task->goal;
  MEMPLAN_TRY(pack_cores(state, error));
  for (int32_t k = 0; k < state->n_zones; k++) {
    repair_zone(state, k);
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
