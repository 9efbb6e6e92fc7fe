// SPDX-License-Identifier: Apache-2.0
// A section closes when something ends after something has begun (Fulkerson, Gross: Incidence matrices and interval
// graphs. Pacific J. Math. 15, 1965: the maximal cliques of an interval graph in order of time).
#include "heuristics/sections.h"

static bool allocate(memplan_sections *sections, int32_t n_times, memplan_arena *arena) {
  int32_t n = sections->n;
  sections->block = MEMPLAN_NEW(arena, int32_t, n);
  sections->span = MEMPLAN_NEW(arena, int32_t, n);
  sections->span_item = MEMPLAN_NEW(arena, int32_t, (int64_t)n + 1);
  sections->span_first = MEMPLAN_NEW(arena, int32_t, n);
  sections->span_end = MEMPLAN_NEW(arena, int32_t, n);
  sections->first_span = MEMPLAN_NEW(arena, int32_t, (int64_t)n_times + 2);
  sections->load = MEMPLAN_NEW(arena, int64_t, (int64_t)n_times + 1);
  sections->tightest = MEMPLAN_NEW(arena, int64_t, n);
  return sections->block != NULL && sections->span != NULL && sections->span_item != NULL &&
         sections->span_first != NULL && sections->span_end != NULL && sections->first_span != NULL &&
         sections->load != NULL && sections->tightest != NULL;
}

enum { BEGINS = 1, ENDS = 2 };

// section[t]: how many sections are closed before rank t. A block is in sections section[start] … section[end] - 1.
static void number_sections(const memplan_instance *instance, const int32_t *todo, memplan_sections *sections,
                            char *events, int32_t *section) {
  for (int32_t k = 0; k < sections->n; k++) {
    events[instance->blocks[todo[k]].start] |= BEGINS;
    events[instance->blocks[todo[k]].end] |= ENDS;
  }
  bool open = false;
  for (int32_t time = 0; time <= instance->n_times; time++) {
    if (open && (events[time] & ENDS) != 0) {
      sections->n_sections++;
      open = false;
    }
    section[time] = sections->n_sections;
    open = open || (events[time] & BEGINS) != 0;
  }
}

// Stable counting sort of `items` by key[item], 0 <= key < n_keys. `count` has n_keys + 1 zeros.
static void sort_by(const int32_t *items, int32_t n, const int32_t *key, int32_t n_keys, int32_t *count,
                    int32_t *sorted) {
  for (int32_t k = 0; k < n; k++) {
    count[key[items[k]] + 1]++;
  }
  for (int32_t k = 0; k < n_keys; k++) {
    count[k + 1] += count[k];
  }
  for (int32_t k = 0; k < n; k++) {
    sorted[count[key[items[k]]]++] = items[k];
  }
}

static void make_spans(memplan_sections *sections, const int32_t *sorted, const int32_t *todo, const int32_t *first,
                       const int32_t *end) {
  for (int32_t item = 0; item < sections->n; item++) {
    int32_t k = sorted[item];
    int32_t last = sections->n_spans - 1;
    if (last < 0 || sections->span_first[last] != first[k] || sections->span_end[last] != end[k]) {
      last = sections->n_spans++;
      sections->span_first[last] = first[k];
      sections->span_end[last] = end[k];
      sections->span_item[last] = item;
    }
    sections->block[item] = todo[k];
    sections->span[item] = last;
  }
  sections->span_item[sections->n_spans] = sections->n;
  int32_t span = 0;
  for (int32_t section = 0; section <= sections->n_sections; section++) {
    while (span < sections->n_spans && sections->span_first[span] < section) {
      span++;
    }
    sections->first_span[section] = span;
  }
}

static void sum_loads(const memplan_instance *instance, memplan_sections *sections) {
  for (int32_t item = 0; item < sections->n; item++) {
    int32_t span = sections->span[item];
    int64_t bytes = instance->blocks[sections->block[item]].bytes;
    sections->load[sections->span_first[span]] += bytes;
    sections->load[sections->span_end[span]] -= bytes;
  }
  for (int32_t section = 1; section < sections->n_sections; section++) {
    sections->load[section] += sections->load[section - 1];
  }
}

