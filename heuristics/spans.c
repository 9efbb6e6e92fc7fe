// SPDX-License-Identifier: Apache-2.0
// A sorted array: most sets hold a handful of spans, since what is placed side by side merges. For the few that
// grow (alignment leaves slivers between neighbours) the widest gap of each run of 64 lets a search skip the run.
#include "heuristics/spans.h"

#include <stddef.h>
#include <string.h>

enum { RUN = 64, FIRST_CAPACITY = 2 };

static int32_t capacity_class(int32_t capacity) {
  int32_t power = 0;
  while ((INT64_C(1) << power) < capacity) {
    power++;
  }
  return power;
}

// Brings the runs from the one that holds span `from` up to date, `runs` of them or all that follow if negative.
static void refresh(memplan_spans *set, int32_t from, int32_t runs) {
  if (set->widest == NULL) {
    return;
  }
  int32_t last = (set->n - 1) / RUN;
  int32_t first = from / RUN;
  if (runs >= 0 && first + runs - 1 < last) {
    last = first + runs - 1;
  }
  for (int32_t run = first; run <= last; run++) {
    int32_t end = (run + 1) * RUN < set->n - 1 ? (run + 1) * RUN : set->n - 1;
    int64_t widest = 0;
    for (int32_t k = run * RUN; k < end; k++) {
      int64_t gap = set->spans[k + 1].low - set->spans[k].high;
      widest = gap > widest ? gap : widest;
    }
    set->widest[run] = widest;
  }
}

static bool grow(memplan_span_store *store, memplan_spans *set) {
  if (set->capacity > INT32_MAX / 4) {
    return false;
  }
  int32_t capacity = set->capacity == 0 ? FIRST_CAPACITY : 2 * set->capacity;
  int32_t power = capacity_class(capacity);
  size_t spans_bytes = (size_t)capacity * sizeof(memplan_span);
  void *memory = store->returned[power];
  if (memory != NULL) {
    memcpy(&store->returned[power], memory, sizeof(void *));
  } else {
    memory = memplan_arena_alloc(store->arena, 1, spans_bytes + (size_t)(capacity / RUN) * sizeof(int64_t));
    if (memory == NULL) {
      return false;
    }
  }
  if (set->n > 0) {
    memcpy(memory, set->spans, (size_t)set->n * sizeof(memplan_span));
  }
  if (set->capacity > 0) {
    power = capacity_class(set->capacity);
    memcpy(set->spans, &store->returned[power], sizeof(void *));
    store->returned[power] = set->spans;
  }
  set->spans = memory;
  set->widest = capacity > RUN ? (int64_t *)(void *)((char *)memory + spans_bytes) : NULL;
  set->capacity = capacity;
  refresh(set, 0, -1);
  return true;
}

// The first span from `from` on with high >= limit.
static int32_t find_high(const memplan_spans *set, int32_t from, int64_t limit) {
  int32_t step = 1;
  int32_t low = from;
  int32_t high = from;
  while (high < set->n && set->spans[high].high < limit) {
    low = high + 1;
    high = set->n - high > step ? high + step : set->n;
    step *= 2;
  }
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (set->spans[middle].high < limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The first span from `from` on with low > limit.
static int32_t find_low(const memplan_spans *set, int32_t from, int64_t limit) {
  int32_t low = from;
  int32_t high = set->n;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (set->spans[middle].low <= limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool memplan_spans_add(memplan_span_store *store, memplan_spans *set, int64_t low, int64_t high) {
  int32_t first = find_high(set, set->n > 0 && set->spans[set->n - 1].high < low ? set->n : 0, low);
  int32_t last = first < set->n && set->spans[first].low <= high ? find_low(set, first, high) : first;
  if (first == last) {
    if (set->n == set->capacity && !grow(store, set)) {
      return false;
    }
    memmove(&set->spans[first + 1], &set->spans[first], (size_t)(set->n - first) * sizeof *set->spans);
    set->spans[first] = (memplan_span){low, high};
    set->n++;
    refresh(set, first > 0 ? first - 1 : 0, -1);
    return true;
  }
  memplan_span *span = &set->spans[first];
  if (span->low <= low && span->high >= high) {
    return true;
  }
  span->low = low < span->low ? low : span->low;
  span->high = high > set->spans[last - 1].high ? high : set->spans[last - 1].high;
  int32_t removed = last - first - 1;
  if (removed > 0) {
    memmove(&set->spans[first + 1], &set->spans[last], (size_t)(set->n - last) * sizeof *set->spans);
    set->n -= removed;
  }
  refresh(set, first > 0 ? first - 1 : 0, removed > 0 ? -1 : 2);
  return true;
}

int64_t memplan_spans_next(const memplan_spans *set, int32_t *position, int64_t at, int64_t size) {
  int32_t k = find_high(set, *position, at + 1);
  int64_t y = at;
  if (k < set->n && set->spans[k].low - at < size) {
    for (;;) {
      if (set->widest != NULL && k % RUN == 0 && k + RUN < set->n && set->widest[k / RUN] < size) {
        k += RUN;
        continue;
      }
      y = set->spans[k].high;
      k++;
      if (k == set->n || set->spans[k].low - y >= size) {
        break;
      }
    }
  }
  *position = k;
  return y;
}
