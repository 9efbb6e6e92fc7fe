// SPDX-License-Identifier: Apache-2.0
// A sorted list cut into chunks; a full one is halved, an empty one goes. Each chunk knows the longest run between its
// own spans.
#include "model/base/span_set.h"

#include "model/base/grow.h"

#include <string.h>

enum { CHUNK = 64 };

typedef struct chunk {
  int64_t low[CHUNK], high[CHUNK];
  int64_t longest;
  int32_t n;
} chunk;

struct memplan_span_set {
  memplan_arena *arena;
  chunk **chunks; // none is empty
  int64_t capacity;
  int32_t n_chunks;
  chunk *spare;   // one that was emptied, or NULL
  int32_t widest; // the chunk before or in which the run found last lies
};

memplan_span_set *memplan_span_set_new(memplan_arena *arena) {
  memplan_span_set *set = MEMPLAN_NEW(arena, memplan_span_set, 1);
  if (set != NULL) {
    set->arena = arena;
  }
  return set;
}

static void measure(chunk *own) {
  int64_t longest = 0;
  for (int32_t k = 1; k < own->n; k++) {
    int64_t run = own->low[k] - own->high[k - 1];
    longest = run > longest ? run : longest;
  }
  own->longest = longest;
}

// The last chunk that begins at or before `low`, else the first.
static int32_t find_chunk(const memplan_span_set *set, int64_t low) {
  int32_t first = 0;
  int32_t end = set->n_chunks;
  while (end - first > 1) {
    int32_t middle = first + (end - first) / 2;
    if (set->chunks[middle]->low[0] <= low) {
      first = middle;
    } else {
      end = middle;
    }
  }
  return first;
}

// How many spans of the chunk begin before `low`.
static int32_t find_place(const chunk *own, int64_t low) {
  int32_t place = 0;
  for (int32_t k = 0; k < own->n; k++) {
    place += own->low[k] < low;
  }
  return place;
}

static chunk *insert_chunk(memplan_span_set *set, int32_t at) {
  chunk **chunks = memplan_grow_in(set->arena, set->chunks, set->n_chunks, &set->capacity, sizeof *chunks);
  if (chunks == NULL) {
    return NULL;
  }
  set->chunks = chunks;
  chunk *fresh = set->spare != NULL ? set->spare : MEMPLAN_NEW(set->arena, chunk, 1);
  if (fresh == NULL) {
    return NULL;
  }
  set->spare = NULL;
  fresh->n = 0;
  memmove(&chunks[at + 1], &chunks[at], (size_t)(set->n_chunks - at) * sizeof *chunks);
  chunks[at] = fresh;
  set->n_chunks++;
  return fresh;
}

static bool halve(memplan_span_set *set, int32_t at) {
  chunk *upper = insert_chunk(set, at + 1);
  if (upper == NULL) {
    return false;
  }
  chunk *lower = set->chunks[at];
  upper->n = lower->n / 2;
  lower->n -= upper->n;
  memcpy(upper->low, lower->low + lower->n, (size_t)upper->n * sizeof *upper->low);
  memcpy(upper->high, lower->high + lower->n, (size_t)upper->n * sizeof *upper->high);
  measure(lower);
  measure(upper);
  return true;
}

bool memplan_span_set_add(memplan_span_set *set, int64_t low, int64_t high, bool *met) {
  *met = false;
  if (set->n_chunks == 0 && insert_chunk(set, 0) == NULL) {
    return false;
  }
  int32_t at = find_chunk(set, low);
  if (set->chunks[at]->n == CHUNK) {
    if (!halve(set, at)) {
      return false;
    }
    at = find_chunk(set, low);
  }
  chunk *own = set->chunks[at];
  int32_t place = find_place(own, low);
  const chunk *next = place < own->n ? own : at + 1 < set->n_chunks ? set->chunks[at + 1] : NULL;
  int64_t after = next == NULL ? INT64_MAX : next == own ? own->low[place] : next->low[0];
  *met = after < high || (place > 0 && own->high[place - 1] > low);
  if (*met) {
    return true;
  }
  memmove(&own->low[place + 1], &own->low[place], (size_t)(own->n - place) * sizeof *own->low);
  memmove(&own->high[place + 1], &own->high[place], (size_t)(own->n - place) * sizeof *own->high);
  own->low[place] = low;
  own->high[place] = high;
  own->n++;
  measure(own);
  return true;
}

void memplan_span_set_remove(memplan_span_set *set, int64_t low) {
  if (set->n_chunks == 0) {
    return;
  }
  int32_t at = find_chunk(set, low);
  chunk *own = set->chunks[at];
  int32_t place = find_place(own, low);
  if (place == own->n || own->low[place] != low) {
    return;
  }
  own->n--;
  memmove(&own->low[place], &own->low[place + 1], (size_t)(own->n - place) * sizeof *own->low);
  memmove(&own->high[place], &own->high[place + 1], (size_t)(own->n - place) * sizeof *own->high);
  measure(own);
  if (own->n == 0) {
    set->spare = own;
    set->n_chunks--;
    memmove(&set->chunks[at], &set->chunks[at + 1], (size_t)(set->n_chunks - at) * sizeof *set->chunks);
  }
}

// Of the runs before and in a chunk; of the one behind the last chunk for at == n_chunks.
static int64_t longest_at(const memplan_span_set *set, int32_t at, int64_t from, int64_t to) {
  int64_t begin = at > 0 ? set->chunks[at - 1]->high[set->chunks[at - 1]->n - 1] : from;
  int64_t run = (at < set->n_chunks ? set->chunks[at]->low[0] : to) - begin;
  return at < set->n_chunks && set->chunks[at]->longest > run ? set->chunks[at]->longest : run;
}

int64_t memplan_span_set_longest(memplan_span_set *set, int64_t from, int64_t to, int64_t enough) {
  if (set->widest <= set->n_chunks) {
    int64_t run = longest_at(set, set->widest, from, to);
    if (run >= enough) {
      return run;
    }
  }
  int64_t longest = 0;
  for (int32_t at = 0; at <= set->n_chunks && longest < enough; at++) {
    int64_t run = longest_at(set, at, from, to);
    if (run > longest) {
      longest = run;
      set->widest = at;
    }
  }
  return longest;
}