// Spans sorted by length ask for the largest load in windows that double: one array suffices.
static bool find_tightest(memplan_sections *sections, memplan_arena *scratch) {
  int32_t n_spans = sections->n_spans;
  int32_t *power = MEMPLAN_NEW(scratch, int32_t, n_spans);
  int32_t *order = MEMPLAN_NEW(scratch, int32_t, n_spans);
  int32_t *sorted = MEMPLAN_NEW(scratch, int32_t, n_spans);
  int32_t *count = MEMPLAN_NEW(scratch, int32_t, 33);
  int64_t *largest = MEMPLAN_NEW(scratch, int64_t, sections->n_sections);
  if (power == NULL || order == NULL || sorted == NULL || count == NULL || largest == NULL) {
    return false;
  }
  for (int32_t span = 0; span < n_spans; span++) {
    int32_t width = sections->span_end[span] - sections->span_first[span];
    order[span] = span;
    while (width >> (power[span] + 1) > 0) {
      power[span]++;
    }
  }
  sort_by(order, n_spans, power, 32, count, sorted);
  for (int32_t section = 0; section < sections->n_sections; section++) {
    largest[section] = sections->load[section];
  }
  int32_t window = 0;
  for (int32_t k = 0; k < n_spans; k++) {
    int32_t span = sorted[k];
    for (; window < power[span]; window++) {
      int32_t half = 1 << window;
      for (int32_t section = 0; section < sections->n_sections - half; section++) {
        largest[section] = largest[section + half] > largest[section] ? largest[section + half] : largest[section];
      }
    }
    int64_t left = largest[sections->span_first[span]];
    int64_t right = largest[sections->span_end[span] - (1 << window)];
    sections->tightest[span] = left > right ? left : right;
  }
  return true;
}

static bool make(const memplan_instance *instance, const int32_t *todo, memplan_sections *sections,
                 memplan_arena *scratch) {
  int32_t n = sections->n;
  size_t n_times = (size_t)instance->n_times;
  char *events = MEMPLAN_NEW(scratch, char, n_times + 1);
  int32_t *section = MEMPLAN_NEW(scratch, int32_t, n_times + 1);
  int32_t *count = MEMPLAN_NEW(scratch, int32_t, 2 * (n_times + 2));
  int32_t *first = MEMPLAN_NEW(scratch, int32_t, n);
  int32_t *end = MEMPLAN_NEW(scratch, int32_t, n);
  int32_t *items = MEMPLAN_NEW(scratch, int32_t, n);
  int32_t *sorted = MEMPLAN_NEW(scratch, int32_t, n);
  if (events == NULL || section == NULL || count == NULL || first == NULL || end == NULL || items == NULL ||
      sorted == NULL) {
    return false;
  }
  number_sections(instance, todo, sections, events, section);
  for (int32_t k = 0; k < n; k++) {
    first[k] = section[instance->blocks[todo[k]].start];
    end[k] = section[instance->blocks[todo[k]].end];
    items[k] = k;
  }
  int32_t n_keys = sections->n_sections + 1;
  sort_by(items, n, end, n_keys, count, sorted);
  sort_by(sorted, n, first, n_keys, count + n_keys + 1, items);
  make_spans(sections, items, todo, first, end);
  sum_loads(instance, sections);
  return find_tightest(sections, scratch);
}

bool memplan_sections_make(const memplan_instance *instance, const int32_t *todo, int32_t n_todo,
                           memplan_sections *sections, memplan_arena *arena) {
  *sections = (memplan_sections){.n = n_todo};
  memplan_arena scratch = {0};
  bool good = allocate(sections, instance->n_times, arena) && make(instance, todo, sections, &scratch);
  memplan_arena_free(&scratch);
  return good;
}
