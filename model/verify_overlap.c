// SPDX-License-Identifier: Apache-2.0
// Sweep over time. The rectangles active at a time are the leaves switched on in a balanced tree over all rectangles,
// sorted by (pool, low); an inner node holds the largest `high` below it. A new rectangle [low, high) meets exactly the
// active ones of its pool that lie left of the first low >= high in that order and whose own high is > low: the descent
// enters only subtrees that hold one, so it costs O(log n) for each. Overlapping rectangles may all be active, so one
// wrong buffer hides no other.
//
// Rectangles enter by start, so the first meeting of a pair is its earliest common time.
//
// Nearly always nothing overlaps. That is found out first, by a sweep over the spans of bytes taken at each moment,
// which need less memory than the tree.
#include "model/verify_overlap.h"

#include "model/base/keyed.h"
#include "model/base/span_set.h"

#include <stdlib.h>

typedef struct sweep {
  const memplan_rectangle *rectangles;
  int32_t *by_start, *by_end, *by_place; // indices of rectangles
  int32_t *rank;                         // by rectangle: its position in by_place
  int64_t *highest;                      // by tree node; INT64_MIN: nothing active below
  int32_t n, n_leaves;
  memplan_overlap *overlaps;
  int32_t n_overlaps, limit;
} sweep;

// What qsort sees of a rectangle.
typedef struct sort_key {
  int64_t major, minor;
  int32_t index;
} sort_key;

static int compare_keys(const void *left, const void *right) {
  const sort_key *a = left;
  const sort_key *b = right;
  if (a->major != b->major) {
    return a->major < b->major ? -1 : 1;
  }
  if (a->minor != b->minor) {
    return a->minor < b->minor ? -1 : 1;
  }
  return a->index < b->index ? -1 : a->index > b->index;
}

static int32_t *sorted(sort_key *keys, int32_t n, memplan_arena *arena) {
  int32_t *order = MEMPLAN_NEW(arena, int32_t, n);
  if (order == NULL) {
    return NULL;
  }
  qsort(keys, (size_t)n, sizeof *keys, compare_keys);
  for (int32_t i = 0; i < n; i++) {
    order[i] = keys[i].index;
  }
  return order;
}

static memplan_status sort_rectangles(sweep *state, memplan_arena *arena, memplan_error *error) {
  sort_key *keys = MEMPLAN_NEW(arena, sort_key, state->n);
  state->rank = MEMPLAN_NEW(arena, int32_t, state->n);
  if (keys == NULL || state->rank == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < state->n; i++) {
    keys[i] = (sort_key){state->rectangles[i].start, 0, i};
  }
  state->by_start = sorted(keys, state->n, arena);
  for (int32_t i = 0; i < state->n; i++) {
    keys[i] = (sort_key){state->rectangles[i].end, 0, i};
  }
  state->by_end = sorted(keys, state->n, arena);
  for (int32_t i = 0; i < state->n; i++) {
    keys[i] = (sort_key){state->rectangles[i].pool, state->rectangles[i].low, i};
  }
  state->by_place = sorted(keys, state->n, arena);
  if (state->by_start == NULL || state->by_end == NULL || state->by_place == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t i = 0; i < state->n; i++) {
    state->rank[state->by_place[i]] = i;
  }
  return MEMPLAN_OK;
}

static void set_highest(sweep *state, int32_t rectangle, int64_t high) {
  int32_t node = state->n_leaves + state->rank[rectangle];
  state->highest[node] = high;
  for (node /= 2; node >= 1; node /= 2) {
    int64_t left = state->highest[2 * node];
    int64_t right = state->highest[2 * node + 1];
    state->highest[node] = left > right ? left : right;
  }
}

