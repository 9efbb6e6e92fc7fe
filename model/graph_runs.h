// SPDX-License-Identifier: Apache-2.0
// Who has touched which bytes last. Internal to model/.
//
// Each storage is cut at the ends of the tensors that are accessed in it; the pieces between are segments, numbered
// through all storages. Neighbouring segments with one history form a run.
#ifndef MEMPLAN_GRAPH_RUNS_H
#define MEMPLAN_GRAPH_RUNS_H

#include "model/graph.h"

enum { MEMPLAN_RUN_LEVELS = 6 };

typedef struct memplan_run_reader {
  int32_t op, next; // next: index of a reader, -1 ends the list
  int32_t barrier;  // an operator known to come after this reader and all behind it, or -1
} memplan_run_reader;

typedef struct memplan_run {
  int64_t end;     // first segment behind it
  int32_t writer;  // last writer, or -1
  int32_t readers; // list of those since, -1: none
} memplan_run;

typedef struct memplan_runs {
  const int64_t *bounds;                // by segment: its first byte; the last one of a storage only ends it
  const int64_t *first_segment;         // by storage, n_storages + 1
  memplan_run *runs;                    // by segment, valid where a run starts
  uint64_t *starts[MEMPLAN_RUN_LEVELS]; // where runs start: a bit for each segment, above it one for each word
  int32_t n_levels;
  memplan_run_reader *readers; // of the heap
  int64_t n_readers, reader_capacity;
} memplan_runs;

// One run without history for each storage. Memory from `arena`, but for the readers. O(accesses log accesses).
memplan_status memplan_runs_init(memplan_runs *runs, const memplan_graph *graph, memplan_arena *arena,
                                 memplan_error *error);
void memplan_runs_free(memplan_runs *runs);

// The segments of a tensor, half-open; none for an empty one.
void memplan_runs_range(const memplan_runs *runs, const memplan_tensor *tensor, int64_t *first, int64_t *end);

// Makes `segment` the start of a run, unless it ends its storage.
void memplan_runs_split(memplan_runs *runs, const memplan_tensor *tensor, int64_t segment);

// The run that starts at `segment` takes in all up to `end`, where another one starts, or the storage ends.
void memplan_runs_join(memplan_runs *runs, int64_t segment, int64_t end);

// A list with `op` before `readers`: its index, or -1 if memory is out, -2 if there are too many.
int32_t memplan_runs_add_reader(memplan_runs *runs, int32_t op, int32_t readers);

#endif
