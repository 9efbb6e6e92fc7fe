// SPDX-License-Identifier: Apache-2.0
// Runs are found by the last start at or before a segment: a set of bits in levels of 64-bit words, where a bit of an
// upper level tells whether a word below holds any, so that a search visits two words of each level.
#include "model/graph_runs.h"

#include "model/base/grow.h"
#include "model/base/number.h"

#include <stdlib.h>
#include <string.h>

enum { word_bits = 64, word_shift = 6 };

// Visits the tensors that operators access (inputs and outputs of all of them), counting or storing their ends.
static void collect_bounds(const memplan_graph *graph, int64_t *count, int64_t *bounds, const int64_t *first) {
  for (int32_t index = 0; index < graph->n_ops; index++) {
    const memplan_op *op = &graph->ops[index];
    for (int32_t k = 0; k < op->n_in + op->n_out; k++) {
      const memplan_tensor *tensor = &graph->tensors[k < op->n_in ? op->in[k] : op->out[k - op->n_in]];
      if (bounds != NULL) {
        bounds[first[tensor->storage] + count[tensor->storage]] = tensor->offset;
        bounds[first[tensor->storage] + count[tensor->storage] + 1] = tensor->offset + tensor->bytes;
      }
      count[tensor->storage] += 2;
    }
  }
}

static memplan_status cut(memplan_runs *runs, const memplan_graph *graph, memplan_arena *arena, memplan_error *error) {
  int64_t *count = MEMPLAN_NEW(arena, int64_t, graph->n_storages);
  int64_t *first = MEMPLAN_NEW(arena, int64_t, (int64_t)graph->n_storages + 1);
  int64_t *first_segment = MEMPLAN_NEW(arena, int64_t, (int64_t)graph->n_storages + 1);
  if (count == NULL || first == NULL || first_segment == NULL) {
    return memplan_fail_nomem(error);
  }
  collect_bounds(graph, count, NULL, NULL);
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    first[storage + 1] = first[storage] + count[storage];
    count[storage] = 0;
  }
  int64_t *bounds = MEMPLAN_NEW(arena, int64_t, first[graph->n_storages]);
  if (bounds == NULL) {
    return memplan_fail_nomem(error);
  }
  collect_bounds(graph, count, bounds, first);
  int64_t kept = 0;
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    if (count[storage] > 1) {
      qsort(bounds + first[storage], (size_t)count[storage], sizeof *bounds, memplan_compare_int64);
    }
    first_segment[storage] = kept;
    for (int64_t k = first[storage]; k < first[storage + 1]; k++) {
      if (k == first[storage] || bounds[k] != bounds[k - 1]) {
        bounds[kept++] = bounds[k];
      }
    }
  }
  first_segment[graph->n_storages] = kept;
  runs->bounds = bounds;
  runs->first_segment = first_segment;
  return MEMPLAN_OK;
}

static uint64_t bit_of(int64_t index) { return (uint64_t)1 << (index % word_bits); }

static void set_start(memplan_runs *runs, int64_t segment) {
  for (int32_t level = 0; level < runs->n_levels; level++) {
    runs->starts[level][segment >> word_shift] |= bit_of(segment);
    segment >>= word_shift;
  }
}

static void clear_start(memplan_runs *runs, int64_t segment) {
  for (int32_t level = 0; level < runs->n_levels; level++) {
    uint64_t *word = &runs->starts[level][segment >> word_shift];
    *word &= ~bit_of(segment);
    if (*word != 0) {
      return;
    }
    segment >>= word_shift;
  }
}

static int64_t highest_bit(uint64_t word) {
  int64_t bit = 0;
  for (int64_t step = word_bits / 2; step > 0; step /= 2) {
    if (word >> step != 0) {
      word >>= step;
      bit += step;
    }
  }
  return bit;
}

// The last start at or before `segment`; there is one.
static int64_t start_before(const memplan_runs *runs, int64_t segment) {
  int64_t at = segment;
  for (int32_t level = 0; level < runs->n_levels; level++) {
    // Of the own word the bits up to `at`; of the levels above, those before it: the word below has none left.
    uint64_t below = bit_of(at) - 1;
    uint64_t word = runs->starts[level][at >> word_shift] & (level == 0 ? below | bit_of(at) : below);
    if (word != 0) {
      at = (at >> word_shift << word_shift) + highest_bit(word);
      for (int32_t down = level - 1; down >= 0; down--) {
        at = (at << word_shift) + highest_bit(runs->starts[down][at]);
      }
      return at;
    }
    at >>= word_shift;
  }
  return segment;
}

memplan_status memplan_runs_init(memplan_runs *runs, const memplan_graph *graph, memplan_arena *arena,
                                 memplan_error *error) {
  memset(runs, 0, sizeof *runs);
  MEMPLAN_TRY(cut(runs, graph, arena, error));
  int64_t n_segments = runs->first_segment[graph->n_storages];
  runs->runs = MEMPLAN_NEW(arena, memplan_run, n_segments);
  if (runs->runs == NULL) {
    return memplan_fail_nomem(error);
  }
  for (int64_t bits = n_segments; runs->n_levels == 0 || (bits > 1 && runs->n_levels < MEMPLAN_RUN_LEVELS);) {
    bits = (bits + word_bits - 1) / word_bits;
    runs->starts[runs->n_levels] = MEMPLAN_NEW(arena, uint64_t, bits);
    if (runs->starts[runs->n_levels++] == NULL) {
      return memplan_fail_nomem(error);
    }
  }
  for (int32_t storage = 0; storage < graph->n_storages; storage++) {
    int64_t first = runs->first_segment[storage], end = runs->first_segment[storage + 1];
    if (first < end) {
      runs->runs[first] = (memplan_run){end - 1, -1, -1};
      set_start(runs, first);
    }
  }
  return MEMPLAN_OK;
}

void memplan_runs_free(memplan_runs *runs) {
  free(runs->readers);
  runs->readers = NULL;
}

static int64_t segment_at(const memplan_runs *runs, int32_t storage, int64_t byte) {
  int64_t low = runs->first_segment[storage], high = runs->first_segment[storage + 1] - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (runs->bounds[middle] < byte) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void memplan_runs_range(const memplan_runs *runs, const memplan_tensor *tensor, int64_t *first, int64_t *end) {
  *first = segment_at(runs, tensor->storage, tensor->offset);
  *end = segment_at(runs, tensor->storage, tensor->offset + tensor->bytes);
}

void memplan_runs_split(memplan_runs *runs, const memplan_tensor *tensor, int64_t segment) {
  if (segment >= runs->first_segment[tensor->storage + 1] - 1) {
    return;
  }
  int64_t start = start_before(runs, segment);
  if (start < segment) {
    runs->runs[segment] = runs->runs[start];
    runs->runs[start].end = segment;
    set_start(runs, segment);
  }
}

void memplan_runs_join(memplan_runs *runs, int64_t segment, int64_t end) {
  for (int64_t at = runs->runs[segment].end; at < end; at = runs->runs[at].end) {
    clear_start(runs, at);
  }
  runs->runs[segment].end = end;
}

int32_t memplan_runs_add_reader(memplan_runs *runs, int32_t op, int32_t readers) {
  if (runs->n_readers >= INT32_MAX - 1) {
    return -2;
  }
  memplan_run_reader *grown = memplan_grow_heap(runs->readers, runs->n_readers, &runs->reader_capacity, sizeof *grown);
  if (grown == NULL) {
    return -1;
  }
  runs->readers = grown;
  grown[runs->n_readers] = (memplan_run_reader){op, readers, -1};
  return (int32_t)runs->n_readers++;
}