// First position in by_place whose (pool, low) is not before the given one.
static int32_t lower_rank(const sweep *state, int32_t pool, int64_t low) {
  int32_t first = 0;
  int32_t last = state->n;
  while (first < last) {
    int32_t middle = first + (last - first) / 2;
    const memplan_rectangle *rectangle = &state->rectangles[state->by_place[middle]];
    if (rectangle->pool < pool || (rectangle->pool == pool && rectangle->low < low)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

static void record(sweep *state, int32_t newer, int32_t older) {
  const memplan_rectangle *a = &state->rectangles[newer];
  const memplan_rectangle *b = &state->rectangles[older];
  int32_t first = a->item < b->item ? a->item : b->item;
  int32_t second = a->item < b->item ? b->item : a->item;
  if (first == second || state->n_overlaps == state->limit) {
    return;
  }
  for (int32_t i = 0; i < state->n_overlaps; i++) {
    if (state->overlaps[i].first == first && state->overlaps[i].second == second) {
      return;
    }
  }
  memplan_overlap *overlap = &state->overlaps[state->n_overlaps++];
  overlap->first = first;
  overlap->second = second;
  overlap->time = a->start;
  overlap->low = a->low > b->low ? a->low : b->low;
  overlap->high = a->high < b->high ? a->high : b->high;
}

// Records every active rectangle in the leaves [first, last) whose high is > `low`. A stack of two nodes for each level
// is enough: of the children of a node one is entered at once.
static void meet(sweep *state, int32_t newer, int32_t first, int32_t last) {
  int64_t low = state->rectangles[newer].low;
  struct {
    int32_t node, begin, size;
  } stack[2 * 32];
  int32_t depth = 0;
  stack[depth].node = 1;
  stack[depth].begin = 0;
  stack[depth++].size = state->n_leaves;
  while (depth > 0 && state->n_overlaps < state->limit) {
    depth--;
    int32_t node = stack[depth].node;
    int32_t begin = stack[depth].begin;
    int32_t size = stack[depth].size;
    if (begin >= last || begin + size <= first || state->highest[node] <= low) {
      continue;
    }
    if (size == 1) {
      record(state, newer, state->by_place[begin]);
      continue;
    }
    stack[depth].node = 2 * node + 1;
    stack[depth].begin = begin + size / 2;
    stack[depth++].size = size / 2;
    stack[depth].node = 2 * node;
    stack[depth].begin = begin;
    stack[depth++].size = size / 2;
  }
}

static bool is_empty(const memplan_rectangle *rectangle) {
  return rectangle->start >= rectangle->end || rectangle->low >= rectangle->high;
}

static void run_sweep(sweep *state) {
  int32_t ended = 0;
  for (int32_t i = 0; i < state->n && state->n_overlaps < state->limit; i++) {
    int32_t newer = state->by_start[i];
    const memplan_rectangle *rectangle = &state->rectangles[newer];
    while (ended < state->n && state->rectangles[state->by_end[ended]].end <= rectangle->start) {
      set_highest(state, state->by_end[ended++], INT64_MIN);
    }
    if (is_empty(rectangle)) {
      continue;
    }
    meet(state, newer, lower_rank(state, rectangle->pool, INT64_MIN),
         lower_rank(state, rectangle->pool, rectangle->high));
    set_highest(state, newer, rectangle->high);
  }
}

// Do two rectangles overlap? Of several pools the answer is that they may.
static memplan_status may_overlap(const memplan_rectangle *rectangles, int32_t n, memplan_arena *arena, bool *may,
                                  memplan_error *error) {
  memplan_keyed *times = MEMPLAN_NEW_RAW(arena, memplan_keyed, 2 * (size_t)n);
  memplan_keyed *scratch = MEMPLAN_NEW_RAW(arena, memplan_keyed, 2 * (size_t)n);
  memplan_span_set *set = memplan_span_set_new(arena);
  if (times == NULL || scratch == NULL || set == NULL) {
    return memplan_fail_nomem(error);
  }
  *may = true;
  int32_t count = 0;
  for (int32_t i = 0; i < n; i++) { // ends before starts of one time
    if (rectangles[i].pool != rectangles[0].pool) {
      return MEMPLAN_OK;
    }
    if (!is_empty(&rectangles[i])) {
      times[count++] = (memplan_keyed){rectangles[i].end, -1 - i};
    }
  }
  int32_t n_ends = count;
  for (int32_t k = 0; k < n_ends; k++) {
    int32_t i = -1 - times[k].index;
    times[count++] = (memplan_keyed){rectangles[i].start, i};
  }
  memplan_keyed_sort(times, count, scratch);
  for (int32_t k = 0; k < count; k++) {
    int32_t index = times[k].index;
    const memplan_rectangle *rectangle = &rectangles[index < 0 ? -1 - index : index];
    bool met = false;
    if (index < 0) {
      memplan_span_set_remove(set, rectangle->low);
    } else if (!memplan_span_set_add(set, rectangle->low, rectangle->high, &met)) {
      return memplan_fail_nomem(error);
    }
    if (met) {
      return MEMPLAN_OK;
    }
  }
  *may = false;
  return MEMPLAN_OK;
}

memplan_status memplan_rectangles_overlap(const memplan_rectangle *rectangles, int32_t n_rectangles, int32_t limit,
                                          memplan_arena *arena, memplan_overlap **overlaps, int32_t *n_overlaps,
                                          memplan_error *error) {
  sweep state = {.rectangles = rectangles, .n = n_rectangles, .n_leaves = 1, .limit = limit};
  bool may = false;
  *overlaps = NULL;
  *n_overlaps = 0;
  MEMPLAN_TRY(may_overlap(rectangles, n_rectangles, arena, &may, error));
  if (!may) {
    return MEMPLAN_OK;
  }
  MEMPLAN_TRY(sort_rectangles(&state, arena, error));
  while (state.n_leaves < n_rectangles) {
    state.n_leaves *= 2;
  }
  state.highest = MEMPLAN_NEW(arena, int64_t, 2 * (size_t)state.n_leaves);
  state.overlaps = MEMPLAN_NEW(arena, memplan_overlap, limit);
  if (state.highest == NULL || state.overlaps == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int32_t node = 0; node < 2 * state.n_leaves; node++) {
    state.highest[node] = INT64_MIN;
  }
  run_sweep(&state);
  *overlaps = state.overlaps;
  *n_overlaps = state.n_overlaps;
  return MEMPLAN_OK;
}
