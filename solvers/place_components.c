// SPDX-License-Identifier: Apache-2.0
// Union-find over a sweep: a part that starts before all parts seen so far have ended meets the one that ends last (or
// one tied to it through parts that lasted until then), so that one union per part is enough.
#include "solvers/place_components.h"

#include <stdlib.h>

static int32_t find_root(int32_t *parent, int32_t index) {
  while (parent[index] != index) {
    parent[index] = parent[parent[index]];
    index = parent[index];
  }
  return index;
}

// The lower root stays, so that a component is named by its lowest block.
static void unite(int32_t *parent, int32_t a, int32_t b) {
  int32_t x = find_root(parent, a), y = find_root(parent, b);
  if (x < y) {
    parent[y] = x;
  } else {
    parent[x] = y;
  }
}

typedef struct span_of_block {
  int32_t start, end, block;
} span_of_block;

static int compare_spans(const void *a, const void *b) {
  const span_of_block *x = a, *y = b;
  if (x->start != y->start) {
    return x->start < y->start ? -1 : 1;
  }
  return (x->block > y->block) - (x->block < y->block);
}

static bool unite_live_together(const memplan_instance *instance, int32_t *parent, memplan_arena *scratch) {
  span_of_block *spans = MEMPLAN_NEW(scratch, span_of_block, instance->n_parts);
  if (spans == NULL) {
    return false;
  }
  int32_t n_spans = 0;
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    const memplan_block *entry = &instance->blocks[block];
    for (int32_t k = entry->first_part; k < entry->first_part + entry->n_parts; k++) {
      spans[n_spans++] = (span_of_block){instance->parts[k].start, instance->parts[k].end, block};
    }
  }
  if (n_spans > 1) {
    qsort(spans, (size_t)n_spans, sizeof *spans, compare_spans);
  }
  int32_t last = -1; // the span that ends last
  for (int32_t k = 0; k < n_spans; k++) {
    if (last >= 0 && spans[k].start < spans[last].end) {
      unite(parent, spans[k].block, spans[last].block);
    }
    last = last < 0 || spans[k].end > spans[last].end ? k : last;
  }
  return true;
}

static void unite_by_rules(const memplan_instance *instance, int32_t *parent) {
  for (int32_t block = 0; block < instance->n_blocks; block++) {
    const memplan_block *entry = &instance->blocks[block];
    for (int32_t k = entry->first_apart; k < entry->first_apart + entry->n_apart; k++) {
      unite(parent, block, instance->apart[k].block);
    }
  }
}

memplan_status memplan_place_components_find(const memplan_instance *instance, memplan_arena *arena,
                                             memplan_place_components *components, memplan_error *error) {
  memplan_arena scratch = {0};
  int32_t n = instance->n_blocks;
  int32_t *parent = MEMPLAN_NEW(&scratch, int32_t, n), *index = MEMPLAN_NEW(&scratch, int32_t, n);
  int32_t *first = MEMPLAN_NEW(arena, int32_t, n + 1), *blocks = MEMPLAN_NEW(arena, int32_t, n);
  bool ok = parent != NULL && index != NULL && first != NULL && blocks != NULL;
  for (int32_t block = 0; ok && block < n; block++) {
    parent[block] = block;
    index[block] = -1;
  }
  ok = ok && unite_live_together(instance, parent, &scratch);
  if (!ok) {
    memplan_arena_free(&scratch);
    return memplan_fail_nomem(error);
  }
  unite_by_rules(instance, parent);
  int32_t count = 0;
  for (int32_t block = 0; block < n;
       block++) { // a root may have no bytes itself: its first member with bytes numbers it
    int32_t root = find_root(parent, block);
    if (instance->blocks[block].bytes > 0) {
      index[root] = index[root] < 0 ? count++ : index[root];
      first[index[root] + 1]++;
    }
  }
  for (int32_t c = 0; c < count; c++) {
    first[c + 1] += first[c];
  }
  for (int32_t block = 0; block < n; block++) {
    if (instance->blocks[block].bytes > 0) {
      blocks[first[index[find_root(parent, block)]]++] = block;
    }
  }
  for (int32_t c = count; c > 0; c--) {
    first[c] = first[c - 1];
  }
  first[0] = 0;
  *components = (memplan_place_components){.n_components = count, .first = first, .blocks = blocks};
  memplan_arena_free(&scratch);
  return MEMPLAN_OK;
}
